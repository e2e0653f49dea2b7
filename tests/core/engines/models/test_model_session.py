"""A turn of a model engine, with models that are functions."""

import asyncio
import json
from collections.abc import AsyncIterator

import pytest
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.messages import ModelMessage, ModelResponse, ThinkingPart
from pydantic_ai.models.function import AgentInfo, DeltaThinkingPart

from core.clock import ManualClock
from core.engines.base import (
    EXIT_PLAN_MODE,
    Allowance,
    Ended,
    EndReason,
    Frame,
    HostTool,
    MessageEnd,
    ModelInfo,
    ModelOptions,
    Text,
    Thought,
    ToolAnswer,
    ToolCallEnded,
    ToolCallStarted,
    TurnInput,
    Used,
)
from core.engines.models.answering import EMPTY, MOST_REQUESTS, NO_TOOLS
from core.engines.scripted import ScriptedHost, host_tool
from core.events import Mode
from tests.core.engines.models.playing import KEY, Piece, Playing, answers, call, engine_of, last_words, results
from tests.core.engines.rigs import Reading, endings, read, words

TOO_LONG = ModelHTTPError(
    400,
    "toy-1",
    {"message": "This model's maximum context length is 4096 tokens. However, your messages resulted in 9000 tokens."},
)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


class Desk(ScriptedHost):
    """A host whose tools answer one by one, when a test says so."""

    def __init__(self, frame: Frame | None = None) -> None:
        super().__init__(frame=frame)
        self.waiting: dict[str, asyncio.Future[ToolAnswer]] = {}

    async def call_tool(self, call_id: str, name: str, args: object) -> ToolAnswer:
        self.waiting[name] = asyncio.get_running_loop().create_future()
        return await self.waiting[name]


async def two_tools(messages: list[ModelMessage], _: AgentInfo) -> AsyncIterator[Piece]:
    if brought := results(messages):
        yield " and ".join(f"{result.tool_name}: {result.content}" for result in brought)
    else:
        yield "Let me see."
        yield {**call("ask", index=1), **call("look", call_id="call_2", index=2)}


async def test_tools_of_one_answer_run_side_by_side_and_each_ends_when_it_ends(clock: ManualClock) -> None:
    session, host = await engine_of(Playing(two_tools), clock).open(None), Desk()
    reading = Reading(session, TurnInput("go"), host)
    await reading.until(clock, lambda: len(host.waiting) == 2)

    host.waiting["look"].set_result(ToolAnswer("a cat"))
    await clock.advance(5 * 3600)
    early = [event.text for event in reading.events if isinstance(event, ToolCallEnded)]
    host.waiting["ask"].set_result(ToolAnswer("blue"))
    events = await reading.to_the_end(clock)

    assert early == ["a cat"]
    assert words(events) == "Let me see.ask: blue and look: a cat"


async def test_another_chat_is_answered_while_a_tool_waits(clock: ManualClock) -> None:
    engine, host = engine_of(Playing(two_tools), clock), Desk()
    reading = Reading(await engine.open(None), TurnInput("go"), host)
    await reading.until(clock, lambda: len(host.waiting) == 2)
    await clock.advance(3 * 3600)

    other = await read(await engine.open(None), TurnInput("go"), ScriptedHost(), clock)
    still_waiting = not reading.task.done()
    for answer in host.waiting.values():
        answer.set_result(ToolAnswer("at last"))
    await reading.to_the_end(clock)

    assert endings(other) == [Ended(EndReason.DONE)]
    assert still_waiting


async def test_a_message_ends_before_the_tools_that_it_leads_to(clock: ManualClock) -> None:
    session = await engine_of(Playing(two_tools), clock).open(None)

    events = await read(session, TurnInput("go"), ScriptedHost(), clock)

    kinds = [type(event) for event in events if not isinstance(event, Used)]
    assert kinds[:4] == [Text, MessageEnd, ToolCallStarted, ToolCallStarted]


