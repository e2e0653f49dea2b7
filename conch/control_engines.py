"""The command's side of the local socket for engines and settings."""

from collections.abc import Sequence

from pydantic import TypeAdapter

from conch.control_line import ControlLine
from web.engines import AddedView, EnginesView, EngineView, ModelsView, NewEngine, RemovedView, TrialView
from web.preferences import SettingView

_MODELS = TypeAdapter(tuple[ModelsView, ...])
_SETTINGS = TypeAdapter(tuple[SettingView, ...])
_MAYBE_ENGINE = TypeAdapter(EngineView | None)


class RemoteEngines:
    """Asks the running server about engines."""

    def __init__(self, line: ControlLine) -> None:
        self._line = line

    async def list(self) -> EnginesView:
        """Every engine."""
        return EnginesView.model_validate_json(await self._line.get("/engines"))

    async def add(self, new: NewEngine) -> AddedView:
        """Connect an engine."""
        pasted = new.pasted.get_secret_value() if new.pasted else None
        asked = new.model_dump(exclude={"pasted"})
        return AddedView.model_validate_json(await self._line.post("/engines/add", pasted=pasted, **asked))

    async def remove(self, engine: str) -> RemovedView:
        """Forget an engine."""
        return RemovedView.model_validate_json(await self._line.post("/engines/remove", engine=engine))

    async def models(self, engine: str | None) -> Sequence[ModelsView]:
        """What one engine offers, or all."""
        return _MODELS.validate_json(await self._line.get("/engines/models", {"engine": engine} if engine else {}))

    async def make_default(self, engine: str, model: str | None) -> EngineView:
        """Let an engine answer where a chat names none."""
        return EngineView.model_validate_json(await self._line.post("/engines/default", engine=engine, model=model))

    async def make_fallback(self, engine: str | None) -> EngineView | None:
        """Let an engine take over for one reply."""
        return _MAYBE_ENGINE.validate_json(await self._line.post("/engines/fallback", engine=engine))

    async def test(self, engine: str) -> TrialView:
        """Ask an engine one small question."""
        return TrialView.model_validate_json(await self._line.post("/engines/test", engine=engine))


class RemoteSettings:
    """Asks the running server about settings."""

    def __init__(self, line: ControlLine) -> None:
        self._line = line

    async def list(self) -> Sequence[SettingView]:
        """Every setting."""
        return _SETTINGS.validate_json(await self._line.get("/settings"))

    async def set(self, name: str, value: str) -> SettingView:
        """Change a setting."""
        return SettingView.model_validate_json(await self._line.post("/settings/set", name=name, value=value))

    async def unset(self, name: str) -> SettingView:
        """Take a change back."""
        return SettingView.model_validate_json(await self._line.post("/settings/set", name=name))
