"""The Bot API over HTTP: from a request to a call, from a result to an answer, with the faults in between.

Belongs here: addresses, tokens, reading bodies, faults, the log of calls. What a method does belongs to `methods`.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.parse import parse_qsl

from aiohttp import web
from aiohttp.web_request import FileField

from channels.emulators.faults import SLOW, Fault, Faults
from channels.emulators.journal import Journal
from channels.emulators.listener import cut, cut_in_mid_response
from channels.emulators.telegram import limits
from channels.emulators.telegram.errors import (
    CONFLICT_OTHER_POLL,
    ApiError,
    bad_request,
    conflict,
    not_found,
    too_many_requests,
    unauthorized,
)
from channels.emulators.telegram.methods.call import Call, Method, Raw, Services
from channels.emulators.telegram.methods.table import METHODS
from channels.emulators.telegram.parameters import Upload, read
from channels.emulators.telegram.people import TOKEN_SHAPE, Bot

FAULT_KINDS = frozenset({SLOW, "flood", "conflict", "unauthorized", "server_error", "refuse_html", "cut", "lost"})
"""`slow`: the answer waits. `flood`: 429. `conflict`: 409. `unauthorized`: 401. `server_error`: a 5xx.
`refuse_html`: markup is called unreadable. `cut`: nothing is done, the connection drops in mid-response. `lost`: it is
done and seen, and the connection drops before the answer."""

MAX_BODY = limits.UPLOAD_BYTES + (1 << 20)
CALLS_KEPT = 20_000

_CALL = re.compile(r"/bot([^/]+)/(\w+)")
_FILE = re.compile(r"/file/bot([^/]+)/(.+)")
_JSON_HEADERS = {"Content-Type": "application/json"}
_PAGE = "<html>\r\n<head><title>{0}</title></head>\r\n<body>\r\n<center><h1>{0}</h1></center>\r\n</body>\r\n</html>\r\n"
_REASONS = {500: "Internal Server Error", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout"}


class Judge(Protocol):
    """A second opinion on everything that goes over the wire; each method returns what is wrong."""

    def request(self, method: str, values: Mapping[str, Any]) -> list[str]:
        """A call with its values read; an uploaded file stands as `<file>`."""
        ...

    def answer(self, method: str, result: object) -> list[str]:
        """The result of a call."""
        ...

    def update(self, update: Mapping[str, Any]) -> list[str]:
        """An update, however it gets to the bot."""
        ...


@dataclass(frozen=True, slots=True)
class CallRecord:
    """A call that was made. `status` is 0 where the connection was cut instead of answered."""

    bot_id: int
    method: str
    parameters: Mapping[str, Any]
    status: int
    body: bytes = field(repr=False)
    at: float

    @property
    def answer(self) -> object:
        """The body of the answer."""
        return json.loads(self.body)


@dataclass(slots=True)
class BotApi:
    """The handler behind the port. `problems` collects what the judge found in our own answers."""

    services: Services
    faults: Faults = field(default_factory=lambda: Faults(FAULT_KINDS))
    judge: Judge | None = None
    calls: Journal[CallRecord] = field(default_factory=lambda: Journal(CALLS_KEPT))
    problems: list[str] = field(default_factory=list)

    async def __call__(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer one request."""
        match = _CALL.fullmatch(request.path)
        if match is not None:
            return await self._call(request, match[1], match[2].lower())
        match = _FILE.fullmatch(request.path)
        if match is not None and request.method == "GET":
            return self._file(match[1], match[2])
        return _refusal(not_found())

    def _file(self, token: str, path: str) -> web.StreamResponse:
        stored = self.services.world.files.at_path(path) if token in self.services.world.bots else None
        if stored is None:
            return _refusal(not_found())
        missing = max(0, stored.size - len(stored.data))
        return web.Response(body=stored.data + bytes(missing), content_type="application/octet-stream")

    async def _call(self, request: web.BaseRequest, token: str, name: str) -> web.StreamResponse:
        bot, method = self.services.world.bots.get(token), METHODS.get(name)
        if bot is None:
            return _refusal(unauthorized() if TOKEN_SHAPE.fullmatch(token) else not_found())
        if method is None:
            return _refusal(not_found())
        try:
            given, uploads = await _body(request)
        except web.HTTPRequestEntityTooLarge:
            return self._answer(bot, method, {}, _too_large())
        except ApiError as error:
            return self._answer(bot, method, {}, error)
        lost = False
        for fault in self.faults.strike(method.name, given.get("chat_id"), _kinds(given)):
            if fault.kind == SLOW:
                await self.services.world.clock.sleep(fault.seconds)
            elif fault.kind == "cut":
                self._log(bot, method, given, 0, b"null")
                return await cut_in_mid_response(request)
            elif fault.kind == "lost":
                lost = True
            elif fault.html:
                return self._page(bot, method, given, fault)
            else:
                return self._answer(bot, method, given, _fault_error(fault))
        return await self._run(request, bot, method, given, uploads, lost=lost)

    async def _run(
        self,
        request: web.BaseRequest,
        bot: Bot,
        method: Method,
        given: Mapping[str, Any],
        uploads: Mapping[str, Upload],
        *,
        lost: bool,
    ) -> web.StreamResponse:
        values: Mapping[str, Any] = given
        try:
            values = read(method.name, method.parameters, given, uploads, is_strict=self.services.strict)
            self._judge_request(method, values)
            result = await method.run(Call(self.services, bot, method.name, values, uploads))
        except ApiError as error:
            return self._answer(bot, method, values, error)
        body = result.body if isinstance(result, Raw) else json.dumps(result, separators=(",", ":")).encode()
        if self.judge is not None:
            self.problems += self.judge.answer(method.name, json.loads(body))
        body = b'{"ok":true,"result":%b}' % body
        if lost:
            self._log(bot, method, values, 0, body)
            return cut(request)
        self._log(bot, method, values, 200, body)
        return web.Response(body=body, headers=_JSON_HEADERS)

    def _judge_request(self, method: Method, values: Mapping[str, Any]) -> None:
        if self.judge is None:
            return
        found = self.judge.request(method.name, _shown(values))
        if found:
            raise bad_request(f"strict: {'; '.join(found)}")

    def _answer(self, bot: Bot, method: Method, values: Mapping[str, Any], error: ApiError) -> web.StreamResponse:
        body = json.dumps(error.answer(), separators=(",", ":")).encode()
        self._log(bot, method, values, error.code, body)
        return _refusal(error)

    def _page(self, bot: Bot, method: Method, values: Mapping[str, Any], fault: Fault) -> web.StreamResponse:
        self._log(bot, method, values, fault.status, b"null")
        title = f"{fault.status} {_REASONS.get(fault.status, 'Error')}"
        return web.Response(text=_PAGE.format(title), status=fault.status, content_type="text/html")

    def _log(self, bot: Bot, method: Method, values: Mapping[str, Any], status: int, body: bytes) -> None:
        at = self.services.world.clock.monotonic()
        self.calls.append(CallRecord(bot.id, method.name, _shown(values), status, body, at))


