"""Following a conversation live: the running message first, then the log from where one is, then what happens."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest
from fastapi.sse import ServerSentEvent

from conch.app import App
from core.clock import ManualClock
from core.events import Notice
from core.live import Delta, Dropped, Written
from core.store.log import Append
from tests.core.lives import until
from tests.web.api.conftest import Program, Script, quiet
from web.api import following as followed
from web.api.events import place
from web.api.following import HEARTBEAT, Followers
from web.api.mailbox import MOST_WAITING
from web.api.schemas import LARGEST
from web.api.stream import sent
from web.callers import Caller, console
from web.security import API, Guarded
from web.serving import listen, serving

OWNER = console(lambda: True, is_recent=True)


class Client:
    """Somebody who follows; what they were sent, in short."""

    def __init__(self, follows: AsyncIterator[ServerSentEvent]) -> None:
        self._follows = follows

    async def next(self) -> ServerSentEvent:
        async with asyncio.timeout(10):
            return await anext(self._follows)

    async def take(self, count: int) -> list[Any]:
        return [short(await self.next()) for _ in range(count)]

    async def ended(self) -> bool:
        async with asyncio.timeout(10):
            return await anext(self._follows, None) is None


def short(said: ServerSentEvent) -> Any:
    match said.event:
        case "event":
            assert said.id == str(said.data["seq"])
            return said.data["seq"], said.data["type"]
        case "snapshot":
            return "snapshot", said.data["text"]
        case "delta":
            return "delta", said.data["offset"], said.data["text"]
        case None:
            return said.comment
    return said.event


@asynccontextmanager
async def following(streams: Followers, chat: str, after: int = -1, caller: Caller = OWNER) -> AsyncGenerator[Client]:
    follows = sent(streams.follow(chat, after, caller))
    try:
        yield Client(follows)
    finally:
        await follows.aclose()


async def test_a_quiet_conversation_is_told_from_where_the_client_is(
    program: Program, built: App, streams: Followers
) -> None:
    chat = await program.begin()
    await quiet(built)

    async with following(streams, chat, after=1) as client:
        told = await client.take(3)

    assert told == [("snapshot", ""), (2, "assistant.message"), (3, "turn.completed")]


async def test_who_comes_in_the_middle_has_the_words_so_far_first_and_then_the_next_ones(
    program: Program, built: App, streams: Followers, script: Script
) -> None:
    chat = await program.begin("Wait")
    await until(lambda: (turn := built.conversations.running(chat)) and turn.snapshot())

    async with following(streams, chat, after=1) as client:
        first = await client.next()
        script.gate.set()
        rest = await client.take(4)

    assert first.data["text"] == "One moment. "
    assert first.id is None
    assert rest == [("delta", 12, "Done."), "written", (2, "assistant.message"), (3, "turn.completed")]


async def test_words_and_snapshot_together_are_the_message_whenever_one_comes(
    program: Program, built: App, streams: Followers
) -> None:
    chat = await program.begin()
    await quiet(built)

    async with following(streams, chat, after=3) as client:
        assert await client.take(1) == [("snapshot", "")]
        await program.post(f"/conversations/{chat}/messages", {"text": "More"})
        told = await client.take(6)

    assert told == [
        (4, "user.message"),
        (5, "turn.started"),
        ("delta", 0, "echo: More"),
        "written",
        (6, "assistant.message"),
        (7, "turn.completed"),
    ]


async def test_words_that_are_taken_back_are_told_so(built: App, program: Program, streams: Followers) -> None:
    chat = await program.begin()
    await quiet(built)

    async with following(streams, chat, after=3) as client:
        await client.take(1)
        for item in (Delta(chat, 9, "m9", 0, "So"), Dropped(chat, 9, "m9"), Delta("other", 9, "m8", 0, "no")):
            built.feed.publish(item)
        said, dropped = await client.next(), await client.next()

    assert said.data == {"turn_seq": 9, "message_id": "m9", "offset": 0, "text": "So"}
    assert (dropped.event, dropped.data) == ("dropped", {"turn_seq": 9, "message_id": "m9"})


async def test_late_words_of_a_message_that_stands_in_the_log_are_left_out(
    built: App, program: Program, streams: Followers
) -> None:
    chat = await program.begin()
    await quiet(built)
    [message] = [event for event in await program.events(chat) if event["type"] == "assistant.message"]
    message_id = message["data"]["message_id"]

    async with following(streams, chat) as client:
        await client.take(1)
        built.feed.publish(Delta(chat, 1, message_id, 0, "echo"))
        built.feed.publish(Written(chat, 1, message_id))
        await built.database.commit(Append(chat, (Notice(code="x", message="After."),)))
        told = await client.take(5)

    assert told[-1] == (4, "notice")


async def test_a_client_that_is_too_slow_goes_on_from_the_log_with_the_message_anew(
    program: Program, built: App, streams: Followers
) -> None:
    chat = await program.begin("Wait")
    await until(lambda: (turn := built.conversations.running(chat)) and turn.snapshot())

    async with following(streams, chat, after=1) as client:
        await client.take(1)
        waiting = asyncio.ensure_future(client.next())
        await asyncio.sleep(0)
        for number in range(MOST_WAITING + 2):
            built.feed.publish(Delta(chat, 1, "m", number, "x"))
        await built.database.commit(Append(chat, (Notice(code="x", message="Meanwhile."),)))
        first = short(await waiting)
        told = await client.take(1)

    assert [first, *told] == [("snapshot", "One moment. "), (2, "notice")]


async def test_a_quiet_line_says_that_it_is_alive_and_finds_what_another_process_wrote(
    program: Program, built: App, streams: Followers, clock: ManualClock
) -> None:
    chat = await program.begin()
    await quiet(built)

    async with following(streams, chat, after=3) as client:
        await client.take(1)
        waiting = asyncio.ensure_future(client.next())
        await asyncio.sleep(0)
        streams_hear_nothing(built, chat)
        await built.database.commit(Append(chat, (Notice(code="x", message="From elsewhere."),)))
        await clock.advance(HEARTBEAT)
        first, second = short(await waiting), short(await client.next())

    assert (first, second) == ((4, "notice"), "still here")


def streams_hear_nothing(built: App, chat: str) -> None:
    """As if what is written from now on were another process's."""
    built.feed._listeners.clear()


