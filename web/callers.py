"""Who asks: a program of the owner's by its token, or the owner's browser by the console's session.

Both are the owner. What a caller may not do is decided at the gate (`web.security`), before any route sees a request.
"""

import math
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, Literal

import structlog
from starlette.types import Scope

from core.clock import Clock
from core.errors import NotAllowed, StoreUnavailable
from core.events import Origin
from core.store.tokens import ApiTokens, TokenRecord, TokenScope

_log = structlog.get_logger(__name__)

MOST_WRONG: Final = 10
"""Wrong tokens from one address …"""
IN_SECONDS: Final = 60.0
"""… in so many seconds; more are told to wait."""

MOST_ADDRESSES: Final = 1_000
"""Addresses whose wrong tokens are counted; one more pushes out the one that was first."""

_KEY: Final = "conch.caller"


@dataclass(frozen=True, slots=True)
class Caller:
    """Somebody who may ask. `id` tells callers apart, `by` names them for people, at the beginning of a sentence.

    `stands` says later whether they still may: a token can be revoked, a session ends. `is_recent` is False for a
    browser that came in too long ago for what is sensitive; a token is always good for it.
    """

    kind: Literal["api", "console"]
    id: str
    by: str
    may_change: bool
    stands: Callable[[], Awaitable[bool]]
    is_recent: bool = True

    @property
    def origin(self) -> Origin:
        """Whose words it are that they say: the owner's, whose name nobody knows here."""
        return Origin(kind=self.kind, person_id=self.id if self.kind == "api" else None, role="owner")


class TooManyWrong(NotAllowed):
    """Wrong tokens came from there again and again; `retry_after` is in seconds."""

    def __init__(self, retry_after: float) -> None:
        super().__init__("Too many wrong tokens came from this address.")
        self.retry_after = retry_after


class TokenCallers:
    """Knows programs by their tokens, and counts the wrong ones.

    A token cannot be guessed, so counting keeps a lost program from filling the log and the database's time. A right
    token is never turned away for the wrong ones of others: behind a proxy all come from one address.
    """

    def __init__(self, tokens: ApiTokens, clock: Clock) -> None:
        self._tokens = tokens
        self._clock = clock
        self._wrong: OrderedDict[str, tuple[float, int]] = OrderedDict()

    async def known(self, authorization: str, address: str) -> Caller | None:
        """Who sends this header (`Bearer …`, RFC 6750); None for nobody we know.

        Raises:
            TooManyWrong: it is nobody, once more.
            StoreUnavailable: nobody can be known now.
        """
        scheme, _, token = authorization.strip().partition(" ")
        record = await self._tokens.known(token.strip()) if scheme.lower() == "bearer" else None
        if record is None:
            self._count(address)
            return None
        try:
            await self._tokens.note_use(record)
        except StoreUnavailable as reason:
            _log.warning("when a token was used could not be noted", reason=str(reason))
        return self._caller(record)

    def _caller(self, record: TokenRecord) -> Caller:
        async def stands() -> bool:
            return await self._tokens.stands(record.id)

        return Caller("api", record.id, f"The API ({record.name})", record.scope is TokenScope.FULL, stands)

    def _count(self, address: str) -> None:
        now = self._clock.monotonic()
        began, count = self._wrong.get(address, (now, 0))
        if now - began >= IN_SECONDS:
            began, count = now, 0
        if count >= MOST_WRONG:
            raise TooManyWrong(math.ceil(began + IN_SECONDS - now))
        self._wrong[address] = began, count + 1
        self._wrong.move_to_end(address)
        while len(self._wrong) > MOST_ADDRESSES:
            self._wrong.popitem(last=False)
        if count + 1 == MOST_WRONG:
            _log.warning("wrong tokens come again and again", address=address)


def console(stands: Callable[[], bool], *, is_recent: bool) -> Caller:
    """The owner in their browser."""

    async def still() -> bool:
        return stands()

    return Caller("console", "console", "The console", may_change=True, stands=still, is_recent=is_recent)


def announce(scope: Scope, caller: Caller) -> None:
    """Tell the routes who asks."""
    scope[_KEY] = caller


def caller_of(scope: Scope) -> Caller:
    """Who asks. A request that the gate did not see has none, and that is a fault."""
    caller: Caller = scope[_KEY]
    return caller
