"""The demo's plan: put to the person in plan mode, natively or through the host's tool, and worked through in sight."""

from collections.abc import Generator
from typing import Any, Literal

from core.cards import PlanStep
from core.engines import base
from core.engines.demo.quoting import quoted
from core.engines.demo.stage import LABEL, Group, Journey, Stage, journey, say
from core.engines.script import AskPermission, CallTool, Step, Steps, Wait
from core.events import Mode

UPDATE_PLAN = "update_plan"

TITLES = ("Look at what there is", "Do the work", "Check the result")

STEP_SECONDS = 1.5

StepState = Literal["pending", "active", "done"]


def make_a_plan(stage: Stage, _words: str) -> Steps:
    """In plan mode ask first; in every other mode go to work at once."""
    if stage.turn.mode is not Mode.PLAN:
        yield from say(f"{LABEL}I have a plan of {len(TITLES)} steps and pretend to work through it.")
        yield base.MessageEnd()
        yield from _work(stage)
        return
    yield from say(f"{LABEL}I have a plan for {quoted(stage.turn.text)}, and nothing happens before you say so.")
    yield base.MessageEnd()
    if (yield from _may_start(stage)):
        yield from say("Started. I pretend to work through it.")
        yield base.MessageEnd()
        yield from _work(stage)
    else:
        yield from say(
            "There was no Start, so I keep planning and nothing was done. Say what to change, or send "
            "\u2060/plan off to act as usual."
        )


def plan_a_trip(stage: Stage, words: str) -> Steps:
    """What plan mode is for; elsewhere the way there."""
    if stage.turn.mode is Mode.PLAN:
        yield from make_a_plan(stage, words)
    else:
        yield from say(
            f"{LABEL}in plan mode I show my plan first and wait for your Start. Send \u2060/plan first, "
            "and then this again."
        )


def _may_start(stage: Stage) -> Generator[Step, Any, bool]:
    args = {"plan": _markdown(stage)}
    if stage.native:
        permission = AskPermission(stage.next_id(), base.EXIT_PLAN_MODE, args, base.PLAN_OPTIONS, base.START)
        return bool((yield permission))
    if not stage.has_tool(base.EXIT_PLAN_MODE):
        return False
    answer = yield CallTool(stage.next_id(), base.EXIT_PLAN_MODE, args)
    return not answer.failed


def _markdown(stage: Stage) -> str:
    steps = "\n".join(f"{number}. {title}" for number, title in enumerate(TITLES, start=1))
    return f"A pretended plan for {quoted(stage.turn.text)}:\n\n{steps}"


def _work(stage: Stage) -> Steps:
    for number in range(len(TITLES)):
        yield from _show(stage, number)
        yield Wait(STEP_SECONDS)
    yield from _show(stage, len(TITLES))
    yield from say(f"All {len(TITLES)} steps are done.")


def _show(stage: Stage, active: int) -> Steps:
    """The whole plan with the steps before `active` done."""
    steps = tuple(PlanStep(title=title, state=_state(at, active)) for at, title in enumerate(TITLES))
    if stage.native:
        yield base.Plan(steps)
    elif stage.has_tool(UPDATE_PLAN):
        yield CallTool(stage.next_id(), UPDATE_PLAN, {"steps": [step.model_dump() for step in steps]})


def _state(at: int, active: int) -> StepState:
    return "done" if at < active else "active" if at == active else "pending"


PLANS: tuple[Journey, ...] = (
    journey(
        Group.PLANS,
        "Make a plan",
        "a checklist that goes along",
        r"\b(make|show|write|have)\b.*\bplan\b",
        make_a_plan,
        beyond_words=True,
    ),
    journey(
        Group.PLANS,
        "Plan a trip",
        "after \u2060/plan: the plan first, then Start or Keep planning",
        r"^\s*plan\b",
        plan_a_trip,
        beyond_words=True,
    ),
)
