"""A group with a Conch in it, and the people there: the owner Ada, Bob, who was let in, and Eve, who was not."""

import asyncio
from typing import Any

from channels.base import Sender, Update
from channels.memory.chat import MemoryChat, SeenMessage, SentFile
from core.events import EventData, UserMessage
from core.store.log import EventLog
from core.store.outbox import OutboxRows
from core.store.seats import Seat, Seats
from tests.channels.commands.talking import Echo, Talk, until

ADA = Sender("ada", "Ada")
BOB = Sender("bob", "Bob")
EVE = Sender("eve", "Eve")
PICTURE = SentFile("shell.png", b"not really", "image/png")


async def seen_through(talk: Talk) -> None:
    """Come back when everything that was written is answered, or was found not to be for the bot."""
    await until(lambda: not talk.shell.feed.waiting)
    await talk.app.service.settled()
    await until(lambda: not talk.app.conversations.active)
    await talk.app.relay.settled()
    while await OutboxRows(talk.app.database).unfinished(talk.channel_id):  # noqa: ASYNC110 - a picture
        await asyncio.sleep(0)


async def ask(talk: Talk, group: MemoryChat, by: Sender, text: str, **more: Any) -> SeenMessage:
    """Mention the bot, and come back with what it says."""
    return await talk.say(text, group, by=by, mentioned=True, **more)


async def texts_after(talk: Talk, group: MemoryChat) -> list[str]:
    """All that the bot said in a group once everything is seen through."""
    await seen_through(talk)
    return list(group.texts)


async def log_of(talk: Talk, group: MemoryChat, person: Sender) -> list[EventData]:
    """What happened in somebody's conversation in a group."""
    seat = Seat(talk.channel_id, group.id, group.thread or "", person.id)
    conversation_id = await Seats(talk.app.database).conversation(seat)
    assert conversation_id is not None
    return [event.data for event in await EventLog(talk.app.database).read(conversation_id)]


async def said_by(talk: Talk, group: MemoryChat, person: Sender) -> list[UserMessage]:
    return [data for data in await log_of(talk, group, person) if isinstance(data, UserMessage)]


def files_of(engine: Echo) -> list[str]:
    """The files that the engine was given."""
    return [file.name for turn in engine.turns for file in turn.attachments]


async def conversations(talk: Talk) -> int:
    """How many there are."""
    return len(await EventLog(talk.app.database).page(100))


def edited(
    talk: Talk, group: MemoryChat, by: Sender, message: SeenMessage, text: str, *, reply_to: SeenMessage
) -> Update:
    """An edit as apps send it: the whole message, with what it replies to."""
    quote = {"id": reply_to.id, "text": reply_to.text, "author": "Conch", "from_bot": True}
    update_id = talk.shell.new_id()
    payload = {
        "update_id": update_id,
        "kind": "edited",
        "at": talk.clock.now().isoformat(),
        "chat": {"id": group.id, "kind": "group"},
        "by": {"id": by.id, "name": by.name},
        "message": {"id": message.id, "text": text, "reply_to": quote},
    }
    return Update(update_id, payload)
