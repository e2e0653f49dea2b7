"""The local socket's side of the commands about tokens of the API."""

from collections.abc import Sequence

from fastapi import FastAPI

from web.control_engines import Ask
from web.tokens import NewTokenView, TokenCommands, TokenView


class NewToken(Ask):
    """What the token is for, and whether it may only look."""

    name: str
    read_only: bool


class ForToken(Ask):
    """Which token."""

    name: str


class TokenRoutes:
    """One route for each thing that a command can ask about tokens."""

    def __init__(self, tokens: TokenCommands) -> None:
        self._tokens = tokens

    def add_to(self, app: FastAPI) -> None:
        """Register the routes."""
        app.add_api_route("/tokens", self.tokens)
        app.add_api_route("/tokens/add", self.add, methods=["POST"])
        app.add_api_route("/tokens/revoke", self.revoke, methods=["POST"])

    async def tokens(self) -> Sequence[TokenView]:
        """Every token."""
        return await self._tokens.list()

    async def add(self, ask: NewToken) -> NewTokenView:
        """Make one."""
        return await self._tokens.add(ask.name, ask.read_only)

    async def revoke(self, ask: ForToken) -> TokenView:
        """Forget one."""
        return await self._tokens.revoke(ask.name)
