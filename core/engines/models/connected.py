"""What all providers have in common: the list of models, what is known of one, what it costs, and the HTTP client."""

import abc
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Literal

import httpx2

from core.engines.base import ModelInfo, ModelOptions
from core.engines.models import lists, prices, ranking
from core.engines.models.asking import ask_for_json
from core.engines.models.contract import Connection
from core.engines.models.kinds import KINDS
from core.engines.models.patience import Patience
from core.engines.models.refusals import error_for
from core.errors import Refused, RefusedReason
from core.events import Effort

if TYPE_CHECKING:
    from pydantic_ai.models import Model
    from pydantic_ai.settings import ModelSettings

Word = Literal["low", "medium", "high", "xhigh", "max"]
"""An effort in the library's words."""

_WORDS: Final[Mapping[Effort, Word]] = {
    Effort.LOW: "low",
    Effort.MEDIUM: "medium",
    Effort.HIGH: "high",
    Effort.XHIGH: "xhigh",
    Effort.MAX: "max",
}
"""From the least to the most."""


class Connected(abc.ABC):
    """A provider but for its own API. `connection` has its whole address; `http` is this provider's to close."""

    def __init__(self, connection: Connection, patience: Patience, http: httpx2.AsyncClient) -> None:
        self._connection = connection
        self._patience = patience
        self._kind = KINDS[connection.kind]
        self._address = connection.base_url or ""
        self._key = connection.key.get_secret_value() if connection.key else None
        self._http = http
        self._listed: dict[str, ModelInfo] = {}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._connection!r})"

    @abc.abstractmethod
    def model(self, model_id: str) -> "Model":
        """See `Provider.model`."""

    @abc.abstractmethod
    def settings(self, model_id: str, options: ModelOptions, conversation: str) -> "ModelSettings":
        """See `Provider.settings`."""

    @abc.abstractmethod
    async def _offered(self) -> Sequence[ModelInfo]:
        """What the server lists. Raises what the HTTP client raises, and ValueError for what is no list."""

    @abc.abstractmethod
    def _able(self, model: ModelInfo) -> ModelInfo:
        """The model with the efforts, the speed and the pictures that it takes by what is known of its name."""

    async def models(self) -> tuple[ModelInfo, ...]:
        """See `Provider.models`."""
        try:
            offered = await self._offered()
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
            raise error_for(error, self._connection) from error
        except ValueError as error:
            raise Refused(
                f"{self._connection.title} answers, but not with a list of models. The owner can check its address "
                "with `conch engines list`; for most servers it ends in /v1.",
                RefusedReason.BAD_PAYLOAD,
            ) from error
        models = ranking.ranked(self._kind, [self._filled(model) for model in offered])
        self._listed = {model.id: model for model in models}
        return models

    def known(self, model_id: str) -> ModelInfo:
        """See `Provider.known`."""
        return self._listed.get(model_id) or self._filled(
            ModelInfo(model_id, model_id, efforts=lists.efforts_by_name(model_id), images=ranking.sees(model_id))
        )

    def price(self, model_id: str, usage: Mapping[str, int]) -> float | None:
        """See `Provider.price`."""
        return prices.price_of(self._kind.prices, model_id, usage)

    async def close(self) -> None:
        """See `Provider.close`."""
        await self._http.aclose()

    async def _ask(self, url: str, headers: Mapping[str, str], send: Mapping[str, Any] | None = None) -> object:
        return await ask_for_json(self._http, url, headers, seconds=self._patience.listing, send=send)

    def _filled(self, model: ModelInfo) -> ModelInfo:
        """With what the price list knows of it, where the server did not say."""
        vendor = self._kind.prices
        window = model.window or prices.window_of(vendor, model.id)
        title = model.title if model.title != model.id else prices.title_of(vendor, model.id) or model.title
        return self._able(replace(model, window=window, title=title))


def effort_of(options: ModelOptions, model: ModelInfo, *, has_own_speed: bool = False) -> Word | None:
    """How hard to think: what was chosen, or the nearest below it that the model takes; None leaves it to the model.

    Where somebody wants it fast, chose no effort, and the model has no speed of its own, it thinks little.
    """
    order = list(_WORDS)
    able = sorted(model.efforts, key=order.index)
    if not able:
        return None
    if options.effort is None or options.effort is Effort.AUTO:
        return "low" if options.fast and not has_own_speed and Effort.LOW in able else None
    chosen = order.index(options.effort)
    return _WORDS[max((e for e in able if order.index(e) <= chosen), key=order.index, default=able[0])]
