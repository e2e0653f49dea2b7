"""What an engine may do in a turn: which tools it gets, what is decided before each call, and how a plan is started."""

import asyncio
import re
from typing import Any

import pytest

from core import events as ev
from core.conversations import Answered
from core.decisions import SwitchPlan
from core.desk import OWNER_ASKED
from core.engines.base import (
    EXIT_PLAN_MODE,
    PLAN_OPTIONS,
    START,
    Ended,
    EndReason,
    EngineCapabilities,
    Frame,
    Host,
    Text,
    ToolCallStarted,
    TurnInput,
)
from core.engines.script import AskPermission, AskPerson, CallTool, Steps
from core.engines.scripted import ScriptedEngine
from core.events import Mode
from core.store.log import Append, EventLog
from core.tools.ask import NOBODY
from core.tools.exit_plan_mode import KEEP, STARTED
from core.tools.table import TOOLS
from tests.core.askers import FIELDS, HOST_PLAN, PLAN, QUESTION, asker, newest, permission_of, question_of, waits
from tests.core.lives import CHAT, Life, Start, Wayward, from_chat, until

OWNER = ev.Origin(kind="channel", person_id="ada", person_name="Ada", role="owner", address=from_chat("ada").address)
GUEST = from_chat("mallory").model_copy(update={"role": "guest"})
ROUTINE = ev.Origin(kind="routine")
STEPS = [{"title": "Look", "state": "active"}, {"title": "Do", "state": "pending"}]


def tools_of(turn: TurnInput) -> list[str]:
    return [tool.name for tool in turn.tools]


async def given_to(start: Start, able: EngineCapabilities, by: ev.Origin | None = None, **settings: Any) -> TurnInput:
    """What an engine that can do this is given for a message."""
    life = await start(ScriptedEngine(start.clock, asker, capabilities=able), **settings)
    await life.answer("hello", by=by)
    return life.engine.turns[-1]


# ---- which tools ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("able", "by", "tools"),
    [
        (HOST_PLAN, None, ["ask", "update_plan", "suggest_replies"]),
        (HOST_PLAN, OWNER, ["ask", "update_plan", "suggest_replies"]),
        (HOST_PLAN, from_chat("bob"), ["ask", "update_plan", "suggest_replies"]),
        (HOST_PLAN, ev.Origin(kind="api"), ["ask", "update_plan", "suggest_replies"]),
        (HOST_PLAN, ROUTINE, ["ask"]),
        (HOST_PLAN, GUEST, []),
        (EngineCapabilities(host_tools="mcp", own_plan=True), None, ["ask", "suggest_replies"]),
        (EngineCapabilities(host_tools="none"), None, []),
    ],
)
@pytest.mark.report("R117")
async def test_each_turn_gets_its_tools(
    start: Start, able: EngineCapabilities, by: ev.Origin | None, tools: list[str]
) -> None:
    turn = await given_to(start, able, by)

    assert tools_of(turn) == tools


async def test_a_plan_is_put_only_in_plan_mode_where_the_engine_cannot_ask_by_itself(start: Start) -> None:
    turn = await given_to(start, HOST_PLAN, default_mode=Mode.PLAN)

    assert tools_of(turn) == ["ask", "update_plan", "suggest_replies", EXIT_PLAN_MODE]
    assert "`exit_plan_mode`" in turn.instructions


async def test_where_nobody_is_there_no_plan_is_put(start: Start) -> None:
    turn = await given_to(start, HOST_PLAN, ROUTINE, default_mode=Mode.PLAN)

    assert tools_of(turn) == ["ask"]
    assert "ask`" not in turn.instructions


async def test_the_rules_of_the_tools_are_told_with_them_and_no_mode_for_cards(start: Start) -> None:
    turn = await given_to(start, HOST_PLAN)

    assert "`ask`" in turn.instructions
    assert "`update_plan`" in turn.instructions
    assert "Ask first" not in turn.instructions


