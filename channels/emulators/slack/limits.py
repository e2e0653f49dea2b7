"""What Slack allows, with the source of each number.

[S] docs.slack.dev/reference/methods, [B] docs.slack.dev/reference/block-kit, [E] docs.slack.dev/apis/events-api,
[I] docs.slack.dev/interactivity/handling-user-interaction, [K] docs.slack.dev/apis/events-api/using-socket-mode.
"""

TEXT = 40_000
"""Characters of a message; what is beyond is cut off with a warning [api.slack.com/changelog/2018-04]."""

UPDATE_TEXT = 4_000
"""Characters that chat.update takes at least; beyond `TEXT` it says `msg_too_long` [S]."""

MARKDOWN = 12_000
"""Characters of `markdown_text`, and of all markdown blocks of one message together [S, B]."""

BLOCKS = 50
VIEW_BLOCKS = 100
BLOCKS_TEXT = 13_200
"""Characters in all blocks of a message together; more is `msg_blocks_too_long` (bolt-js#2509, undocumented)."""

SECTION = 3_000
FIELDS = 10
FIELD = 2_000
HEADER = 150
CONTEXT_ELEMENTS = 10
ACTIONS_ELEMENTS = 25
BUTTON_TEXT = 75
BUTTON_VALUE = 2_000
ID = 255
URL = 3_000
OPTIONS = 100
OPTION_TEXT = 75
OPTION_VALUE = 150
PLACEHOLDER = 150
LABEL = 2_000
HINT = 2_000
INPUT_TEXT = 3_000
CHECKBOXES = 10
VIEW_TITLE = 24
PRIVATE_METADATA = 3_000
CALLBACK_ID = 255
CONFIRM_TITLE = 100
CONFIRM_TEXT = 300
CONFIRM_BUTTON = 30

ACK_SECONDS = 3.0
"""How long an event, a press or a command may stay unacknowledged [E, I]."""

RETRY_PAUSES = (0.0, 60.0, 300.0)
"""Seconds before each redelivery of an event: nearly at once, a minute, five minutes [E]."""

TRIGGER_SECONDS = 3.0
"""How long a trigger_id opens a view [I]."""

RESPONSE_URL_USES = 5
RESPONSE_URL_SECONDS = 1_800.0
"""How often and how long a response_url works [I]."""

CONNECTIONS = 10
"""Socket Mode connections of one app at once [K]."""

CONNECTION_SECONDS = 18_060
"""What `hello` says of how long a connection will last."""

STATUS_SECONDS = 120.0
"""How long a status of an assistant's thread stays without an answer [S, assistant.threads.setStatus]."""

REACTIONS_OF_ONE = 23
"""Different emoji that one account can put under a message."""
