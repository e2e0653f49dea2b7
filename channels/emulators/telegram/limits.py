"""Telegram's limits as data. The adapter has a list of its own: this one is there to contradict it.

Sources: [T] the Bot API documentation 10.1, [S] the source of Telegram's own Bot API server, [P] constants of
python-telegram-bot 22.8 where Telegram publishes nothing, [O] seen by others and unpublished.
"""


def words(*lines: str) -> frozenset[str]:
    """Names that are written side by side."""
    return frozenset(word for line in lines for word in line.split())


TEXT_UNITS = 4096
"""UTF-16 code units of a message or a draft after its markup is read [T]."""

CAPTION_UNITS = 1024
"""UTF-16 code units of a caption after its markup is read [T]."""

RAW_TEXT_BYTES = 1 << 15
"""Bytes of UTF-8 before the markup is read; more is refused outright [S]."""

ENTITIES = 100
"""Formatted stretches of one message; what comes after is shown plain [P]."""

BUTTONS = 100
"""Buttons of one inline keyboard [P]."""

BUTTONS_IN_ROW = 8
"""Buttons in one row of an inline keyboard [P]."""

CALLBACK_DATA_BYTES = 64
"""Bytes of UTF-8 that a button carries, at least 1 [T]."""

COPY_TEXT_UNITS = 256
"""Characters that a button copies, at least 1 [T]."""

KEYBOARD_BYTES = 10_000
"""Bytes of a whole inline keyboard as JSON; more is "reply markup is too long" [O]."""

PRESS_ANSWER_UNITS = 200
"""Characters of the answer to a press [T]."""

PRESS_SECONDS = 15
"""How long a press can be answered [O]; Telegram only says "too old"."""

COMMANDS = 100
"""Commands in one menu [T]."""

COMMAND_LENGTH = 32
"""Characters of a command's name, at least 1, of a-z, 0-9 and _ [T]."""

COMMAND_DESCRIPTION_LENGTH = 256
"""Characters of a command's description, at least 1 [T]."""

DELETE_SECONDS = 48 * 3600
"""How old a message may be that a bot deletes [T]."""

DRAFT_SECONDS = 30
"""How long a draft stays on the screen without a further one [T]."""

ACTION_SECONDS = 5
"""How long "typing" stays on the screen [T]."""

UPDATES = 100
"""Updates in one answer to getUpdates; other values are pulled into 1–100 without a word [S]."""

POLL_SECONDS = 50
"""The longest that getUpdates waits; a longer wish is shortened without a word [S]."""

UPDATE_SECONDS = 24 * 3600
"""How long an update waits to be fetched [T]."""

CONFLICT_PAUSE_SECONDS = 3
"""A second conflict within this time is answered this much later [S]."""

REPEATED_POLL_SECONDS = 3
"""A poll repeated within this time with the same offset waits this long even if it asked for less [S]."""

OFFSET_AHEAD = 10
"""An offset further ahead than this of what there is counts as none [S]."""

WEBHOOK_PAUSE_SECONDS = 1
"""setWebhook with an address works once in this time [S]."""

WEBHOOK_CONNECTIONS = 40
"""Connections to a webhook where the bot names none; 1–100 may be named [T]."""

WEBHOOK_CONNECTIONS_MOST = 100

WEBHOOK_SECRET_LENGTH = 256
"""Characters of a webhook's secret, of A-Z, a-z, 0-9, _ and - [T]."""

WEBHOOK_PORTS = frozenset({80, 88, 443, 8443})
"""Ports that a webhook may have [T]; on loopback the pretend Telegram takes any."""

WEBHOOK_RETRY_SECONDS = 60
"""The longest pause between two tries to deliver to a webhook; pauses begin at 1 and double [S]."""

DOWNLOAD_BYTES = 20 << 20
"""The largest file that a bot can fetch [T]."""

UPLOAD_BYTES = 50 << 20
"""The largest file that a bot can send [T]."""

PHOTO_BYTES = 10 << 20
"""The largest photo that a bot can send [T]."""

PHOTO_SIDES = 10_000
"""Width and height of a photo together, at most [T]."""

PHOTO_RATIO = 20
"""The longer side of a photo over the shorter, at most [T]."""

FILE_PATH_SECONDS = 3600
"""How long the address that getFile gives works, at least [T]; here exactly."""

ALBUM = range(2, 11)
"""How many pictures or files an album has [T]. Strictly; the server takes one alone too, as a plain message [S]."""

TOPIC_NAME_LENGTH = 128
"""Characters of a topic's name, at least 1 [T]."""

START_PAYLOAD_LENGTH = 64
"""Characters of what a deep link carries, of A-Z, a-z, 0-9, _ and - [T]."""

OVERALL_PER_SECOND = 30
"""Messages a second from one bot over all chats [P]."""

CHAT_BURST = 3
"""Messages that a quiet chat takes at once before one a second is enforced [O]; Telegram says "short bursts"."""

CHAT_PER_SECOND = 1.0
"""Messages a second into one chat [P]."""

GROUP_PER_MINUTE = 20
"""Messages a minute into one group [P]."""

REACTIONS = words(
    "❤ 👍 👎 🔥 🥰 👏 😁 🤔 🤯 😱 🤬 😢 🎉 🤩 🤮 💩 🙏 👌 🕊 🤡 🥱 🥴 😍 🐳 ❤\u200d🔥 🌚 🌭 💯 🤣 ⚡ 🍌 🏆 💔 🤨 😐 🍓",
    "🍾 💋 🖕 😈 😴 😭 🤓 👻 👨\u200d💻 👀 🎃 🙈 😇 😨 🤝 ✍ 🤗 🫡 🎅 🎄 ☃ 💅 🤪 🗿 🆒 💘 🙉 🦄 😘 💊 🙊 😎 👾",
    "🤷\u200d♂ 🤷 🤷\u200d♀ 😡",
)
"""Emoji that a bot can react with; it may set one of them [T]."""

PARSE_MODES = frozenset({"html", "markdown", "markdownv2"})

UPDATE_TYPES = words(
    "message edited_message channel_post edited_channel_post business_connection business_message",
    "edited_business_message deleted_business_messages guest_message message_reaction message_reaction_count",
    "inline_query chosen_inline_result callback_query shipping_query pre_checkout_query purchased_paid_media",
    "poll poll_answer my_chat_member chat_member chat_join_request chat_boost removed_chat_boost managed_bot",
)
"""Kinds of update that a bot may ask for [T]."""

UPDATE_TYPES_UNASKED = UPDATE_TYPES - {"chat_member", "message_reaction", "message_reaction_count"}
"""Kinds that a bot gets when it never named any [T]."""

CHAT_ACTIONS = words(
    "typing upload_photo record_video upload_video record_voice upload_voice record_audio upload_audio",
    "upload_document choose_sticker find_location pick_up_location record_video_note upload_video_note cancel",
)
"""What sendChatAction takes; any other is "wrong parameter action in request" [S]."""
