"""What a proxy in front says about a request: who asks, by which scheme and name, and below which path.

Believed only from addresses the owner named; who may ask for what is the gate's to say, which comes after.
"""

import re
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

MOST_PREFIX = 200
"""Characters of a path that a proxy may put us below."""

_PREFIX = re.compile(r"(?:/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+")


def normal_root(given: str) -> str:
    """A root path as it is compared: "" or "/conch", never with a slash at its end.

    Raises:
        ValueError: it is no plain path.
    """
    path = given.strip().removesuffix("/")
    if path and (len(path) > MOST_PREFIX or not _PREFIX.fullmatch(path)):
        raise ValueError("it is a path such as /conch: letters, digits, dots, dashes, each part after one slash")
    return path


class Proxies:
    """An application behind proxies. `trusted` are addresses and networks, comma separated; "" trusts nobody."""

    def __init__(self, app: ASGIApp, trusted: str = "", root_path: str = "") -> None:
        self.app = app
        self.root_path = normal_root(root_path)
        self._forwarded = ProxyHeadersMiddleware(self._believed, trusted)  # type: ignore[arg-type]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on with what is believed; headers of anybody else change nothing."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        root = self.root_path
        scope = _unmapped(dict(scope))
        if (scope.get("client") or ("",))[0] in self._forwarded.trusted_hosts:
            headers = Headers(scope=scope)
            root = _prefix(headers, root)
            scope["headers"] = _sane(_with_host(scope, headers), headers)
            await self._forwarded(_below(scope, root), receive, send)  # type: ignore[arg-type]
            return
        await self.app(_below(scope, root), receive, send)

    async def _believed(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.app(scope, receive, send)


def networks(given: Iterable[str]) -> str:
    """Addresses and networks as `trusted` takes them.

    Raises:
        ValueError: one of them is neither; everybody (`*`) is never trusted.
    """
    return ",".join(str(ip_network(one.strip())) for one in given)


def _unmapped(scope: Scope) -> Scope:
    """An IPv4 address that came by IPv6 (::ffff:10.0.0.1) is the same address."""
    client = scope.get("client")
    mapped = getattr(_address(client[0]), "ipv4_mapped", None) if client else None
    if client and mapped is not None:
        scope["client"] = (str(mapped), client[1])
    return scope


def _sane(pairs: list[tuple[bytes, bytes]], headers: Headers) -> list[tuple[bytes, bytes]]:
    """Without what says nothing that can be: a client that is no address, a scheme that no browser has."""
    dropped = set()
    clients = [one.strip() for value in headers.getlist("x-forwarded-for") for one in value.split(",")]
    if any(_address(one) is None for one in clients):
        dropped.add(b"x-forwarded-for")
    if any(value.strip() not in ("http", "https") for value in headers.getlist("x-forwarded-proto")):
        dropped.add(b"x-forwarded-proto")
    return [pair for pair in pairs if pair[0] not in dropped]


def _address(given: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(given)
    except ValueError:
        return None


def _prefix(headers: Headers, otherwise: str) -> str:
    given = headers.getlist("x-forwarded-prefix")
    try:
        return normal_root(given[0]) if len(given) == 1 else otherwise
    except ValueError:
        return otherwise


def _with_host(scope: Scope, headers: Headers) -> list[tuple[bytes, bytes]]:
    """The name that the browser asked for; anything odd is left as it came, and the gate looks at it."""
    given = headers.getlist("x-forwarded-host")
    kept: list[tuple[bytes, bytes]] = list(scope["headers"])
    if len(given) != 1 or "," in given[0] or not given[0].strip():
        return kept
    return [pair for pair in kept if pair[0] != b"host"] + [(b"host", given[0].strip().encode("latin-1"))]


def _below(scope: Scope, root: str) -> Scope:
    """With the path that ASGI wants, root path and all, whether or not the proxy took it off."""
    path = scope["path"]
    if root and path != root and not path.startswith(f"{root}/"):
        scope["path"] = root + path
    scope["root_path"] = root
    return scope
