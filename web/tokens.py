"""What the owner's commands can ask about tokens of the API: the protocol and its data. Only a new one is told."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal, Protocol

from pydantic import SecretStr, field_serializer

from web.views import View


class TokenView(View):
    """A token that counts. `last_used` is exact to a minute; `read` only looks, `full` does all that the owner may."""

    name: str
    scope: Literal["read", "full"]
    created_at: datetime
    last_used: datetime | None = None


class NewTokenView(View):
    """A token that was just made: this is the only time that it is told."""

    token: SecretStr
    made: TokenView

    @field_serializer("token", when_used="json")
    def _told(self, token: SecretStr) -> str:
        """On its one way, over the local socket to the command that shows it."""
        return token.get_secret_value()


class TokenCommands(Protocol):
    """Making tokens and taking them back.

    Raises:
        UsageError, NotFound: the name does not fit, is taken, or is no token's.
        StoreUnavailable: nothing was changed.
    """

    async def list(self) -> Sequence[TokenView]:
        """Every token, the oldest first."""
        ...

    async def add(self, name: str, read_only: bool) -> NewTokenView:
        """A new one."""
        ...

    async def revoke(self, name: str) -> TokenView:
        """Turn away whoever uses it from now on."""
        ...
