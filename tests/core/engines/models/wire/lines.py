"""Model engines that are connected to a pretend server: the SDKs and HTTP are real, the models are not."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import httpx2
from pydantic import SecretStr

from core.clock import SystemClock
from core.engines.models import providers
from core.engines.models.contract import Connection, Provider
from core.engines.models.engine import ModelEngine
from core.engines.models.openai_api import OpenAIApi
from core.engines.models.patience import Patience
from core.files import FileStore
from tests.core.engines.models.playing import KEY
from tests.core.engines.models.wire import anthropic_wire, google_wire, openai_wire, responses_wire
from tests.core.engines.models.wire.serving import Reply, WireServer


@dataclass(frozen=True)
class Api:
    """One protocol: its server, and a model that looks at pictures. `host` is one that is spoken to in no other."""

    kind: str
    serve: Callable[..., AbstractAsyncContextManager[WireServer]]
    model: str
    other_model: str
    host: str | None = None

    def __str__(self) -> str:
        return self.host or self.kind


OPENAI: Final = Api("openai", openai_wire.server, "gpt-4o", "gpt-4.1")
RESPONSES: Final = Api("openai", responses_wire.server, "gpt-6-luna", "gpt-5", host="api.openai.com")
ANTHROPIC: Final = Api("anthropic", anthropic_wire.server, "claude-sonnet-4-6", "claude-opus-4-6")
GOOGLE: Final = Api("google", google_wire.server, "gemini-3.8-flash", "gemini-3.1-pro")

EVERY: Final = (OPENAI, RESPONSES, ANTHROPIC, GOOGLE)


@dataclass
class Line:
    """The server at one end, the engine at the other."""

    server: WireServer
    engine: ModelEngine


@asynccontextmanager
async def talking_to(
    api: Api,
    *replies: Reply,
    files: Path = Path("/nonexistent"),
    name: str = "toy",
    key: str = KEY,
    model: str | None = None,
) -> AsyncIterator[Line]:
    """An engine that is connected to a server which gives these replies."""
    async with api.serve(*replies) as server:
        server.models = (api.model, api.other_model)
        connection = Connection(name, name.title(), api.kind, server.address, SecretStr(key), model or api.model)
        engine = ModelEngine(connection, lambda: _provider(api, connection), FileStore(files), SystemClock())
        try:
            yield Line(server, engine)
        finally:
            await engine.close()


def _provider(api: Api, connection: Connection) -> Provider:
    patience = Patience(retries=0)
    if api.host is None:
        return providers.connect(connection, patience)
    there = Connection(
        connection.id, connection.title, api.kind, f"https://{api.host}/v1", connection.key, connection.model
    )
    return OpenAIApi(there, patience, httpx2.AsyncClient(transport=_Diverted(connection.base_url or "")))


class _Diverted(httpx2.AsyncHTTPTransport):
    """Takes every request to one server, whatever host it is for."""

    def __init__(self, address: str) -> None:
        super().__init__()
        parts = urlsplit(address)
        self._to = {"scheme": "http", "host": parts.hostname, "port": parts.port}

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        request.url = request.url.copy_with(**self._to)
        return await super().handle_async_request(request)
