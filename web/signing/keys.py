"""What the owner signs in with: whether there is any, and whether what was given is it.

The password is hashed with Argon2id in a thread, so that nobody waits for it; the hashes and passkeys are read once and
remembered, for the gate asks at every turn whether there are any.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import structlog

from core.clock import Clock
from core.errors import NotFound, StoreUnavailable, UsageError
from core.store.owner_keys import KnownPasskey, OwnerKeyRows

if TYPE_CHECKING:
    from argon2 import PasswordHasher

_log = structlog.get_logger(__name__)

SHORTEST: Final = 10
LONGEST: Final = 1_000
"""Characters of a password."""

MOST_PASSKEYS: Final = 32

NOBODYS: Final = "$argon2id$v=19$m=65536,t=3,p=4$zArDPs3Fl4b6tiYMbSmg5A$P/0MVroRlouQ58KyNVsAydVJjMx5AgsKangd1IGY0sM"
"""The hash of nothing: where there is no password, checking one takes as long as where there is."""


class OwnerKeys:
    """The password and the passkeys, as far as they are known without asking anybody."""

    def __init__(self, rows: OwnerKeyRows, clock: Clock) -> None:
        self._rows = rows
        self._clock = clock
        self._password_hash: str | None = None
        self._passkeys: dict[str, KnownPasskey] = {}

    async def load(self) -> None:
        """Read what there is. A store that is away leaves only links to come in by, and is said in the log."""
        try:
            self._password_hash = await self._rows.password_hash()
            self._passkeys = {one.credential_id: one for one in await self._rows.passkeys()}
        except StoreUnavailable as reason:
            _log.warning("what the owner signs in with is not known", reason=str(reason))

    @property
    def any(self) -> bool:
        """Whether there is anything besides links."""
        return self.has_password or bool(self._passkeys)

    @property
    def has_password(self) -> bool:
        """Whether there is a password."""
        return self._password_hash is not None

    @property
    def passkeys(self) -> Sequence[KnownPasskey]:
        """Every passkey, the oldest first."""
        return tuple(self._passkeys.values())

    # ---- the password ----------------------------------------------------------------------------------------------

    async def set_password(self, words: str) -> None:
        """Have this one from now on.

        Raises:
            UsageError: it is too short or too long.
            StoreUnavailable: the earlier one counts.
        """
        if len(words) < SHORTEST:
            raise UsageError(f"A password has at least {SHORTEST} characters; several words in a row are good.")
        if len(words) > LONGEST:
            raise UsageError(f"A password has {LONGEST:,} characters at most.")
        password_hash = await asyncio.to_thread(lambda: _hasher().hash(words))
        await self._rows.set_password(password_hash)
        self._password_hash = password_hash

    async def remove_password(self) -> None:
        """Have none from now on.

        Raises:
            StoreUnavailable: it still counts.
        """
        await self._rows.remove_password()
        self._password_hash = None

    async def is_password(self, words: str) -> bool:
        """Whether this is it. Takes as long where there is none."""
        known = self._password_hash
        given = words[:LONGEST] if words else " "
        fits = await asyncio.to_thread(_fits, known or NOBODYS, given)
        return known is not None and fits and len(words) <= LONGEST

    # ---- passkeys --------------------------------------------------------------------------------------------------

    def passkey(self, credential_id: str) -> KnownPasskey | None:
        """One of them."""
        return self._passkeys.get(credential_id)

    async def add_passkey(self, passkey: KnownPasskey) -> None:
        """Keep a new one.

        Raises:
            UsageError: there are as many as there may be, or it is known.
            StoreUnavailable: it was not kept.
        """
        if len(self._passkeys) >= MOST_PASSKEYS:
            raise UsageError(f"There are {MOST_PASSKEYS} passkeys already. Remove one first.")
        if passkey.credential_id in self._passkeys:
            raise UsageError("That passkey is there already.")
        await self._rows.add_passkey(passkey)
        self._passkeys[passkey.credential_id] = passkey

    async def used(self, credential_id: str, sign_count: int) -> None:
        """It signed just now."""
        known, now = self._passkeys[credential_id], self._clock.now()
        self._passkeys[credential_id] = replace(known, sign_count=sign_count, last_used=now)
        try:
            await self._rows.passkey_used(credential_id, sign_count, now)
        except StoreUnavailable as reason:
            _log.warning("when a passkey was used could not be noted", reason=str(reason))

    async def remove_passkey(self, credential_id: str) -> KnownPasskey:
        """Forget one.

        Raises:
            NotFound: it is not there.
            StoreUnavailable: it still counts.
        """
        known = self._passkeys.get(credential_id)
        if known is None:
            raise NotFound("That passkey is not there any more.")
        await self._rows.remove_passkey(credential_id)
        del self._passkeys[credential_id]
        return known


def _fits(password_hash: str, words: str) -> bool:
    from argon2.exceptions import Argon2Error, InvalidHashError  # noqa: PLC0415 - see `_hasher`

    try:
        return _hasher().verify(password_hash, words)
    except (Argon2Error, InvalidHashError):
        return False


def _hasher() -> "PasswordHasher":
    # Imported when it is needed: most starts never check a password.
    from argon2 import PasswordHasher  # noqa: PLC0415

    return PasswordHasher()
