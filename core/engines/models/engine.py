"""An engine that answers with the models of one connection."""

from collections.abc import Callable, Mapping
from typing import Any

from core.clock import Clock
from core.engines.base import EngineCapabilities, ModelInfo
from core.engines.models.contract import ABLE, Connection, Provider
from core.engines.models.roster import Roster
from core.engines.models.session import ModelSession
from core.files import FileStore


class ModelEngine:
    """Answers through `connection`. Importing and making it loads the libraries, which takes seconds: in a thread."""

    def __init__(
        self, connection: Connection, make_provider: Callable[[], Provider], files: FileStore, clock: Clock
    ) -> None:
        self._connection = connection
        self._provider = make_provider()
        self._files = files
        self._roster = Roster(connection, self._provider, clock)

    @property
    def id(self) -> str:
        """The connection's."""
        return self._connection.id

    @property
    def title(self) -> str:
        """The connection's."""
        return self._connection.title

    @property
    def capabilities(self) -> EngineCapabilities:
        """The same for every model engine."""
        return ABLE

    async def ready(self) -> bool:
        """Whether it has a key, or its server was reached lately."""
        return await self._roster.is_there()

    async def models(self) -> tuple[ModelInfo, ...]:
        """What the server lists, at most an hour old.

        Raises:
            TryLater: the server could not be reached.
            Refused: it does not take the key.
        """
        return await self._roster.models()

    def default_model(self) -> str | None:
        """The one that the owner named, else the first of the list once that is known."""
        return self._roster.default()

    def window(self, model: str | None) -> int | None:
        """As the server or the price list says."""
        info = self._roster.known(model)
        return info.window if info else None

    async def open(self, state: Mapping[str, Any] | None) -> ModelSession:
        """A session that goes on from `state`."""
        return ModelSession(self._connection, self._provider, self._roster, self._files, state)

    async def close(self) -> None:
        """Let go of the connections to the server."""
        await self._provider.close()