async def test_a_tool_that_failed_is_a_failed_result_for_the_model(clock: ManualClock) -> None:
    provider = Playing(two_tools)
    session = await engine_of(provider, clock).open(None)

    await read(session, TurnInput("go"), ScriptedHost(tool=ToolAnswer("no such file", failed=True)), clock)

    assert {(result.outcome, result.content) for result in results(provider.asked[-1][0])} == {
        ("failed", "no such file")
    }


async def test_arguments_that_are_no_json_object_never_reach_a_tool(clock: ManualClock) -> None:
    async def script(messages: list[ModelMessage], _: AgentInfo) -> AsyncIterator[Piece]:
        if results(messages):
            yield "sorry"
        else:
            yield call("ask", '{"question": ')

    session, host = await engine_of(Playing(script), clock).open(None), ScriptedHost()

    events = await read(session, TurnInput("go"), host, clock)

    assert not host.asked
    assert [event.status for event in events if isinstance(event, ToolCallEnded)] == ["error"]
    assert endings(events) == [Ended(EndReason.DONE)]
    assert json.dumps(session.state())


async def test_instructions_and_tools_change_inside_a_turn_when_plan_mode_ends(clock: ManualClock) -> None:
    write = HostTool("write", "Writes.", {"type": "object"}, writes=True, hidden_in_plan=True)
    planning = Frame("Only plan.", Mode.PLAN, (host_tool(EXIT_PLAN_MODE), write))
    working = Frame("Get to work.", Mode.ASK, (write,))

    class Starting(ScriptedHost):
        async def call_tool(self, call_id: str, name: str, args: object) -> ToolAnswer:
            self.now = working
            return ToolAnswer("They pressed Start.")

    async def script(messages: list[ModelMessage], _: AgentInfo) -> AsyncIterator[Piece]:
        if results(messages):
            yield "On it."
        else:
            yield call(EXIT_PLAN_MODE, '{"plan": "1. go"}')

    provider = Playing(script)
    session = await engine_of(provider, clock).open(None)

    await read(session, TurnInput("tidy up", mode=Mode.PLAN), Starting(frame=planning), clock)

    seen = [(info.instructions, [tool.name for tool in info.function_tools]) for _, info in provider.asked]
    assert seen == [("Only plan.", [EXIT_PLAN_MODE]), ("Get to work.", ["write"])]


async def test_a_guest_gets_no_tools_at_all_even_if_the_model_calls_one(clock: ManualClock) -> None:
    provider = Playing(two_tools)
    session, host = await engine_of(provider, clock).open(None), ScriptedHost(frame=Frame(tools=(host_tool("ask"),)))

    events = await read(session, TurnInput("go", words_only=True), host, clock)

    assert [info.function_tools for _, info in provider.asked] == [[], []]
    assert not host.asked
    assert {event.text for event in events if isinstance(event, ToolCallEnded)} == {NO_TOOLS}


async def test_what_was_said_before_a_stop_is_remembered(clock: ManualClock) -> None:
    async def script(messages: list[ModelMessage], _: AgentInfo) -> AsyncIterator[Piece]:
        yield "Once upon "
        yield "a time "
        await clock.sleep(60)
        yield "there was"

    session = await engine_of(Playing(script), clock).open(None)
    reading = Reading(session, TurnInput("a story"), ScriptedHost())
    await reading.until(clock, lambda: words(reading.events) == "Once upon a time ")

    await session.cancel()
    await reading.task

    assert "Once upon a time " in json.dumps(session.state())
    assert "there was" not in json.dumps(session.state())


async def test_a_turn_that_is_stopped_has_used_what_was_sent(clock: ManualClock) -> None:
    async def script(messages: list[ModelMessage], _: AgentInfo) -> AsyncIterator[Piece]:
        yield "Once"
        await clock.sleep(60)

    session = await engine_of(Playing(script), clock).open(None)
    reading = Reading(session, TurnInput("a story " * 400), ScriptedHost())
    await reading.until(clock, lambda: words(reading.events) == "Once")

    await session.cancel()
    await reading.task

    (used,) = (event.usage for event in reading.events if isinstance(event, Used))
    assert used.input >= 800


