"""Looking at a chat, leaving it, opening a topic in it."""

from channels.emulators.telegram import limits
from channels.emulators.telegram.chats import Chat, Standing
from channels.emulators.telegram.errors import bad_request
from channels.emulators.telegram.members import member
from channels.emulators.telegram.methods.call import Call, Method
from channels.emulators.telegram.parameters import CHAT, FLAG, INTEGER, NOT_PLAYED, TEXT
from channels.emulators.telegram.people import Bot, Person

ICON_COLORS = (7322096, 16766590, 13338331, 9367192, 16749490, 16478047)
"""The colours that a topic's icon may have [Bot API, createForumTopic]."""

_NO_GIFTS = dict.fromkeys(
    ("unlimited_gifts", "limited_gifts", "unique_gifts", "premium_subscription", "gifts_from_channels"), False
)


async def get_chat(call: Call) -> object:
    """The chat in full, as far as anything is known here."""
    chat = call.chat_to_read()
    return chat.json | {"accent_color_id": 0, "max_reaction_count": 11, "accepted_gift_types": _NO_GIFTS}


async def get_chat_member(call: Call) -> object:
    """What someone is to a chat."""
    chat = call.chat_to_read()
    account = call.world.accounts.get(call.integer("user_id"))
    if account is None:
        raise bad_request("user not found")
    return member(chat, account)


async def get_chat_member_count(call: Call) -> object:
    """How many are in it, bots too."""
    return len(_members(call, call.chat_to_read()))


async def get_chat_administrators(call: Call) -> object:
    """Those who run a group."""
    chat = call.chat_to_read()
    if chat.private:
        raise bad_request("there are no administrators in the private chat")
    everyone = [member(chat, account) for account in _members(call, chat)]
    return [
        m for m in everyone if m["status"] == "administrator" and (not m["user"]["is_bot"] or call.flag("return_bots"))
    ]


async def leave_chat(call: Call) -> object:
    """The bot goes; it hears no more of the group."""
    chat = call.chat_to_read()
    if chat.private:
        raise bad_request("chat member status can't be changed in private chats")
    call.world.service(chat, call.bot, {"left_chat_member": call.bot.user})
    chat.bots[call.bot.id] = Standing.LEFT
    return True


async def create_forum_topic(call: Call) -> object:
    """A topic of a forum in which the bot is an admin."""
    name, color = call.text("name"), call.integer("icon_color", ICON_COLORS[0])
    chat = call.chat_to_write()
    if not chat.forum:
        raise bad_request("the chat is not a forum")
    if chat.bots.get(call.bot.id) is not Standing.ADMINISTRATOR:
        raise bad_request("not enough rights to create a topic")
    if not 1 <= len(name) <= limits.TOPIC_NAME_LENGTH:
        raise bad_request("TOPIC_TITLE_EMPTY" if not name else "TOPIC_TITLE_TOO_LONG")
    if color not in ICON_COLORS:
        raise bad_request("TOPIC_ICON_COLOR_INVALID")
    topic = call.world.open_topic(chat, call.bot, name, color)
    return {"message_thread_id": topic.id, "name": topic.name, "icon_color": topic.icon_color}


def _members(call: Call, chat: Chat) -> list[Person | Bot]:
    if chat.person is not None:
        return [chat.person, call.bot]
    bots = [account for account in call.world.accounts.values() if isinstance(account, Bot) and chat.has_bot(account)]
    return [*chat.people.values(), *bots]


METHODS = (
    Method("getChat", {"chat_id": CHAT}, get_chat),
    Method("getChatMember", {"chat_id": CHAT, "user_id": INTEGER}, get_chat_member),
    Method("getChatMemberCount", {"chat_id": CHAT}, get_chat_member_count),
    Method("getChatAdministrators", {"chat_id": CHAT, "return_bots": FLAG}, get_chat_administrators),
    Method("leaveChat", {"chat_id": CHAT}, leave_chat),
    Method(
        "createForumTopic",
        {"chat_id": CHAT, "name": TEXT, "icon_color": INTEGER, "icon_custom_emoji_id": NOT_PLAYED},
        create_forum_topic,
    ),
)
