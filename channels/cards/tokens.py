"""What a card's buttons carry: which card, a random key that only it has, the field that they belong to, what they do.

A token is at most 47 bytes of the 64 that Telegram takes. The key stays for the card's life, so that two quick taps
both count; buttons of an earlier field are told by their field.
"""

import hashlib
import re
import secrets
from dataclasses import dataclass
from typing import Final, Self

PREFIX: Final = "c."

HANDLE_BYTES: Final = 6
"""Names the card; it opens nothing."""

KEY_BYTES: Final = 12
"""96 random bits, so that nobody finds one by trying."""

_TOKEN: Final = re.compile(r"c\.([\w-]{8})\.([\w-]{16})\.(\d{1,2})\.([a-z0-9-]{1,16})", re.ASCII)


@dataclass(frozen=True, slots=True)
class CardToken:
    """A button's token, read. `field` is 0 on a card that has no fields."""

    handle: str
    key: str
    field: int
    what: str

    @classmethod
    def read(cls, token: str) -> Self | None:
        """None for what is no card's button."""
        found = _TOKEN.fullmatch(token)
        return cls(found[1], found[2], int(found[3]), found[4]) if found else None

    def __str__(self) -> str:
        return f"{PREFIX}{self.handle}.{self.key}.{self.field}.{self.what}"


def new_handle() -> str:
    """A name for a card that no other has."""
    return secrets.token_urlsafe(HANDLE_BYTES)


def new_key() -> str:
    """A key for a card's buttons."""
    return secrets.token_urlsafe(KEY_BYTES)


def hash_of(key: str) -> str:
    """What is stored of a key: a plain digest of 96 random bits cannot be guessed back."""
    return hashlib.sha256(key.encode()).hexdigest()
