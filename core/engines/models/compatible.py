"""Servers of one's own that speak like OpenAI, and say more about their models at addresses of their own."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import httpx2

from core.engines.base import ModelInfo
from core.engines.models import lists
from core.engines.models.contract import Connection
from core.engines.models.openai_api import ChatApi, OpenAIApi, OpenRouterApi
from core.engines.models.patience import Patience

MOST_SHOWN: Final = 100
"""Models that Ollama is asked about one by one; each takes it a millisecond or two."""

_AT_ONCE: Final = 8


def provider_of(connection: Connection, patience: Patience, http: httpx2.AsyncClient) -> ChatApi:
    """The provider for a connection to whoever speaks like OpenAI."""
    kinds: dict[str, type[ChatApi]] = {
        "openai": OpenAIApi,
        "openrouter": OpenRouterApi,
        "ollama": Ollama,
        "lmstudio": LMStudio,
        "llamacpp": LlamaCpp,
    }
    return kinds.get(connection.kind, ChatApi)(connection, patience, http)


class _OnesOwn(ChatApi):
    """A server with addresses of its own beside those that are OpenAI's."""

    @property
    def _root(self) -> str:
        return self._address.removesuffix("/v1")

    async def _told(self, path: str, send: dict[str, Any] | None = None) -> object:
        """What an address of its own says; None where it is not there, as behind a proxy or in an older version."""
        try:
            return await self._ask(f"{self._root}{path}", self._headers, send)
        except (httpx2.HTTPStatusError, ValueError):
            return None


class Ollama(_OnesOwn):
    """Ollama: what its models can do, and what is loaded with which window."""

    async def _offered(self) -> Sequence[ModelInfo]:
        tags = await self._told("/api/tags")
        if tags is None:
            return await super()._offered()
        running = await self._told("/api/ps")
        names = [model.id for model in lists.read_openai(tags)][:MOST_SHOWN]
        few = asyncio.Semaphore(_AT_ONCE)

        async def show(name: str) -> object:
            async with few:
                return await self._told("/api/show", {"model": name})

        shown = dict(zip(names, await asyncio.gather(*map(show, names)), strict=True))
        return lists.read_ollama(tags, shown, running)


class LMStudio(_OnesOwn):
    """LM Studio: which of its models are loaded, with which window."""

    async def _offered(self) -> Sequence[ModelInfo]:
        told = await self._told("/api/v0/models")
        return lists.read_lmstudio(told) if told is not None else await super()._offered()


class LlamaCpp(_OnesOwn):
    """llama.cpp's server: the window that it was started with, and whether it has eyes."""

    async def _offered(self) -> Sequence[ModelInfo]:
        models = await super()._offered()
        props = await self._told("/props")
        window, sees = lists.window_of_props(props), lists.pictures_of_props(props)
        return [replace(model, window=window, images=model.images or sees) for model in models]
