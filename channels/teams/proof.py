"""What proves that Teams sent a request: a token signed with one of Microsoft's keys, for this bot and from this place.

The token is looked at before anything of the request's body is. Keys are fetched without holding up the loop, and anew
where one is unknown, so that they may change at any time.
Source: learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-authentication.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import jwt

from channels.reach import Unproven
from channels.teams import limits
from channels.teams.client import TeamsClient
from channels.teams.fields import text, things
from core.clock import Clock
from core.errors import TryLater

ALGORITHM: Final = "RS256"
"""The only one: with any other, who signs would choose how it is checked."""
CHANNEL: Final = "msteams"
"""What a key must be endorsed for."""
KEYS_SECONDS: Final = 24 * 3600.0
"""After which all keys are fetched anew."""
MISSES_SECONDS: Final = 60.0
"""Between two times that an unknown key makes us fetch them: anybody may name a key that nobody has."""

_NOBODY = "Nothing proves that Teams sent this."


@dataclass(frozen=True, slots=True)
class Proven:
    """What a good token says."""

    claims: Mapping[str, Any]

    @property
    def service_url(self) -> str:
        """From where it was sent, and where to answer."""
        return str(self.claims["serviceurl"])


@dataclass(frozen=True, slots=True)
class _Key:
    public: jwt.PyJWK
    endorsed: frozenset[str]


class Proof:
    """Looks at tokens for one bot."""

    def __init__(self, client: TeamsClient, clock: Clock) -> None:
        self._client = client
        self._clock = clock
        self._keys: dict[str, _Key] = {}
        self._fetched_at: float | None = None
        self._missed_at: float | None = None
        self._fetching = asyncio.Lock()

    async def load(self) -> None:
        """Fetch Microsoft's keys.

        Raises:
            TryLater: they cannot be had now.
        """
        metadata = await self._client.fetch_json(self._client.addresses.openid)
        address = metadata.get("jwks_uri")
        if not isinstance(address, str) or not self._client.addresses.are_keys(address):
            raise TryLater("Microsoft does not say where its keys are.")
        self._keys = _read_keys(await self._client.fetch_json(address))
        self._fetched_at = self._clock.monotonic()

    async def check(self, authorization: str) -> Proven:
        """What the header `Authorization` proves.

        Raises:
            Unproven: nothing.
            TryLater: the keys cannot be had now.
        """
        scheme, _, token = authorization.partition(" ")
        if scheme.lower() != "bearer" or not token:
            raise Unproven(_NOBODY)
        try:
            header = jwt.get_unverified_header(token)
            key_id = header.get("kid")
            if header.get("alg") != ALGORITHM or not isinstance(key_id, str):
                raise Unproven(_NOBODY)
            key = await self._key(key_id)
            if key is None or CHANNEL not in key.endorsed:
                raise Unproven(_NOBODY)
            return Proven(self._claims(token, key))
        except (jwt.PyJWTError, ValueError, RecursionError) as error:
            raise Unproven(_NOBODY) from error

    def _claims(self, token: str, key: _Key) -> dict[str, Any]:
        claims: dict[str, Any] = jwt.decode(
            token,
            key.public,
            algorithms=[ALGORITHM],
            audience=self._client.app_id,
            issuer=self._client.addresses.issuer,
            leeway=limits.CLOCK_SKEW,
            options={"require": ["exp", "iss", "aud"]},
        )
        # The name is in small letters in Teams' tokens; in others it is not [as above].
        address = claims.get("serviceurl") or claims.get("serviceUrl")
        if not isinstance(address, str) or not self._client.addresses.is_service(address):
            raise Unproven(_NOBODY)
        return {**claims, "serviceurl": address}

    async def _key(self, key_id: str) -> _Key | None:
        async with self._fetching:
            now = self._clock.monotonic()
            if self._fetched_at is None or now - self._fetched_at >= KEYS_SECONDS:
                await self.load()
            elif key_id not in self._keys and (self._missed_at is None or now - self._missed_at >= MISSES_SECONDS):
                self._missed_at = now
                await self.load()
            return self._keys.get(key_id)


def _read_keys(found: Mapping[str, Any]) -> dict[str, _Key]:
    keys = {}
    for drawn in things(found, "keys"):
        key_id = text(drawn, "kid")
        if key_id is None or drawn.get("kty") != "RSA":
            continue
        endorsed = drawn.get("endorsements")
        try:
            public = jwt.PyJWK(dict(drawn), algorithm=ALGORITHM)
        except jwt.PyJWTError:
            continue
        keys[key_id] = _Key(public, frozenset(endorsed if isinstance(endorsed, list) else ()))
    return keys
