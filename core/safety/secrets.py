"""Secrets at rest: sealed with one key before they are stored, opened only by whoever needs them at that moment.

The key is the text in `CONCH_SECRET_KEY`, or a file of random text in the data folder that only its owner may read.
This module reads no environment; whoever builds a box passes the text in.
"""

import base64
import contextlib
import json
import os
import secrets
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Self

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from core.errors import UsageError

KEY_FILE: Final = "secret.key"

MIN_KEY: Final = 32
"""Characters of a key: enough that nobody guesses it, whatever alphabet it is in."""

_PURPOSE: Final = b"conch stored secrets"

_WRONG_KEY: Final = (
    "The stored keys cannot be read: they were sealed with another secret key. Set CONCH_SECRET_KEY to that one, "
    f"or bring the file {KEY_FILE} back into the data folder; if it is lost, connect your bots and engines again."
)


class SecretBox:
    """Seals and opens secrets with one key."""

    def __init__(self, key: str) -> None:
        """Use a key that is any text of at least 32 characters.

        Raises:
            UsageError: it is shorter.
        """
        if len(key) < MIN_KEY:
            raise UsageError(f"The secret key must have at least {MIN_KEY} characters; this one has {len(key)}.")
        derived = HKDF(algorithm=SHA256(), length=32, salt=None, info=_PURPOSE).derive(key.encode())
        self._fernet = Fernet(base64.urlsafe_b64encode(derived))

    @classmethod
    def kept_in(cls, folder: Path, key: str | None = None) -> Self:
        """The box with this key, or with the one in the folder's key file, which is made when it is not there.

        Raises:
            UsageError: the key is too short, or the file cannot be read or made.
        """
        if key is not None:
            return cls(key)
        path = folder / KEY_FILE
        try:
            if not path.exists():
                _create(path)
            path.chmod(0o600)
            return cls(path.read_text(encoding="utf-8").strip())
        except (OSError, UnicodeDecodeError) as fault:
            raise UsageError(f"The key file {path} cannot be used: {fault}.") from fault

    def encrypt(self, text: str) -> str:
        """The text, sealed; a different one each time."""
        return self._fernet.encrypt(text.encode()).decode("ascii")

    def decrypt(self, sealed: str) -> str:
        """The text that was sealed.

        Raises:
            UsageError: it was sealed with another key, or changed since.
        """
        try:
            return self._fernet.decrypt(sealed.encode()).decode()
        except InvalidToken as fault:
            raise UsageError(_WRONG_KEY) from fault

    def seal(self, credentials: Mapping[str, str]) -> str:
        """The named secrets of one bot, sealed together."""
        return self.encrypt(json.dumps(dict(credentials)))

    def open(self, sealed: str) -> Mapping[str, str]:
        """What `seal` was given.

        Raises:
            UsageError: as for `decrypt`.
        """
        opened: Mapping[str, str] = json.loads(self.decrypt(sealed))
        return opened


def _create(path: Path) -> None:
    """Make the key file whole or not at all, and never over one that somebody else made meanwhile."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".secret-")  # for its owner only, by itself
    whole = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(secrets.token_urlsafe(48) + "\n")
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileExistsError):
            path.hardlink_to(whole)
    finally:
        whole.unlink()
