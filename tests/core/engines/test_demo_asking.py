"""What the demo asks a person, natively and through the host's tools, and what it makes of the answers."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, Literal

import pytest

from commands.parsing import MARK
from core.clock import ManualClock
from core.engines.base import EngineEvent, ToolAnswer, ToolCallEnded, ToolCallStarted, TurnInput
from core.engines.demo.asking import HURRY_SECONDS
from core.engines.demo.engine import DemoEngine
from core.engines.scripted import Asked, ScriptedHost
from core.events import Mode
from core.questions import question_from
from tests.core.engines.rigs import HINT, Reading, read, turn, words

Way = Literal["native", "host"]

both_ways = pytest.mark.parametrize("way", ["native", "host"])

TRIP = {"likes": ["food", "the sea"], "day": "2026-12-24", "time": "09:30", "nights": 3}


class ChoosyHost(ScriptedHost):
    """Says yes only to the notes that it was told."""

    def __init__(self, *allowed: str) -> None:
        super().__init__()
        self._allowed = allowed

    async def permit(self, call_id: str, title: str, args: Mapping[str, Any], options: Sequence[str]) -> str | None:
        self.asked.append(Asked("permit", call_id, title, args, tuple(options)))
        return options[0] if args["text"] in self._allowed else None


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


async def hear(said: str | TurnInput, clock: ManualClock, host: ScriptedHost, way: Way = "native") -> list[EngineEvent]:
    session = await DemoEngine(clock, HINT, plan_approval=way).open(None)
    return await read(session, turn(said) if isinstance(said, str) else said, host, clock)


# ---- questions -------------------------------------------------------------------------------------------------------


async def test_an_answer_is_said_back_in_the_words_of_the_card(clock: ManualClock) -> None:
    said = words(await hear("Ask me several things", clock, ScriptedHost(values=TRIP)))

    assert said.endswith(
        "You answered:\n\n"
        "- What do you like? “Food, The sea”\n"
        "- Which day do you leave? “Thursday, 24 December 2026”\n"
        "- At what time? “09:30”\n"
        "- How long do you stay? “3 nights”"
    )


async def test_words_of_one_s_own_are_an_answer(clock: ManualClock) -> None:
    said = words(await hear("Ask me something", clock, ScriptedHost(values={"drink": "*cold* cocoa"})))

    assert r"You answered “\*cold\* cocoa”." in said


async def test_words_for_the_whole_card_are_no_answer_to_its_first_field(clock: ManualClock) -> None:
    said = words(await hear("Ask me several things", clock, ScriptedHost(values={"likes": "none of it"})))

    assert "You did not pick from the card but typed “none of it”." in said


@pytest.mark.parametrize("sentence", ["Ask me something", "Ask me several things", "Ask me in a hurry"])
async def test_the_host_takes_what_it_is_asked(sentence: str, clock: ManualClock) -> None:
    host = ScriptedHost(tool=ToolAnswer("The person answered. *Tea*"))

    said = words(await hear(sentence, clock, host, "host"))

    [call] = host.asked
    assert not isinstance(question_from(call.args, "new"), str)
    assert "```text\nThe person answered. *Tea*\n```" in said


async def test_the_day_that_is_suggested_is_a_week_away(clock: ManualClock) -> None:
    host = ScriptedHost()

    await hear("Ask me several things", clock, host, "host")

    day = host.asked[0].args["fields"][1]
    assert day["suggested"] == (clock.now().date() + timedelta(days=7)).isoformat()


async def test_a_question_that_was_skipped_is_gone_on_without(clock: ManualClock) -> None:
    said = words(await hear("Ask me something", clock, ScriptedHost()))

    assert said.endswith("I got no answer, so I go on without one. A real assistant would say now what it assumed.")


@both_ways
async def test_a_question_in_a_hurry_is_taken_back_when_its_time_is_over(way: Way, clock: ManualClock) -> None:
    host = ScriptedHost(wait=asyncio.Event())

    events = await hear("Ask me in a hurry", clock, host, way)

    assert HURRY_SECONDS < clock.monotonic() < HURRY_SECONDS + 5
    assert len(host.dropped) == 1
    assert "I got no answer" in words(events)


async def test_without_the_host_s_tool_it_says_that_nobody_can_be_asked(clock: ManualClock) -> None:
    said = words(await hear(TurnInput("Ask me something"), clock, ScriptedHost(), "host"))

    assert "questions do not reach you here" in said


# ---- permissions -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("choice", "ending"),
    [
        ("Allow", "Done: the note is written, or would be if I weren't a demo."),
        (None, "There was no yes, so nothing was written."),
    ],
)
async def test_a_note_is_written_only_with_a_yes(choice: str | None, ending: str, clock: ManualClock) -> None:
    said = words(await hear("Write a note", clock, ScriptedHost(choice=choice)))

    assert said.endswith(ending)


@pytest.mark.parametrize(
    ("allowed", "ending"),
    [
        (("Buy bread", "Water the plants"), "Done: both notes are written, or would be if I weren't a demo."),
        (("Water the plants",), "One note is written, or would be if I weren't a demo. The other is not."),
        ((), "There was no yes, so nothing was written."),
    ],
)
async def test_each_of_two_notes_is_decided_by_itself(
    allowed: tuple[str, ...], ending: str, clock: ManualClock
) -> None:
    said = words(await hear("Write two notes at once", clock, ChoosyHost(*allowed)))

    assert said.endswith(ending)


async def test_two_notes_are_asked_about_before_either_is_answered(clock: ManualClock) -> None:
    session = await DemoEngine(clock, HINT).open(None)
    host = ScriptedHost(wait=asyncio.Event())
    reading = Reading(session, turn("Write two notes at once"), host)

    await reading.until(clock, lambda: len(host.asked) == 2)
    calls = [event for event in reading.events if isinstance(event, ToolCallStarted | ToolCallEnded)]
    await session.cancel()
    await reading.task

    assert [type(call) for call in calls] == [ToolCallStarted, ToolCallStarted]
    assert len({call.id for call in calls}) == 2
    assert len(host.dropped) == 2


@both_ways
async def test_in_plan_mode_it_tries_and_says_that_it_was_refused(way: Way, clock: ManualClock) -> None:
    host = ScriptedHost(choice=None)

    said = words(await hear(turn("Write a note anyway", Mode.PLAN), clock, host, way))

    assert [call.name for call in host.asked] == ["write_note"]
    assert "It was refused and nothing was written" in said


@pytest.mark.parametrize("sentence", ["Write a note anyway", "Plan a trip"])
async def test_what_needs_plan_mode_says_how_to_get_there(sentence: str, clock: ManualClock) -> None:
    host = ScriptedHost(choice="Allow")

    said = words(await hear(sentence, clock, host))

    assert list(host.asked) == []
    assert f"Send {MARK}/plan first, and then this again." in said
