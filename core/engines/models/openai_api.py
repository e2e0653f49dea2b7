"""OpenAI's API, and everybody who speaks its chat completions: OpenRouter, Groq, Mistral, DeepSeek, xAI and others."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final, cast
from urllib.parse import urlsplit

import httpx2
from openai import AsyncOpenAI
from pydantic_ai.models import Model
from pydantic_ai.models.openai import (
    OpenAIChatModel,
    OpenAIChatModelSettings,
    OpenAIResponsesModel,
    OpenAIResponsesModelSettings,
)
from pydantic_ai.models.openrouter import OpenRouterModel, OpenRouterModelSettings
from pydantic_ai.profiles import ModelProfile, merge_profile
from pydantic_ai.profiles.grok import GrokModelProfile, grok_model_profile
from pydantic_ai.profiles.mistral import mistral_model_profile
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers import Provider as LibraryProvider
from pydantic_ai.providers.deepseek import DeepSeekProvider
from pydantic_ai.providers.ollama import OllamaProvider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider
from pydantic_ai.providers.openrouter import OpenRouterProvider
from pydantic_ai.providers.vllm import VLLMProvider
from pydantic_ai.settings import ModelSettings

from core.engines.base import ModelInfo, ModelOptions
from core.engines.models import lists
from core.engines.models.connected import Connected, effort_of
from core.engines.models.contract import Connection
from core.engines.models.endings import EndsPlainly
from core.engines.models.patience import Patience
from core.errors import UsageError
from core.events import Effort

NO_KEY: Final = "no-key-needed"
"""Sent where a server takes none: the library insists on one, and would look for OpenAI's in the environment."""

LONGEST_CACHE_KEY: Final = 64
"""Characters of `prompt_cache_key`: platform.openai.com/docs/guides/prompt-caching."""

_ENDS_PLAINLY: Final = OpenAIModelProfile(openai_chat_streaming_requires_finish_reason=True)
"""Without it a stream that was cut off looks like an answer that is done."""

_NOT_STRICT: Final = OpenAIModelProfile(openai_supports_strict_tool_definition=False)
"""Most that speak like OpenAI do not know strict tools, and some refuse them."""

_FAMILIES: Final[Mapping[str, Callable[[str], ModelProfile | None]]] = {
    "mistral": mistral_model_profile,
    "xai": grok_model_profile,
}
"""What the library knows of models by their bare names, for servers that it has no provider of its own for."""


class ChatApi(Connected):
    """A provider for whoever speaks OpenAI's chat completions."""

    def __init__(self, connection: Connection, patience: Patience, http: httpx2.AsyncClient) -> None:
        super().__init__(connection, patience, http)
        self._client = AsyncOpenAI(
            api_key=self._key or NO_KEY,
            base_url=self._address,
            http_client=self._http,
            max_retries=patience.retries,
        )
        if not is_openai(self._address):
            # The library reads these from the environment; they are OpenAI's business and nobody else's. It would read
            # them again for a request with settings of the client's own, such as `max_retries`: none has any.
            self._client.organization = self._client.project = self._client.admin_api_key = None
            self._client._custom_headers = {}
        self._provider = self._library_provider()

    def model(self, model_id: str) -> Model:
        """See `Provider.model`."""
        return OpenAIChatModel(model_id, provider=self._provider, profile=self._profile(model_id))

    def settings(self, model_id: str, options: ModelOptions, conversation: str) -> ModelSettings:
        """See `Provider.settings`. No key for a cache: some refuse a field that they do not know."""
        settings = OpenAIChatModelSettings(parallel_tool_calls=True)
        effort = effort_of(options, self.known(model_id))
        if effort is not None:
            settings["openai_reasoning_effort"] = effort
        return settings

    async def _offered(self) -> Sequence[ModelInfo]:
        return lists.read_openai(await self._ask(f"{self._address}/models", self._headers))

    def _able(self, model: ModelInfo) -> ModelInfo:
        efforts = model.efforts or self._efforts(model.id)
        return replace(model, efforts=efforts, fast=Effort.LOW in efforts)

    def _efforts(self, model_id: str) -> tuple[Effort, ...]:
        """What a model that the server says nothing about can be told."""
        if self._kind.id == "deepseek":
            return (Effort.HIGH, Effort.MAX) if self._profile(model_id).get("supports_thinking") else ()
        if self._kind.id == "xai":
            levels = cast("GrokModelProfile", grok_model_profile(model_id) or {}).get("grok_reasoning_efforts", ())
            return tuple(effort for effort in lists.SOME_EFFORTS if effort.value in levels)
        return ()

    @property
    def _headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self._key}"} if self._key else {}

    def _profile(self, model_id: str) -> OpenAIModelProfile:
        family = _FAMILIES.get(self._kind.id)
        merged = merge_profile(
            self._provider.model_profile(model_id),
            family(model_id) if family else None,
            _NOT_STRICT,
            _ENDS_PLAINLY,
        )
        return cast("OpenAIModelProfile", merged)

    def _library_provider(self) -> LibraryProvider[AsyncOpenAI]:
        match self._kind.id:
            case "ollama":
                return OllamaProvider(openai_client=self._client)
            case "vllm":
                return VLLMProvider(openai_client=self._client)
            case "deepseek":
                return DeepSeekProvider(openai_client=self._client)
            case other:
                return OpenAICompatibleProvider(other, openai_client=self._client)


