"""The outbox: stored before it is tried, in order, once, and never silent about what nobody knows."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from channels.base import ChatRef, MessageRef, OutboundMessage
from channels.memory.app import MemoryApp
from channels.memory.channel import MemoryChannel
from channels.memory.chat import MemoryChat
from channels.memory.faults import Call
from channels.outbox import EXPIRES, RESENDS, Outbox, post_of
from channels.rates import Rates
from core.checkpoints import NO_CHECKPOINTS
from core.clock import ManualClock
from core.errors import MaybeDone, Refused, RefusedReason, TryLater
from core.store.changes import Change
from core.store.database import Database
from core.store.outbox import Claim, Kind, Letter, OutboxRows, Post, State


class Desk:
    """An outbox over a database, connected to an in-memory app with Ada's chat."""

    def __init__(self, database: Database, clock: ManualClock, owner: str = "this life") -> None:
        self.database, self.clock = database, clock
        self.app = MemoryApp(clock)
        self.ada = self.app.private_chat("Ada")
        self.bob = self.app.private_chat("Bob")
        self.channel = MemoryChannel("c1", self.app, clock, key=self.app.key)
        self.outbox = Outbox(database=database, clock=clock, checkpoints=NO_CHECKPOINTS, owner=owner)

    async def connect(self) -> None:
        await self.channel.start()
        await self.outbox.connect(self.channel, Rates(self.channel.capabilities.pace, self.clock))
        self.outbox.open("c1")

    async def post(
        self, text: str, *, key: str | None = None, to: MemoryChat | None = None, kind: Kind = Kind.ANSWER
    ) -> None:
        chat = ChatRef("c1", (to or self.ada).id)
        message = OutboundMessage(text=text, fallback=text, key=key or text)
        await self.outbox.post([post_of(key or text, 0, 1, chat, message, kind)])

    async def letter(self, key: str) -> Letter:
        (letter,) = await OutboxRows(self.database).of_key(key)
        return letter

    async def passes(self, seconds: float) -> None:
        """Let time go by, once everything that is being written is written."""
        for _ in range(3):
            await self.database.write(lambda _: None)
        await self.clock.advance(seconds)

    async def becomes(self, key: str, state: State) -> None:
        """Move the clock until the row stays in this state."""
        settled = 0
        for _ in range(200):
            settled = settled + 1 if (await self.letter(key)).state is state else 0
            if settled == 3 and (state is not State.UNKNOWN or self.clock.sleeping == 0):
                return
            await self.passes(1)
        raise AssertionError(f"{key!r} is {(await self.letter(key)).state} and not {state}")


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    clock = ManualClock()
    database = await Database.open(f"sqlite:///{tmp_path / 'conch.sqlite'}", clock)
    desk = Desk(database, clock)
    yield desk
    await desk.outbox.settle(0)
    await desk.channel.stop()
    await database.close()


async def test_what_is_posted_is_seen_and_its_receipt_stored(desk: Desk) -> None:
    await desk.connect()

    await desk.post("hello")
    await desk.becomes("hello", State.DELIVERED)

    assert desk.ada.texts == ("hello",)
    assert (await desk.letter("hello")).message_id == desk.ada.answers[0].id


@pytest.mark.report("R001", "R007")
async def test_a_key_is_posted_once(desk: Desk) -> None:
    await desk.connect()

    await desk.post("hello", key="turn 1")
    await desk.post("hello again", key="turn 1")
    await desk.becomes("turn 1", State.DELIVERED)

    assert desk.ada.texts == ("hello",)


@pytest.mark.report("R013", "R019")
async def test_a_message_that_was_not_taken_is_tried_until_it_is(desk: Desk) -> None:
    await desk.connect()
    desk.app.faults.add(Call.SEND, TryLater("busy"), times=4)

    await desk.post("hello")
    await desk.becomes("hello", State.DELIVERED)

    assert desk.ada.texts == ("hello",)
    assert (await desk.letter("hello")).attempts == 4


@pytest.mark.report("R059")
async def test_nobody_tries_again_before_the_time_that_the_app_gave(desk: Desk) -> None:
    await desk.connect()
    desk.app.faults.add(Call.SEND, TryLater("flood", retry_after=40.0))

    await desk.post("hello")
    await desk.post("after it")
    await desk.passes(39)
    early = desk.ada.texts
    await desk.becomes("after it", State.DELIVERED)

    assert early == ()
    assert desk.ada.texts == ("hello", "after it")


