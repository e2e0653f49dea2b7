"""The models of one connection: listed by the server now and then, known in between.

Whether a server is there is found out the same way; no model is ever called for it.
"""

import asyncio
from typing import Final

import structlog

from core.clock import Clock
from core.engines.base import ModelInfo
from core.engines.models.addresses import is_near
from core.engines.models.contract import Connection, Provider
from core.engines.models.kinds import address_of
from core.errors import Refused, RefusedReason, TryLater

_log = structlog.get_logger(__name__)

FRESH: Final = 3600.0
"""Seconds that a list of models holds; new ones come a few times a year."""

FRESH_NEAR: Final = 60.0
"""The same for a server of the owner's own, who may just have installed one."""

LATELY: Final = 30.0
"""Seconds for which a look at a server without a key holds, whatever it said."""

PATIENCE: Final = 5.0
"""Seconds that a server has for such a look."""

NO_MODEL: Final = "{engine} has no model that could answer. Choose one with \u2060/model, or install one there."


class Roster:
    """Asks `provider`, no more often than it must."""

    def __init__(self, connection: Connection, provider: Provider, clock: Clock) -> None:
        self._connection = connection
        self._provider = provider
        self._clock = clock
        self._listed: tuple[ModelInfo, ...] = ()
        self._listed_at: float | None = None
        self._looked: tuple[float, bool] | None = None
        self._asking = asyncio.Lock()

    async def models(self) -> tuple[ModelInfo, ...]:
        """What there is to choose from, the default first; an earlier list where the server is away just now.

        Raises:
            TryLater: the server could not be reached, and never was.
            Refused: it does not take the key, or has no such list.
        """
        async with self._asking:
            if self._is_stale():
                try:
                    await self._refresh()
                except TryLater:
                    if self._listed_at is None:
                        raise
                    _log.info("a list of models could not be refreshed", engine=self._connection.id)
            return self._listed

    @property
    def listed(self) -> tuple[ModelInfo, ...]:
        """The list as it is known by now; empty before anybody asked for it."""
        return self._listed

    async def is_there(self) -> bool:
        """Whether the server was reached lately; one with a key is taken to be there."""
        if self._connection.key is not None:
            return True
        if self._looked is None or self._clock.monotonic() - self._looked[0] >= LATELY:
            self._looked = (self._clock.monotonic(), await self._look())
        return self._looked[1]

    def default(self) -> str | None:
        """The model that answers where none is named, where that is known by now."""
        return self._connection.model or (self._listed[0].id if self._listed else None)

    def known(self, model: str | None) -> ModelInfo | None:
        """What is known of a model (None: the default one) by now."""
        wanted = model or self.default()
        if wanted is None:
            return None
        return next((info for info in self._listed if info.id == wanted), None) or self._provider.known(wanted)

    async def chosen(self, model: str | None) -> ModelInfo:
        """The model that is to answer, with what is known of it.

        Raises:
            TryLater: none is named, and the server that would say which there are is away.
            Refused: there is none.
        """
        if model is None and self.default() is None:
            await self.models()
        info = self.known(model)
        if info is None:
            raise Refused(NO_MODEL.format(engine=self._connection.title), RefusedReason.GONE)
        return info

    def _is_stale(self) -> bool:
        if self._listed_at is None or not self._listed:
            return True
        address = address_of(self._connection.kind, self._connection.base_url)
        holds = FRESH_NEAR if address is not None and is_near(address) else FRESH
        return self._clock.monotonic() - self._listed_at >= holds

    async def _refresh(self) -> None:
        listed = tuple(await self._provider.models())
        default = self._connection.model
        if default is not None:
            own = next((info for info in listed if info.id == default), None) or self._provider.known(default)
            listed = (own, *(info for info in listed if info.id != default))
        self._listed, self._listed_at = listed, self._clock.monotonic()

    async def _look(self) -> bool:
        try:
            async with asyncio.timeout(PATIENCE), self._asking:
                await self._refresh()
        except (TryLater, TimeoutError):
            return False
        except Refused as refused:
            # It answered: a server that keeps no list may still have the model that the owner named.
            return self._connection.model is not None and refused.reason is not RefusedReason.AUTH
        return self.default() is not None
