"""What Telegram allows, as data, each figure with its source. What is done about a limit is said where it is met.

Sources: [T] core.telegram.org/bots/api, Bot API 10.1. [S] tdlib/telegram-bot-api, Client.cpp.
[F] core.telegram.org/bots/faq. How many commands a menu may have is in `commands.menus`.
Lengths are in UTF-16 units where nothing else is said, sizes in bytes, times in seconds.
"""

from channels.base import Capabilities, Pace
from channels.formatting.parts import Dialect

MAX_TEXT = 4096
"""Of a message or a draft, after its markup was read [T sendMessage, sendMessageDraft]."""

MAX_CAPTION = 1024
"""Of a file's words, after their markup was read [T sendPhoto, sendDocument]."""

MAX_PRESS_NOTE = 200
"""Of the note that answers a press [T answerCallbackQuery]."""

MAX_CALLBACK_DATA = 64
"""Bytes of what a button brings back [T InlineKeyboardButton]."""

SMALLER_MENUS = (2_000, 1_000, 500)
"""Bytes of a menu, tried one after the other when Telegram says that it is too much; its limit is not published."""

MAX_DOWNLOAD = 20 * 1024 * 1024
"""Of a file that a bot may fetch [T getFile]."""

MAX_UPLOAD = 50 * 1024 * 1024
"""Of a file that a bot may send [T sendDocument]."""

MAX_PHOTO = 10 * 1024 * 1024
"""Of a file sent as a photo [T sendPhoto]; a larger picture goes as a document."""

PHOTO_TYPES = frozenset({"image/jpeg", "image/png", "image/webp"})
"""What Telegram shows as a photo; other pictures (a drawing, an animation) go as documents."""

MAX_START_PARAMETER = 64
"""Characters after `?start=`, of `A-Z a-z 0-9 _ -` [core.telegram.org/bots/features#deep-linking]."""

ALLOWED_UPDATES = ("message", "edited_message", "callback_query", "my_chat_member")
"""The kinds of update that `parse` reads; Telegram keeps back all others."""

POLL_LIMIT = 100
"""Updates in one answer [T getUpdates]."""

POLL_SECONDS = 50
"""How long Telegram holds a poll open when there is nothing; it takes no more [S]."""

LONGEST_ROW = 30
"""Characters of labels that stand beside each other on a telephone without being cut off. Seen, not published."""

BUTTONS_IN_A_ROW = 4
"""Telegram takes 8, but such buttons are too narrow for a thumb."""

CAPABILITIES = Capabilities(
    kind="telegram",
    title="Telegram",
    dialect=Dialect.telegram,
    # [F] about 1 a second in one chat with short bursts, 20 a minute in one group, 30 a second in all. The exact
    # figures are not published, so a 429 counts for more than these.
    pace=Pace(per_chat=1.0, per_group=20 / 60, overall=30.0, burst=3),
    max_text=MAX_TEXT,
    max_download=MAX_DOWNLOAD,
    max_upload=MAX_UPLOAD,
    max_caption=MAX_CAPTION,
    button_limit=8,
    typing_every=4.5,  # an action is shown for 5 s or less [T sendChatAction]
    preview_every=1.0,
    preview_newest=2_500,
)