async def test_a_chat_that_waits_keeps_its_order_and_holds_no_other(desk: Desk) -> None:
    await desk.connect()
    desk.app.faults.add(Call.SEND, TryLater("flood", retry_after=100.0), chat_id=desk.ada.id)

    for text in ("one", "two", "three"):
        await desk.post(text)
    await desk.post("to Bob", to=desk.bob)
    await desk.becomes("to Bob", State.DELIVERED)
    meanwhile = desk.ada.texts
    await desk.becomes("three", State.DELIVERED)

    assert meanwhile == ()
    assert desk.ada.texts == ("one", "two", "three")


@pytest.mark.report("R205")
async def test_an_answer_without_a_receipt_is_sent_again_and_marked(desk: Desk) -> None:
    await desk.connect()
    desk.app.faults.add(Call.SEND, MaybeDone("lost"), taken=True)

    await desk.post("answer")
    await desk.becomes("answer", State.DELIVERED)

    assert desk.ada.texts == ("answer", "answer")
    assert (await desk.letter("answer")).resends == 1


async def test_an_action_without_a_receipt_is_never_sent_again(desk: Desk) -> None:
    await desk.connect()
    desk.app.faults.add(Call.SEND, MaybeDone("lost"), taken=True)

    await desk.post("pay 5 euro", kind=Kind.ACTION)
    await desk.becomes("pay 5 euro", State.UNKNOWN)
    await desk.passes(600)

    assert desk.ada.texts == ("pay 5 euro",)


async def test_an_answer_that_never_gets_a_receipt_stays_unknown(desk: Desk) -> None:
    await desk.connect()
    desk.app.faults.add(Call.SEND, MaybeDone("lost"), times=20)

    await desk.post("answer")
    await desk.becomes("answer", State.UNKNOWN)

    assert (await desk.letter("answer")).resends == RESENDS
    assert (await desk.letter("answer")).state is State.UNKNOWN


@pytest.mark.report("R013")
async def test_a_message_that_will_never_be_taken_fails_with_its_class_and_holds_nothing(desk: Desk) -> None:
    await desk.connect()
    desk.app.faults.add(Call.SEND, Refused("too long", RefusedReason.BAD_PAYLOAD))

    await desk.post("bad")
    await desk.post("good")
    await desk.becomes("good", State.DELIVERED)
    bad = await desk.letter("bad")

    assert desk.ada.texts == ("good",)
    assert (bad.state, bad.error_class, bad.error) == (State.FAILED, "bad-payload", "too long")


@pytest.mark.report("R127")
async def test_a_key_that_stopped_working_makes_messages_wait_for_a_new_one(desk: Desk) -> None:
    await desk.connect()
    desk.app.faults.add(Call.SEND, Refused("wrong key", RefusedReason.AUTH))

    await desk.post("hello")
    await desk.passes(3600)
    waiting = desk.ada.texts
    desk.outbox.open("c1")
    await desk.becomes("hello", State.DELIVERED)

    assert waiting == ()
    assert desk.ada.texts == ("hello",)


@pytest.mark.report("R011")
async def test_a_message_older_than_twelve_hours_is_not_sent_and_says_so(desk: Desk) -> None:
    await desk.post("old news")
    await desk.passes(EXPIRES.total_seconds() + 1)

    await desk.connect()
    await desk.becomes("old news", State.EXPIRED)
    (shown,) = await OutboxRows(desk.database).in_trouble(10)

    assert desk.ada.texts == ()
    assert (shown.key, shown.state) == ("old news", State.EXPIRED)


async def test_what_an_earlier_life_left_behind_is_sent_at_the_next_start(desk: Desk) -> None:
    await desk.post("one")
    await desk.post("two")

    await desk.connect()
    await desk.becomes("two", State.DELIVERED)

    assert desk.ada.texts == ("one", "two")


@pytest.mark.report("R009")
@pytest.mark.parametrize(("kind", "seen"), [(Kind.ANSWER, ("begun",)), (Kind.ACTION, ())])
async def test_a_send_that_had_begun_when_the_program_ended_is_resolved(
    desk: Desk, kind: Kind, seen: tuple[str, ...]
) -> None:
    await desk.post("begun", kind=kind)
    begun = await desk.letter("begun")
    await desk.database.commit(Claim(begun.id, "an earlier life", desk.clock.now()))

    await desk.connect()
    await desk.becomes("begun", State.DELIVERED if seen else State.UNKNOWN)

    assert desk.ada.texts == seen


async def test_a_channel_that_is_off_keeps_its_messages_for_later(desk: Desk) -> None:
    await desk.connect()
    desk.outbox.disconnect("c1")

    await desk.post("later")
    await desk.passes(60)
    while_off = desk.ada.texts
    await desk.connect()
    await desk.becomes("later", State.DELIVERED)

    assert while_off == ()
    assert desk.ada.texts == ("later",)


