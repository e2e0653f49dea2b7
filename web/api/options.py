"""How a conversation is answered: its goal, its options, plan mode. All of it counts from the next answer on."""

from core.decisions import Configure, SetGoal, SwitchPlan
from core.events import Mode
from web.api import schemas, views
from web.api.choosing import Choosing, expect_plan
from web.api.document import Section, refusals
from web.api.parts import Parts


class OptionRoutes:
    """The routes."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._conversations = parts.conversations
        self._choosing = Choosing(parts.engines, parts.catalogue)

    def add_to(self, api: Section) -> None:
        """Register them."""
        route, one = api.add_api_route, "/conversations/{conversation_id}"
        there, able = refusals(404), refusals(404, 409)
        route(f"{one}/goal", self.set_goal, methods=["POST"], responses=there, summary="Set the goal, or take it away")
        route(
            f"{one}/options", self.set_options, methods=["PATCH"], responses=able, summary="Choose how it is answered"
        )
        route(f"{one}/plan", self.set_plan, methods=["POST"], responses=able, summary="Plan first, or act as usual")

    async def set_goal(self, conversation_id: str, goal: schemas.Goal) -> schemas.GoalView:
        """A clear does not touch it."""
        decided = await self._conversations.decide(conversation_id, SetGoal(goal.goal))
        return schemas.GoalView(goal=decided.after.goal)

    async def set_options(self, conversation_id: str, given: schemas.OptionsGiven) -> schemas.OptionsView:
        """Another engine goes without the model that the earlier one was told, unless a model comes with it."""
        now = await self._conversations.overview(conversation_id)
        change = await self._choosing.change(given, now.state)
        decided = await self._conversations.decide(conversation_id, Configure(change))
        return views.options(decided.after.options)

    async def set_plan(self, conversation_id: str, planning: schemas.Planning) -> schemas.PlanningView:
        """Leaving it goes back to the mode before."""
        now = await self._conversations.overview(conversation_id)
        wanted = now.state.options.mode is not Mode.PLAN if planning.on is None else planning.on
        if wanted:
            expect_plan(now.engine)
        decided = await self._conversations.decide(conversation_id, SwitchPlan(wanted))
        mode = decided.after.options.mode or self._parts.preferences.current.default_mode
        return schemas.PlanningView(on=mode is Mode.PLAN, mode=mode)
