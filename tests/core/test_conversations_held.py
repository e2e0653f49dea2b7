"""No engine can answer now: messages are held, the chat is told once, and they go when an engine is ready."""

import asyncio
from datetime import timedelta

import pytest

from core import events as ev
from core.conversations import HELD_EXPIRES, SendOutcome, Sent, Stopped
from core.decisions import Configure
from core.engines.scripted import ScriptedEngine
from core.options import OptionsChange
from core.store.log import Append
from core.store.queue import Enqueue
from core.workers import HELD_RETRY
from tests.core.lives import CHAT, Holding, Life, Start, Wayward, deaf, echo, from_chat, message, until

ANSWERED = ["turn", "echo: hello", "end: success"]


@pytest.fixture
async def offline(start: Start) -> Life:
    """A life whose engine cannot answer."""
    life = await start()
    life.engine.is_ready = False
    return life


async def told(life: Life, *codes: str) -> None:
    """Come back when the log tells these, in this order and nothing else."""
    async with asyncio.timeout(10):
        while await life.story() != list(codes):  # noqa: ASYNC110 - what is looked at is a picture, not an event
            await asyncio.sleep(0)


@pytest.mark.report("R029")
async def test_what_no_engine_can_answer_is_held_and_the_chat_is_told(offline: Life) -> None:
    origin = from_chat("ada")

    sent = await offline.say("hello", by=origin)
    await told(offline, "turn.held")

    assert sent == Sent(SendOutcome.HELD, waiting=1)
    assert await offline.events() == [ev.TurnHeld(reason="no-engine", address=origin.address)]
    assert offline.conversations.turns == 0


async def test_the_chat_is_told_once_however_much_is_held(offline: Life) -> None:
    sent = [await offline.say(text) for text in ("one", "two", "three")]
    await offline.clock.advance(5 * HELD_RETRY)
    await told(offline, "turn.held")

    assert [(each.outcome, each.waiting) for each in sent] == [(SendOutcome.HELD, count) for count in (1, 2, 3)]


async def test_a_message_that_was_sent_before_is_not_held_and_nobody_is_told(start: Start) -> None:
    life = await start()
    await life.answer("hello")
    life.engine.is_ready = False

    sent = await life.say("hello")

    assert sent == Sent(SendOutcome.DUPLICATE)
    assert life.conversations.active == 0
    assert "turn.held" not in await life.story()


async def test_what_is_held_goes_as_one_when_the_engine_is_ready(offline: Life) -> None:
    await offline.say("hello")
    await offline.say("there")

    await offline.clock.advance(HELD_RETRY)
    not_yet = await offline.asked()
    offline.engine.is_ready = True
    await offline.clock.advance(HELD_RETRY)
    await until(lambda: not offline.conversations.active)

    assert not_yet == []
    assert await offline.asked() == ["hello\n\nthere"]
    assert await offline.waiting() == []


@pytest.mark.report("R039")
async def test_what_is_sent_when_the_engine_is_ready_again_does_not_overtake_what_is_held(offline: Life) -> None:
    await offline.say("first", by=from_chat("ada"))

    offline.engine.is_ready = True
    sent = await offline.say("second", by=from_chat("bob"))
    await offline.clock.advance(HELD_RETRY)
    await offline.idle()

    assert sent.outcome is SendOutcome.HELD
    assert await offline.asked() == ["first", "second"]


@pytest.mark.report("R029")
async def test_what_waited_for_a_turn_is_held_when_its_turn_comes_and_no_engine_is_ready(start: Start) -> None:
    held = Holding()
    life = await start(held)
    await life.say("wait")
    await life.say("hello", by=from_chat("ada"))

    life.engine.is_ready = False
    held.go.set()
    await until(lambda: life.conversations.active and not life.conversations.turns)
    await told(life, "> wait", "turn", "so far, and so on", "end: success", "turn.held")
    life.engine.is_ready = True
    await life.clock.advance(HELD_RETRY)
    await life.idle()

    assert await life.asked() == ["wait", "hello"]
    held_event = (await life.events())[4]
    assert held_event == ev.TurnHeld(reason="no-engine", address=from_chat("ada").address)


async def test_an_engine_that_cannot_say_whether_it_is_ready_is_not(start: Start) -> None:
    broken = True

    def is_ready() -> bool:
        if broken:
            raise ConnectionError("no such server")
        return True

    life = await start(Wayward(deaf, is_ready=is_ready))

    sent = await life.say("hello")
    await life.clock.advance(2 * HELD_RETRY)
    broken = False
    await life.clock.advance(HELD_RETRY)
    await until(lambda: life.conversations.turns)

    assert sent.outcome is SendOutcome.HELD
    assert await life.asked() == ["hello"]


async def test_a_conversation_is_held_by_its_own_engine_while_another_is_ready(start: Start) -> None:
    other = ScriptedEngine(start.clock, echo, name="other")
    life = await start(echo, other)
    other.is_ready = False
    await life.database.commit(Append(CHAT, (ev.OptionsSet(engine="other"),)))

    mine = await life.say("hello")
    elsewhere = await life.say("hello", to="elsewhere")
    await life.clock.advance(2 * HELD_RETRY)
    other.is_ready = True
    await life.clock.advance(HELD_RETRY)
    await life.idle()

    assert (mine.outcome, elsewhere.outcome) == (SendOutcome.HELD, SendOutcome.STARTED)
    assert (await life.end()).engine == "other"


