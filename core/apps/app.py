"""The contract of an app that can be connected, and what signing in with it comes to.

How a person gets through the sign-in is in `core.apps.signing_in`, what is kept of it in `core.apps.connections`.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol, Self

from core.tools.tool import Tool

Key = Callable[[], Awaitable[str]]
"""Gets an access token that is good now.

Raises:
    NotAllowed: the app takes the connection no more.
    TryLater: it cannot be asked now.
"""

TokenEndpoint = Callable[[Mapping[str, str]], Awaitable[tuple[int, Mapping[str, str | int]]]]
"""What stands at an app's token address: the fields of a request, to a status and the fields of the answer."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """What an app gave for a sign-in (RFC 6749, 5.1). Without `expires_at` the access token is good until refused."""

    access: str = field(repr=False)
    refresh: str | None = field(default=None, repr=False)
    expires_at: datetime | None = None

    def named(self) -> Mapping[str, str]:
        """As text by name, to be sealed."""
        until = self.expires_at.isoformat() if self.expires_at else None
        known = {"access": self.access, "refresh": self.refresh, "expires_at": until}
        return {name: text for name, text in known.items() if text is not None}

    @classmethod
    def of(cls, named: Mapping[str, str]) -> Self:
        """What `named` gave."""
        until = named.get("expires_at")
        return cls(named["access"], named.get("refresh"), datetime.fromisoformat(until) if until else None)


@dataclass(frozen=True, slots=True)
class SignIn:
    """How one signs in with an app: OAuth 2, authorization code with PKCE (RFC 6749, RFC 7636), as a public client.

    An `authorize_url` that begins with a slash is a page of our own server. With an `endpoint` the token address is not
    asked over the network.
    """

    client_id: str
    authorize_url: str
    token_url: str
    scope: str
    endpoint: TokenEndpoint | None = None


class App(Protocol):
    """An app that can be connected."""

    @property
    def id(self) -> str:
        """Its id in the catalog."""
        ...

    @property
    def name(self) -> str:
        """Its name for people."""
        ...

    @property
    def account(self) -> str:
        """Who is signed in, as far as is known without asking."""
        ...

    @property
    def may(self) -> Sequence[str]:
        """What Conch can do with it once it is connected: half sentences that follow “Conch can”."""
        ...

    @property
    def sign_in(self) -> SignIn:
        """How one signs in."""
        ...

    def tools(self, key: Key) -> Sequence[Tool]:
        """What it brings along. A tool that fails says so in words of ours, any other result is the app's words."""
        ...
