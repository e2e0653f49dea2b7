"""Keys that tokens are signed with, and what is published of them.

Belongs here: RS256 and the key set of the OpenID metadata. What a token says belongs to `tokens`.
"""

import base64
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

ENDORSED = ("msteams", "webchat", "directline")
"""The channels that a key signs for; a receiver must find the activity's `channelId` among them."""

_BITS = 2048


@dataclass(frozen=True, slots=True)
class Key:
    """A key with its name. `endorsements` are the channels that it may sign for."""

    id: str
    private: rsa.RSAPrivateKey = field(repr=False)
    endorsements: Sequence[str] = ENDORSED

    @property
    def jwk(self) -> dict[str, Any]:
        """As it is published."""
        numbers = self.private.public_key().public_numbers()
        return {
            "kty": "RSA",
            "use": "sig",
            "kid": self.id,
            "x5t": self.id,
            "n": _number(numbers.n),
            "e": _number(numbers.e),
            "endorsements": list(self.endorsements),
        }

    @property
    def public_pem(self) -> bytes:
        """The public key as text, which anyone has."""
        return self.private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)

    def sign(self, claims: Mapping[str, Any]) -> str:
        """A token that says this, signed RS256."""
        signed = unsigned({"alg": "RS256", "typ": "JWT", "kid": self.id, "x5t": self.id}, claims)
        return f"{signed}.{base64url(self.private.sign(signed.encode(), padding.PKCS1v15(), SHA256()))}"


def new_key(*, key_id: str | None = None, endorsements: Sequence[str] = ENDORSED) -> Key:
    """A new one."""
    private = rsa.generate_private_key(public_exponent=65537, key_size=_BITS)
    return Key(key_id or secrets.token_urlsafe(20), private, endorsements)


def unsigned(header: Mapping[str, Any], claims: Mapping[str, Any]) -> str:
    """The first two parts of a token."""
    return f"{base64url(json.dumps(header).encode())}.{base64url(json.dumps(claims).encode())}"


def base64url(data: bytes) -> str:
    """As tokens write bytes."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _number(number: int) -> str:
    return base64url(number.to_bytes((number.bit_length() + 7) // 8, "big"))
