"""Which engines there are, which one answers, and which one takes over for one reply."""

from collections.abc import Sequence
from enum import IntEnum

import structlog

from core.engines.base import Engine, OwnTools
from core.errors import UsageError
from core.preferences import Preferences

_log = structlog.get_logger(__name__)


class Standing(IntEnum):
    """How an engine came here; where nobody chose one, the smallest answers."""

    CONNECTED = 0
    """The owner connected it."""
    FOUND = 1
    """It was found on this machine: a key in the environment, a model server that runs."""
    BUILT_IN = 2
    """It is always there."""
    ASIDE = 3
    """It was found, where what is built in is to answer unless somebody chooses: in the playground."""


class Engines:
    """The engines that can be chosen now. Which one answers where a chat names none is the owner's to set.

    Args:
        engines: those that are built in, the preferred first.
        preferences: `default_engine` and `fallback_engine` are looked up in them each time.

    Raises:
        UsageError: there is none, or two have the same id.
    """

    def __init__(self, engines: Sequence[Engine], preferences: Preferences) -> None:
        if not engines:
            raise UsageError("there must be at least one engine")
        if len({engine.id for engine in engines}) < len(engines):
            raise UsageError("two engines have the same id")
        self._preferences = preferences
        self._engines = {engine.id: (Standing.BUILT_IN, engine) for engine in engines}
        self._ordered: tuple[Engine, ...] = tuple(engines)

    # ---- which there are -------------------------------------------------------------------------------------------

    def add(self, engine: Engine, standing: Standing) -> None:
        """Let it answer from the next turn on; one with the same id is replaced, and its running turns go on."""
        self._engines.pop(engine.id, None)
        self._engines[engine.id] = standing, engine
        self._order()

    def remove(self, engine_id: str) -> None:
        """Let it answer no more; running turns go on, and chats that chose it get the default.

        Raises:
            UsageError: it is the last one.
        """
        if self._engines.keys() <= {engine_id}:
            raise UsageError("there must be at least one engine")
        self._engines.pop(engine_id, None)
        self._order()

    def all(self) -> tuple[Engine, ...]:
        """Every engine, the preferred first."""
        return self._ordered

    def get(self, engine_id: str) -> Engine | None:
        """The engine with this id, or None when it is not connected (any more)."""
        known = self._engines.get(engine_id)
        return known[1] if known else None

    def standing(self, engine_id: str) -> Standing | None:
        """How it came here; None when it is not connected (any more)."""
        known = self._engines.get(engine_id)
        return known[0] if known else None

    def _order(self) -> None:
        kept = sorted(self._engines.values(), key=lambda known: known[0])  # stable: of equals, the first that came
        self._ordered = tuple(engine for _, engine in kept)

    # ---- which one answers -----------------------------------------------------------------------------------------

    @property
    def default(self) -> Engine:
        """The engine that answers where a chat names none: the one that is set, else the preferred one."""
        named = self._preferences.current.default_engine
        return (self.get(named) if named else None) or self._ordered[0]

    @property
    def missing(self) -> tuple[str, ...]:
        """What is set as default or fallback and is not connected (any more)."""
        current = self._preferences.current
        named = (current.default_engine, current.fallback_engine)
        return tuple(dict.fromkeys(name for name in named if name and self.get(name) is None))

    def for_chat(self, engine_id: str | None) -> Engine:
        """The engine that a chat's options name; the default where they name none, or one that is gone."""
        return (self.get(engine_id) if engine_id else None) or self.default

    def for_guest(self, engine_id: str | None) -> Engine | None:
        """The same for somebody who is not let in: one that can be kept to words, or None."""
        return next((each for each in (self.for_chat(engine_id), *self.all()) if can_be_held(each)), None)

    def fallback_for(self, engine: Engine, *, words_only: bool = False, plan: bool = False) -> Engine | None:
        """The engine that takes over for one reply when `engine` cannot answer; None where none is set or may.

        Args:
            engine: the one that could not answer; it is never its own fallback.
            words_only: somebody asks who is not let in.
            plan: the chat is in plan mode.
        """
        named = self._preferences.current.fallback_engine
        other = self.get(named) if named else None
        if other is None or other.id == engine.id:
            return None
        if (words_only or plan) and not can_be_held(other):
            return None
        if plan and other.capabilities.plan_approval == "none":
            return None
        return other


def can_be_held(engine: Engine) -> bool:
    """Whether an engine's own tools can be kept from running; only then it may be asked what a guest asks."""
    return engine.capabilities.own_tools is not OwnTools.UNCONTROLLED


async def is_ready(engine: Engine) -> bool:
    """Whether an engine could answer now; one that cannot even say so could not."""
    try:
        return await engine.ready()
    except Exception:  # noqa: BLE001 - whatever breaks, what is sent is kept and asked for again
        _log.exception("an engine could not say whether it is ready", engine=engine.id)
        return False
