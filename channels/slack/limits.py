"""What Slack allows, as data, each figure with its source. What is done about a limit is said where it is met.

Sources: [S] docs.slack.dev, the method's or block's own page. [R] docs.slack.dev/apis/web-api/rate-limits.
[I] docs.slack.dev/interactivity/handling-user-interaction. Sizes are in bytes, times in seconds, lengths in characters.
"""

from channels.base import Capabilities, Pace
from channels.formatting import limits as texts
from channels.formatting.parts import Dialect

MAX_TEXT = texts.SLACK_MARKDOWN
"""Of all `markdown` blocks of a message [S markdown block]."""

MAX_NOTICE = 3_000
"""Of the `text` beside the blocks, which a notification shows; more than 4,000 cannot be edited later."""

MAX_SECTION = 3_000
"""Of one section's text [S section block]."""

BUTTONS_IN_A_BLOCK = 25
"""Elements of an `actions` block [S actions block]."""

BUTTONS_BEFORE_A_LIST = 5
"""More options than these are drawn as a list to pick from."""

MAX_LABEL = 75
"""Of a button's and an option's text [S button element, option object]."""

MAX_VALUE = 150
"""Of what an option brings back; a button's may be 2,000 [S option object]."""

MAX_URL = 3_000
"""Of the address that a button opens [S button element]."""

MAX_TITLE = 24
"""Of a form's title and of the labels of its buttons [S view object]."""

MAX_FIELD_LABEL = 2_000
"""Of the label and of the hint of a form's field [S input block]."""

MAX_TYPED = 3_000
"""Of what is typed into a form's field [S plain-text input element]."""

MAX_METADATA = 3_000
"""Of what a form carries unseen [S view object, private_metadata]."""

ACK_SECONDS = 3.0
"""Within which an envelope or a request is acknowledged, and a `trigger_id` is used [I]."""

RESPONSE_SECONDS = 30 * 60.0
RESPONSE_USES = 5
"""How long and how often a `response_url` is good for [I]."""

MAX_RESPONSE = 3_000
"""Of an answer that only one person sees in a channel; it is not kept by Slack, so a longer one goes where it is."""

STATUS_SECONDS = 120.0
"""After which a status goes away by itself [S assistant.threads.setStatus]."""

SIGNATURE_SECONDS = 300
"""How old a signed request may be [docs.slack.dev/authentication/verifying-requests-from-slack]."""

MAX_DOWNLOAD = 50 * 1024 * 1024
"""Of a file that is fetched: our own limit, Slack has none for a bot."""

MAX_UPLOAD = 1024 * 1024 * 1024
"""Of a file that is sent [slack.com/help/articles/201330736-Add-files-to-Slack]."""

PAGE = 200
"""Of what is listed at once; Slack asks for no more than 200 [S conversations.history, users.conversations]."""

SCOPES: tuple[str, ...] = (
    "app_mentions:read",
    "channels:history",
    "channels:read",
    "chat:write",
    "commands",
    "files:read",
    "files:write",
    "groups:history",
    "groups:read",
    "im:history",
    "im:read",
    "im:write",
    "mpim:history",
    "mpim:read",
    "reactions:write",
    "users:read",
)
"""What the bot is allowed to do; all of it is used."""

EVENTS: tuple[str, ...] = (
    "app_home_opened",
    "app_mention",
    "channel_left",
    "group_left",
    "member_joined_channel",
    "member_left_channel",
    "message.channels",
    "message.groups",
    "message.im",
    "message.mpim",
)
"""What Slack tells the bot of."""

COMMAND = "/conch"
"""The one command that Slack is told of: it keeps every other word that begins with a slash to itself."""

CAPABILITIES = Capabilities(
    kind="slack",
    title="Slack",
    dialect=Dialect.slack,
    # [R] one message a second in a channel, with short bursts; several hundred a minute in a workspace.
    pace=Pace(per_chat=1.0, per_group=1.0, overall=8.0, burst=3),
    max_text=MAX_TEXT,
    max_download=MAX_DOWNLOAD,
    max_upload=MAX_UPLOAD,
    button_limit=9,
    max_label=MAX_LABEL,
    command=COMMAND,
    notes_pass=False,  # one that only a person sees stays until they load Slack anew
    typing_every=STATUS_SECONDS / 2,
    preview_every=1.0,
    preview_newest=MAX_TEXT - 1_000,  # only what is added is sent, so all of it is shown, and room is left for a mark
)
