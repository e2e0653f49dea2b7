"""The API's stream of one conversation, as server-sent events.

Committed events carry their seq as the id of the server-sent event, so that a client that lost the line goes on from
there. What is not stored (the words of an answer while it is written) has no id.
"""

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Any

from fastapi.sse import ServerSentEvent

from core.events import Event
from core.live import Delta, Dropped, Folding, Written
from web.api import views
from web.api.following import Beat, Followed, Snapshot


async def sent(followed: AsyncGenerator[Followed]) -> AsyncGenerator[ServerSentEvent]:
    """What is followed, as it goes over the wire. Whoever goes is forgotten at once."""
    async with aclosing(followed):
        async for one in followed:
            yield _sent(one)


def _sent(one: Followed) -> ServerSentEvent:
    match one:
        case Event():
            return ServerSentEvent(event="event", id=str(one.seq), data=views.event(one).model_dump(mode="json"))
        case Snapshot():
            told = {"turn_seq": one.turn_seq, "message_id": one.message_id, "text": one.text}
            return ServerSentEvent(event="snapshot", data=told)
        case Beat():
            return ServerSentEvent(comment="still here")
        case _:
            name, data = _live(one)
            return ServerSentEvent(event=name, data=data)


def _live(item: Delta | Written | Dropped | Folding) -> tuple[str, Mapping[str, Any]]:
    """What is not stored: its name on the wire, and its data."""
    if isinstance(item, Folding):
        return "folding", {"goes_on": item.goes_on}
    about = {"turn_seq": item.turn_seq, "message_id": item.message_id}
    match item:
        case Delta():
            return "delta", {**about, "offset": item.offset, "text": item.text}
        case Written():
            return "written", about
        case Dropped():
            return "dropped", about
