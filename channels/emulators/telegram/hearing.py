"""Which messages reach a bot.

Belongs here: privacy mode, as core.telegram.org/bots/features#privacy-mode and the FAQ describe it. A bot in privacy
mode hears in a group only commands, mentions of it, replies to it, and what happens rather than is said.
"""

from channels.emulators.telegram.chats import Chat, Message, Standing
from channels.emulators.telegram.people import Bot


def hears(bot: Bot, message: Message) -> bool:
    """Whether a message from a person reaches `bot`, which is in the chat."""
    chat = message.chat
    if chat.private or bot.reads_all or chat.bots.get(bot.id) is Standing.ADMINISTRATOR:
        return True
    if message.content.service is not None or _replies_to(bot, message):
        return True
    return _names(bot, message, chat)


def _replies_to(bot: Bot, message: Message) -> bool:
    return message.reply_to is not None and message.reply_to.sender is bot


def _names(bot: Bot, message: Message, chat: Chat) -> bool:
    text = message.content.text
    encoded = text.text.encode("utf-16-le")
    own = f"@{bot.username.lower()}"
    for entity in text.entities:
        if entity.type == "text_mention" and entity.user_id == bot.id:
            return True
        if entity.type not in ("mention", "bot_command"):
            continue
        words = encoded[2 * entity.offset : 2 * entity.end].decode("utf-16-le").lower()
        if entity.type == "mention":
            if words == own:
                return True
        elif words.endswith(own) or ("@" not in words and _commands_are_for(bot, chat)):
            return True
    return False


def _commands_are_for(bot: Bot, chat: Chat) -> bool:
    """A command without a name is for the only bot, or for the one that spoke last."""
    alone = list(chat.bots) == [bot.id]
    return alone or chat.last_bot in (None, bot.id)
