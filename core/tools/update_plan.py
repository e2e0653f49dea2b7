"""`update_plan`: the steps of the work that goes on, as a checklist that the person sees."""

from collections.abc import Mapping
from typing import Any

from core.engines.base import HostTool, ToolAnswer
from core.events import PlanUpdated
from core.plans import STEPS_SCHEMA, steps_from
from core.safety.permissions import ToolKind
from core.tools.tool import Desk


class UpdatePlan:
    """Shows the plan; one that is as it was in this turn is not logged again."""

    kind = ToolKind.READ
    spec = HostTool(
        "update_plan",
        "Show the person the steps of work that takes several, and where it stands. Send the whole list each time.",
        STEPS_SCHEMA,
    )

    async def run(self, desk: Desk, args: Mapping[str, Any]) -> ToolAnswer:
        """Write it down."""
        steps = steps_from(args)
        if isinstance(steps, str):
            return ToolAnswer(steps, failed=True)
        state = await desk.state()
        standing = state.current_plan
        begun = state.turn_seq if state.turn_seq is not None else -1
        if standing is None or standing.seq < begun or standing.steps != steps:
            await desk.record(PlanUpdated(steps=steps))
        return ToolAnswer("The person sees the plan.")
