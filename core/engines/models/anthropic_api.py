"""Anthropic's messages API: thinking by effort or budget, fast mode, and markers for its prompt cache."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, cast
from urllib.parse import urlsplit

import httpx2
from anthropic import AsyncAnthropic
from pydantic_ai.models.anthropic import AnthropicModel, AnthropicModelSettings
from pydantic_ai.profiles.anthropic import AnthropicModelProfile, anthropic_model_profile
from pydantic_ai.providers.anthropic import AnthropicProvider

from core.engines.base import ModelInfo, ModelOptions
from core.engines.models import lists
from core.engines.models.connected import Connected, effort_of
from core.engines.models.contract import Connection
from core.engines.models.endings import EndsPlainly
from core.engines.models.patience import Patience
from core.events import Effort

_HOST: Final = "api.anthropic.com"


class AnthropicApi(Connected):
    """A provider for Anthropic, and for what speaks like it at another address."""

    def __init__(self, connection: Connection, patience: Patience, http: httpx2.AsyncClient) -> None:
        super().__init__(connection, patience, http)
        self._root = self._address.removesuffix("/v1")
        self._client = AsyncAnthropic(
            api_key=self._key, base_url=self._root, http_client=self._http, max_retries=self._patience.retries
        )
        if urlsplit(self._root).hostname != _HOST:
            self._client._custom_headers = {}  # from the environment: meant for Anthropic, and for nobody else
        self._provider = AnthropicProvider(anthropic_client=self._client)

    def model(self, model_id: str) -> AnthropicModel:
        """See `Provider.model`."""
        return _Claude(model_id, provider=self._provider)

    def settings(self, model_id: str, options: ModelOptions, conversation: str) -> AnthropicModelSettings:
        """See `Provider.settings`. Its cache needs no key: it goes by the prompt's beginning alone."""
        model = self.known(model_id)
        settings = AnthropicModelSettings(cache=True, parallel_tool_calls=True)
        has_speed = bool(_profile(model_id).get("anthropic_supports_fast_speed"))
        effort = effort_of(options, model, has_own_speed=has_speed)
        if effort is not None:
            settings["thinking"] = effort
        if options.fast and has_speed:
            settings["anthropic_speed"] = "fast"
        return settings

    async def _offered(self) -> Sequence[ModelInfo]:
        # In which header the key goes, and the version, is the library's knowledge.
        version = str(self._client.default_headers["anthropic-version"])
        headers = {**self._client.auth_headers, "anthropic-version": version}
        return lists.read_anthropic(await self._ask(f"{self._root}/v1/models?limit=1000", headers))

    def _able(self, model: ModelInfo) -> ModelInfo:
        profile = _profile(model.id)
        efforts = model.efforts or (_efforts(profile) if profile.get("supports_thinking") else ())
        return replace(
            model, efforts=efforts, fast=Effort.LOW in efforts or bool(profile.get("anthropic_supports_fast_speed"))
        )


class _Claude(EndsPlainly, AnthropicModel):
    pass


def _profile(model_id: str) -> AnthropicModelProfile:
    """What the library knows of a model; it takes those before Claude 3.7, which cannot think, for ones that can."""
    profile = cast("AnthropicModelProfile", dict(anthropic_model_profile(model_id) or {}))
    if model_id.startswith(("claude-2", "claude-3-haiku", "claude-3-opus", "claude-3-sonnet", "claude-3-5")):
        profile["supports_thinking"] = False
    return profile


def _efforts(profile: AnthropicModelProfile) -> tuple[Effort, ...]:
    efforts = list(lists.SOME_EFFORTS)
    if profile.get("anthropic_supports_effort"):
        efforts += [Effort.XHIGH] if profile.get("anthropic_supports_xhigh_effort") else []
        efforts += [Effort.MAX] if profile.get("anthropic_supports_max_effort", True) else []
    return tuple(efforts)
