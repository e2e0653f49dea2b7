"""What every request to the web side must pass before any route sees it, and the headers on every answer.

Wrapped around the whole application, so that a new route, a refusal and a crash are all covered. Which pages there are
does not belong here.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import quote, urlsplit

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.requests import cookie_parser
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from core.errors import StoreUnavailable
from web import callers
from web.callers import Caller, TokenCallers, TooManyWrong
from web.problems import as_json, problem, root_of
from web.sessions import Sessions

CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'"
)

HEADERS = {
    "Content-Security-Policy": CSP,
    "X-Content-Type-Options": "nosniff",
    # With `no-referrer` browsers would send `Origin: null` along with forms, and the gate needs to know whose they are.
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})

OPEN_PATHS = frozenset({"/healthz", "/metrics"})
"""Nothing private is said there, and those who ask have no browser."""

API = "/api"
"""Where programs ask, with a token; what is said there is JSON, whoever asks."""

STATIC = "/static/"

SIGN_IN = "/sign-in"
"""Where the owner signs in; open, as nobody is signed in yet who comes there."""

CONNECT = ("/connect/", "/demo-calendar/")
"""Where a person signs in with an app, often in a browser that never came in by our link. Each page there asks for a
ticket of its own, and opens nothing else."""

PUSHED = "/channels/"
"""Below it chat apps bring messages. They have no cookie and say who they are in a way of their own, which is checked
there; behind a proxy they ask for whatever name the proxy gives."""


@dataclass(frozen=True, slots=True)
class Gate:
    """Who may ask for what. `public_url` is an address of ours behind a proxy; `port` only names the cookie.

    Programs ask by their tokens, and only below `API`; without `tokens` none may.

    Browsers send cookies to every port of a host, so each port has a name of its own: two Conches on one machine do not
    sign each other out.
    """

    sessions: Sessions
    port: int
    allowed_hosts: frozenset[str] = frozenset()
    public_url: str | None = None
    tokens: TokenCallers | None = None
    has_keys: Callable[[], bool] = lambda: False
    """Whether the owner can sign in by anything but a link; then a browser that is signed out is led there."""

    @property
    def try_cookie(self) -> str:
        """The name of the cookie by which a browser is known again while it signs in."""
        return f"conch_try_{self.port}"

    @property
    def cookie(self) -> str:
        """The name of the session's cookie."""
        return f"conch_session_{self.port}"

    def knows_host(self, host: str) -> bool:
        """Whether a Host header names us. Another site's name that resolves to this machine does not."""
        name = _name(host)
        if name is None:
            return False
        public = urlsplit(self.public_url).hostname if self.public_url else None
        return is_loopback(name) or name in self.allowed_hosts or name == public

    def knows_origin(self, origin: str, scheme: str, host: str) -> bool:
        """Whether an Origin header is the page's own address."""
        own = {f"{scheme}://{host}".lower()}
        if self.public_url:
            parts = urlsplit(self.public_url)
            own.add(f"{parts.scheme}://{parts.netloc}".lower())
        return origin.lower() in own

    def is_secure(self, host: str, scheme: str = "http") -> bool:
        """Whether browsers reach us by this name over TLS: a proxy in front says so, or the public address does."""
        if scheme == "https":
            return True
        if not self.public_url:
            return False
        public = urlsplit(self.public_url)
        return public.scheme == "https" and public.hostname == _name(host)


def is_loopback(name: str) -> bool:
    """Whether a name or address means this machine, whoever is asked."""
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False


def normal_names(names: Iterable[str]) -> frozenset[str]:
    """Host names as they are compared: lower-case, without a port."""
    return frozenset(name for given in names if (name := _name(given)))


