"""One second chance: another engine takes over a turn that the chat's own engine cannot answer."""

import asyncio
from typing import Any

import pytest

from core import events as ev
from core.engines.base import (
    Ended,
    EndReason,
    EngineCapabilities,
    MessageEnd,
    ModelInfo,
    OwnTools,
    Text,
    ToolCallEnded,
    ToolCallStarted,
    TurnInput,
    Used,
)
from core.engines.script import Step, Steps, Until
from core.engines.scripted import Script, ScriptedEngine, always, in_order
from core.live import Delta, Dropped
from core.store.log import Append
from core.store.sessions import Sessions
from core.store.usage import UsageRows
from tests.core.lives import CHAT, Life, Start, echo, from_chat, until

LIMITED = Ended(EndReason.RATE_LIMITED, "Own takes no more requests.", retry_after=60)
OUT = Ended(EndReason.UNAVAILABLE)

UNCONTROLLED = EngineCapabilities(own_tools=OwnTools.UNCONTROLLED)


def remembers(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
    """Say what was heard before."""
    yield Text(f"{turn.text} after {', '.join(earlier) or 'nothing'}")


class Two:
    """A chat's own engine, and one that takes over."""

    def __init__(self, start: Start, own: Script, spare: Script = echo, **spares: Any) -> None:
        self.own = ScriptedEngine(start.clock, own, name="own")
        self.spare = ScriptedEngine(start.clock, spare, name="spare", **spares)
        self._start = start

    async def live(self, **settings: Any) -> Life:
        """A life of both."""
        return await self._start(self.own, self.spare, fallback_engine="spare", **settings)


@pytest.mark.report("R003")
@pytest.mark.parametrize("end", [LIMITED, OUT])
async def test_another_engine_answers_in_the_same_turn_and_once(start: Start, end: Ended) -> None:
    two = Two(start, always(end), models=(ModelInfo("small", "Small"),))
    life = await two.live()

    story = await life.answer("hello")

    assert story == ["> hello", "turn", "turn.routed", "echo: hello", "end: success"]
    assert (await life.events())[2] == ev.TurnRouted(
        from_engine="own",
        to_engine="spare",
        reason=end.reason.value,
        from_title="Own",
        to_title="Spare",
        to_model="small",
    )
    completed = await life.end()
    assert (completed.engine, completed.model, completed.error) == ("spare", "small", None)


@pytest.mark.parametrize(
    "reason", [reason for reason in EndReason if reason not in (EndReason.RATE_LIMITED, EndReason.UNAVAILABLE)]
)
async def test_any_other_end_is_the_end(start: Start, reason: EndReason) -> None:
    two = Two(start, always(Text("so far"), Ended(reason)))
    life = await two.live()

    assert "turn.routed" not in await life.answer("hello")
    assert not two.spare.turns


async def test_without_a_fallback_the_problem_is_told(start: Start) -> None:
    life = await start(always(OUT), ScriptedEngine(start.clock, echo, name="spare"))

    assert await life.answer("hello") == ["> hello", "turn", "end: error unavailable"]


@pytest.mark.report("R003", "R167")
async def test_words_in_the_middle_of_a_message_are_taken_back_and_what_was_complete_stays(start: Start) -> None:
    go = asyncio.Event()
    two = Two(start, always(Text("First."), MessageEnd(), Text("half a sen"), Until(go), OUT), always(Text("Whole.")))
    life = await two.live()
    await life.say("hello")
    await until(lambda: any(getattr(item, "text", "") == "half a sen" for item in life.heard))
    go.set()
    await life.idle()

    assert await life.story() == ["> hello", "turn", "First.", "turn.routed", "Whole.", "end: success"]
    begun = [item for item in life.heard if isinstance(item, Delta | Dropped)]
    assert [type(item) for item in begun] == [Delta, Delta, Dropped, Delta]
    assert begun[1].message_id == begun[2].message_id != begun[3].message_id


async def test_whoever_takes_over_hears_what_was_done_and_goes_on_from_its_own_memory(start: Start) -> None:
    two = Two(
        start,
        in_order(
            (Text("fine"),),
            (Text("Looking."), ToolCallStarted("t1", "search", {}, "agent"), ToolCallEnded("t1", "ok", "3 cats"), OUT),
        ),
        remembers,
    )
    life = await two.live()
    await choose(life, "spare")
    await life.answer("one")
    await choose(life, None)
    await life.answer("two")

    await life.answer("three")

    [first, taken] = two.spare.turns
    assert first.handoff is None
    assert taken.text == "three"
    assert taken.handoff is not None
    body = taken.handoff.split("\n\n", 1)[1].rsplit("\n\n", 1)[0]
    assert body == (
        "Person: two\n\nAssistant (own): fine\n\n"
        "And this was done already about the message that comes after, before you took over from another engine:\n\n"
        "Assistant (own): Looking.\n\n- called search: 3 cats"
    )
    assert (await life.story())[-2:] == ["three after one", "end: success"]


async def choose(life: Life, engine: str | None) -> None:
    await life.database.commit(Append(CHAT, (ev.OptionsSet(engine=engine),)))


async def test_tools_left_open_by_the_first_engine_have_failed(start: Start) -> None:
    two = Two(start, always(ToolCallStarted("t1", "search", {}, "agent"), OUT))
    life = await two.live()

    story = await life.answer("hello")

    assert story[2:5] == ["search starts", "search ends: error", "turn.routed"]


async def test_the_next_turn_tries_the_chats_own_engine_again_which_hears_what_it_missed(start: Start) -> None:
    def fails_once(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        yield OUT if turn.text == "two" else Text("fine")

    two = Two(start, fails_once)
    life = await two.live()
    await life.answer("one")
    await life.answer("two")

    await life.answer("three")

    missed = two.own.turns[-1].handoff or ""
    assert missed.split("\n\n", 1)[1].rsplit("\n\n", 1)[0] == "Person: two\n\nAssistant (spare): echo: two"
    assert (await life.story())[-2:] == ["fine", "end: success"]
    saved = await Sessions(life.database).get(CHAT, "own")
    assert saved is not None
    assert saved.state == {"heard": ["one", "three"]}


async def test_memory_from_before_a_clear_is_not_gone_on_from(start: Start) -> None:
    two = Two(start, always(OUT), remembers)
    life = await two.live()
    await life.answer("secret")
    await life.database.commit(Append(CHAT, (ev.ContextCleared(),)))

    await life.answer("fresh")

    assert (await life.story())[-2:] == ["fresh after nothing", "end: success"]
    assert two.spare.turns[-1].handoff is None


@pytest.mark.parametrize("end", [OUT, LIMITED, Ended(EndReason.AUTH)])
async def test_where_both_fail_the_second_ones_problem_is_told_and_that_both_were_tried(
    start: Start, end: Ended
) -> None:
    two = Two(start, always(LIMITED), always(Text("so far"), end))
    life = await two.live()

    story = await life.answer("hello")

    assert story == ["> hello", "turn", "turn.routed", "so far", f"end: error {end.reason.value}"]
    completed = await life.end()
    assert completed.engine == "spare"
    assert (completed.error or "").endswith("Before that, Own could not answer either.")
    assert len(two.own.turns) == len(two.spare.turns) == 1


async def test_an_engine_that_is_not_ready_is_not_waited_for(start: Start) -> None:
    two = Two(start, echo)
    two.own.is_ready = False
    life = await two.live()

    story = await life.answer("hello")

    assert story == ["> hello", "turn", "turn.routed", "echo: hello", "end: success"]
    assert not two.own.turns
    assert (await life.end()).engine == "spare"


async def test_where_neither_is_ready_the_message_is_held_and_goes_to_the_first_that_is(start: Start) -> None:
    two = Two(start, echo)
    two.own.is_ready = two.spare.is_ready = False
    life = await two.live()
    await life.say("hello")
    await until(lambda: life.clock.sleeping)
    two.spare.is_ready = True

    await life.clock.advance(30)
    await life.idle()

    assert await life.story() == ["turn.held", "> hello", "turn", "turn.routed", "echo: hello", "end: success"]


async def test_a_fallback_that_is_not_ready_is_none(start: Start) -> None:
    two = Two(start, always(OUT))
    two.spare.is_ready = False
    life = await two.live()

    assert await life.answer("hello") == ["> hello", "turn", "end: error unavailable"]


async def test_after_a_stop_nobody_takes_over(start: Start) -> None:
    go = asyncio.Event()

    def fails(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        yield Text("so far")
        yield Until(go)
        yield OUT

    two = Two(start, fails)
    life = await two.live()
    await life.say("hello")
    await until(lambda: any(isinstance(item, Delta) for item in life.heard))

    await life.stop()

    assert await life.story() == ["> hello", "turn", "so far", "end: interrupted stop"]
    assert not two.spare.turns


async def test_the_engine_that_took_over_can_be_stopped(start: Start) -> None:
    never = asyncio.Event()
    two = Two(start, always(OUT), always(Text("so far"), Until(never)))
    life = await two.live()
    await life.say("hello")
    await until(lambda: any(isinstance(item, Delta) for item in life.heard))

    await life.stop()

    assert await life.story() == ["> hello", "turn", "turn.routed", "so far", "end: interrupted stop"]


@pytest.mark.parametrize("mode", [ev.Mode.PLAN, ev.Mode.ASK])
async def test_a_guest_and_a_plan_get_only_an_engine_that_can_be_held(start: Start, mode: ev.Mode) -> None:
    guest = from_chat("eve").model_copy(update={"role": "guest"})
    two = Two(start, always(OUT), capabilities=UNCONTROLLED)
    life = await two.live(default_mode=mode)

    story = await life.answer("hello", by=guest if mode is ev.Mode.ASK else None)

    assert story == ["> hello", "turn", "end: error unavailable"]
    assert not two.spare.turns


async def test_what_both_used_is_counted_for_each_and_together(start: Start) -> None:
    two = Two(
        start,
        always(Used(ev.Usage(input=100, output=1, cost=0.5, context_used=100)), OUT),
        always(Text("hi"), Used(ev.Usage(input=20, output=2, cached=5, context_used=20, context_size=8))),
    )
    life = await two.live()

    await life.answer("hello")

    rows = await UsageRows(life.database).since(life.clock.now().date())
    assert [(row.engine, row.turns, row.input, row.output, row.cost) for row in rows] == [
        ("own", 1, 100, 1, 0.5),
        ("spare", 1, 20, 2, 0),
    ]
    completed = await life.end()
    assert completed.usage == ev.Usage(input=120, output=3, cached=5, context_used=20, context_size=8, cost=0.5)


async def test_a_model_that_the_chat_chose_for_its_engine_is_not_asked_of_the_other(start: Start) -> None:
    two = Two(start, always(OUT), models=(ModelInfo("small", "Small"),))
    life = await two.live()
    await life.database.commit(Append(CHAT, (ev.OptionsSet(engine="own", model="big", effort=ev.Effort.LOW),)))

    await life.answer("hello")

    [turn] = two.spare.turns
    assert (turn.options.model, turn.options.effort) == (None, ev.Effort.LOW)
    assert (await life.end()).model == "small"


@pytest.mark.report("R015")
async def test_the_same_message_counts_together_for_both_engines(start: Start) -> None:
    same: list[Step] = [Text("As I said"), MessageEnd()]
    two = Two(start, always(*same, *same, OUT), always(*same * 5))
    life = await two.live()

    story = await life.answer("hello")

    assert story.count("As I said") == 3
    assert story[-1] == "end: error crashed"


async def test_while_the_database_takes_nothing_taking_over_waits(start: Start) -> None:
    go = asyncio.Event()
    two = Two(start, always(Until(go), OUT))
    life = await two.live()
    await life.say("hello")
    await until(lambda: two.own.turns)

    life.database.is_down = True
    go.set()
    await until(lambda: life.clock.sleeping)
    life.database.is_down = False
    await life.clock.advance(10)
    await life.idle()

    assert await life.story() == ["> hello", "turn", "turn.routed", "echo: hello", "end: success"]
