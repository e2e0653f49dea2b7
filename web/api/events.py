"""Events of a conversation: what stands in the log, by pages, and what happens, as a stream."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Annotated, Final

from fastapi import Depends, Header, Query
from fastapi.sse import EventSourceResponse, ServerSentEvent

from web.api import schemas, views
from web.api.document import Section, refusals
from web.api.following import Followers
from web.api.parts import By, Parts
from web.api.stream import sent

MOST_EVENTS: Final = 500

After = Annotated[
    int, Query(ge=-1, le=schemas.LARGEST, description="The seq of the last event that you have; -1: from the beginning")
]
Limit = Annotated[int, Query(ge=1, le=MOST_EVENTS, description="How many at most")]
LastEventId = Annotated[
    str | None, Header(description="Sent by browsers that lost the line: goes on after this event instead of `after`")
]


class EventRoutes:
    """The routes."""

    def __init__(self, parts: Parts, followers: Followers) -> None:
        self._parts = parts
        self._followers = followers

    def add_to(self, api: Section) -> None:
        """Register them."""
        one, there = "/conversations/{conversation_id}", refusals(404)
        api.add_api_route(f"{one}/events", self.list_events, responses=there, summary="What happened, from the log")
        api.add_api_route(
            f"{one}/stream",
            self.stream_events,
            response_class=EventSourceResponse,
            responses=refusals(404, 409),
            dependencies=[Depends(self._expect_stream)],
            summary="What happens, as server-sent events",
        )

    async def list_events(self, conversation_id: str, after: After = -1, limit: Limit = 100) -> schemas.EventsPage:
        """The oldest first; a clear deletes nothing here."""
        await self._parts.expect(conversation_id)
        events = await self._parts.log.read(conversation_id, after=after, limit=limit)
        state = await self._parts.log.state(conversation_id)
        return schemas.EventsPage(events=tuple(map(views.event, events)), last_seq=state.last_seq)

    async def stream_events(
        self, conversation_id: str, by: By, after: After = -1, last_event_id: LastEventId = None
    ) -> AsyncIterator[ServerSentEvent]:
        """First a `snapshot` of the message that is being written (`message_id` null: none is), then each `event` after
        `after` with its seq as id, and with them, as they come: `delta` (the next words; `offset` counts the characters
        before them), `written` (the message has all its words; its event follows), `dropped` (its words are taken back,
        no event follows), `folding` (memory is being summed up, or not any more).

        A later `snapshot` replaces what you know of the running message. Comments say that the line is alive.
        """
        followed = self._followers.follow(conversation_id, place(last_event_id, after), by)
        async with aclosing(sent(followed)) as stream:
            async for said in stream:
                yield said

    async def _expect_stream(self, conversation_id: str) -> None:
        """Before the answer begins, for then it is too late for an error."""
        self._followers.expect_room()
        await self._parts.expect(conversation_id)


def place(last_event_id: str | None, after: int) -> int:
    """Where a client goes on; what cannot be an id of ours counts as none."""
    if last_event_id is None or not (last_event_id.isascii() and last_event_id.isdigit()):
        return after
    return min(int(last_event_id[:12]), schemas.LARGEST)
