"""Which engines there are, and which one answers."""

from collections.abc import Sequence

import structlog

from core.engines.base import Engine, OwnTools
from core.errors import UsageError

_log = structlog.get_logger(__name__)


class Engines:
    """The usable engines, in the order in which they are preferred; the first is the default unless one is named."""

    def __init__(self, engines: Sequence[Engine], default: str | None = None) -> None:
        self._engines = {engine.id: engine for engine in engines}
        if not self._engines:
            raise UsageError("there must be at least one engine")
        if len(self._engines) < len(engines):
            raise UsageError("two engines have the same id")
        if default is not None and default not in self._engines:
            known = ", ".join(self._engines)
            raise UsageError(f"default_engine is {default!r}, which is not connected; there is: {known}")
        self._default = default or next(iter(self._engines))

    @property
    def default(self) -> Engine:
        """The engine that answers where a chat names none."""
        return self._engines[self._default]

    def all(self) -> tuple[Engine, ...]:
        """Every engine, the preferred first."""
        return tuple(self._engines.values())

    def get(self, engine_id: str) -> Engine | None:
        """The engine with this id, or None when it is not connected (any more)."""
        return self._engines.get(engine_id)

    def for_chat(self, engine_id: str | None) -> Engine:
        """The engine that a chat's options name; the default where they name none, or one that is gone."""
        return (self.get(engine_id) if engine_id else None) or self.default

    def for_guest(self, engine_id: str | None) -> Engine | None:
        """The same for somebody who is not let in: one that can be kept to words, or None."""
        return next((each for each in (self.for_chat(engine_id), *self.all()) if can_be_held(each)), None)


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
