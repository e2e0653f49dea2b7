"""Engines and models: what there is to choose from. Connecting one takes a key, and is not done from here."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import Query

from web.api.document import Section, refusals
from web.api.parts import Parts
from web.engines import EnginesView, ModelsView


class EngineRoutes:
    """The routes."""

    def __init__(self, parts: Parts) -> None:
        self._engines = parts.administration.engines

    def add_to(self, api: Section) -> None:
        """Register them."""
        api.add_api_route("/engines", self.list_engines, responses=refusals(), summary="What can answer")
        api.add_api_route("/models", self.list_models, responses=refusals(404), summary="The models there are")

    async def list_engines(self) -> EnginesView:
        """The preferred first. Each is asked for its models, so this may take a few seconds."""
        return await self._engines.list()

    async def list_models(
        self, engine: Annotated[str | None, Query(max_length=200, description="Only this engine's")] = None
    ) -> Sequence[ModelsView]:
        """Of each engine its default first."""
        return await self._engines.models(engine)
