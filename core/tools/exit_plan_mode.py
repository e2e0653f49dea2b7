"""`exit_plan_mode`: put the plan to the person, who starts it or wants it refined."""

from collections.abc import Mapping
from typing import Any, Final

from core.engines.base import EXIT_PLAN_MODE, HostTool, ToolAnswer
from core.plans import MAX_PLAN, PLAN_SCHEMA, plan_from
from core.safety.permissions import ToolKind
from core.tools.tool import Desk

STARTED: Final = "They pressed Start. Plan mode is off: go to work now, in this same answer."
KEEP: Final = (
    "They want to keep planning, so plan mode stays on and nothing may be changed. Ask in a few words what should be"
    " different, or refine the plan and put it again."
)
NO_ANSWER: Final = (
    "Nobody answered, so nothing was started and plan mode stays on. Say that the plan is ready, and end."
)
NO_PLAN: Final = f"Nobody was asked. `plan` must be the plan in Markdown, 1 to {MAX_PLAN:,} characters: call it again."


class ExitPlanMode:
    """Waits for Start or Keep planning."""

    kind = ToolKind.READ
    spec = HostTool(
        EXIT_PLAN_MODE,
        "Put your finished plan to the person and wait: they start it or want it refined. Never ask for that in words.",
        PLAN_SCHEMA,
    )

    async def run(self, desk: Desk, args: Mapping[str, Any]) -> ToolAnswer:
        """Fails unless they press Start."""
        plan = plan_from(args)
        if plan is None:
            return ToolAnswer(NO_PLAN, failed=True)
        resolved = await desk.approve(plan)
        if resolved.decision == "allow":
            return ToolAnswer(STARTED)
        return ToolAnswer(NO_ANSWER if resolved.decision == "expired" else KEEP, failed=True)
