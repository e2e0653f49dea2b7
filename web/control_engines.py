"""The local socket's side of the commands about engines, settings and usage."""

from collections.abc import Sequence

from fastapi import FastAPI
from pydantic import BaseModel, ConfigDict

from web.engines import (
    AddedView,
    EngineCommands,
    EnginesView,
    EngineView,
    ModelsView,
    NewEngine,
    RemovedView,
    TrialView,
)
from web.preferences import SettingCommands, SettingView


class Ask(BaseModel):
    """What a command sends."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ForEngine(Ask):
    """Which engine."""

    engine: str


class Default(ForEngine):
    """Which engine, and which model of it."""

    model: str | None = None


class Fallback(Ask):
    """Which engine, or none."""

    engine: str | None = None


class SetOne(Ask):
    """A setting and its value; None goes back to what the program was started with."""

    name: str
    value: str | None = None


class EngineRoutes:
    """One route for each thing that a command can ask about engines."""

    def __init__(self, engines: EngineCommands) -> None:
        self._engines = engines

    def add_to(self, app: FastAPI) -> None:
        """Register the routes."""
        app.add_api_route("/engines", self.engines)
        app.add_api_route("/engines/add", self.add, methods=["POST"])
        app.add_api_route("/engines/remove", self.remove, methods=["POST"])
        app.add_api_route("/engines/models", self.models)
        app.add_api_route("/engines/default", self.default, methods=["POST"])
        app.add_api_route("/engines/fallback", self.fallback, methods=["POST"])
        app.add_api_route("/engines/test", self.test, methods=["POST"])

    async def engines(self) -> EnginesView:
        """Every engine."""
        return await self._engines.list()

    async def add(self, ask: NewEngine) -> AddedView:
        """Connect an engine."""
        return await self._engines.add(ask)

    async def remove(self, ask: ForEngine) -> RemovedView:
        """Forget an engine."""
        return await self._engines.remove(ask.engine)

    async def models(self, engine: str | None = None) -> Sequence[ModelsView]:
        """What one engine offers, or all."""
        return await self._engines.models(engine)

    async def default(self, ask: Default) -> EngineView:
        """Let an engine answer where a chat names none."""
        return await self._engines.make_default(ask.engine, ask.model)

    async def fallback(self, ask: Fallback) -> EngineView | None:
        """Let an engine take over for one reply."""
        return await self._engines.make_fallback(ask.engine)

    async def test(self, ask: ForEngine) -> TrialView:
        """Ask an engine one small question."""
        return await self._engines.test(ask.engine)


class SettingRoutes:
    """One route for each thing that a command can ask about settings."""

    def __init__(self, settings: SettingCommands) -> None:
        self._settings = settings

    def add_to(self, app: FastAPI) -> None:
        """Register the routes."""
        app.add_api_route("/settings", self.settings)
        app.add_api_route("/settings/set", self.set, methods=["POST"])

    async def settings(self) -> Sequence[SettingView]:
        """Every setting."""
        return await self._settings.list()

    async def set(self, ask: SetOne) -> SettingView:
        """Change a setting, or take the change back."""
        if ask.value is None:
            return await self._settings.unset(ask.name)
        return await self._settings.set(ask.name, ask.value)
