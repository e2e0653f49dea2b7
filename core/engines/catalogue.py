"""What there is to choose from: every engine with its models, as the menus, the commands and the API show it."""

import asyncio
from dataclasses import dataclass
from typing import Final

import structlog

from core.engines.base import Engine, ModelInfo
from core.engines.registry import Engines, is_ready
from core.errors import ConchError, TryLater

_log = structlog.get_logger(__name__)

SECONDS: Final = 5.0
"""How long an engine may take to say what it has; a person waits for the slowest of them."""

A_MOMENT: Final = 0.5
"""Seconds in which an engine that never said what it has may do so where nobody waits for engines."""

AWAY: Final = "It does not say now which models it has; it may be out of reach."


@dataclass(frozen=True, slots=True)
class EngineChoice:
    """An engine with its models, its default first. `trouble` is a sentence where they could not be asked for."""

    engine: str
    title: str
    ready: bool
    models: tuple[ModelInfo, ...] = ()
    trouble: str | None = None


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """One model of one engine."""

    engine: str
    engine_title: str
    model: ModelInfo


class Catalogue:
    """Asks the engines side by side. `seconds` is how long each one has."""

    def __init__(self, engines: Engines, seconds: float = SECONDS) -> None:
        self._engines = engines
        self._seconds = seconds
        self._last: dict[str, EngineChoice] = {}
        self._asked: dict[str, asyncio.Task[EngineChoice]] = {}

    async def close(self) -> None:
        """Ask no more."""
        asked = list(self._asked.values())
        for task in asked:
            task.cancel()
        await asyncio.gather(*asked, return_exceptions=True)

    async def offered(self) -> tuple[EngineChoice, ...]:
        """Every engine, the preferred first. Takes no longer than one engine may."""
        return tuple(await asyncio.gather(*map(self.of, self._engines.all())))

    async def known(self) -> tuple[EngineChoice, ...]:
        """Every engine with what it said last, the preferred first; it is asked anew for the next time.

        Waits for none, save a moment for those that never said anything: they may know it without asking a server.
        """
        engines = self._engines.all()
        asked = {engine.id: self._ask(engine) for engine in engines}
        unheard = [task for engine_id, task in asked.items() if engine_id not in self._last]
        if unheard:
            await asyncio.wait(unheard, timeout=A_MOMENT)
        nothing = (EngineChoice(engine.id, engine.title, ready=False) for engine in engines)
        return tuple(self._last.get(none.engine, none) for none in nothing)

    def _ask(self, engine: Engine) -> asyncio.Task[EngineChoice]:
        """Ask it, unless it is being asked already."""
        if engine.id not in self._asked:
            task = self._asked[engine.id] = asyncio.create_task(self.of(engine))
            task.add_done_callback(lambda _: self._asked.pop(engine.id, None))
        return self._asked[engine.id]

    async def of(self, engine: Engine) -> EngineChoice:
        """One engine."""
        ready, models, trouble = False, tuple[ModelInfo, ...](), None
        try:
            async with asyncio.timeout(self._seconds):
                ready = await is_ready(engine)
                models = await engine.models()
        except (TimeoutError, TryLater):
            trouble = AWAY
        except ConchError as reason:
            trouble = str(reason)
        except Exception:  # noqa: BLE001 - one that breaks does not take the others' away
            _log.exception("an engine could not say which models it has", engine=engine.id)
            trouble = "It broke when it was asked which models it has; the log has the reason."
        choice = EngineChoice(engine.id, engine.title, ready, models, trouble)
        if trouble is None:
            self._last[engine.id] = choice
        return choice

    async def find_model(self, words: str, engine_id: str | None = None) -> tuple[ModelChoice, ...]:
        """The models that somebody may have meant; exactly one where the words are a model's whole id or name.

        Args:
            words: an id or a title or a part of one; `engine/model` names the engine as well.
            engine_id: the engine in use, whose models come first.
        """
        return found(await self.offered(), words, self._engines.for_chat(engine_id).id)


def found(offered: tuple[EngineChoice, ...], words: str, engine_id: str) -> tuple[ModelChoice, ...]:
    """As `Catalogue.find_model`, in what is offered."""
    wanted = " ".join(words.split()).casefold()
    if not wanted:
        return ()
    ordered = sorted(offered, key=lambda choice: choice.engine != engine_id)
    every = [ModelChoice(choice.engine, choice.title, model) for choice in ordered for model in choice.models]
    exact = [each for each in every if wanted in _names(each)]
    if exact:
        return tuple(exact[:1])
    parts = wanted.split()
    return tuple(each for each in every if all(any(part in name for name in _names(each)) for part in parts))


def _names(choice: ModelChoice) -> tuple[str, ...]:
    """What a model may be called, in small letters."""
    own = (choice.model.id, choice.model.title)
    return tuple(name.casefold() for name in (*own, f"{choice.engine}/{choice.model.id}"))