async def test_a_tool_that_the_turn_does_not_have_is_unknown(start: Start) -> None:
    def calls(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        answer = yield CallTool("1", EXIT_PLAN_MODE, {"plan": PLAN})
        yield Text(answer.text)

    life = await start(calls)

    story = await life.answer("hello")

    assert story[2:] == [
        "exit_plan_mode starts",
        "exit_plan_mode ends: error",
        "There is no tool named 'exit_plan_mode' here.",
        "end: success",
    ]


async def test_nobody_is_asked_in_a_routine(start: Start) -> None:
    life = await start(asker)

    story = await life.answer("ask", by=ROUTINE)

    assert NOBODY in story
    assert "question" not in story


async def test_a_question_with_a_fault_asks_nobody_and_says_what_to_fix(start: Start) -> None:
    def wrong(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        answer = yield CallTool("1", "ask", {"fields": [*FIELDS, *FIELDS]})
        yield Text(answer.text)

    life = await start(wrong)

    story = await life.answer("hello")

    assert "question" not in story
    assert "“drink” twice" in story[-2]
    assert "ask ends: error" in story


async def test_a_second_question_of_a_turn_waits_for_the_first(start: Start) -> None:
    answers: list[Any] = []

    async def both(turn: TurnInput, host: Host) -> Any:
        first = host.call_tool("1", "ask", {"fields": FIELDS})
        second = host.call_tool("2", "ask", {"fields": FIELDS})
        answers.extend(await asyncio.gather(first, second))
        yield Ended(EndReason.DONE)

    life = await start(Calling(both))
    await life.say("go")
    for value in ("t", "c"):
        question = await question_of(life)
        assert len(waits(life)) == 1
        await life.conversations.answer_question(CHAT, question.question_id, {"drink": value}, "Ada")
    await life.idle()

    assert [answer.text.split("\n")[0] for answer in answers] == [
        "The person answered. Tea",
        "The person answered. Coffee",
    ]
    types = [data.type for data in await life.events()]
    assert [kind for kind in types if kind.startswith("question")] == ["question", "question.answered"] * 2


async def test_a_guest_is_never_asked(start: Start) -> None:
    def asks(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        answer = yield CallTool("1", "ask", {"fields": FIELDS})
        values = yield AskPerson(QUESTION)
        allowed = yield AskPermission("2", "read", {}, ("Yes", "No"), "Yes")
        started = yield AskPermission("3", EXIT_PLAN_MODE, {"plan": PLAN}, PLAN_OPTIONS, START)
        yield Text(f"{answer.failed} {values} {allowed} {started}")

    life = await start(asks)

    story = await life.answer("hello", by=GUEST)

    assert "True None False False" in story
    assert not {"question", "permission.requested"} & set(story)


async def test_typed_words_reach_an_engine_s_own_question_too(start: Start) -> None:
    life = await start(asker)
    await life.say("question")
    question = await question_of(life)

    answered = await life.conversations.answer_question(CHAT, question.question_id, "just water", "Ada")
    await life.idle()

    assert answered == Answered("answered", "just water")
    assert "values: {'drink': 'just water'}" in await life.story()


# ---- the checklist -------------------------------------------------------------------------------------------------


async def test_a_plan_is_logged_when_it_changed(start: Start) -> None:
    def shows(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        for number, steps in enumerate((STEPS, STEPS, [*STEPS, {"title": "End", "state": "pending"}])):
            yield CallTool(f"{number}", "update_plan", {"steps": steps})

    life = await start(ScriptedEngine(start.clock, shows, capabilities=HOST_PLAN))

    await life.answer("go")
    await life.answer("again")

    plans = [data for data in await life.events() if isinstance(data, ev.PlanUpdated)]
    assert [len(plan.steps) for plan in plans] == [2, 3, 2, 3]


# ---- permissions ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("mode", "asked"), [(Mode.ASK, 1), (Mode.EDIT, 1), (Mode.AUTO, 1), (Mode.FULL, 0)])
async def test_the_mode_decides_whether_an_engine_s_own_tool_is_asked_about(
    start: Start, mode: Mode, asked: int
) -> None:
    life = await start(asker, default_mode=mode)
    await life.say("permit git push")
    if asked:
        permission = await permission_of(life)
        await life.conversations.resolve_permission(CHAT, permission.permission_id, "allow", "Ada")
    await life.idle()

    story = await life.story()
    assert story.count("permission.requested") == asked
    assert "it ran" in story


@pytest.mark.report("R163")
async def test_in_plan_mode_nothing_runs_whatever_the_engine_tries(start: Start) -> None:
    life = await start(asker, default_mode=Mode.PLAN)

    story = await life.answer("permit git push")

    assert story[2:] == ["run starts", "run ends: error", "it did not run", "end: success"]


async def test_what_a_let_in_person_wants_done_is_asked_of_the_owner(start: Start) -> None:
    life = await start(asker, default_mode=Mode.FULL)
    await life.say("permit git push", by=from_chat("bob"), others_words=True, words_of="Bob")

    permission = await permission_of(life)

    assert permission.asks_owner
    assert permission.once
    assert permission.reason == "This chat has taken in something from outside: “Bob”."
    assert (await newest(life, ev.Notice)).message == OWNER_ASKED


async def test_after_something_from_outside_the_owner_is_asked_in_auto(start: Start) -> None:
    life = await start(asker, default_mode=Mode.AUTO)
    await life.database.commit(Append(CHAT, (ev.Tainted(source="web", label="example.org"),)))
    await life.say("permit git push", by=OWNER)

    permission = await permission_of(life)

    assert permission.reason == "This chat has taken in something from outside: “example.org”."
    assert not permission.asks_owner


async def test_in_full_trust_the_owner_s_own_words_go_ahead_with_a_note(start: Start) -> None:
    life = await start(asker, default_mode=Mode.FULL)
    await life.database.commit(Append(CHAT, (ev.Tainted(source="web", label="example.org"),)))

    story = await life.answer("permit git push", by=OWNER)

    assert story[3:] == ["run starts", "notice: went-ahead", "run ends: ok", "it ran", "end: success"]


# ---- plan mode -----------------------------------------------------------------------------------------------------


async def planning(start: Start, words: str, able: EngineCapabilities | None = None, before: Mode = Mode.EDIT) -> Life:
    """A chat that went into plan mode and was told to plan something."""
    engine = ScriptedEngine(start.clock, asker, capabilities=able) if able else asker
    life = await start(engine)
    await life.database.commit(Append(CHAT, (ev.OptionsSet(mode=before),)))
    await life.conversations.decide(CHAT, SwitchPlan(True))
    await life.say(words)
    return life


@pytest.mark.report("R163")
async def test_start_of_a_native_plan_leaves_plan_mode_in_one_commit_and_the_answer_goes_on(start: Start) -> None:
    life = await planning(start, "plan", before=Mode.FULL)
    permission = await permission_of(life)

    resolved = await life.conversations.resolve_permission(CHAT, permission.permission_id, "allow", "Ada")
    await life.idle()

    assert resolved.outcome == "resolved"
    assert (permission.tool_name, permission.input, permission.once) == (EXIT_PLAN_MODE, {"plan": PLAN}, True)
    story = await life.story()
    at = story.index("permission.resolved")
    assert story[at + 1] == "options"
    assert (await newest(life, ev.OptionsSet)).mode is Mode.FULL
    assert story[-5:] == ["started", "write starts", "write ends: ok", "; wrote", "end: success"]
    events = await EventLog(life.database).read(CHAT)
    assert events[at].at == events[at + 1].at


@pytest.mark.report("R163")
async def test_start_of_a_plan_put_by_the_host_s_tool_does_the_same(start: Start) -> None:
    life = await planning(start, "host-plan", HOST_PLAN)
    permission = await permission_of(life)

    await life.conversations.resolve_permission(CHAT, permission.permission_id, "allow", "Ada")
    await life.idle()

    story = await life.story()
    assert story[-7:] == [
        "exit_plan_mode starts",
        "permission.requested",
        "permission.resolved",
        "options",
        "exit_plan_mode ends: ok",
        STARTED,
        "end: success",
    ]
    assert (await newest(life, ev.OptionsSet)).mode is Mode.EDIT


@pytest.mark.report("R163")
async def test_keep_planning_stays_in_plan_mode(start: Start) -> None:
    life = await planning(start, "host-plan", HOST_PLAN)
    permission = await permission_of(life)

    await life.conversations.resolve_permission(CHAT, permission.permission_id, "deny", "Ada")
    await life.idle()

    story = await life.story()
    assert story[-3:] == ["exit_plan_mode ends: error", KEEP, "end: success"]
    assert (await EventLog(life.database).state(CHAT)).options.mode is Mode.PLAN


async def test_after_keep_planning_a_native_engine_may_still_change_nothing(start: Start) -> None:
    life = await planning(start, "plan", before=Mode.FULL)
    permission = await permission_of(life)

    await life.conversations.resolve_permission(CHAT, permission.permission_id, "deny", "Ada")
    await life.idle()

    assert (await life.story())[-5:-1] == ["planning", "write starts", "write ends: error", "; did not write"]


async def test_a_plan_is_started_but_never_for_good(start: Start) -> None:
    life = await planning(start, "host-plan", HOST_PLAN)
    permission = await permission_of(life)

    await life.conversations.resolve_permission(CHAT, permission.permission_id, "allow-always", "Ada")
    await life.idle()

    assert (await newest(life, ev.PermissionResolved)).decision == "allow"
    assert (await EventLog(life.database).state(CHAT)).always == ()


async def test_a_plan_that_was_put_still_waits_when_plan_mode_is_left_by_hand(start: Start) -> None:
    life = await planning(start, "host-plan", HOST_PLAN)
    permission = await permission_of(life)

    await life.conversations.decide(CHAT, SwitchPlan(False))
    stays = waits(life)
    await life.conversations.resolve_permission(CHAT, permission.permission_id, "allow", "Ada")
    await life.idle()

    assert stays == [permission]
    assert STARTED in await life.story()
    assert (await newest(life, ev.OptionsSet)).mode is Mode.EDIT


async def test_a_plan_that_nobody_puts_in_words_is_refused(start: Start) -> None:
    def empty(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        answer = yield CallTool("1", EXIT_PLAN_MODE, {"plan": " "})
        yield Text(answer.text)

    life = await start(ScriptedEngine(start.clock, empty, capabilities=HOST_PLAN), default_mode=Mode.PLAN)

    story = await life.answer("go")

    assert "permission.requested" not in story
    assert "1 to 20,000 characters" in story[-2]


class Calling(Wayward):
    """An engine that is one function over its host."""

    def __init__(self, play: Any, capabilities: EngineCapabilities = HOST_PLAN) -> None:
        super().__init__(play, capabilities=capabilities)

    async def open(self, state: Any) -> Any:
        return _CallingSession(self.answer)


class _CallingSession:
    def __init__(self, play: Any) -> None:
        self._play = play

    def run(self, turn: TurnInput, host: Host) -> Any:
        return self._play(turn, host)

    async def cancel(self) -> None: ...

    def state(self) -> dict[str, Any]:
        return {}

    async def close(self) -> None: ...


async def test_what_holds_changes_inside_the_turn_when_the_plan_starts(start: Start) -> None:
    frames: list[Frame] = []

    async def plans(turn: TurnInput, host: Host) -> Any:
        frames.append(host.frame())
        yield ToolCallStarted("1", EXIT_PLAN_MODE, {}, "host")
        await host.call_tool("1", EXIT_PLAN_MODE, {"plan": PLAN})
        frames.append(host.frame())
        yield Ended(EndReason.DONE)

    life = await start(Calling(plans), default_mode=Mode.PLAN)
    await life.say("go")
    permission = await permission_of(life)
    await life.conversations.resolve_permission(CHAT, permission.permission_id, "allow", "Ada")
    await life.idle()

    before, after = frames
    assert (before.mode, after.mode) == (Mode.PLAN, Mode.ASK)
    assert [tool.name for tool in after.tools] == ["ask", "update_plan", "suggest_replies"]
    assert "Plan only" in before.instructions
    assert "Plan only" not in after.instructions


@pytest.mark.parametrize(("turned", "modes"), [(True, [Mode.FULL, Mode.PLAN]), (False, [Mode.FULL, Mode.FULL])])
async def test_a_mode_switched_meanwhile_counts_where_it_allows_less(
    start: Start, turned: bool, modes: list[Mode]
) -> None:
    frames, go = list[Frame](), asyncio.Event()

    async def looks(turn: TurnInput, host: Host) -> Any:
        frames.append(host.frame())
        await go.wait()
        await host.permit("1", "read", {}, ("Yes",))
        frames.append(host.frame())
        yield Ended(EndReason.DONE)

    life = await start(Calling(looks), default_mode=Mode.FULL)
    await life.say("go")
    await until(lambda: frames)
    await life.conversations.decide(CHAT, SwitchPlan(turned))
    go.set()
    await life.idle()

    assert [frame.mode for frame in frames] == modes


async def test_more_than_the_turn_began_with_counts_from_the_next(start: Start) -> None:
    frames, go = list[Frame](), asyncio.Event()

    async def looks(turn: TurnInput, host: Host) -> Any:
        await go.wait()
        await host.permit("1", "write", {}, ("Yes",))
        frames.append(host.frame())
        yield Ended(EndReason.DONE)

    life = await start(Calling(looks))
    await life.database.commit(Append(CHAT, (ev.OptionsSet(mode=Mode.FULL),)))
    await life.conversations.decide(CHAT, SwitchPlan(True))
    await life.say("go")
    await life.conversations.decide(CHAT, SwitchPlan(False))
    go.set()
    await life.idle()

    assert [frame.mode for frame in frames] == [Mode.PLAN]


async def test_half_a_character_in_what_is_asked_breaks_nothing(start: Start) -> None:
    def odd(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        yield AskPermission("1", "ru\ud83d", {"what": "\ud83d", "set": {1}}, ("Yes", "No"), "Yes")
        yield CallTool("2", "ask", {"fields": [{**FIELDS[0], "label": "\ud83d?"}]})

    life = await start(odd)
    await life.say("go")
    permission = await permission_of(life)
    await life.conversations.resolve_permission(CHAT, permission.permission_id, "allow", "Ada")
    question = await question_of(life)
    await life.conversations.answer_question(CHAT, question.question_id, {"drink": "t"}, "Ada")
    await life.idle()

    assert permission.tool_name == "ru\ufffd"
    assert question.fields[0].label == "\ufffd?"
    assert (await life.end()).outcome == "success"


def test_every_tool_can_be_listed_by_every_agent() -> None:
    for name, tool in TOOLS.items():
        assert re.fullmatch(r"[a-z_]{1,64}", name)
        assert tool.spec.schema["type"] == "object"
        assert tool.spec.schema["additionalProperties"] is False
        assert len(tool.spec.description) <= 200
