"""What the owner's commands about engines do, in the running server or without one."""

from collections.abc import Sequence
from typing import Final

from commands.parsing import written_in
from conch.engines import EngineConnections
from conch.trial import tried
from conch.wanted import expect_model
from core.clock import Clock
from core.engines.base import Engine, ModelInfo
from core.engines.catalogue import Catalogue, EngineChoice
from core.engines.catalogue import found as matching
from core.engines.registry import Engines, Standing
from core.errors import NotFound, TryLater, UsageError
from core.preferences import Preferences
from core.store.audit import Deed, Doer
from core.store.database import Database
from core.store.usage import AddUsage
from web.engines import (
    AddedView,
    EnginesView,
    EngineView,
    ModelsView,
    ModelView,
    NewEngine,
    RemovedView,
    TrialView,
)

_STANDINGS = {
    Standing.CONNECTED: "connected",
    Standing.FOUND: "found",
    Standing.ASIDE: "found",
    Standing.BUILT_IN: "built-in",
}

HERE: Final = "terminal"
"""Where what came of a trial is read, as the kinds of chat apps are called."""


class EngineAdmin:
    """Does the commands about engines."""

    def __init__(
        self,
        engines: Engines,
        connections: EngineConnections,
        preferences: Preferences,
        database: Database,
        clock: Clock,
        doer: Doer,
    ) -> None:
        self._engines = engines
        self._connections = connections
        self._preferences = preferences
        self._database = database
        self._clock = clock
        self._doer = doer
        self._catalogue = Catalogue(engines)

    async def list(self) -> EnginesView:
        """Every engine, those that cannot be used last."""
        offered = await self._catalogue.offered()
        broken = [
            EngineView(
                id=each.record.id,
                title=each.record.title,
                standing="connected",
                source="connected by you",
                state="broken",
                trouble=each.why,
            )
            for each in self._connections.broken
        ]
        return EnginesView(engines=(*map(self._view, offered), *broken), remarks=self._remarks())

    async def add(self, new: NewEngine) -> AddedView:
        """Connect an engine, after its server said which models it has."""
        connected = await self._connections.add(new)
        engine = await self._look_at(connected.id)
        await self._doer.did(Deed.ENGINE_ADDED if connected.new else Deed.ENGINE_KEY_CHANGED, engine.title)
        return AddedView(engine=engine, updated=not connected.new)

    async def remove(self, engine: str) -> RemovedView:
        """Forget a connected engine; settings that name it are forgotten with it, where that can be."""
        title = await self._connections.remove(engine)
        await self._doer.did(Deed.ENGINE_REMOVED, title)
        current, fixed = self._preferences.current, self._preferences.fixed
        named = [name for name in ("default_engine", "fallback_engine") if getattr(current, name) == engine]
        gone = {name: None for name in named if name not in fixed}
        if "default_engine" in gone and "default_model" not in fixed:
            gone["default_model"] = None
        if gone:
            await self._preferences.change(gone, self._doer.name)
        return RemovedView(id=engine, title=title, answers=self._engines.default.title)

    async def models(self, engine: str | None) -> Sequence[ModelsView]:
        """What one engine offers, or all."""
        offered = (await self._catalogue.of(self._find(engine)),) if engine else await self._catalogue.offered()
        return tuple(map(_models, offered))

    async def make_default(self, engine: str, model: str | None) -> EngineView:
        """Let it answer where a chat names none."""
        chosen = self._find(engine)
        if model is not None:
            model = await self._model_of(chosen, model)
        await self._preferences.change({"default_engine": chosen.id, "default_model": model}, self._doer.name)
        return await self._look_at(chosen.id)

    async def make_fallback(self, engine: str | None) -> EngineView | None:
        """Let it take over for one reply when another cannot answer."""
        chosen = self._find(engine) if engine else None
        await self._preferences.change({"fallback_engine": chosen.id if chosen else None}, self._doer.name)
        return await self._look_at(chosen.id) if chosen else None

    async def test(self, engine: str) -> TrialView:
        """Ask it one small question."""
        chosen = self._find(engine)
        current = self._preferences.current
        model = current.default_model if chosen is self._engines.default else None
        trial = await tried(chosen, model, self._clock)
        if trial.usage is not None:
            await self._database.commit_one(AddUsage(chosen.id, trial.model, trial.usage, turns=0))
        used = trial.usage
        return TrialView(
            engine=chosen.id,
            title=chosen.title,
            model=trial.model,
            answer=trial.answer,
            seconds=trial.seconds,
            input=used.input if used else 0,
            output=used.output if used else 0,
            cost=used.cost if used else None,
            problem=written_in(HERE, trial.problem) if trial.problem else None,
        )

    # ---- inside ----------------------------------------------------------------------------------------------------

    def _find(self, engine: str) -> Engine:
        """An engine by its id."""
        found = self._engines.get(engine)
        if found is not None:
            return found
        for each in self._connections.broken:
            if each.record.id == engine:
                raise UsageError(each.why)
        names = ", ".join(known.id for known in self._engines.all())
        raise NotFound(f"There is no engine “{engine}”. There is: {names}. `conch engines add` connects another.")

    async def _model_of(self, engine: Engine, words: str) -> str:
        """The id of one of its models, by its id or title or an unmistakable part of one."""
        choice = await self._catalogue.of(engine)
        if choice.trouble:
            raise TryLater(choice.trouble)
        meant = matching((choice,), words, engine.id)
        if len(meant) == 1:
            return meant[0].model.id
        if meant:
            raise UsageError(f"Which one: {', '.join(each.model.id for each in meant)}?")
        expect_model(words, choice.models, engine.title)
        return words

    async def _look_at(self, engine_id: str) -> EngineView:
        return self._view(await self._catalogue.of(self._find(engine_id)))

    def _view(self, choice: EngineChoice) -> EngineView:
        current = self._preferences.current
        is_default = choice.engine == self._engines.default.id
        engine = self._find(choice.engine)
        first = choice.models[0].id if choice.models else None
        return EngineView(
            id=choice.engine,
            title=choice.title,
            standing=_STANDINGS[self._engines.standing(choice.engine) or Standing.BUILT_IN],
            source=self._source(choice.engine),
            state="ready" if choice.ready else "not-ready",
            is_default=is_default,
            is_fallback=choice.engine == current.fallback_engine,
            model=(current.default_model if is_default else None) or engine.default_model() or first,
            models=None if choice.trouble else len(choice.models),
            trouble=choice.trouble,
        )

    def _source(self, engine_id: str) -> str:
        if found := self._connections.found.get(engine_id):
            return found.source
        return "built in" if self._engines.standing(engine_id) is Standing.BUILT_IN else "connected by you"

    def _remarks(self) -> tuple[str, ...]:
        return (*missing(self._engines), *self._connections.remarks)


def missing(engines: Engines) -> tuple[str, ...]:
    """A sentence for each setting that names an engine which is not here."""
    return tuple(
        f"The settings name “{name}”, which is not connected, so {engines.default.title} answers in its place. "
        f"Connect it (`conch engines add`), or choose another (`conch engines default`)."
        for name in engines.missing
    )


def _models(choice: EngineChoice) -> ModelsView:
    return ModelsView(
        engine=choice.engine, title=choice.title, models=tuple(map(_model, choice.models)), trouble=choice.trouble
    )


def _model(model: ModelInfo) -> ModelView:
    efforts = tuple(effort.value for effort in model.efforts)
    return ModelView(
        id=model.id, title=model.title, window=model.window, efforts=efforts, fast=model.fast, images=model.images
    )