# ---- claimed as it is posted ---------------------------------------------------------------------------------------


async def test_what_can_go_out_at_once_is_stored_as_being_sent(desk: Desk) -> None:
    go, send = asyncio.Event(), desk.channel.send

    async def held(chat: ChatRef, message: OutboundMessage) -> MessageRef:
        await go.wait()
        return await send(chat, message)

    await desk.connect()
    desk.channel.send = held  # type: ignore[method-assign]

    await desk.post("hello")
    at_once = await desk.letter("hello")
    go.set()
    await desk.becomes("hello", State.DELIVERED)

    assert (at_once.state, at_once.owner) == (State.SENDING, "this life")
    assert (await desk.letter("hello")).owner is None


@pytest.mark.parametrize("what", ["an action", "one behind another", "one over the budget", "one without a key"])
async def test_what_may_have_to_wait_is_not_claimed_before_its_turn(desk: Desk, what: str) -> None:
    await desk.connect()
    if what == "one without a key":
        desk.outbox.disconnect("c1")
        await desk.outbox.connect(desk.channel, Rates(desk.channel.capabilities.pace, desk.clock))
    if what == "one behind another":
        desk.app.faults.add(Call.SEND, TryLater("busy", retry_after=40.0))
        await desk.post("first")
    if what == "one over the budget":
        rates = desk.outbox.rates("c1")
        assert rates is not None
        rates.hold(ChatRef("c1", desk.ada.id), 40.0)

    stored, commit = list[Post](), desk.database.commit

    async def watched(*changes: Change[Any]) -> tuple[Any, ...]:
        stored.extend(change for change in changes if isinstance(change, Post))
        return await commit(*changes)

    desk.database.commit = watched  # type: ignore[method-assign]

    await desk.post("hello", kind=Kind.ACTION if what == "an action" else Kind.ANSWER)

    assert [post.state for post in stored] == [State.PENDING]


async def test_several_that_are_posted_in_one_moment_go_out_in_their_order(desk: Desk) -> None:
    await desk.connect()

    await asyncio.gather(*(desk.post(text) for text in ("one", "two", "three")))
    await desk.becomes("three", State.DELIVERED)

    assert desk.ada.texts == ("one", "two", "three")


async def test_a_claim_is_given_back_when_the_bot_is_disconnected_meanwhile(desk: Desk) -> None:
    await desk.connect()

    posting = asyncio.create_task(desk.post("hello"))
    await asyncio.sleep(0)
    desk.outbox.disconnect("c1")
    await posting
    await desk.becomes("hello", State.PENDING)
    await desk.connect()
    await desk.becomes("hello", State.DELIVERED)

    assert desk.ada.texts == ("hello",)


@pytest.mark.report("R009")
async def test_a_program_that_keeps_dying_while_it_sends_still_gets_the_answer_out(desk: Desk) -> None:
    await desk.post("answer")
    for life in range(RESENDS + 2):
        letter = await desk.letter("answer")
        assert await desk.database.commit(Claim(letter.id, f"life {life}", desk.clock.now())) == (True,)
        died = Outbox(database=desk.database, clock=desk.clock, checkpoints=NO_CHECKPOINTS, owner="the next life")
        await died.connect(desk.channel, Rates(desk.channel.capabilities.pace, desk.clock))
        await died.settle(0)

    await desk.connect()
    await desk.becomes("answer", State.DELIVERED)

    assert desk.ada.texts == ("answer",)
    assert (await desk.letter("answer")).resends == RESENDS + 2


async def in_trouble(desk: Desk, text: str) -> Letter:
    """A message that its app refused."""
    desk.app.faults.add(Call.SEND, Refused("not here", RefusedReason.FORBIDDEN))
    await desk.connect()
    await desk.post(text)
    await desk.becomes(text, State.FAILED)
    return await desk.letter(text)


async def test_what_a_person_wants_sent_again_goes_out_once_however_often_they_press(desk: Desk) -> None:
    letter = await in_trouble(desk, "hello")

    pressed = [await desk.outbox.resend(letter.id), await desk.outbox.resend(letter.id)]
    await desk.becomes("hello", State.DELIVERED)

    assert pressed == [True, False]
    assert desk.ada.texts == ("hello",)


async def test_what_a_person_leaves_unsent_is_never_sent_and_no_trouble_any_more(desk: Desk) -> None:
    letter = await in_trouble(desk, "hello")

    dropped = [await desk.outbox.drop(letter.id), await desk.outbox.drop(letter.id)]
    again = await desk.outbox.resend(letter.id)

    assert (dropped, again) == ([True, False], False)
    assert await OutboxRows(desk.database).in_trouble(10) == ()
    assert desk.ada.texts == ()
