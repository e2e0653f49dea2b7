"""Calls back in the middle of a turn: in the order of what was said, and never longer than the turn."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest

from core import events as ev
from core import views
from core.briefing import Briefing
from core.budget import Allowed
from core.cards import Question, TextField
from core.conversation_state import ConversationState
from core.engines.base import (
    Ended,
    EndReason,
    Engine,
    EngineEvent,
    Host,
    HostToolResult,
    Session,
    Text,
    ToolAnswer,
    TurnInput,
)
from core.engines.run import STOP_GRACE
from core.engines.script import AskPerson, CallTool, Steps
from core.engines.scripted import ScriptedEngine, ScriptedHost, always
from core.spent import Spent
from core.store.log import Append
from core.turn import Opened, Turn, TurnStop
from tests.core.lives import CHAT, Life, Start, Wayward, deaf, message, until

QUESTION = Question(question_id="q", fields=(TextField(id="when", label="When?"),))


@dataclass
class Calling(Wayward):
    """An engine that is one function over a turn and its host."""

    answer: Callable[[TurnInput], AsyncIterator[EngineEvent]] = field(default=deaf)
    calls: Callable[[TurnInput, Host], AsyncIterator[EngineEvent]] = field(kw_only=True)

    async def open(self, state: Mapping[str, Any] | None) -> Session:
        """A session that is given its host."""
        return _CallingSession(self)


class _CallingSession:
    def __init__(self, engine: Calling) -> None:
        self._engine = engine

    def run(self, turn: TurnInput, host: Host) -> AsyncIterator[EngineEvent]:
        return self._engine.calls(turn, host)

    async def cancel(self) -> None:
        """Never heard."""

    def state(self) -> Mapping[str, Any]:
        return {}

    async def close(self) -> None:
        """Holds nothing."""


class AskingHost(ScriptedHost):
    """Puts questions into the log, and each call that goes on as a notice; waits where it is told to."""

    def __init__(self, life: Life, **given: Any) -> None:
        super().__init__(**given)
        self._life = life

    async def question(self, question: Question) -> Mapping[str, Any] | None:
        """Ask in the log first."""
        await self._life.database.commit(Append(CHAT, (ev.QuestionAsked(question=question),)))
        return await super().question(question)

    async def permit(self, call_id: str, title: str, args: Mapping[str, Any], options: Sequence[str]) -> str | None:
        """Ask in the log first."""
        asked = ev.PermissionRequested(permission_id=call_id, tool_name=title, summary=title)
        await self._life.database.commit(Append(CHAT, (asked,)))
        return await super().permit(call_id, title, args, options)

    async def call_tool(self, call_id: str, name: str, args: Mapping[str, Any]) -> ToolAnswer:
        """Leave a mark in the log."""
        await self._life.database.commit(Append(CHAT, (ev.Notice(code=call_id, message=name),)))
        return await super().call_tool(call_id, name, args)


class Backed:
    """Gives a turn its host, and nothing else."""

    def __init__(self, host: Host) -> None:
        self._host = host

    async def brief(self, opened: Opened, used: Spent) -> Briefing:
        """The words alone."""
        return Briefing(TurnInput(opened.message.text), None, self._host, Allowed())

    async def relief(self, opened: Opened) -> Opened | None:
        """Nobody."""
        return None

    def note(self, turn: Turn, used: Spent) -> None:
        """Counted by nobody."""


async def opened(life: Life, engine: Engine, host: Host, by: ev.Origin | None = None) -> Turn:
    """A turn that stands in the log."""
    data = (
        ev.UserMessage(message_id="m", text="hello", origin=ev.Origin(kind="console")),
        ev.TurnStarted(engine=engine.id),
    )
    await life.database.commit(Append(CHAT, data))
    turn = Opened(CHAT, 0, 1, engine, None, ConversationState(last_seq=1), message("hello", by))
    return Turn(turn, Backed(host), database=life.database, files=life.files, feed=life.feed, clock=life.clock)


async def played(life: Life, engine: Engine, host: Host) -> list[str]:
    """What stands in the log after such a turn, its opening left out."""
    await (await opened(life, engine, host)).run()
    return (await life.story())[2:]


async def test_what_was_said_before_a_question_stands_before_it(life: Life) -> None:
    engine = ScriptedEngine(life.clock, always(Text("Let me ask."), AskPerson(QUESTION), Text("Thanks.")))

    story = await played(life, engine, AskingHost(life, values={"when": "now"}))

    assert story == ["Let me ask.", "question", "Thanks.", "question.answered", "end: success"]


async def test_a_tool_stands_as_begun_before_it_is_called(life: Life) -> None:
    engine = ScriptedEngine(life.clock, always(Text("Look."), CallTool("t1", "search", {}), Text("Found.")))

    story = await played(life, engine, AskingHost(life))

    assert story == ["Look.", "search starts", "notice: t1", "search ends: ok", "Found.", "end: success"]


@pytest.mark.parametrize("role", ["owner", "guest"])
async def test_what_a_tool_shows_stands_with_the_end_of_its_call_and_never_for_guests(
    life: Life, role: Literal["owner", "guest"]
) -> None:
    view = views.files([{"name": "plan.pdf"}])
    engine = ScriptedEngine(life.clock, always(CallTool("t1", "search", {}), Text("Found.")))
    by = ev.Origin(kind="channel", person_id="p", role=role)

    await (await opened(life, engine, ScriptedHost(tool=HostToolResult("One file.", view=view)), by)).run()

    [finished] = [data for data in await life.events() if isinstance(data, ev.ToolFinished)]
    assert (finished.output, finished.view) == ("One file.", view if role == "owner" else None)


async def test_calls_at_the_same_time_each_keep_their_place(life: Life) -> None:
    async def asks_twice(turn: TurnInput, host: Host) -> AsyncIterator[EngineEvent]:
        yield Text("One of two:")
        first = asyncio.create_task(host.call_tool("t1", "search", {}))
        second = asyncio.create_task(host.call_tool("t2", "read", {}))
        await first
        yield Text("now the other:")
        await second
        yield Ended(EndReason.DONE)

    story = await played(life, Calling(calls=asks_twice), AskingHost(life))

    assert story == ["One of two:", "notice: t1", "notice: t2", "now the other:", "end: success"]


async def test_while_one_call_waits_for_a_person_others_are_answered_and_words_go_on(life: Life) -> None:
    answered = asyncio.Event()

    async def goes_on(turn: TurnInput, host: Host) -> AsyncIterator[EngineEvent]:
        asking = asyncio.create_task(host.question(QUESTION))
        await host.call_tool("t1", "search", {})
        yield Text("Meanwhile.")
        answered.set()
        await asking
        yield Ended(EndReason.DONE)

    class Person(AskingHost):
        async def question(self, question: Question) -> Mapping[str, Any] | None:
            await answered.wait()
            return {"when": "now"}

    story = await played(life, Calling(calls=goes_on), Person(life))

    assert story == ["notice: t1", "Meanwhile.", "end: success"]


@pytest.mark.parametrize("why", [TurnStop.PERSON, TurnStop.SHUTDOWN])
async def test_a_stop_takes_back_the_call_that_waits_and_closes_the_question(life: Life, why: TurnStop) -> None:
    host = AskingHost(life, wait=asyncio.Event())
    engine = ScriptedEngine(life.clock, always(Text("When?"), AskPerson(QUESTION), Text("never said")))
    turn = await opened(life, engine, host)
    running = asyncio.create_task(turn.run())
    await until(lambda: host.asked)

    turn.stop(why)
    await running

    assert [asked.id for asked in host.dropped] == ["q"]
    end = "end: interrupted stop" if why is TurnStop.PERSON else "end: interrupted restart"
    assert (await life.story())[2:] == ["When?", "question", "question.answered", end]


async def test_an_engine_that_ignores_a_stop_calls_nothing_any_more(life: Life) -> None:
    begun = asyncio.Event()

    async def ignores(turn: TurnInput, host: Host) -> AsyncIterator[EngineEvent]:
        asking = asyncio.create_task(host.question(QUESTION))
        yield Text("so far")
        begun.set()
        await asyncio.wait([asking])
        await host.call_tool("t1", "search", {})

    host = AskingHost(life, wait=asyncio.Event())
    turn = await opened(life, Calling(calls=ignores), host)
    running = asyncio.create_task(turn.run())
    await until(lambda: host.asked)

    turn.stop(TurnStop.PERSON)
    await life.clock.advance(STOP_GRACE)
    await running

    assert ([asked.kind for asked in host.asked], len(host.dropped)) == (["question"], 1)
    assert (await life.story())[2:] == ["so far", "question", "question.answered", "end: interrupted stop"]


@pytest.mark.parametrize("breaks", [False, True])
async def test_a_call_left_behind_ends_with_the_turn(life: Life, breaks: bool) -> None:
    host = AskingHost(life, wait=asyncio.Event())

    async def leaves(turn: TurnInput, host_of_turn: Host) -> AsyncIterator[EngineEvent]:
        kept.append(asyncio.create_task(host_of_turn.permit("p", "push", {}, ())))
        await until(lambda: host.asked)
        yield Text("bye")
        if breaks:
            raise RuntimeError("broken")
        yield Ended(EndReason.DONE)

    kept: list[asyncio.Task[Any]] = []
    story = await played(life, Calling(calls=leaves), host)

    assert kept[0].cancelled()
    assert [asked.id for asked in host.dropped] == ["p"]
    assert story == [
        "permission.requested",
        "bye",
        "permission.resolved",
        "end: error crashed" if breaks else "end: success",
    ]


async def test_after_the_end_nothing_is_called(life: Life) -> None:
    later: list[Host] = []

    async def keeps(turn: TurnInput, host: Host) -> AsyncIterator[EngineEvent]:
        later.append(host)
        yield Ended(EndReason.DONE)

    host = AskingHost(life)
    await played(life, Calling(calls=keeps), host)

    with pytest.raises(asyncio.CancelledError):
        await later[0].call_tool("t1", "search", {})
    assert not host.asked


async def test_while_the_database_takes_nothing_a_call_waits_and_then_goes_on(start: Start) -> None:
    life = await start()
    go = asyncio.Event()

    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        yield Text("Look.")
        life.database.is_down = True
        go.set()
        yield CallTool("t1", "search", {})

    host = AskingHost(life)
    turn = await opened(life, ScriptedEngine(life.clock, script), host)
    running = asyncio.create_task(turn.run())
    await go.wait()
    await until(lambda: life.clock.sleeping)
    before = len(host.asked)
    life.database.is_down = False
    await life.clock.advance(10)
    await running

    assert (before, len(host.asked)) == (0, 1)
    assert (await life.story())[2:] == ["Look.", "search starts", "notice: t1", "search ends: ok", "end: success"]
