"""Model engines that are connected to a pretend server: the SDKs and HTTP are real, the models are not."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import SecretStr

from core.clock import SystemClock
from core.engines.models import providers
from core.engines.models.contract import Connection
from core.engines.models.engine import ModelEngine
from core.engines.models.patience import Patience
from core.files import FileStore
from tests.core.engines.models.playing import KEY
from tests.core.engines.models.wire import anthropic_wire, openai_wire
from tests.core.engines.models.wire.serving import Reply, WireServer


@dataclass(frozen=True)
class Api:
    """One protocol: its server, and a model that looks at pictures."""

    kind: str
    serve: Callable[..., AbstractAsyncContextManager[WireServer]]
    model: str
    other_model: str

    def __str__(self) -> str:
        return self.kind


OPENAI = Api("openai", openai_wire.server, "gpt-4o", "gpt-4.1")
ANTHROPIC = Api("anthropic", anthropic_wire.server, "claude-sonnet-4-6", "claude-opus-4-6")


@asynccontextmanager
async def talking_to(api: Api, *replies: Reply, files: Path = Path("/nonexistent")) -> AsyncIterator["Line"]:
    """An engine that is connected to a server which gives these replies."""
    async with api.serve(*replies) as server:
        connection = Connection("toy", "Toy", api.kind, server.address, SecretStr(KEY), api.model)
        patience = Patience(retries=0)
        engine = ModelEngine(
            connection, lambda: providers.connect(connection, patience), FileStore(files), SystemClock()
        )
        try:
            yield Line(server, engine)
        finally:
            await engine.close()


@dataclass
class Line:
    """The server at one end, the engine at the other."""

    server: WireServer
    engine: ModelEngine
