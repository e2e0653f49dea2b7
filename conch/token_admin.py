"""What the owner's commands about tokens of the API do, in the running server or without one."""

from collections.abc import Sequence

from pydantic import SecretStr

from core.store.audit import Deed, Doer
from core.store.tokens import ApiTokens, TokenRecord, TokenScope
from web.tokens import NewTokenView, TokenView


class TokenAdmin:
    """Does the commands about tokens."""

    def __init__(self, tokens: ApiTokens, doer: Doer) -> None:
        self._tokens = tokens
        self._doer = doer

    async def list(self) -> Sequence[TokenView]:
        """Every token."""
        return tuple(map(_view, await self._tokens.list()))

    async def add(self, name: str, read_only: bool) -> NewTokenView:
        """Make one."""
        token, record = await self._tokens.add(name, TokenScope.READ if read_only else TokenScope.FULL)
        await self._doer.did(Deed.TOKEN_MADE, f"{record.name}, to read only" if read_only else record.name)
        return NewTokenView(token=SecretStr(token), made=_view(record))

    async def revoke(self, name: str) -> TokenView:
        """Forget one."""
        gone = await self._tokens.revoke(name)
        await self._doer.did(Deed.TOKEN_REVOKED, gone.name)
        return _view(gone)


def _view(record: TokenRecord) -> TokenView:
    return TokenView(
        name=record.name, scope=record.scope.value, created_at=record.created_at, last_used=record.last_used
    )
