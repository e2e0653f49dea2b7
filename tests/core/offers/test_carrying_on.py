"""Taking an offer and going on with what was asked: exactly once, in the right place, whatever ends in between."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from core import events as ev
from core.checkpoints import NO_CHECKPOINTS, Checkpoint
from core.conversations import Conversations
from core.decisions import Clear
from core.engines.registry import Engines
from core.engines.scripted import ScriptedEngine
from core.errors import UsageError
from core.offers.carrying import Dismissed, Taken
from core.preferences import Preferences
from core.settings import Settings
from tests.core.lives import CHAT, HoldAt, Life, Start, until
from tests.core.offers.offering import (
    OWNER,
    TOOLS,
    WORDS,
    Skill,
    Things,
    carried_in,
    held_by,
    offering,
    offers_in,
    resolved_in,
)


@pytest.fixture
def things() -> Things:
    return Things(skills=[Skill("trips", "Trip planner"), Skill("notes", "Notes", mode="when-asked")])


async def begun(start: Start, things: Things, *more: Any, script: Any = offering, **given: Any) -> Life:
    engine = ScriptedEngine(start.clock, script, capabilities=TOOLS)
    return await start(engine, *more, shelf=things.shelf, **given)


async def offered(life: Life, words: str = "offer app photos", **more: Any) -> str:
    """The id of the offer that these words bring about."""
    await life.answer(words, **more)
    return (await offers_in(life))[-1].offer_id


async def accepted(life: Life, offer_id: str, **more: Any) -> Taken:
    """What becomes of a press, once all is quiet."""
    taken = await life.conversations.accept_offer(CHAT, offer_id, "Ada", **more)
    await life.idle()
    return taken


# ---- taking it -----------------------------------------------------------------------------------------------------


async def test_a_taken_offer_carries_on_with_what_was_asked(start: Start, things: Things) -> None:
    life = await begun(start, things)
    offer_id = await offered(life)
    things.connected.add("photos")

    taken = await accepted(life, offer_id)

    story = await life.story()
    assert taken is Taken.STARTED
    assert story[7:10] == ["offer.resolved", "notice: carrying-on", "turn"]
    assert await life.asked() == ["offer app photos"]
    prompt = life.engine.turns[-1].text
    assert prompt.startswith("Snapbox is connected now, and you can use it.")
    assert prompt.endswith("\n\noffer app photos")


async def test_the_chat_is_told_in_one_quiet_line(start: Start, things: Things) -> None:
    life = await begun(start, things)
    offer_id = await offered(life, by=OWNER)
    things.connected.add("photos")

    await accepted(life, offer_id)

    [line] = [data for data in await life.events() if isinstance(data, ev.Notice)]
    assert (line.message, line.address) == ("Connected Snapbox · carrying on", OWNER.address)


async def test_it_goes_on_where_the_person_asked_wherever_it_is_taken(start: Start, things: Things) -> None:
    life = await begun(start, things)
    offer_id = await offered(life, by=OWNER)
    things.connected.add("photos")

    await life.conversations.accept_offer(CHAT, offer_id, "the console")
    await life.idle()

    [turn] = await carried_in(life)
    assert turn.address == OWNER.address


async def test_an_app_that_is_not_connected_is_not_ready_and_can_be_taken_later(start: Start, things: Things) -> None:
    life = await begun(start, things)
    offer_id = await offered(life)

    first = await accepted(life, offer_id)
    things.connected.add("photos")
    second = await accepted(life, offer_id)

    assert (first, second) == (Taken.NOT_READY, Taken.STARTED)


@pytest.mark.parametrize(
    ("skill", "use", "mode", "taken", "line"),
    [
        ("trips", "once", "off", Taken.NOT_READY, None),
        ("trips", "on", "off", Taken.NOT_READY, None),
        ("trips", "on", "automatic", Taken.STARTED, "Turned on Trip planner · carrying on"),
        ("notes", "once", "when-asked", Taken.STARTED, "Using Notes · carrying on"),
        ("notes", "on", "when-asked", Taken.NOT_READY, None),
        ("notes", "on", "automatic", Taken.STARTED, "Turned on Notes · carrying on"),
    ],
)
async def test_a_skill_is_ready_once_it_is_on_or_may_be_used_once(
    start: Start, things: Things, skill: str, use: Any, mode: Any, taken: Taken, line: str | None
) -> None:
    life = await begun(start, things)
    offer_id = await offered(life, f"offer skill {skill}")
    next(each for each in things.skills if each.id == skill).mode = mode

    got = await accepted(life, offer_id, skill=use)

    assert got is taken
    assert [data.message for data in await life.events() if isinstance(data, ev.Notice)] == ([line] if line else [])


async def test_a_second_press_is_told_that_it_is_done(start: Start, things: Things) -> None:
    life = await begun(start, things)
    offer_id = await offered(life)
    things.connected.add("photos")
    await accepted(life, offer_id)

    again = await accepted(life, offer_id)

    assert again is Taken.DONE
    assert len(await carried_in(life)) == 1


async def test_an_unknown_offer_is_not_found(start: Start, things: Things) -> None:
    life = await begun(start, things)
    await offered(life)

    assert await accepted(life, "nothing") is Taken.NOT_FOUND
    assert await life.conversations.dismiss_offer(CHAT, "nothing", "Ada") is Dismissed.NOT_FOUND


async def test_in_a_turn_that_carries_on_a_further_offer_keeps_the_first_request(start: Start, things: Things) -> None:
    def script(turn: Any, earlier: Sequence[str]) -> Any:
        wanted = "maps" if earlier else "photos"
        yield from offering(turn.__class__(text=f"offer app {wanted}"), tuple(earlier))

    life = await begun(start, things, script=script)
    offer_id = await offered(life, "the way to the old picture")
    things.connected.add("photos")
    await accepted(life, offer_id)
    second = (await offers_in(life))[-1]
    things.connected.add("maps")

    taken = await accepted(life, second.offer_id)

    assert second.request == "the way to the old picture"
    assert taken is Taken.STARTED
    assert life.engine.turns[-1].text.endswith("\n\nthe way to the old picture")


async def test_a_turn_that_carries_on_is_no_cue_for_itself(start: Start, things: Things) -> None:
    life = await begun(start, things)
    offer_id = await offered(life, "show me Snapbox, and Wayfinder")
    things.connected.add("photos")

    await accepted(life, offer_id)

    assert [offer.target for offer in await offers_in(life)] == ["photos"]


async def test_it_is_carried_on_by_an_engine_with_tools(start: Start, things: Things) -> None:
    chatting = ScriptedEngine(start.clock, offering, name="chatting", capabilities=WORDS)
    able = ScriptedEngine(start.clock, offering, name="able", capabilities=TOOLS)
    life = await start(chatting, able, shelf=things.shelf)
    offer_id = await offered(life, "show me Snapbox")
    things.connected.add("photos")

    await accepted(life, offer_id)

    [turn] = await carried_in(life)
    assert turn.engine == "able"


# ---- exactly once --------------------------------------------------------------------------------------------------


def beside(life: Life, things: Things) -> Conversations:
    """The conversations of another process on the same database."""
    preferences = Preferences(Settings())
    return Conversations(
        database=life.database,
        engines=Engines(list(life.engines.all()), preferences),
        files=life.files,
        feed=life.feed,
        preferences=preferences,
        clock=life.clock,
        checkpoints=NO_CHECKPOINTS,
        shelf=things.shelf,
    )


async def test_a_hundred_presses_at_once_on_two_processes_carry_on_once(start: Start, things: Things) -> None:
    life = await begun(start, things)
    other = beside(life, things)
    offer_id = await offered(life)
    things.connected.add("photos")

    doors = [life.conversations, other] * 50
    told = Counter(await asyncio.gather(*(door.accept_offer(CHAT, offer_id, "Ada") for door in doors)))
    await until(lambda: not (life.conversations.active or other.active))

    assert told == {Taken.STARTED: 1, Taken.DONE: 99}
    assert len(await carried_in(life)) == 1
    assert await resolved_in(life) == ["accepted"]


async def test_two_processes_that_both_find_it_waiting_open_one_turn(start: Start, things: Things) -> None:
    hold = HoldAt(Checkpoint.OFFER_ACCEPTED)
    life = await begun(start, things, checkpoints=hold)
    offer_id = await offered(life)
    things.connected.add("photos")
    pressing = asyncio.create_task(life.conversations.accept_offer(CHAT, offer_id, "Ada"))
    await hold.reached.wait()
    other = beside(life, things)

    await other.recover()
    await until(lambda: not other.active)
    hold.go.set()
    await pressing
    await life.idle()

    assert len(await carried_in(life)) == 1
    assert await life.waiting() == []


async def test_while_something_runs_it_waits_and_goes_before_what_waits(start: Start, things: Things) -> None:
    go = asyncio.Event()
    life = await begun(start, things, script=held_by(go))
    things.connected.add("photos")
    await life.say("wait and show me Wayfinder")
    await until(lambda: life.conversations.running(CHAT) and life.engine.turns)
    offer_id = (await offers_in(life))[-1].offer_id
    await life.say("one")
    await life.say("two")
    things.connected.add("maps")

    first = await life.conversations.accept_offer(CHAT, offer_id, "Ada")
    again = await life.conversations.accept_offer(CHAT, offer_id, "Ada")
    go.set()
    await life.idle()

    assert (first, again) == (Taken.QUEUED, Taken.DONE)
    assert len(life.engine.turns) == 3
    assert life.engine.turns[1].text.startswith("Wayfinder is connected now")
    assert life.engine.turns[2].text == "one\n\ntwo"


async def test_of_a_hundred_presses_while_something_runs_one_waits_and_goes_first(start: Start, things: Things) -> None:
    go = asyncio.Event()
    life = await begun(start, things, script=held_by(go))
    await life.say("wait and show me Wayfinder")
    await until(lambda: life.conversations.running(CHAT) and life.engine.turns)
    offer_id = (await offers_in(life))[-1].offer_id
    await life.say("one")
    things.connected.add("maps")

    told = Counter(await asyncio.gather(*(life.conversations.accept_offer(CHAT, offer_id, "Ada") for _ in range(100))))
    go.set()
    await life.idle()

    assert told == {Taken.QUEUED: 1, Taken.DONE: 99}
    assert [turn.text[:9] for turn in life.engine.turns] == ["wait and ", "Wayfinder", "one"]
    assert len(await carried_in(life)) == 1


async def test_it_waits_also_where_as_many_messages_wait_as_may(start: Start, things: Things) -> None:
    go = asyncio.Event()
    life = await begun(start, things, script=held_by(go))
    await life.say("wait and show me Wayfinder")
    await until(lambda: life.engine.turns)
    for number in range(50):
        await life.say(f"message {number}")
    things.connected.add("maps")
    offer_id = (await offers_in(life))[-1].offer_id

    taken = await life.conversations.accept_offer(CHAT, offer_id, "Ada")
    go.set()
    await life.idle()

    assert taken is Taken.QUEUED
    assert len(await carried_in(life)) == 1


async def test_a_stop_takes_back_what_was_to_be_carried_on(start: Start, things: Things) -> None:
    go = asyncio.Event()
    life = await begun(start, things, script=held_by(go))
    await life.say("wait and show me Wayfinder")
    await until(lambda: life.engine.turns)
    things.connected.add("maps")
    await life.conversations.accept_offer(CHAT, (await offers_in(life))[-1].offer_id, "Ada")

    await life.stop()
    await life.idle()

    assert await carried_in(life) == []


async def test_where_no_engine_can_answer_it_is_held_and_goes_when_one_can(start: Start, things: Things) -> None:
    life = await begun(start, things)
    offer_id = await offered(life)
    things.connected.add("photos")
    life.engine.is_ready = False
    await life.conversations.accept_offer(CHAT, offer_id, "Ada")
    await until(lambda: any(isinstance(getattr(each, "data", None), ev.TurnHeld) for each in life.heard))

    life.engine.is_ready = True
    await life.clock.advance(31)
    await life.idle()

    assert len(await carried_in(life)) == 1


# ---- restarts ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("point", [Checkpoint.OFFER_ACCEPTED, Checkpoint.CARRIED_ON])
async def test_a_kill_at_a_marked_point_carries_on_once(start: Start, things: Things, point: Checkpoint) -> None:
    hold = HoldAt(point)
    life = await begun(start, things, checkpoints=hold)
    offer_id = await offered(life)
    things.connected.add("photos")
    pressing = asyncio.create_task(life.conversations.accept_offer(CHAT, offer_id, "Ada"))
    await hold.reached.wait()
    await life.is_killed()
    await asyncio.gather(pressing, return_exceptions=True)

    next_life = await begun(start, things)
    await next_life.idle()

    assert await next_life.conversations.accept_offer(CHAT, offer_id, "Ada") is Taken.DONE
    assert await resolved_in(next_life) == ["accepted"]
    assert len(await carried_in(next_life)) == 1
    assert (await next_life.end()).cut_off_by == (None if point is Checkpoint.OFFER_ACCEPTED else "restart")


# ---- what ends it --------------------------------------------------------------------------------------------------


async def test_a_newer_message_expires_it_and_the_app_stays_connected(start: Start, things: Things) -> None:
    life = await begun(start, things)
    offer_id = await offered(life)
    things.connected.add("photos")
    await life.answer("something else")

    taken = await accepted(life, offer_id)

    assert taken is Taken.GONE
    assert await resolved_in(life) == ["expired"]
    assert await carried_in(life) == []
    assert things.connected == {"photos"}


async def test_a_clear_expires_it(start: Start, things: Things) -> None:
    life = await begun(start, things)
    offer_id = await offered(life)
    things.connected.add("photos")
    await life.conversations.decide(CHAT, Clear())

    assert await accepted(life, offer_id) is Taken.GONE
    assert await resolved_in(life) == ["expired"]


async def test_a_turn_that_carries_on_makes_a_clear_final(start: Start, things: Things) -> None:
    life = await begun(start, things)
    offer_id = await offered(life)
    things.connected.add("photos")
    await accepted(life, offer_id)

    overview = await life.conversations.overview(CHAT)

    assert overview.state.said_since_clear
    assert overview.state.undoable_clear is None


async def test_a_dismissed_offer_is_gone_and_dismissing_it_again_changes_nothing(start: Start, things: Things) -> None:
    life = await begun(start, things)
    offer_id = await offered(life)
    things.connected.add("photos")

    told = [await life.conversations.dismiss_offer(CHAT, offer_id, "Ada") for _ in range(3)]

    assert told == [Dismissed.DISMISSED] * 3
    assert await resolved_in(life) == ["dismissed"]
    assert await accepted(life, offer_id) is Taken.GONE


async def test_a_taken_offer_cannot_be_dismissed(start: Start, things: Things) -> None:
    life = await begun(start, things)
    offer_id = await offered(life)
    things.connected.add("photos")
    await accepted(life, offer_id)

    assert await life.conversations.dismiss_offer(CHAT, offer_id, "Ada") is Dismissed.GONE
    assert await resolved_in(life) == ["accepted"]


async def test_what_is_never_to_be_suggested_again_is_muted_in_every_chat(start: Start, things: Things) -> None:
    life = await begun(start, things)
    first = await offered(life, "show me Snapbox")
    await life.conversations.dismiss_offer(CHAT, first, "Ada", mute=True)
    skill = await offered(life, "offer skill trips")
    await life.conversations.dismiss_offer(CHAT, skill, "Ada", mute=True)

    await life.answer("show me Snapbox", to="another", ids=("other",))

    assert await offers_in(life, "another") == []
    assert "`trips`" not in life.engine.turns[-1].instructions
    assert "`photos`" not in life.engine.turns[-1].instructions


async def test_two_mutes_at_once_are_both_kept(start: Start, things: Things) -> None:
    life = await begun(start, things)
    await life.answer("show me Snapbox", to="a")
    await life.answer("show me Wayfinder", to="b")
    [photos], [maps] = await offers_in(life, "a"), await offers_in(life, "b")

    await asyncio.gather(
        life.conversations.dismiss_offer("a", photos.offer_id, "Ada", mute=True),
        life.conversations.dismiss_offer("b", maps.offer_id, "Ada", mute=True),
    )
    await life.answer("hello")

    assert "`photos`" not in life.engine.turns[-1].instructions
    assert "`maps`" not in life.engine.turns[-1].instructions


async def test_mutes_that_are_set_where_conch_is_started_stay_as_they_are(start: Start, things: Things) -> None:
    life = await begun(start, things)
    offer_id = await offered(life)
    fixed = Conversations(
        database=life.database,
        engines=life.engines,
        files=life.files,
        feed=life.feed,
        preferences=Preferences(Settings(), frozenset({"muted_suggestions"})),
        clock=life.clock,
        checkpoints=NO_CHECKPOINTS,
        shelf=things.shelf,
    )

    with pytest.raises(UsageError):
        await fixed.dismiss_offer(CHAT, offer_id, "Ada", mute=True)

    assert await resolved_in(life) == ["dismissed"]