async def test_a_revoked_token_ends_its_stream(
    program: Program, built: App, streams: Followers, clock: ManualClock
) -> None:
    chat = await program.begin()
    await quiet(built)
    good = True

    async def stands() -> bool:
        return good

    async with following(streams, chat, after=3, caller=Caller("api", "1", "x", False, stands)) as client:
        await client.take(1)
        waiting = asyncio.ensure_future(client.ended())
        await asyncio.sleep(0)
        good = False
        await clock.advance(HEARTBEAT)
        ended = await waiting

    assert ended


async def test_the_end_of_the_program_ends_streams_and_begins_none(
    program: Program, built: App, streams: Followers
) -> None:
    chat = await program.begin()
    await quiet(built)

    async with following(streams, chat, after=3) as client:
        await client.take(1)
        waiting = asyncio.ensure_future(client.ended())
        await asyncio.sleep(0)
        streams.close()
        ended = await waiting
    late = await program.get(f"/conversations/{chat}/stream")

    assert ended
    assert (late.status, late.json["code"]) == (409, "busy")


async def test_nothing_is_kept_for_a_client_that_is_gone(program: Program, built: App, streams: Followers) -> None:
    chat = await program.begin()
    before = len(built.feed._listeners)

    async with following(streams, chat) as client:
        await client.take(1)
        during = len(built.feed._listeners)

    assert (during, len(built.feed._listeners)) == (before + 1, before)


async def test_there_are_only_so_many_streams(
    program: Program, streams: Followers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(followed, "MOST_STREAMS", 1)
    chat = await program.begin()

    async with following(streams, chat) as client:
        await client.take(1)
        more = await program.get(f"/conversations/{chat}/stream")

    assert (more.status, more.json["code"]) == (409, "busy")


# ---- over the wire ---------------------------------------------------------------------------------------------------


async def test_a_browser_that_lost_the_line_goes_on_after_the_last_event_it_had(
    program: Program, built: App, app: Guarded, token: str
) -> None:
    chat = await program.begin()
    await quiet(built)
    headers = {"Authorization": f"Bearer {token}", "Last-Event-ID": "2", "Host": "127.0.0.1"}

    with listen("127.0.0.1", 0) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}{API}/conversations/{chat}/stream?after=0"
        async with (
            serving(app, [listener]),
            aiohttp.ClientSession() as session,
            session.get(url, headers=headers) as answer,
        ):
            lines = [await answer.content.readline() for _ in range(6)]
    told = [line for line in lines if line.startswith((b"event", b"id"))]

    assert answer.headers["content-type"].startswith("text/event-stream")
    assert told == [b"event: snapshot\n", b"event: event\n", b"id: 3\n"]


@pytest.mark.parametrize(
    ("last_event_id", "goes_on"),
    [(None, 3), ("7", 7), ("0", 0), ("", 3), ("x", 3), ("-5", 3), ("²", 3), ("9" * 30, LARGEST)],
)
def test_an_id_that_is_none_of_ours_counts_as_none(last_event_id: str | None, goes_on: int) -> None:
    assert place(last_event_id, after=3) == goes_on