async def test_a_stop_while_a_tool_waits_leaves_a_history_that_can_go_on(clock: ManualClock) -> None:
    provider = Playing(two_tools)
    session, host = await engine_of(provider, clock).open(None), Desk()
    reading = Reading(session, TurnInput("go"), host)
    await reading.until(clock, lambda: len(host.waiting) == 2)
    host.waiting["look"].set_result(ToolAnswer("a cat"))
    await reading.until(clock, lambda: any(isinstance(event, ToolCallEnded) for event in reading.events))
    await session.cancel()
    await reading.task

    again = await engine_of(provider, clock).open(json.loads(json.dumps(session.state())))
    await read(again, TurnInput("go on", first_seq=9), ScriptedHost(), clock)

    history = provider.asked[-2][0]
    given = {result.tool_name: result.outcome for result in results(history[:3])}
    assert given == {"ask": "interrupted", "look": "success"}
    assert last_words(history) == "go on"


async def test_thinking_is_told_but_another_model_never_reads_it(clock: ManualClock) -> None:
    async def script(messages: list[ModelMessage], _: AgentInfo) -> AsyncIterator[Piece]:
        yield {0: DeltaThinkingPart(content="Do they mean cats?", signature="signed")}
        yield "Cats purr."

    provider = Playing(script, (ModelInfo("toy-1", "Toy 1"), ModelInfo("toy-2", "Toy 2")))
    session = await engine_of(provider, clock).open(None)

    events = await read(session, TurnInput("cats?"), ScriptedHost(), clock)
    await read(session, TurnInput("more", first_seq=5), ScriptedHost(), clock)
    await read(session, TurnInput("more", first_seq=9, options=ModelOptions(model="toy-2")), ScriptedHost(), clock)

    def thoughts(request: int) -> int:
        messages, _ = provider.asked[request]
        return sum(
            isinstance(part, ThinkingPart)
            for said in messages
            if isinstance(said, ModelResponse)
            for part in said.parts
        )

    assert Thought("Do they mean cats?") in events
    assert (thoughts(1), thoughts(2)) == (1, 0)
    assert answers(provider.asked[2][0]) == ["Cats purr.", "Cats purr."]


async def test_a_turn_stops_between_two_requests_when_its_budget_is_used_up(clock: ManualClock) -> None:
    provider = Playing(two_tools)
    session, host = await engine_of(provider, clock).open(None), ScriptedHost()

    events = await read(session, TurnInput("go", allowance=Allowance(tokens=10)), host, clock)

    assert endings(events) == [Ended(EndReason.BUDGET)]
    assert len(provider.asked) == 1
    assert len(host.asked) == 2


async def test_with_nothing_left_to_spend_no_model_is_asked(clock: ManualClock) -> None:
    provider = Playing(two_tools, price=0.01)
    session = await engine_of(provider, clock).open(None)

    events = await read(session, TurnInput("go", allowance=Allowance(cost=0.0)), ScriptedHost(), clock)

    assert events == [Ended(EndReason.BUDGET)]
    assert provider.asked == []


async def test_what_a_turn_used_adds_up_over_its_requests(clock: ManualClock) -> None:
    provider = Playing(two_tools, price=0.001)
    session = await engine_of(provider, clock).open(None)

    events = await read(session, TurnInput("go"), ScriptedHost(), clock)

    last = [event.usage for event in events if isinstance(event, Used)][-1]
    assert last.input == 100  # the library's FunctionModel counts 50 for each request
    assert last.cost == pytest.approx(0.001 * (last.input + last.output))
    assert last.context_size == 100_000
    assert last.context_used is not None
    assert last.context_used < last.input + last.output


