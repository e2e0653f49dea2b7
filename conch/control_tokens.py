"""The command's side of the local socket for tokens of the API."""

from collections.abc import Sequence

from pydantic import TypeAdapter

from conch.control_line import ControlLine
from web.tokens import NewTokenView, TokenView

_TOKENS = TypeAdapter(tuple[TokenView, ...])


class RemoteTokens:
    """Asks the running server about tokens."""

    def __init__(self, line: ControlLine) -> None:
        self._line = line

    async def list(self) -> Sequence[TokenView]:
        """Every token."""
        return _TOKENS.validate_json(await self._line.get("/tokens"))

    async def add(self, name: str, read_only: bool) -> NewTokenView:
        """Make one."""
        return NewTokenView.model_validate_json(await self._line.post("/tokens/add", name=name, read_only=read_only))

    async def revoke(self, name: str) -> TokenView:
        """Forget one."""
        return TokenView.model_validate_json(await self._line.post("/tokens/revoke", name=name))