async def test_what_is_held_goes_at_once_when_another_engine_is_chosen(start: Start) -> None:
    other = ScriptedEngine(start.clock, echo, name="other")
    life = await start(echo, other)
    life.engine.is_ready = False
    await life.say("hello")
    await told(life, "turn.held")
    before = life.clock.monotonic()

    await life.conversations.decide(CHAT, Configure(OptionsChange(engine="other")))
    await life.idle()

    assert (await life.story())[-2:] == ["echo: hello", "end: success"]
    assert life.clock.monotonic() == before


async def test_a_stop_throws_away_what_is_held_and_the_next_hold_is_told_again(offline: Life) -> None:
    await offline.say("one")
    await offline.say("two")
    await told(offline, "turn.held")

    stopped = await offline.stop()
    await offline.say("three")
    await told(offline, "turn.held", "turn.held")

    assert stopped == Stopped(turn=False, waiting=2)
    assert await offline.waiting() == ["three"]


async def test_a_held_message_can_be_edited(offline: Life) -> None:
    await offline.say("hullo", ids=("7",))

    assert await offline.conversations.replace_queued(CHAT, "7", "hello")
    assert await offline.waiting() == ["hello"]


# ---- too old -------------------------------------------------------------------------------------------------------


async def wait(life: Life, how_long: timedelta) -> None:
    """Let time pass, as often looked at as it would be."""
    for _ in range(int(how_long.total_seconds() / HELD_RETRY)):
        await life.clock.advance(HELD_RETRY)


async def test_a_message_held_too_long_is_given_up_and_its_sender_is_told(offline: Life) -> None:
    origin = from_chat("ada")
    await offline.say("hello", by=origin)

    await wait(offline, HELD_EXPIRES - timedelta(minutes=1))
    kept = await offline.waiting()
    await wait(offline, timedelta(minutes=2))
    await offline.idle()

    assert kept == ["hello"]
    assert await offline.story() == ["turn.held", "notice: held-expired"]
    assert getattr((await offline.events())[1], "address", None) == origin.address
    assert await offline.waiting() == []


async def test_only_what_is_too_old_is_given_up(offline: Life) -> None:
    await offline.say("old")
    await wait(offline, HELD_EXPIRES / 2)
    await offline.say("newer")

    await wait(offline, HELD_EXPIRES / 2)
    await until(lambda: any(getattr(item, "type", "") == "notice" for item in offline.heard))
    offline.engine.is_ready = True
    await offline.clock.advance(HELD_RETRY)
    await offline.idle()

    assert await offline.asked() == ["newer"]


async def test_a_message_that_waited_long_for_a_turn_is_held_as_long_as_any(start: Start) -> None:
    held = Holding()
    life = await start(held)
    await life.say("wait")
    await life.say("hello")
    await life.clock.advance(2 * HELD_EXPIRES.total_seconds())

    life.engine.is_ready = False
    held.go.set()
    await until(lambda: life.conversations.active and not life.conversations.turns)
    await wait(life, HELD_EXPIRES - timedelta(minutes=1))
    kept = await life.waiting()
    await wait(life, timedelta(minutes=2))
    await life.idle()

    assert kept == ["hello"]
    assert (await life.story())[-1] == "notice: held-expired"


async def test_a_message_after_one_that_was_given_up_is_held_anew(offline: Life) -> None:
    await offline.say("old")
    await wait(offline, HELD_EXPIRES + timedelta(minutes=1))
    await offline.idle()

    await offline.say("new")
    await told(offline, "turn.held", "notice: held-expired", "turn.held")

    assert await offline.waiting() == ["new"]


# ---- the next life -------------------------------------------------------------------------------------------------


async def test_what_is_held_survives_a_restart_and_is_not_told_again(start: Start) -> None:
    life = await start()
    life.engine.is_ready = False
    await life.say("hello")
    await told(life, "turn.held")
    await life.is_over()

    engine = ScriptedEngine(start.clock, echo)
    engine.is_ready = False
    second = await start(engine)
    await second.clock.advance(2 * HELD_RETRY)
    before = await second.story()
    engine.is_ready = True
    await second.clock.advance(HELD_RETRY)
    await second.idle()

    assert before == ["turn.held"]
    assert await second.story() == ["turn.held", "> hello", *ANSWERED]


@pytest.mark.report("R029")
async def test_whoever_was_not_told_before_the_end_is_told_after_it(start: Start) -> None:
    life = await start(recover=False)
    await life.database.commit(Enqueue(CHAT, message("hello")))
    life.engine.is_ready = False

    await life.conversations.recover()
    await told(life, "turn.held")

    assert await life.waiting() == ["hello"]


@pytest.mark.report("R011")
async def test_what_grew_too_old_while_the_program_was_away_is_given_up(start: Start) -> None:
    life = await start()
    life.engine.is_ready = False
    await life.say("hello")
    await told(life, "turn.held")
    await life.is_over()

    await start.clock.advance(HELD_EXPIRES.total_seconds() + 1)
    second = await start()
    await second.idle()

    assert await second.story() == ["turn.held", "notice: held-expired"]


async def test_while_nothing_is_held_nobody_looks(offline: Life) -> None:
    await offline.say("hello")
    offline.engine.is_ready = True
    await offline.clock.advance(HELD_RETRY)
    await offline.idle()

    await offline.clock.advance(2 * HELD_RETRY)

    assert offline.clock.sleeping == 0