async def test_an_empty_answer_is_asked_for_once_more(clock: ManualClock) -> None:
    async def script(messages: list[ModelMessage], _: AgentInfo) -> AsyncIterator[Piece]:
        yield "" if len(provider.asked) == 1 else "Here."

    provider = Playing(script)
    session = await engine_of(provider, clock).open(None)

    events = await read(session, TurnInput("hello"), ScriptedHost(), clock)

    assert words(events) == "Here."
    assert endings(events) == [Ended(EndReason.DONE)]


async def test_two_empty_answers_are_said_to_be_none(clock: ManualClock) -> None:
    async def script(messages: list[ModelMessage], _: AgentInfo) -> AsyncIterator[Piece]:
        yield {0: DeltaThinkingPart(content="hm")}

    session = await engine_of(Playing(script), clock).open(None)

    events = await read(session, TurnInput("hello"), ScriptedHost(), clock)

    assert endings(events) == [Ended(EndReason.UNAVAILABLE, EMPTY.format(engine="Toy"))]


async def test_a_model_that_goes_round_in_circles_comes_to_an_end(clock: ManualClock) -> None:
    async def script(messages: list[ModelMessage], _: AgentInfo) -> AsyncIterator[Piece]:
        yield call("look")

    provider = Playing(script)
    session = await engine_of(provider, clock).open(None)

    events = await read(session, TurnInput("hello"), ScriptedHost(), clock)

    assert [ended.reason for ended in endings(events)] == [EndReason.LENGTH]
    assert len(provider.asked) == MOST_REQUESTS


async def test_the_handoff_stands_in_front_of_the_words(clock: ManualClock) -> None:
    async def script(messages: list[ModelMessage], _: AgentInfo) -> AsyncIterator[Piece]:
        yield last_words(messages)

    session = await engine_of(Playing(script), clock).open(None)

    events = await read(session, TurnInput("and now?", handoff="<earlier>tea</earlier>"), ScriptedHost(), clock)

    assert words(events) == "<earlier>tea</earlier>\n\nand now?"


async def test_a_conversation_keeps_its_cache_key_in_another_process(clock: ManualClock) -> None:
    provider = Playing(two_tools)
    session = await engine_of(provider, clock).open(None)
    await read(session, TurnInput("go"), ScriptedHost(), clock)

    again = await engine_of(provider, clock).open(json.loads(json.dumps(session.state())))
    await read(again, TurnInput("go", first_seq=9), ScriptedHost(), clock)

    assert len({key for _, _, key in provider.settings_asked}) == 1


async def test_the_key_is_in_no_event_and_no_state(clock: ManualClock) -> None:
    async def script(messages: list[ModelMessage], _: AgentInfo) -> AsyncIterator[Piece]:
        if messages:
            raise RuntimeError(f"Authorization: Bearer {KEY}")
        yield ""

    session = await engine_of(Playing(script), clock).open(None)

    events = await read(session, TurnInput("go"), ScriptedHost(), clock)

    assert KEY not in repr(events) + repr(session.state()) + repr(session.__dict__)


async def test_too_long_is_folded_harder_and_sent_once_more_before_anyone_hears(clock: ManualClock) -> None:
    async def script(messages: list[ModelMessage], _: AgentInfo) -> AsyncIterator[Piece]:
        if "keep the memory" in (provider.asked[-1][1].instructions or ""):
            yield "They like tea."
        elif len(json.dumps(answers(messages))) > 3_000:
            raise TOO_LONG
        else:
            yield "tea " * 500

    provider = Playing(script)
    session = await engine_of(provider, clock).open(None)
    await read(session, TurnInput("one"), ScriptedHost(), clock)
    await read(session, TurnInput("two", first_seq=5), ScriptedHost(), clock)

    events = await read(session, TurnInput("three", first_seq=9), ScriptedHost(), clock)

    assert [type(event).__name__ for event in events if not isinstance(event, Used | Text)] == ["Compacted", "Ended"]
    assert endings(events) == [Ended(EndReason.DONE)]
    assert session.state()["window"] == 4_096
    assert "They like tea." in last_words(provider.asked[-1][0])
