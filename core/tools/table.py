"""All host tools, and which of them a turn gets. Pure. `TOOLS` are those that need nothing of the turn."""

from collections.abc import Mapping, Sequence
from typing import Final

from core.attendance import Attendance
from core.engines.base import EngineCapabilities
from core.events import Mode
from core.skills.skill import Skill
from core.tools.ask import Ask
from core.tools.exit_plan_mode import ExitPlanMode
from core.tools.offer import MakeOffer
from core.tools.suggest_replies import SuggestReplies
from core.tools.tool import Tool
from core.tools.update_plan import UpdatePlan
from core.tools.use_skill import UseSkill

_ASK: Final[Tool] = Ask()
_UPDATE_PLAN: Final[Tool] = UpdatePlan()
_EXIT_PLAN_MODE: Final[Tool] = ExitPlanMode()
_OFFER: Final[Tool] = MakeOffer()
_SUGGEST_REPLIES: Final[Tool] = SuggestReplies()

TOOLS: Final[Mapping[str, Tool]] = {
    tool.spec.name: tool for tool in (_ASK, _UPDATE_PLAN, _EXIT_PLAN_MODE, _OFFER, _SUGGEST_REPLIES)
}


def offered(
    able: EngineCapabilities,
    here: Attendance,
    mode: Mode,
    *,
    offers: bool = False,
    skills: Sequence[Skill] = (),
    apps: Sequence[Tool] = (),
) -> tuple[Tool, ...]:
    """The tools of a turn, in a fixed order: none for guests, and where nobody is there only one that says so.

    `offers`: there is something that this person could turn on. `skills` are those that may be used by themselves.
    `apps` are the tools of connected apps, which are the owner's alone.
    """
    if able.host_tools == "none" or here.guest:
        return ()
    if not here.attended:
        return (_ASK,)
    plans = () if able.own_plan else (_UPDATE_PLAN,)
    approval = (_EXIT_PLAN_MODE,) if mode is Mode.PLAN and able.plan_approval == "host" else ()
    offer = (_OFFER,) if offers else ()
    use_skill = (UseSkill(skills),) if skills else ()
    own = apps if here.owners else ()
    return (_ASK, *plans, *use_skill, *offer, *own, _SUGGEST_REPLIES, *approval)