class OpenAIApi(ChatApi):
    """A provider for OpenAI itself, or a proxy to it.

    OpenAI is spoken to in its responses API, because its newer models think and call tools at once only there, and is
    told to keep nothing. A proxy may not know that API.
    """

    def model(self, model_id: str) -> Model:
        """See `Provider.model`."""
        profile = merge_profile(self._provider.model_profile(model_id), _ENDS_PLAINLY)
        if is_openai(self._address):
            return _Responses(model_id, provider=self._provider, profile=profile)
        return OpenAIChatModel(model_id, provider=self._provider, profile=profile)

    def settings(self, model_id: str, options: ModelOptions, conversation: str) -> ModelSettings:
        """See `Provider.settings`."""
        settings = OpenAIResponsesModelSettings(
            parallel_tool_calls=True,
            openai_prompt_cache_key=conversation[-LONGEST_CACHE_KEY:],
            openai_prompt_cache_diagnostics=False,  # nobody would read them, and they name an earlier answer
            openai_store=False,
        )
        has_speed = _has_priority(model_id) and is_openai(self._address)
        effort = effort_of(options, self.known(model_id), has_own_speed=has_speed)
        if effort is not None:
            settings["thinking"] = effort
        if options.fast and has_speed:
            settings["openai_service_tier"] = "priority"
        return settings

    def _able(self, model: ModelInfo) -> ModelInfo:
        profile = cast("OpenAIModelProfile", self._provider.model_profile(model.id) or {})
        efforts = _official_efforts(profile) if profile.get("supports_thinking") else model.efforts
        has_speed = _has_priority(model.id) and is_openai(self._address)
        return replace(model, efforts=efforts, fast=has_speed or Effort.LOW in efforts)

    def _library_provider(self) -> LibraryProvider[AsyncOpenAI]:
        return OpenAIProvider(openai_client=self._client)


class _Responses(EndsPlainly, OpenAIResponsesModel):
    pass


class OpenRouterApi(ChatApi):
    """A provider for OpenRouter, which has its own words for thinking and passes cache markers on."""

    def model(self, model_id: str) -> Model:
        """See `Provider.model`.

        Raises:
            UsageError: the name has no vendor in front.
        """
        if "/" not in model_id:
            raise UsageError(
                f"There is no model {model_id} at {self._connection.title}: names there begin with the vendor, as in "
                "openai/gpt-5. Send \u2060/model to see what there is."
            )
        profile = merge_profile(self._provider.model_profile(model_id), _ENDS_PLAINLY)
        return OpenRouterModel(model_id, provider=self._provider, profile=profile)

    def settings(self, model_id: str, options: ModelOptions, conversation: str) -> ModelSettings:
        """See `Provider.settings`."""
        settings = OpenRouterModelSettings(parallel_tool_calls=True, cache=True)
        effort = effort_of(options, self.known(model_id))
        if effort is not None:
            settings["openrouter_reasoning"] = {"effort": effort}
        return settings

    def _efforts(self, model_id: str) -> tuple[Effort, ...]:
        # The library knows no model of a name without a vendor, and says so by raising.
        profile = (self._provider.model_profile(model_id) if "/" in model_id else None) or ModelProfile()
        return lists.SOME_EFFORTS if profile.get("supports_thinking") else ()

    def _library_provider(self) -> LibraryProvider[AsyncOpenAI]:
        return OpenRouterProvider(openai_client=self._client)


def is_openai(address: str) -> bool:
    """Whether it is OpenAI itself, in whichever region."""
    host = urlsplit(address).hostname or ""
    return host == "api.openai.com" or host.endswith(".api.openai.com")


def _official_efforts(profile: OpenAIModelProfile) -> tuple[Effort, ...]:
    """The efforts that a model of OpenAI's takes, where they are known, else the three that all of them do."""
    taken = profile.get("openai_reasoning_efforts")
    most = [Effort.MAX] if profile.get("openai_responses_supports_max_reasoning_effort") else []
    if taken is None:
        return (*lists.SOME_EFFORTS, *most)
    return tuple(e for e in (*lists.SOME_EFFORTS, Effort.XHIGH, *most) if e.value in taken)


def _has_priority(model_id: str) -> bool:
    """Whether OpenAI answers faster for more money: openai.com/api-priority-processing."""
    return model_id.startswith(("gpt-4.1", "gpt-4o", "gpt-5", "gpt-6", "o3", "o4-mini")) and "nano" not in model_id
