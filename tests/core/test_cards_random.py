"""Random people, presses, typed words, stops, switches and deaths around questions and permissions, against a model.

The model knows for each thing that was asked whether a reply counted; the log has to tell the same: one reply each, the
first that was accepted, and a turn that went on by it.
"""

import shutil
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core import events as ev
from core.cards import Question
from core.conversations import Answered, Resolved
from core.decisions import SwitchPlan
from core.engines.base import EXIT_PLAN_MODE, PLAN_OPTIONS, START, Text, TurnInput
from core.engines.script import AskPermission, CallTool, Steps
from core.errors import NotFound
from core.store.log import EventLog
from tests.core.askers import FIELDS, PLAN, waits
from tests.core.lives import CHAT, Life, Start, from_chat, message, until

PEOPLE = ("Ada", "Bob")


@dataclass(frozen=True)
class Say:
    """Words that ask for one thing after the other."""

    asks: tuple[str, ...]


@dataclass(frozen=True)
class Press:
    """A reply to the nth newest thing that was ever asked, whether it waits or not."""

    who: int
    which: int
    yes: bool


@dataclass(frozen=True)
class Typed:
    """Words for the question that waits, or the newest that did."""

    who: int
    words: str


@dataclass(frozen=True)
class Stop:
    pass


@dataclass(frozen=True)
class Switch:
    on: bool


@dataclass(frozen=True)
class Pass:
    """Time goes by."""

    hours: int


@dataclass(frozen=True)
class NextLife:
    killed: bool


Thing = Say | Press | Typed | Stop | Switch | Pass | NextLife

kinds = st.sampled_from(["ask", "permit", "plan"])
things = st.one_of(
    st.builds(Say, st.lists(kinds, min_size=1, max_size=3).map(tuple)),
    st.builds(Press, st.integers(0, 1), st.integers(0, 3), st.booleans()),
    st.builds(Press, st.integers(0, 1), st.just(0), st.booleans()),
    st.builds(Typed, st.integers(0, 1), st.sampled_from(["tea", "2", "whatever you like"])),
    st.just(Stop()),
    st.builds(Switch, st.booleans()),
    st.builds(Pass, st.sampled_from([1, 30])),
    st.builds(NextLife, st.booleans()),
)