class Guarded:
    """An application behind the gate."""

    def __init__(self, app: ASGIApp, gate: Gate) -> None:
        self.app = app
        self.gate = gate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse, or pass on with our headers on the answer."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        path = path_in(scope)  # now: a mounted application's routes change the root path

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                _add_headers(path, MutableHeaders(scope=message))
            await send(message)

        refusal = await self._refusal(scope, Headers(scope=scope))
        await (refusal or self.app)(scope, receive, send_with_headers)

    async def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        if scope["method"] == "POST" and path_in(scope).startswith(PUSHED):
            return None
        told = Headers() if is_api(path_in(scope)) else headers  # programs read JSON, whatever they accept
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self.gate.knows_host(hosts[0]):
            return problem(told, 400, "foreign-host", root=root_of(scope))
        if not self._is_from_us(scope, headers):
            return problem(told, 403, "foreign-origin", root=root_of(scope))
        if is_api(path_in(scope)):
            return await self._refusal_of_api(scope, headers)
        if _is_open(scope):
            return None
        session = read_cookie(headers, self.gate.cookie)
        if session is None or not self.gate.sessions.knows(session):
            return self._signed_out(scope, headers)
        await self.gate.sessions.seen(session)
        return None

    def _signed_out(self, scope: Scope, headers: Headers) -> Response:
        """To the page where one signs in, for a person who looks at a page; else a refusal."""
        if scope["method"] == "GET" and "text/html" in headers.get("accept", "") and self.gate.has_keys():
            query = scope.get("query_string", b"").decode("latin-1")
            wanted = quote(f"{path_in(scope)}?{query}" if query else path_in(scope))
            return RedirectResponse(f"{scope.get('root_path', '')}{SIGN_IN}?next={wanted}", 303)
        return problem(headers, 401, "signed-out", root=root_of(scope))

    async def _refusal_of_api(self, scope: Scope, headers: Headers) -> Response | None:
        """Every change needs a caller who may change something: a route that is new cannot forget to ask."""
        try:
            caller = await self._caller(scope, headers)
        except TooManyWrong as reason:
            return _with(as_json(429, "too-many-wrong"), "Retry-After", str(int(reason.retry_after)))
        except StoreUnavailable:
            return as_json(503, "unavailable")
        if caller is None:
            challenge = 'Bearer realm="conch"'
            if "authorization" in headers:
                challenge += ', error="invalid_token"'
            return _with(as_json(401, "no-token"), "WWW-Authenticate", challenge)
        if not caller.may_change and scope["method"] not in SAFE_METHODS:
            return as_json(403, "read-only")
        callers.announce(scope, caller)
        return None

    async def _caller(self, scope: Scope, headers: Headers) -> Caller | None:
        """A token counts before the session: whoever sends one means it."""
        given = headers.getlist("authorization")
        if given:
            if self.gate.tokens is None or len(given) > 1:
                return None
            return await self.gate.tokens.known(given[0], (scope.get("client") or ("",))[0])
        session = read_cookie(headers, self.gate.cookie)
        if session is None or not self.gate.sessions.knows(session):
            return None
        sessions = self.gate.sessions
        return callers.console(lambda: sessions.knows(session), is_recent=sessions.is_recent(session))

    def _is_from_us(self, scope: Scope, headers: Headers) -> bool:
        """Whether a page of ours, or no page at all, asks. Another site may only lead a person here by a link.

        Browsers name the asking page in Origin whenever it could change something or read across sites; where a browser
        leaves it out, Sec-Fetch-Site says as much. An event stream of another site has an Origin, one of ours has none.
        """
        method, site = scope["method"], headers.get("sec-fetch-site")
        if (origin := headers.get("origin")) is not None:
            return self.gate.knows_origin(origin, scope["scheme"], headers["host"])
        if site in ("cross-site", "same-site"):
            return method == "GET" and headers.get("sec-fetch-mode") == "navigate" and not is_api(path_in(scope))
        if is_api(path_in(scope)) and ("authorization" in headers or not read_cookie(headers, self.gate.cookie)):
            return True  # a browser sends a cookie of its own accord, and no token
        return method in SAFE_METHODS or site == "same-origin"


def read_cookie(headers: Headers, name: str) -> str | None:
    """A cookie's value, or None. Other programs on this machine may have set anything beside it."""
    return cookie_parser("; ".join(headers.getlist("cookie"))).get(name)


def path_in(scope: Scope) -> str:
    """The path below the root path: what the routes match, and so what the gate must judge."""
    path, root = str(scope["path"]), str(scope.get("root_path", ""))
    return path[len(root) :] or "/" if root and (path == root or path.startswith(f"{root}/")) else path


def is_api(path: str) -> bool:
    """Whether a path belongs to the API."""
    return path == API or path.startswith(f"{API}/")


def _with(answer: Response, name: str, value: str) -> Response:
    answer.headers[name] = value
    return answer


def _name(host: str) -> str | None:
    """The name in a Host header: lower-case, without the port, IPv6 without brackets; None for anything odd."""
    try:
        parts = urlsplit(f"//{host.strip()}")
        if parts.username is not None or parts.path or parts.query or parts.fragment:
            return None
        parts.port  # noqa: B018 - raises for what is no port
        return parts.hostname.rstrip(".") if parts.hostname else None
    except ValueError:
        return None


def _is_open(scope: Scope) -> bool:
    path = path_in(scope)
    if path in OPEN_PATHS or path == SIGN_IN or path.startswith((STATIC, f"{SIGN_IN}/", *CONNECT)):
        return True
    is_link = path == "/" and "token" in QueryParams(scope.get("query_string", b""))
    return is_link and scope["method"] == "GET"


def _add_headers(path: str, headers: MutableHeaders) -> None:
    for name, value in HEADERS.items():
        headers[name] = value
    if not path.startswith(STATIC):
        headers["Cache-Control"] = "no-store"
