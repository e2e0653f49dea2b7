"""What Discord allows, as data, each figure with its source. What is done about a limit is said where it is met.

Sources: [D] discord.com/developers/docs. [S] Discord's published OpenAPI description of its API.
How many commands a menu may have is in `commands.menus`. Lengths are in characters, sizes in bytes, times in seconds.
"""

from channels.base import Capabilities, Pace
from channels.formatting.parts import Dialect

MAX_TEXT = 2000
"""Of a message's content; [S] says 4000, which is what subscribers may write [D create-message]."""

MAX_LABEL = 80
"""Of a button [D component-reference, button]."""

MAX_CUSTOM_ID = 100
"""Of what a component brings back [D component-reference]."""

MAX_OPTIONS = 25
"""In one list to pick from; also the most that completes a command [D string-select, autocomplete]."""

MAX_OPTION_TEXT = 100
"""Of an option's label, value or description, and of a choice that completes a command [D]."""

ROWS = 5
BUTTONS_IN_A_ROW = 5
"""Rows under a message, and buttons in one [D component-reference, action-row]."""

OPTIONS_AS_BUTTONS = 5
"""Options that are shown as buttons; more are a list to pick from."""

MAX_MODAL_TITLE = 45
MAX_FIELD_LABEL = 45
MAX_FIELD_DESCRIPTION = 100
MAX_PLACEHOLDER = 100
MAX_MODAL_FIELDS = 5
"""Of a form [D modal, label, text-input]."""

MAX_NONCE = 25
"""Of the key by which Discord takes a message once [D create-message, nonce]."""

MAX_THREAD_NAME = 100
"""[D start-thread-from-message]."""

MAX_DOWNLOAD = 25 * 1024 * 1024
"""Of a file that is fetched: our own limit, people may send far more."""

MAX_UPLOAD = 10 * 1024 * 1024
"""Of a file that a bot may send to a server without boosts [D uploading-files]."""

INTERACTION_SECONDS = 3.0
"""Until a press or command must be answered [D receiving-and-responding]."""

FORM_SECONDS = INTERACTION_SECONDS - 1.0
"""How long our side may take to find a form, so that there is time left to answer."""

IDENTIFY_SECONDS = 5.0
"""Between two logins at the gateway [D gateway, rate-limiting]."""

HISTORY_PAGE = 100
"""Messages in one answer [D get-channel-messages]."""

CAPABILITIES = Capabilities(
    kind="discord",
    title="Discord",
    dialect=Dialect.discord,
    # 5 messages in 5 seconds in one channel were seen; the exact figures come with every answer and count for more.
    # 50 calls a second in all [D rate-limits].
    pace=Pace(per_chat=1.0, per_group=1.0, overall=40.0, burst=5),
    max_text=MAX_TEXT,
    max_download=MAX_DOWNLOAD,
    max_upload=MAX_UPLOAD,
    button_limit=10,
    max_label=MAX_LABEL,
    threads_are_rooms=True,
    notes_pass=False,  # a line that only the person sees stays until they dismiss it
    typing_every=8.0,  # shown for 10 s [D trigger-typing-indicator]
    preview_every=1.5,
    preview_newest=1_900,
)
