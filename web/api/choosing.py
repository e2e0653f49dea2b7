"""Whether what is chosen for a conversation can be: an engine that is there, a model it has, a mode it keeps to."""

from difflib import get_close_matches
from typing import Final

from core.conversation_state import ConversationState
from core.decisions import why_no_plan
from core.engines.base import Engine
from core.engines.catalogue import Catalogue
from core.engines.registry import Engines
from core.events import Mode
from core.options import OptionsChange
from web.api.parts import Unmet
from web.api.schemas import OptionsGiven

MOST_NAMED: Final = 8
"""Models that are named where the wanted one is not there."""


class Choosing:
    """Looks before something is chosen."""

    def __init__(self, engines: Engines, catalogue: Catalogue) -> None:
        self._engines = engines
        self._catalogue = catalogue

    async def change(self, given: OptionsGiven, state: ConversationState) -> OptionsChange:
        """What was chosen, fit for a conversation that is so.

        Raises:
            Unmet: it cannot be; the detail says what there is.
        """
        change = OptionsChange.model_validate(given.model_dump(exclude_unset=True))
        if change.engine is not None and self._engines.get(change.engine) is None:
            names = ", ".join(engine.id for engine in self._engines.all())
            raise Unmet(422, "invalid", f"There is no engine “{change.engine}”. There is: {names}.")
        engine = self._engines.for_chat(change.applied_to(state.options).engine)
        if change.model is not None:
            await self._expect_model(engine, change.model)
        if change.mode is Mode.PLAN:
            expect_plan(engine)
        return change

    async def _expect_model(self, engine: Engine, model: str) -> None:
        """An engine that cannot say now which models it has, says at its next answer whether it has this one."""
        choice = await self._catalogue.of(engine)
        ids = [each.id for each in choice.models]
        if choice.trouble or model in ids:
            return
        if not ids:
            raise Unmet(422, "invalid", f"{engine.title} has no models to choose from.")
        shown = list(dict.fromkeys((*get_close_matches(model, ids, MOST_NAMED), *ids)))[:MOST_NAMED]
        more = f" and {len(ids) - len(shown)} more" if len(ids) > len(shown) else ""
        raise Unmet(422, "invalid", f"{engine.title} has no model “{model}”. It has: {', '.join(shown)}{more}.")


def expect_plan(engine: Engine) -> None:
    """Raises Unmet where an engine cannot be kept to planning."""
    if why_not := why_no_plan(engine.title, engine.capabilities):
        raise Unmet(409, "refused", why_not)