def _shown(values: Mapping[str, Any]) -> Mapping[str, Any]:
    if not any(isinstance(value, Upload) for value in values.values()):
        return values
    return {name: "<file>" if isinstance(value, Upload) else value for name, value in values.items()}


def _kinds(given: Mapping[str, Any]) -> frozenset[str]:
    marked = str(given.get("parse_mode", "")).lower() == "html"
    return FAULT_KINDS if marked else FAULT_KINDS - {"refuse_html"}


def _fault_error(fault: Fault) -> ApiError:
    if fault.kind == "flood":
        return too_many_requests(max(1, round(fault.seconds)))
    if fault.kind == "conflict":
        return conflict(CONFLICT_OTHER_POLL)
    if fault.kind == "unauthorized":
        return unauthorized()
    if fault.kind == "refuse_html":
        return bad_request("can't parse entities: Can't find end tag corresponding to start tag \"b\"")
    return ApiError(fault.status, _REASONS.get(fault.status, "Internal Server Error"))


def _too_large() -> ApiError:
    return ApiError(413, "Request Entity Too Large")


def _refusal(error: ApiError) -> web.Response:
    body = json.dumps(error.answer(), separators=(",", ":")).encode()
    headers = dict(_JSON_HEADERS)
    if error.parameters and "retry_after" in error.parameters:
        headers["Retry-After"] = str(error.parameters["retry_after"])
    return web.Response(body=body, status=error.code, headers=headers)


async def _body(request: web.BaseRequest) -> tuple[dict[str, Any], dict[str, Upload]]:
    """Everything that the request gives, from its query and its body, and the files among it.

    Raises:
        ApiError: 400 for JSON that is none, 413 for a file over 50 MB.
    """
    given: dict[str, Any] = (
        dict(parse_qsl(request.query_string, keep_blank_values=True)) if request.query_string else {}
    )
    if request.method == "GET" or not request.can_read_body:
        return given, {}
    kind = request.content_type
    if kind == "application/x-www-form-urlencoded":
        given.update(parse_qsl((await request.read()).decode(), keep_blank_values=True))
    elif kind == "application/json":
        given.update(_json_body(await request.read()))
    elif kind == "multipart/form-data":
        return await _multipart(request, given)
    return given, {}


def _json_body(body: bytes) -> dict[str, Any]:
    try:
        given = json.loads(body)
    except ValueError:
        raise bad_request("can't parse JSON object") from None
    if not isinstance(given, dict):
        raise bad_request("object expected")
    return given


async def _multipart(request: web.BaseRequest, given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Upload]]:
    uploads: dict[str, Upload] = {}
    for name, value in (await request.post()).items():
        if isinstance(value, FileField):
            data = value.file.read()
            if len(data) > limits.UPLOAD_BYTES:
                raise _too_large()
            uploads[name] = Upload(value.filename, data)
        else:
            given[name] = value
    return given, uploads
