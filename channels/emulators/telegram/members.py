"""What someone is to a chat, as the Bot API writes it: the `ChatMember` objects.

Belongs here: that JSON. Who is in which chat belongs to `chats`.
"""

from typing import Any

from channels.emulators.telegram import limits
from channels.emulators.telegram.chats import Chat, Standing
from channels.emulators.telegram.people import Bot, Person

_RIGHTS = limits.words(
    "can_manage_chat can_delete_messages can_manage_video_chats can_restrict_members can_promote_members",
    "can_change_info can_invite_users can_post_stories can_edit_stories can_delete_stories can_pin_messages",
    "can_manage_topics",
)


def member(chat: Chat, account: Person | Bot) -> dict[str, Any]:
    """The `ChatMember` object of anyone, also of someone who is not in the chat."""
    if isinstance(account, Bot):
        standing = chat.bots.get(account.id, Standing.LEFT)
        if chat.bot is account:
            standing = Standing.MEMBER
    elif account.id in chat.admins:
        standing = Standing.ADMINISTRATOR
    else:
        inside = account.id in chat.people or chat.person is account
        standing = Standing.MEMBER if inside else Standing.LEFT
    return {"user": account.user} | standing_json(standing)


def standing_json(standing: Standing) -> dict[str, Any]:
    """A `ChatMember` without its user."""
    json: dict[str, Any] = {"status": standing.value}
    if standing is Standing.ADMINISTRATOR:
        json |= {"can_be_edited": False, "is_anonymous": False} | dict.fromkeys(_RIGHTS, True)
    if standing is Standing.KICKED:
        json["until_date"] = 0
    return json
