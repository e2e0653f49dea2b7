"""What a chat sees while an answer is written: typing, previews, and never a preview after the final."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from channels.base import ChatRef, Pace
from channels.marking import Marking
from channels.memory.app import MemoryApp
from channels.memory.channel import MemoryChannel
from channels.memory.chat import MemoryChat
from channels.memory.faults import Call
from channels.outbox import Outbox
from channels.progress import FIRST_WORDS, LAST_SIGN, SIGNS_AT_ONCE, TICK, Progress
from channels.rates import Rates
from channels.writing import Place, Streaming
from core.checkpoints import NO_CHECKPOINTS
from core.clock import ManualClock
from core.errors import Refused, RefusedReason, TryLater
from core.store.database import Database

FREE = Pace(0, 0, 0)
TALK = ("talk", 3)


class Stage:
    """A progress over an in-memory app with Ada's chat."""

    def __init__(self, database: Database, clock: ManualClock) -> None:
        self.clock = clock
        self.app = MemoryApp(self.clock)
        self.ada: MemoryChat = self.app.private_chat("Ada")
        self.channel = MemoryChannel("c1", self.app, self.clock, key=self.app.key)
        self.database = database
        self.outbox = Outbox(database=database, clock=self.clock, checkpoints=NO_CHECKPOINTS, owner="this life")
        self.progress = Progress(self.clock, Streaming(database, self.clock), Marking(self.outbox, self.clock))
        self.drafts: list[str] = []

    async def begin(self, pace: Pace = FREE) -> None:
        await self.channel.start()
        place = Place(ChatRef("c1", self.ada.id), self.channel, Rates(pace, self.clock))
        self.progress.begin(TALK, place, 1)


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    clock = ManualClock()
    database = await Database.open(f"sqlite:///{tmp_path / 'conch.sqlite'}", clock)
    stage = Stage(database, clock)
    yield stage
    await stage.progress.close()
    await stage.channel.stop()
    await database.close()


async def test_an_answer_that_comes_at_once_needs_no_sign(stage: Stage) -> None:
    await stage.begin()

    await stage.clock.advance(0.2)
    await stage.progress.end(TALK)
    await stage.clock.advance(10)

    assert not stage.ada.typing
    assert stage.ada.draft is None


async def test_before_the_first_words_the_bot_is_seen_writing(stage: Stage) -> None:
    await stage.begin()

    seen = []
    for _ in range(4):
        await stage.clock.advance(4)
        seen.append(stage.ada.typing)

    assert seen == [True] * 4


async def test_first_words_are_shown_at_once(stage: Stage) -> None:
    await stage.begin()
    await stage.clock.advance(0.1)

    stage.progress.add(TALK, "m1", "It ")
    await stage.clock.advance(FIRST_WORDS)

    assert stage.ada.draft == "It"


async def test_a_message_that_is_complete_at_once_needs_no_preview(stage: Stage) -> None:
    await stage.begin()

    stage.progress.add(TALK, "m1", "It is so.")
    stage.progress.complete(TALK, "m1")
    await stage.clock.advance(10)

    assert stage.ada.draft is None


async def test_words_of_a_turn_that_ended_are_not_shown_any_more(stage: Stage) -> None:
    await stage.begin()

    stage.progress.add(TALK, "m1", "It ")
    await stage.progress.end(TALK)
    await stage.clock.advance(10)

    assert stage.ada.draft is None


async def test_the_next_message_keeps_its_words_when_the_one_before_is_complete(stage: Stage) -> None:
    await stage.begin()
    stage.progress.add(TALK, "m1", "One.")
    await stage.clock.advance(1)

    stage.progress.add(TALK, "m2", "Two ")
    stage.progress.complete(TALK, "m1")
    await stage.clock.advance(1)

    assert stage.ada.draft == "Two"


async def test_words_are_shown_as_they_come_and_not_too_often(stage: Stage) -> None:
    await stage.begin()
    versions = []

    for second in range(4):
        for word in range(10):
            stage.progress.add(TALK, "m1", f"{second}{word} ")
            await stage.clock.advance(0.1)
        versions.append(stage.ada.version)

    assert stage.ada.draft is not None
    assert stage.ada.draft.startswith("00 01")
    assert versions[-1] <= 4 / max(stage.channel.capabilities.preview_every, TICK) + 1


