"""The live stream of a chat's page: patches as they come, with the seq up to which the page is then.

A browser that lost the line, slept, or meets a new process goes on from that seq. Words that are being written have
none: whoever comes is told them first, as far as they are.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from typing import Annotated, Final

from fastapi import FastAPI, Header, Query
from fastapi.sse import EventSourceResponse, ServerSentEvent
from starlette.requests import Request

from core.clock import Clock
from core.events import Event
from core.live import Delta
from web import callers
from web.api.events import place
from web.api.following import Beat, Followed, Followers
from web.api.parts import Parts as Api
from web.callers import Caller
from web.cards import Drawer
from web.live.around import PAGE, Parts, around_of, possible
from web.live.patches import Picture
from web.security import Gate, read_cookie
from web.transcript import folded

PAUSE: Final = 0.05
"""Seconds for which words are gathered into one patch."""

FAR: Final = 1_000
"""Events behind which a page is rather loaded anew than patched."""

MOST_GATHERED: Final = 1_000


class LiveRoutes:
    """The stream."""

    def __init__(self, gate: Gate, api: Api, followers: Followers, drawer: Drawer, parts: Parts, version: str) -> None:
        self._gate = gate
        self._api = api
        self._followers = followers
        self._drawer = drawer
        self._parts = parts
        self._version = version

    def add_to(self, app: FastAPI) -> None:
        """Register it."""
        app.add_api_route(
            "/live/chats/{chat}", self.stream, methods=["GET"], response_class=EventSourceResponse, response_model=None
        )

    async def stream(
        self,
        request: Request,
        chat: str,
        after: Annotated[int, Query(ge=-1, le=2**53)] = -1,
        last_event_id: Annotated[str | None, Header()] = None,
    ) -> AsyncIterator[ServerSentEvent]:
        """`hello` with the version first, then `patches`; `reload` where the page is too far behind."""
        self._followers.expect_room()
        possible(chat)
        yield ServerSentEvent(event="hello", data={"version": self._version})
        begin = place(last_event_id, after)
        state = await self._api.log.state(chat)
        if state.last_seq - begin > FAR or begin > state.last_seq:
            yield ServerSentEvent(event="reload", data={})
            return
        async with aclosing(self._patches(request, chat, begin)) as patches:
            async for one in patches:
                yield one

    async def _patches(self, request: Request, chat: str, after: int) -> AsyncGenerator[ServerSentEvent]:
        transcript = folded(await self._api.log.before(chat, after + 1, PAGE))
        root = request.scope.get("root_path", "")
        picture = Picture(chat, root, self._drawer, self._parts, transcript)
        followed = self._followers.follow(chat, after, self._caller(request))
        async with aclosing(gathered(followed, self._api.clock)) as batches:
            async for batch in batches:
                made = picture.patches(batch, await around_of(self._api, chat))
                seqs = [one.seq for one in batch if isinstance(one, Event)]
                if made:
                    yield ServerSentEvent(event="patches", id=str(seqs[-1]) if seqs else None, data=made)
                elif any(isinstance(one, Beat) for one in batch):
                    yield ServerSentEvent(comment="still here")

    def _caller(self, request: Request) -> Caller:
        session = read_cookie(request.headers, self._gate.cookie) or ""
        return callers.console(lambda: self._gate.sessions.knows(session), is_recent=False)


async def gathered(followed: AsyncGenerator[Followed], clock: Clock) -> AsyncGenerator[Sequence[Followed]]:
    """What happens, in batches: everything that is there at once, and words for a moment."""
    waiting: asyncio.Queue[Followed | None] = asyncio.Queue(MOST_GATHERED)
    pump = asyncio.create_task(_pump(followed, waiting), name="live stream")
    try:
        while True:
            batch = [await waiting.get()]
            if isinstance(batch[0], Delta):
                await clock.sleep(PAUSE)
            while not waiting.empty():
                batch.append(waiting.get_nowait())
            if kept := [one for one in batch if one is not None]:
                yield kept
            if None in batch:
                return
    finally:
        pump.cancel()
        await asyncio.gather(pump, return_exceptions=True)


async def _pump(followed: AsyncGenerator[Followed], waiting: asyncio.Queue[Followed | None]) -> None:
    try:
        async with aclosing(followed):
            async for one in followed:
                await waiting.put(one)
    finally:
        if not waiting.full():
            waiting.put_nowait(None)
