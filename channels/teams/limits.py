"""What Teams allows, as data, each figure with its source. What is done about a limit is said where it is met.

Sources: [M] learn.microsoft.com/microsoftteams/platform, the page that is named. Sizes are in bytes, times in seconds,
lengths in characters.
"""

from channels.base import Capabilities, Pace
from channels.formatting import limits as texts
from channels.formatting.parts import Dialect

MAX_TEXT = texts.TEAMS_TEXT
"""UTF-16 units of a message's words; leaves room for a card beside them."""

MAX_PAYLOAD = 100 * 1024
"""Of a whole activity, as JSON in UTF-16 [M bots/how-to/format-your-bot-messages]."""

MAX_BODY = 1024 * 1024
"""Of what is brought to us: our own limit, ten times what Teams sends."""

BUTTONS_IN_A_ROW = 6
"""Actions of one set that are seen at once; the others hide behind `…` [M cards/cards-reference]."""

SUGGESTED_SHOWN = 3
"""Suggested actions that are shown [M bots/how-to/conversations/conversation-messages]."""

MAX_LABEL = 60
"""Of a button, so that it is seen whole; Teams has no figure for it."""

CARD_VERSION = "1.5"
"""The newest version of an Adaptive Card that a bot may send [M cards/cards-reference]."""

STREAM_SECONDS = 110.0
"""How long words are added to a message that is being written; Teams ends it after 120 [M bots/streaming-ux]."""

STREAM_EVERY = 1.5
"""Between two additions; Teams takes one a second and asks for 1.5 to 2 [M bots/streaming-ux]."""

INVOKE_SECONDS = 5.0
"""Within which a press is answered [M cards/universal-actions-for-adaptive-cards]."""

CLOCK_SKEW = 300
"""By which clocks may differ where a token is looked at
[learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-authentication]."""

MAX_DOWNLOAD = 50 * 1024 * 1024
"""Of a file that is fetched: our own limit."""

MAX_UPLOAD = 50 * 1024 * 1024
"""Of a file that is sent; one request to its upload address takes 60 MiB
[learn.microsoft.com/graph/api/driveitem-createuploadsession]."""

MAX_PICTURE = 1024 * 1024
"""Of a picture inside a message [M bots/how-to/bots-filesv4]."""

PICTURES = frozenset({"image/png", "image/jpeg", "image/gif"})
"""Of these kinds [M bots/how-to/bots-filesv4]."""

PRIVATE_ONLY_SECONDS = 30 * 60.0
"""Between two times that a team or a group chat is told that the bot answers in private chats only."""

CAPABILITIES = Capabilities(
    kind="teams",
    title="Teams",
    dialect=Dialect.teams,
    # [M bots/how-to/rate-limit] in a conversation 7 in a second, 60 in 30 seconds; 50 a second of a bot in a tenant.
    pace=Pace(per_chat=1.5, per_group=1.5, overall=25.0, burst=4),
    max_text=MAX_TEXT,
    max_download=MAX_DOWNLOAD,
    max_upload=MAX_UPLOAD,
    button_limit=BUTTONS_IN_A_ROW,
    max_label=MAX_LABEL,
    notes_pass=False,  # Teams has no line that only one person sees, so a note is a message
    preview_every=STREAM_EVERY,
    preview_newest=MAX_TEXT - 1_000,  # each addition repeats all that was said before
)
