"""An engine that is made when it is first asked something: until then its library is not imported.

What a chat needs to know at once (its name, what it can do) is known before.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from core.engines.base import Engine, EngineCapabilities, ModelInfo, Session
from core.errors import ConchError


class Closing(Engine, Protocol):
    """An engine that holds something, for example connections."""

    async def close(self) -> None:
        """Let go of it."""
        ...


class LateEngine:
    """Stands for an engine until it is needed, and then in front of it.

    Args:
        engine_id: as the engine's own.
        title: as the engine's own.
        capabilities: as the engine's own.
        make: makes the engine; runs in a thread, because importing a library may take seconds. What it raises is
            raised to whoever asked, and the next one who asks tries again.
        model: the one that answers where none is named, where that is known already.
    """

    def __init__(
        self,
        engine_id: str,
        title: str,
        capabilities: EngineCapabilities,
        make: Callable[[], Closing],
        model: str | None = None,
    ) -> None:
        self._id = engine_id
        self._model = model
        self._title = title
        self._capabilities = capabilities
        self._make = make
        self._made: Closing | None = None
        self._making = asyncio.Lock()

    @property
    def id(self) -> str:
        """Its name in options and events."""
        return self._id

    @property
    def title(self) -> str:
        """Its name for people."""
        return self._title

    @property
    def capabilities(self) -> EngineCapabilities:
        """What it can do."""
        return self._capabilities

    async def engine(self) -> Closing:
        """The engine itself.

        Raises:
            ConchError: it cannot be made; the message says why.
        """
        async with self._making:
            if self._made is None:
                self._made = await asyncio.to_thread(self._make)
            return self._made

    async def ready(self) -> bool:
        """What the engine says; one that cannot be made is not."""
        try:
            engine = await self.engine()
        except ConchError:
            return False
        return await engine.ready()

    async def models(self) -> tuple[ModelInfo, ...]:
        """What the engine says."""
        return await (await self.engine()).models()

    def default_model(self) -> str | None:
        """What the engine says; before it is made, what is known already."""
        return self._made.default_model() if self._made else self._model

    def window(self, model: str | None) -> int | None:
        """What the engine says; not known before it is made."""
        return self._made.window(model) if self._made else None

    async def open(self, state: Mapping[str, Any] | None) -> Session:
        """A session of the engine."""
        return await (await self.engine()).open(state)

    async def close(self) -> None:
        """Let go of what the engine holds, where there is one."""
        async with self._making:
            if self._made is not None:
                await self._made.close()
