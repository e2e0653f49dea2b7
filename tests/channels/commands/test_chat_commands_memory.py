"""Clear, undo and retry, by what the next turn sees."""

import asyncio

import pytest

from channels.memory.app import MemoryApp
from channels.memory.chat import SeenMessage, SentFile
from conch.home import Home
from core.clock import ManualClock
from core.events import ContextCleared, ContextRestored, Trigger, TurnStarted, UserMessage
from tests.channels.commands.talking import Echo, Talk, labels, talking

# ---- clear ---------------------------------------------------------------------------------------------------------


@pytest.mark.report("R145", "R147", "R161")
@pytest.mark.parametrize("typed", ["/clear", "/reset", "/CLEAR", " /clear\n"])
async def test_after_a_clear_the_next_turn_knows_nothing(talk: Talk, engine: Echo, typed: str) -> None:
    await talk.say("my name is Ada")

    cleared = await talk.say(typed)
    answer = await talk.say("who am I?")

    assert labels(cleared) == ["Undo"]
    assert answer.text == "heard who am I?"
    assert engine.newest.handoff is None


@pytest.mark.report("R161")
async def test_a_clear_says_what_stays(talk: Talk) -> None:
    await talk.say("hello")
    without = await talk.say("/clear")
    await talk.say("/goal sleep more")
    await talk.say("hello again")

    with_goal = await talk.say("/clear")

    assert without.text == (
        "Cleared: I no longer remember what was said here. The messages stay on your screen, "
        "and the mode stays as it is. /undo takes it back."
    )
    assert "the goal and the mode stay as they are" in with_goal.text


async def test_there_is_nothing_to_clear_before_anything_was_said(talk: Talk) -> None:
    answer = await talk.say("/clear")

    assert answer.text == "Nothing was said here yet, so there is nothing to forget."
    assert labels(answer) == []


async def test_there_is_nothing_to_clear_twice(talk: Talk) -> None:
    await talk.say("hello")
    await talk.say("/clear")

    answer = await talk.say("/clear")

    assert answer.text == "Nothing was said here since the last clear, so there is nothing to forget."
    assert [data for data in await talk.log() if isinstance(data, ContextCleared)] == [ContextCleared()]


@pytest.mark.parametrize("typed", ["/clear", "/retry"])
async def test_while_it_answers_one_is_told_to_stop_or_wait(talk: Talk, engine: Echo, typed: str) -> None:
    talk.ada.say("wait")
    await engine.has_begun("wait")

    answer = await talk.say(typed)
    engine.go.set()
    await talk.ada.wait_until(lambda seen: len(seen.answers) == 3)

    assert answer.text == f"I'm still at it here. Wait until I'm done, or send /stop, then {typed} again."
    assert talk.ada.texts[-1] == "working. heard wait"
    assert not any(isinstance(data, ContextCleared) for data in await talk.log())


async def test_a_clear_waits_for_what_was_said_before_it(talk: Talk) -> None:
    talk.ada.say("my name is Ada")

    answer = await talk.say("/clear")
    await talk.ada.wait_until(lambda seen: len(seen.answers) == 3)

    assert answer.text.startswith("I'm still at it here.")


async def test_someone_else_who_was_let_in_can_clear_their_own_chat(talk: Talk) -> None:
    bob = await talk.let_in("Bob")
    await talk.say("I am Ada")
    await talk.say("I am Bob", bob)

    await talk.say("/clear", bob)

    assert (await talk.say("who?", bob)).text == "heard who?"
    assert (await talk.say("who?")).text == "heard I am Ada, who?"


# ---- undo ----------------------------------------------------------------------------------------------------------


@pytest.mark.report("R145")
@pytest.mark.parametrize("typed", ["/undo", "/rewind", "/revert"])
async def test_after_an_undo_the_next_turn_knows_everything(talk: Talk, engine: Echo, typed: str) -> None:
    await talk.say("my name is Ada")
    await talk.say("/clear")

    undone = await talk.say(typed)
    answer = await talk.say("who am I?")

    assert undone.text == "Taken back: I remember again what was said before the clear."
    assert answer.text == "heard my name is Ada, who am I?"


@pytest.mark.report("R145")
async def test_a_tap_on_undo_takes_back_the_clear_it_stands_under(talk: Talk) -> None:
    await talk.say("my name is Ada")
    cleared = await talk.say("/clear")

    undone = await talk.tap(cleared, "Undo")
    answer = await talk.say("who am I?")

    assert undone.text == "Taken back: I remember again what was said before the clear."
    assert answer.text == "heard my name is Ada, who am I?"


async def test_a_clear_is_not_taken_back_once_something_was_said(talk: Talk) -> None:
    await talk.say("my name is Ada")
    cleared = await talk.say("/clear")
    await talk.say("who am I?")

    typed = await talk.say("/undo")
    tapped = await talk.tap(cleared, "Undo")

    expected = "Something was said since the last clear, so it cannot be taken back any more."
    assert (typed.text, tapped.text) == (expected, expected)
    assert not any(isinstance(data, ContextRestored) for data in await talk.log())


async def test_without_a_clear_there_is_nothing_to_take_back(talk: Talk) -> None:
    before = await talk.say("/undo")
    await talk.say("hello")
    after = await talk.say("/undo")

    assert {before.text, after.text} == {"There is no clear to take back here."}