def play(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
    """Ask for each of the things that the words name, and say what came of it."""
    for number, kind in enumerate(turn.text.split()):
        call_id = f"{len(earlier)}-{number}"
        if kind == "ask":
            answer = yield CallTool(call_id, "ask", {"fields": FIELDS})
            yield Text(answer.text.split("\n")[0])
        elif kind == "permit":
            allowed = yield AskPermission(call_id, "run", {"at": call_id}, ("Yes", "No"), "Yes")
            yield Text("ran" if allowed else "not run")
        elif kind == "plan":
            started = yield AskPermission(call_id, EXIT_PLAN_MODE, {"plan": PLAN}, PLAN_OPTIONS, START)
            yield Text("started" if started else "kept")


@dataclass
class World:
    """Lives on one folder, and the books about which replies were taken."""

    start: Start
    taken: dict[str, Any] = field(default_factory=dict)
    """By id, the reply that the door said counts: by whom, and what."""
    said: int = 0
    seen: list[str] = field(default_factory=list)
    """Ids in the order in which they were asked."""
    questions: set[str] = field(default_factory=set)

    async def begin(self) -> None:
        self.life: Life = await self.start(play)

    async def do(self, thing: Thing) -> None:
        life, conversations = self.life, self.life.conversations
        match thing:
            case Say(asks):
                self.said += 1
                await life.say(" ".join(asks), ids=(f"m{self.said}",))
            case Press(who, which, yes) if which < len(self.seen):
                await self._press(self.seen[-1 - which], PEOPLE[who], yes)
            case Typed(who, words):
                await self._type(PEOPLE[who], words)
            case Stop():
                await life.stop()
            case Switch(on):
                try:
                    await conversations.decide(CHAT, SwitchPlan(on))
                except NotFound:
                    assert self.said == 0
            case Pass(hours):
                await life.clock.advance(hours * 3600)
            case NextLife(killed):
                await (life.is_killed() if killed else life.is_over())
                await self.begin()
            case _:
                pass
        await self.settle()

    async def settle(self) -> None:
        """Let everything come to the next thing that waits, and note what was asked."""
        await until(lambda: waits(self.life) or not self.life.conversations.active)
        for event in await EventLog(self.life.database).read(CHAT):
            match event.data:
                case ev.QuestionAsked(question=question) if question.question_id not in self.seen:
                    self.seen.append(question.question_id)
                    self.questions.add(question.question_id)
                case ev.PermissionRequested(permission_id=asked) if asked not in self.seen:
                    self.seen.append(asked)
                case _:
                    pass

    async def _press(self, asked: str, who: str, yes: bool) -> None:
        reply: Answered | Resolved
        if asked in self.questions:
            values = {"drink": "t"} if yes else None
            reply = await self.life.conversations.answer_question(CHAT, asked, values, who)
            self._note(asked, reply.outcome == "answered", (who, values))
        else:
            reply = await self.life.conversations.resolve_permission(CHAT, asked, "allow" if yes else "deny", who)
            self._note(asked, reply.outcome == "resolved", (who, "allow" if yes else "deny"))

    async def _type(self, who: str, words: str) -> None:
        waiting = [each for each in waits(self.life) if isinstance(each, Question)]
        if not waiting:
            return
        self.said += 1
        asked, typed = waiting[0].question_id, message(words, from_chat(who.lower()), (f"m{self.said}",))
        reply = await self.life.conversations.answer_question(CHAT, asked, words, who, message=typed)
        values = {"tea": {"drink": "t"}, "2": {"drink": "c"}}.get(words)
        self._note(asked, reply.outcome == "answered", (who, values))

    def _note(self, asked: str, counted: bool, reply: Any) -> None:
        if counted:
            assert asked not in self.taken, "two replies counted"
            self.taken[asked] = reply


async def judge(world: World) -> None:
    """What must hold when everything is at rest."""
    events = await world.life.events()
    replies = [data for data in events if isinstance(data, ev.QuestionAnswered | ev.PermissionResolved)]
    by_id = {_id(reply): reply for reply in replies}
    state = await EventLog(world.life.database).state(CHAT)

    assert max(Counter(_id(reply) for reply in replies).values(), default=1) == 1, "something was replied to twice"
    assert set(by_id) == set(world.seen), "something that was asked has no end"
    for asked, (who, what) in world.taken.items():
        reply = by_id[asked]
        assert reply.by == who
        assert (reply.answer if isinstance(reply, ev.QuestionAnswered) else reply.decision) == what
    assert all(reply.by is None for asked, reply in by_id.items() if asked not in world.taken)
    bounds = [data.type for data in events if isinstance(data, ev.TurnStarted | ev.TurnCompleted)]
    assert bounds == ["turn.started", "turn.completed"] * (len(bounds) // 2)
    assert state == await EventLog(world.life.database).rebuild(CHAT)
    assert state.status is ev.Status.IDLE
    _starts_leave_plan_mode(events)


def _id(reply: ev.QuestionAnswered | ev.PermissionResolved) -> str:
    return reply.question_id if isinstance(reply, ev.QuestionAnswered) else reply.permission_id


def _starts_leave_plan_mode(events: list[ev.EventData]) -> None:
    plans = {
        data.permission_id
        for data in events
        if isinstance(data, ev.PermissionRequested) and data.tool_name == EXIT_PLAN_MODE
    }
    mode: ev.Mode | None = None
    for at, data in enumerate(events):
        if isinstance(data, ev.PermissionResolved) and data.permission_id in plans and data.decision == "allow":
            following = events[at + 1]
            assert mode is not ev.Mode.PLAN or (isinstance(following, ev.OptionsSet) and following.mode is ev.Mode.ASK)
        if isinstance(data, ev.OptionsSet):
            mode = data.mode


async def live_through(story: list[Thing], empty_database: Path) -> None:
    """All of it in a folder of its own, and the judgement."""
    with TemporaryDirectory() as folder:
        shutil.copyfile(empty_database, Path(folder) / "conch.db")
        world = World(Start(Path(folder)))
        try:
            await world.begin()
            for thing in story:
                await world.do(thing)
            await world.life.stop()
            await world.settle()
            await judge(world)
        finally:
            await world.start.end_all()


stories = st.lists(things, max_size=14).map(lambda more: [Say(("ask", "permit")), *more])


@pytest.mark.report("R067", "R079", "R081", "R153")
@settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(story=stories)
async def test_whatever_happens_each_thing_that_was_asked_has_one_reply_the_first(
    empty_database: Path, story: list[Thing]
) -> None:
    await live_through(story, empty_database)


@pytest.mark.slow
@settings(deadline=None, max_examples=500, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(story=stories)
async def test_whatever_happens_for_long_each_thing_that_was_asked_has_one_reply(
    empty_database: Path, story: list[Thing]
) -> None:
    await live_through(story, empty_database)