@pytest.mark.report("R169")
async def test_what_was_shown_already_is_not_sent_again(stage: Stage) -> None:
    await stage.begin()
    stage.progress.add(TALK, "m1", "hello")
    await stage.clock.advance(1)
    shown = stage.ada.version

    await stage.clock.advance(30)

    assert stage.ada.draft == "hello"
    assert stage.ada.version == shown


async def test_only_the_newest_words_of_a_long_answer_are_shown(stage: Stage) -> None:
    await stage.begin()

    stage.progress.add(TALK, "m1", "word " * 2_000 + "the end")
    await stage.clock.advance(1)

    assert stage.ada.draft is not None
    assert len(stage.ada.draft) <= 2_600
    assert stage.ada.draft.endswith("the end")


@pytest.mark.report("R065")
async def test_a_flood_wait_stops_the_signs_until_it_is_over(stage: Stage) -> None:
    await stage.begin()
    stage.app.faults.add(Call.DRAFT, TryLater("flood", retry_after=20.0))
    stage.progress.add(TALK, "m1", "hello")
    await stage.clock.advance(1)

    for _ in range(18):
        stage.progress.add(TALK, "m1", " again")
        await stage.clock.advance(1)
    during = stage.ada.draft
    await stage.clock.advance(3)

    assert during is None
    assert stage.ada.draft is not None


async def test_a_refused_sign_does_not_end_the_others(stage: Stage) -> None:
    await stage.begin()
    stage.app.faults.add(Call.DRAFT, Refused("no drafts", RefusedReason.BAD_PAYLOAD))
    stage.progress.add(TALK, "m1", "one")
    await stage.clock.advance(1)

    stage.progress.add(TALK, "m1", " two")
    await stage.clock.advance(2)

    assert stage.ada.draft == "one two"


@pytest.mark.report("R055")
async def test_previews_leave_the_budget_to_finals(stage: Stage) -> None:
    await stage.begin(Pace(per_chat=1, per_group=1, overall=0.01))

    for _ in range(10):
        stage.progress.add(TALK, "m1", "more ")
        await stage.clock.advance(1)

    assert stage.ada.version <= 3


@pytest.mark.report("R023")
async def test_a_final_waits_for_the_preview_that_is_on_its_way(stage: Stage) -> None:
    held, order = asyncio.Event(), list[str]()

    async def slow_draft(*_: object) -> None:
        await held.wait()
        order.append("preview")

    await stage.begin()
    stage.channel.draft = slow_draft  # type: ignore[assignment, method-assign]
    stage.progress.add(TALK, "m1", "hello")
    await stage.clock.advance(1)
    stage.progress.complete(TALK, "m1")
    ending = asyncio.create_task(stage.progress.settled(TALK))
    await stage.clock.advance(LAST_SIGN / 2)
    waited = not ending.done()
    held.set()
    await ending
    order.append("final")

    assert waited
    assert order == ["preview", "final"]


async def test_a_preview_that_hangs_does_not_hold_the_final_for_long(stage: Stage) -> None:
    async def stuck(*_: object) -> None:
        await asyncio.Event().wait()

    await stage.begin()
    stage.channel.draft = stuck  # type: ignore[assignment, method-assign]
    stage.progress.add(TALK, "m1", "hello")
    await stage.clock.advance(1)

    ending = asyncio.create_task(stage.progress.end(TALK))
    await stage.clock.advance(LAST_SIGN)

    assert ending.done()


async def test_when_very_many_wait_not_all_are_shown_a_sign_at_once(stage: Stage) -> None:
    asked, answer = 0, asyncio.Event()

    async def slow_typing(_: ChatRef) -> None:
        nonlocal asked
        asked += 1
        await answer.wait()

    stage.channel.typing = slow_typing  # type: ignore[assignment, method-assign]
    chats = 2 * SIGNS_AT_ONCE
    for number in range(chats):
        chat = ChatRef("c1", str(number))
        stage.progress.begin((str(number), 1), Place(chat, stage.channel, Rates(FREE, stage.clock)), 1)
    await stage.clock.advance(2 * TICK)
    at_once = asked
    answer.set()
    await stage.clock.advance(2 * TICK)

    assert (at_once, asked) == (SIGNS_AT_ONCE, chats)