async def test_an_undo_that_was_typed_before_makes_the_button_say_so(talk: Talk) -> None:
    await talk.say("one")
    cleared = await talk.say("/clear")
    await talk.say("/undo")

    tapped = await talk.tap(cleared, "Undo")

    assert tapped.text == "That clear is not the last one any more, so it cannot be taken back with this button."


async def test_several_clears_are_taken_back_one_at_a_time(talk: Talk) -> None:
    await talk.say("one")
    first = await talk.say("/clear")
    await talk.say("two")
    await talk.say("/clear")

    tapped = await talk.tap(first, "Undo")
    await talk.say("/undo")

    assert tapped.text.startswith("That clear is not the last one any more")
    assert (await talk.say("three")).text == "heard two, three"


# ---- retry ---------------------------------------------------------------------------------------------------------


@pytest.mark.report("R145")
@pytest.mark.parametrize("typed", ["/retry", "/again", "/regenerate"])
async def test_a_retry_has_the_newest_message_answered_again(talk: Talk, engine: Echo, typed: str) -> None:
    await talk.say("one")
    await talk.say("two")

    answer = await talk.say(typed)

    assert answer.text == "heard one, two, two"
    assert [turn.text for turn in engine.turns] == ["one", "two", "two"]
    triggers = [data.trigger for data in await talk.log() if isinstance(data, TurnStarted)]
    assert triggers == [Trigger.MESSAGE, Trigger.MESSAGE, Trigger.RETRY]


async def test_a_retry_sends_the_files_again(talk: Talk, engine: Echo) -> None:
    await talk.say("look", files=[SentFile("note.txt", b"tea at four", "text/plain")])

    await talk.say("/retry")

    first, again = engine.turns
    assert [file.name for file in again.attachments] == ["note.txt"]
    assert again.attachments == first.attachments


async def test_a_message_with_only_a_file_can_be_retried(talk: Talk, engine: Echo) -> None:
    await talk.say("", files=[SentFile("note.txt", b"tea at four", "text/plain")])

    await talk.say("/retry")

    assert [(turn.text, len(turn.attachments)) for turn in engine.turns] == [("", 1), ("", 1)]


async def test_a_retry_goes_no_further_back_than_the_newest_clear(talk: Talk) -> None:
    before = await talk.say("/retry")
    await talk.say("one")
    await talk.say("/clear")

    after = await talk.say("/retry")

    assert {before.text, after.text} == {"There is no message of yours here that I could answer again."}


async def test_a_retry_is_said_from_where_it_was_typed_and_still_taints(talk: Talk) -> None:
    await talk.say("buy this", forwarded_from="Eve")

    await talk.say("/retry")

    first, again = [data for data in await talk.log() if isinstance(data, UserMessage)]
    assert (first.others_words, again.others_words) == (True, True)
    assert first.origin.address != again.origin.address
    assert first.message_id != again.message_id


async def test_a_retry_that_no_engine_can_answer_waits_like_any_message(talk: Talk, engine: Echo) -> None:
    await talk.say("one")
    engine.is_ready = False

    held = await talk.say("/retry")
    busy = await talk.say("/retry")
    engine.is_ready = True
    await talk.clock.advance(30)
    await talk.ada.wait_until(lambda seen: seen.texts[-1] == "heard one, one")

    assert held.text.startswith("I can't answer right now.")
    assert busy.text.startswith("I'm still at it here.")


# ---- an answer that the end of the program cut off -----------------------------------------------------------------


async def cut_off(home: Home, engine: Echo, shell: MemoryApp, clock: ManualClock) -> SeenMessage:
    """What Ada is told of an answer that was being written when Conch ended."""
    async with talking(home, engine, shell, clock) as talk:
        talk.ada.say("wait for it")
        await engine.has_begun("wait for it")
    return talk.ada.answers[-1]


async def test_a_cut_off_answer_can_be_tried_again_with_a_tap_after_the_restart(
    home: Home, engine: Echo, shell: MemoryApp, clock: ManualClock
) -> None:
    told = await cut_off(home, engine, shell, clock)
    engine.go.set()

    async with talking(home, engine, shell, clock) as later:
        answer = await later.tap(told, "Try again")
        started = [data for data in await later.log() if isinstance(data, TurnStarted)]

    assert told.text.startswith("I was restarted while I was answering")
    assert answer.text.endswith("wait for it")
    assert [turn.trigger for turn in started] == [Trigger.MESSAGE, Trigger.RETRY]


async def test_what_was_said_since_is_not_pushed_aside_by_trying_again(
    home: Home, engine: Echo, shell: MemoryApp, clock: ManualClock
) -> None:
    told = await cut_off(home, engine, shell, clock)

    async with talking(home, engine, shell, clock) as later:
        await later.say("something else")
        answer = await later.tap(told, "Try again")

    assert answer.text == "Something was said since then, so I did not send it again."
    assert [turn.text for turn in engine.turns] == ["wait for it", "something else"]


async def test_a_stopped_answer_has_no_button(talk: Talk, engine: Echo) -> None:
    talk.ada.say("wait")
    await engine.has_begun("wait")

    await talk.say("/stop")
    await asyncio.sleep(0)

    assert [labels(message) for message in talk.ada.answers] == [[] for _ in talk.ada.answers]
