"""What of a turn stands in the log, whatever its engine does."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from core import events as ev
from core import problems
from core.cards import PlanStep
from core.engines.base import (
    Ended,
    EndReason,
    EngineEvent,
    FileMade,
    MessageEnd,
    ModeChanged,
    Noticed,
    Plan,
    Text,
    Thought,
    ToolCallEnded,
    ToolCallStarted,
    TurnInput,
    Used,
)
from core.engines.run import STOP_GRACE
from core.engines.script import Until
from core.engines.scripted import always
from core.live import Delta, LiveItem, Written
from core.store.log import Append, EventLog
from core.turn import EQUAL_MESSAGES, MAX_STEPS
from tests.core.lives import CHAT, Life, Start, Wayward, deaf, until

OPENING = ["> hello", "turn"]


async def played(start: Start, *steps: Any) -> Life:
    """A life in which the steps were played to an end."""
    life = await start(always(*steps))
    await life.answer("hello")
    return life


# ---- how it ends ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reason", "line"),
    [
        (EndReason.DONE, "end: success"),
        (EndReason.LENGTH, "end: success"),
        (EndReason.CANCELLED, "end: interrupted"),
        (EndReason.REFUSED, "end: error refused"),
        (EndReason.CONTEXT_FULL, "end: error context_full"),
        (EndReason.AUTH, "end: error auth"),
        (EndReason.RATE_LIMITED, "end: error rate_limited"),
        (EndReason.UNAVAILABLE, "end: error unavailable"),
        (EndReason.REJECTED, "end: error rejected"),
        (EndReason.CRASHED, "end: error crashed"),
    ],
)
async def test_each_way_to_end_has_its_outcome_and_keeps_what_was_said(
    start: Start, reason: EndReason, line: str
) -> None:
    life = await played(start, Text("so far"), Ended(reason))

    story, end = await life.story(), await life.end()
    assert (story[2], story[-1]) == ("so far", line)
    assert (end.error is not None) == (end.outcome == "error")
    assert (end.engine, end.cut_off_by) == ("scripted", None)


@pytest.mark.report("R113")
async def test_an_engine_that_breaks_is_told_plainly_and_its_words_stand(start: Start) -> None:
    async def breaks(turn: TurnInput) -> AsyncIterator[EngineEvent]:
        yield Text("so far")
        raise RuntimeError("secret detail: /etc/passwd")

    life = await start(Wayward(breaks))
    await life.answer("hello")

    assert await life.story() == [*OPENING, "so far", "end: error crashed"]
    assert (await life.end()).error == problems.sentence(Ended(EndReason.CRASHED), "Wayward")


async def test_an_engine_that_forgets_to_end_is_told_too(start: Start) -> None:
    async def forgets(turn: TurnInput) -> AsyncIterator[EngineEvent]:
        yield Text("so far")

    life = await start(Wayward(forgets))

    assert await life.answer("hello") == [*OPENING, "so far", "end: error crashed"]


async def test_what_an_engine_says_after_its_end_is_not_in_the_log(start: Start) -> None:
    life = await played(start, Text("hi"), Ended(EndReason.DONE), Text("more"), Ended(EndReason.CRASHED))

    assert await life.story() == [*OPENING, "hi", "end: success"]


async def test_an_engine_says_in_its_own_words_what_is_wrong(start: Start) -> None:
    life = await played(start, Ended(EndReason.AUTH, "The key ran out. Enter a new one."))

    assert (await life.end()).error == "The key ran out. Enter a new one."


async def test_an_answer_that_reached_its_length_says_so(start: Start) -> None:
    life = await played(start, Text("very long"), Ended(EndReason.LENGTH))

    assert await life.story() == [*OPENING, "very long", "notice: length", "end: success"]


async def test_an_answer_that_the_engine_ended_by_itself_says_so(start: Start) -> None:
    life = await played(start, Text("so far"), Ended(EndReason.CANCELLED))

    assert await life.story() == [*OPENING, "so far", "notice: cancelled", "end: interrupted"]


@pytest.mark.parametrize("words", [None, "", " \n\t"])
async def test_an_engine_that_says_nothing_leaves_no_empty_message(start: Start, words: str | None) -> None:
    life = await played(start, *([] if words is None else [Text(words)]))

    assert await life.story() == [*OPENING, "end: success"]


async def test_usage_is_kept_the_newest_of_it(start: Start) -> None:
    first, newest = ev.Usage(input=10), ev.Usage(input=10, output=5, cost=0.02)

    life = await played(start, Used(first), Text("hi"), Used(newest))

    end = await life.end()
    assert (end.usage, end.cost) == (newest, 0.02)


# ---- what it says --------------------------------------------------------------------------------------------------


async def test_messages_of_one_turn_stay_apart_and_thinking_is_not_kept(start: Start) -> None:
    life = await played(start, Thought("hm"), Text("one"), Text(" more"), MessageEnd(), Thought("so"), Text("two"))

    assert await life.story() == [*OPENING, "one more", "two", "end: success"]


async def test_what_was_said_before_a_tool_stands_before_it(start: Start) -> None:
    life = await played(
        start,
        Text("let me look"),
        ToolCallStarted("t1", "search", {"for": "cats", "deep": [1, None]}, "agent"),
        ToolCallEnded("t1", "ok", "3 cats"),
        Text("there are three"),
    )

    assert await life.story() == [
        *OPENING,
        "let me look",
        "search starts",
        "search ends: ok",
        "there are three",
        "end: success",
    ]
    tool = (await life.events())[3]
    assert tool == ev.ToolStarted(tool_use_id="t1", name="search", input={"for": "cats", "deep": [1, None]})


async def test_how_long_a_tool_took_is_known(start: Start) -> None:
    go = asyncio.Event()
    life = await start(
        always(ToolCallStarted("t1", "search", {}, "agent"), Until(go), ToolCallEnded("t1", "error", "no net"))
    )
    await life.say("hello")
    await until(lambda: life.engine.turns)

    await life.clock.advance(1.5)
    go.set()
    await life.idle()

    finished = (await life.events())[3]
    assert finished == ev.ToolFinished(
        tool_use_id="t1", name="search", status="error", output="no net", duration_ms=1500
    )


async def test_the_end_of_a_tool_that_never_began_is_not_kept(start: Start) -> None:
    life = await played(start, ToolCallEnded("ghost", "ok", "boo"), Text("hi"))

    assert await life.story() == [*OPENING, "hi", "end: success"]


@pytest.mark.parametrize("ended", [Ended(EndReason.DONE), Ended(EndReason.CANCELLED), Ended(EndReason.CRASHED)])
async def test_tools_left_open_are_closed_as_failed_before_the_end(start: Start, ended: Ended) -> None:
    life = await played(
        start,
        ToolCallStarted("t1", "search", {}, "agent"),
        ToolCallStarted("t2", "read", {}, "agent"),
        Text("so far"),
        ended,
    )

    story = await life.story()
    assert story[2:7] == ["search starts", "read starts", "so far", "search ends: error", "read ends: error"]
    assert story[-1].startswith("end: ")


async def test_a_plan_and_a_notice_are_kept(start: Start) -> None:
    steps = tuple(PlanStep(title=f"step {number}", state="pending") for number in range(MAX_STEPS + 5))

    life = await played(start, Plan(steps), Noticed("slow", "This takes a while."), Text("hi"))

    events = await life.events()
    assert events[2:4] == [
        ev.PlanUpdated(steps=steps[:MAX_STEPS]),
        ev.Notice(code="slow", message="This takes a while."),
    ]


async def test_an_engine_that_changes_its_mode_changes_nothing_else_of_the_options(start: Start) -> None:
    go = asyncio.Event()
    life = await start(always(Until(go), ModeChanged(ev.Mode.EDIT), ModeChanged(ev.Mode.EDIT), Text("hi")))
    await life.say("hello")
    await until(lambda: life.engine.turns)

    await life.database.commit(Append(CHAT, (ev.OptionsSet(model="big", mode=ev.Mode.PLAN),)))
    go.set()
    await life.idle()

    assert (await EventLog(life.database).state(CHAT)).options == ev.OptionsSet(model="big", mode=ev.Mode.EDIT)


# ---- files ---------------------------------------------------------------------------------------------------------


async def test_a_file_belongs_to_the_message_that_it_was_made_in(start: Start) -> None:
    life = await played(
        start,
        Text("here"),
        FileMade("../a.csv", "text/csv", b"1,2", "numbers"),
        MessageEnd(),
        FileMade("b.txt", "text/plain", b""),
        Text("and there"),
    )

    assert await life.story() == [*OPENING, "here + a.csv", "and there + b.txt", "end: success"]
    said = (await life.events())[2]
    assert isinstance(said, ev.AssistantMessage)
    assert said.attachments[0].caption == "numbers"
    assert life.files.path(said.attachments[0]).read_bytes() == b"1,2"


async def test_a_file_alone_is_a_message(start: Start) -> None:
    life = await played(start, FileMade("a.csv", "text/csv", b"1,2"))

    assert await life.story() == [*OPENING, " + a.csv", "end: success"]


async def test_a_file_that_cannot_be_kept_is_named_and_the_answer_goes_on(start: Start, folder: Path) -> None:
    life = await start(always(Text("here"), FileMade("a.csv", "text/csv", b"1,2"), Text(" it is")))
    (folder / "files").write_text("no folder")

    await life.answer("hello")

    assert await life.story() == [*OPENING, "notice: file-not-kept", "here it is", "end: success"]


# ---- the same over and over ----------------------------------------------------------------------------------------


@pytest.mark.report("R015")
async def test_an_engine_that_says_the_same_over_and_over_is_stopped(start: Start) -> None:
    life = await played(start, *[Text("As I said"), MessageEnd()] * 20, Text("more"))

    assert await life.story() == [*OPENING, *["As I said"] * EQUAL_MESSAGES, "end: error crashed"]
    assert "kept saying the same thing" in ((await life.end()).error or "")


async def test_messages_that_take_turns_are_the_same_over_and_over_too(start: Start) -> None:
    life = await played(start, *[Text("tick"), MessageEnd(), Text("tock "), MessageEnd()] * 20)

    assert (await life.story())[2:-1] == ["tick", "tock "] * EQUAL_MESSAGES


async def test_one_more_of_the_same_at_the_end_is_left_out_and_that_is_all(start: Start) -> None:
    life = await played(start, *[Text("yes"), MessageEnd()] * EQUAL_MESSAGES, Text("yes"))

    assert await life.story() == [*OPENING, *["yes"] * EQUAL_MESSAGES, "end: success"]


async def test_files_with_the_same_words_are_not_the_same(start: Start) -> None:
    steps = [Text("here"), FileMade("a.txt", "text/plain", b"a"), MessageEnd()]

    life = await played(start, *steps * (EQUAL_MESSAGES + 2))

    assert (await life.story())[2:] == [*["here + a.txt"] * (EQUAL_MESSAGES + 2), "end: success"]


# ---- while it is written -------------------------------------------------------------------------------------------


@pytest.mark.report("R171", "R173")
async def test_whoever_joins_late_has_the_whole_from_a_snapshot_and_what_follows(start: Start) -> None:
    go = asyncio.Event()
    life = await start(always(Text("one "), Text("two "), Until(go), Text("three "), Text("four")))
    await life.say("hello")
    await until(lambda: any(isinstance(item, Delta) and item.offset for item in life.heard))

    turn = life.conversations.running(CHAT)
    assert turn is not None
    snapshot, joined_at = turn.snapshot(), len(life.heard)
    go.set()
    await life.idle()

    assert snapshot is not None
    message_id, text = snapshot
    for item in life.heard[joined_at:]:
        if isinstance(item, Delta):
            assert (item.message_id, item.offset) == (message_id, len(text))
            text += item.text
    final = (await life.events())[2]
    assert final == ev.AssistantMessage(message_id=message_id, text=text)
    assert text == "one two three four"


async def test_deltas_come_before_the_message_that_they_make_and_are_not_stored(start: Start) -> None:
    life = await played(start, Text("one"), Text(""), Text(" two"), MessageEnd(), Text("three"))

    live = [_heard(item) for item in life.heard]
    assert live[2:7] == ["one", " two", "(written)", "three", "(written)"]
    assert live[7:] == ["assistant.message", "assistant.message", "turn.completed"]


def _heard(item: LiveItem) -> str:
    match item:
        case Delta(text=text):
            return text
        case Written():
            return "(written)"
        case ev.Event(data=data):
            return data.type
    return type(item).__name__


async def test_between_messages_there_is_no_snapshot(start: Start) -> None:
    go = asyncio.Event()
    life = await start(always(Text("one"), MessageEnd(), Until(go)))
    await life.say("hello")
    await until(lambda: any(getattr(item, "type", "") == "assistant.message" for item in life.heard))

    turn = life.conversations.running(CHAT)

    assert turn is not None
    assert turn.snapshot() is None
    go.set()


# ---- what cannot be stored -----------------------------------------------------------------------------------------


async def test_half_characters_and_odd_values_are_stored_as_well_as_can_be(start: Start) -> None:
    odd: Mapping[str, Any] = {"half": "\ud83d", "where": {1: (STOP_GRACE, b"x")}, "all": {"\ude00"}}

    life = await played(
        start,
        Text("cut \ud83d"),
        ToolCallStarted("t1", "read", odd, "agent"),
        ToolCallEnded("t1", "ok", "\ud83d"),
        Noticed("odd", "\udfff"),
    )

    said, began, finished, notice = (await life.events())[2:6]
    assert said == ev.AssistantMessage(message_id=getattr(said, "message_id", ""), text="cut �")
    assert getattr(began, "input", None) == {"half": "�", "where": {"1": [4.0, "b'x'"]}, "all": "{'\\ude00'}"}
    assert (getattr(finished, "output", None), getattr(notice, "message", None)) == ("�", "�")


async def test_an_answer_is_kept_though_what_its_engine_remembers_is_not_json(start: Start) -> None:
    async def says(turn: TurnInput) -> AsyncIterator[EngineEvent]:
        yield Text("hi")
        yield Ended(EndReason.DONE)

    life = await start(Wayward(says, state=lambda: {"a set": {1, 2}}))

    assert await life.answer("hello") == [*OPENING, "hi", "end: success"]


async def test_an_answer_is_kept_though_its_engine_cannot_say_what_it_remembers(start: Start) -> None:
    async def says(turn: TurnInput) -> AsyncIterator[EngineEvent]:
        yield Text("hi")
        yield Ended(EndReason.DONE)

    def breaks() -> Mapping[str, Any]:
        raise RuntimeError("lost")

    life = await start(Wayward(says, state=breaks))

    assert await life.answer("hello") == [*OPENING, "hi", "end: success"]


async def test_a_turn_that_cannot_be_written_down_ends_as_broken_and_the_next_one_runs(start: Start) -> None:
    broken = [Text("so far"), MessageEnd()]
    life = await start(always(*broken, Plan(("no step",)), Text("never")))  # type: ignore[arg-type]

    await life.answer("hello")
    await life.answer("again")

    assert (await life.story())[:4] == [*OPENING, "so far", "end: error crashed"]
    assert (await life.story())[4:] == ["> again", "turn", "so far", "end: error crashed"]


@pytest.mark.report("R013")
async def test_while_the_database_takes_nothing_the_answer_waits_and_is_not_lost(start: Start) -> None:
    go = asyncio.Event()
    life = await start(always(Text("one"), MessageEnd(), Until(go), Text("two")))
    await life.say("hello")
    await until(lambda: any(getattr(item, "type", "") == "assistant.message" for item in life.heard))

    life.database.is_down = True
    go.set()
    await until(lambda: life.clock.sleeping)
    await life.clock.advance(30)
    life.database.is_down = False
    await life.clock.advance(30)
    await life.idle()

    assert await life.story() == [*OPENING, "one", "two", "end: success"]


async def test_an_engine_that_hangs_can_be_stopped_and_what_it_said_stands(start: Start) -> None:
    life = await start(Wayward(deaf))
    await life.say("hello")
    await until(lambda: life.heard and isinstance(life.heard[-1], Delta))

    stopping = asyncio.create_task(life.stop())
    await until(lambda: life.clock.sleeping)
    await life.clock.advance(STOP_GRACE)
    await stopping

    assert await life.story() == [*OPENING, "so far", "end: interrupted stop"]
