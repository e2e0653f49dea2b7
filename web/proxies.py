"""What a proxy in front says about a request: who asks, by which scheme and name, and below which path.

Believed only from addresses the owner named; who may ask for what is the gate's to say, which comes after.
"""

import re

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
        peer = (scope.get("client") or ("",))[0]
        root = self.root_path
        scope = dict(scope)
        if peer in self._forwarded.trusted_hosts:
            headers = Headers(scope=scope)
            root = _prefix(headers, root)
            scope["headers"] = _with_host(scope, headers)
            await self._forwarded(_below(scope, root), receive, send)  # type: ignore[arg-type]
            return
        await self.app(_below(scope, root), receive, send)

    async def _believed(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.app(scope, receive, send)


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
