"""What a model engine is made of: a connection (where to, with which key), and the provider that knows its ways.

`provider` modules know one API each; `engine` and `session` know none. Nothing of this leaves the folder. The library
is named only for the type checker: to know a connection must not cost the seconds that its import takes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

from pydantic import SecretStr

from core.engines.base import EngineCapabilities, ModelInfo, ModelOptions

if TYPE_CHECKING:
    from pydantic_ai.models import Model
    from pydantic_ai.settings import ModelSettings


ABLE: Final = EngineCapabilities(
    host_tools="inline", plan_approval="host", resume="history", keeps_transcript=True, attachments=True
)
"""What every model engine can do."""


@dataclass(frozen=True, slots=True)
class Connection:
    """Where an engine's models are. `kind` names the provider, `model` the one that answers where a chat names none.

    `base_url` is None for the provider's own address, `key` None where the server takes none.
    """

    id: str
    title: str
    kind: str
    base_url: str | None = None
    key: SecretStr | None = field(default=None, repr=False)
    model: str | None = None


class Provider(Protocol):
    """One kind of API, connected. Made once per engine; holds its HTTP client."""

    def model(self, model_id: str) -> "Model":
        """The library's own model object: no retries of its own beyond ours, timeouts set."""
        ...

    def settings(self, model_id: str, options: ModelOptions, conversation: str) -> "ModelSettings":
        """Effort, speed and prompt caching in the API's own words; what the model does not have is left out.

        `conversation` is a stable key for prompt caches.
        """
        ...

    async def models(self) -> Sequence[ModelInfo]:
        """What the server offers for chat, the best default first.

        Raises:
            TryLater: it could not be reached.
            Refused: it does not take the key (`AUTH`), or has no such list.
        """
        ...

    def known(self, model_id: str) -> ModelInfo:
        """What is known of a model without asking the server."""
        ...

    def price(self, model_id: str, usage: Mapping[str, int]) -> float | None:
        """US dollars for `input`, `output` and `cached` tokens (cached are part of input); None when not known."""
        ...

    async def close(self) -> None:
        """Let go of the HTTP client."""
        ...
