"""Google's Gemini API: thinking by level or budget. Its prompt cache works by itself."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, cast

import httpx2
from pydantic_ai.models.google import GoogleModel, GoogleModelSettings
from pydantic_ai.profiles.google import GoogleModelProfile, google_model_profile
from pydantic_ai.providers.google import GoogleProvider

from core.engines.base import ModelInfo, ModelOptions
from core.engines.models import lists
from core.engines.models.connected import Connected, effort_of
from core.engines.models.contract import Connection
from core.engines.models.endings import EndsPlainly
from core.engines.models.patience import Patience

_VERSION: Final = "v1beta"
"""Of the API; the one that the library speaks."""


class GoogleApi(Connected):
    """A provider for the Gemini API."""

    def __init__(self, connection: Connection, patience: Patience, http: httpx2.AsyncClient) -> None:
        super().__init__(connection, patience, http)
        self._root = self._address.removesuffix(f"/{_VERSION}")
        self._provider = GoogleProvider(api_key=self._key, http_client=self._http, base_url=self._root)

    def model(self, model_id: str) -> GoogleModel:
        """See `Provider.model`."""
        return _Gemini(model_id, provider=self._provider)

    def settings(self, model_id: str, options: ModelOptions, conversation: str) -> GoogleModelSettings:
        """See `Provider.settings`. Calling tools in parallel is not to be said, Gemini just does."""
        settings = GoogleModelSettings(max_retries=self._patience.retries)
        effort = effort_of(options, self.known(model_id))
        if effort is not None:
            settings["thinking"] = effort
        return settings

    async def _offered(self) -> Sequence[ModelInfo]:
        # The key goes in a header: in the address it would be in every log on the way.
        headers = {"x-goog-api-key": self._key or ""}
        return lists.read_google(await self._ask(f"{self._root}/{_VERSION}/models?pageSize=1000", headers))

    def _able(self, model: ModelInfo) -> ModelInfo:
        profile = cast("GoogleModelProfile", google_model_profile(model.id) or {})
        if not profile.get("supports_thinking"):
            return replace(model, efforts=(), fast=False)
        levels = profile.get("google_thinking_levels")
        efforts = tuple(e for e in lists.SOME_EFFORTS if levels is None or e.value.upper() in levels)
        return replace(model, efforts=efforts, fast=bool(efforts))


class _Gemini(EndsPlainly, GoogleModel):
    pass
