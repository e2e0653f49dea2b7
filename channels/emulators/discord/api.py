"""The REST API over HTTP: from a request to a call, from a reply to an answer, with the faults in between.

Belongs here: addresses, tokens, reading bodies, faults, the log of calls. What a route does belongs to `routes`.
"""

import asyncio
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from aiohttp import web
from aiohttp.web_request import FileField

from channels.emulators.discord import limits
from channels.emulators.discord.calls import Call, Reply
from channels.emulators.discord.errors import ApiError, FormErrors, not_found, too_large, unauthorized
from channels.emulators.discord.files import Upload
from channels.emulators.discord.gateway import Gateway
from channels.emulators.discord.people import Bot
from channels.emulators.discord.places import Attachment
from channels.emulators.discord.rates import Rates, fault_refusal
from channels.emulators.discord.routes.table import Route, find
from channels.emulators.discord.world import World
from channels.emulators.faults import SLOW, Fault, Faults
from channels.emulators.journal import Journal
from channels.emulators.listener import cut, cut_in_mid_response

FAULT_KINDS = frozenset({SLOW, "flood", "flood_all", "cloudflare", "unauthorized", "server_error", "cut", "lost"})
"""`slow`: the answer waits. `flood`: 429 of this bucket. `flood_all`: 429 of the whole bot. `cloudflare`: 429 as a
page, error 1015. `unauthorized`: 401. `server_error`: a 5xx. `cut`: nothing is done, the connection drops in mid
response. `lost`: it is done and seen, and the connection drops before the answer."""

MAX_BODY = limits.REQUEST_BYTES + (1 << 20)
CALLS_KEPT = 20_000
PREFIX = "/api/v10"

_FILE = re.compile(r"/attachments/(\d+)/(\d+)/(.+)")
_JSON_HEADERS = {"Content-Type": "application/json"}
_PAGE = "<html><head><title>{0}</title></head><body><h1>{0}</h1></body></html>"
_REASONS = {500: "Internal Server Error", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout"}


class Judge(Protocol):
    """A second opinion on everything that goes over the wire; each method returns what is wrong."""

    def request(self, route: str, body: object) -> list[str]:
        """A call with its body read."""
        ...

    def answer(self, route: str, status: int, body: object) -> list[str]:
        """What it was answered."""
        ...


@dataclass(frozen=True, slots=True)
class CallRecord:
    """A call that was made. `status` is 0 where the connection was cut instead of answered. `at` is monotonic."""

    bot_id: str
    route: str
    place: Mapping[str, str]
    query: Mapping[str, str]
    body: Any
    files: tuple[str, ...]
    status: int
    answer: Any
    at: float


@dataclass(slots=True)
class _Request:
    """A request on its way: what is recorded of it."""

    route: Route
    place: dict[str, str]
    bot: Bot | None
    query: dict[str, str]
    body: Any = None
    uploads: dict[str, Upload] = field(default_factory=dict)


@dataclass(slots=True)
class RestApi:
    """The handler behind the port, for the gateway's address too. `problems` collects what the judge found."""

    world: World
    gateway: Gateway
    rates: Rates
    strict: bool = True
    judge: Judge | None = None
    faults: Faults = field(default_factory=lambda: Faults(FAULT_KINDS))
    calls: Journal[CallRecord] = field(default_factory=lambda: Journal(CALLS_KEPT))
    problems: list[str] = field(default_factory=list)

    async def __call__(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer one request."""
        if request.path.rstrip("/") == "/gateway":
            return await self.gateway(request)
        match = _FILE.fullmatch(request.path)
        if match is not None and request.method == "GET":
            return self._file(match[1], match[2], match[3])
        found = find(request.method, request.path.removeprefix(PREFIX)) if request.path.startswith(PREFIX) else None
        if found is None:
            return _refusal(not_found(), {})
        route, place = found
        bot = self.world.bots.get(request.headers.get("Authorization", "").removeprefix("Bot "))
        asked = _Request(route, place, bot, dict(request.query))
        try:
            if bot is None and not route.open:
                raise unauthorized()
            asked.body, asked.uploads = await _body(request)
        except web.HTTPRequestEntityTooLarge:
            return self._refuse(asked, too_large(), {})
        except ApiError as error:
            return self._refuse(asked, error, {})
        return await self._with_faults(request, asked)

    def _file(self, channel_id: str, file_id: str, name: str) -> web.StreamResponse:
        stored = self.attachment(file_id)
        if stored is None or stored.name != name or channel_id not in self.world.channels:
            return web.Response(status=404)
        missing = max(0, stored.size - len(stored.data))
        return web.Response(body=stored.data + bytes(missing), headers={"Content-Type": stored.mime})

    def attachment(self, file_id: str) -> Attachment | None:
        """A file that stands in some channel."""
        for channel in self.world.channels.values():
            for message in channel.messages.values():
                for stored in message.content.attachments:
                    if stored.id == file_id and not message.deleted:
                        return stored
        return None

    async def _with_faults(self, request: web.BaseRequest, asked: _Request) -> web.StreamResponse:
        lost = False
        for fault in self.faults.strike(asked.route.name, asked.place.get("channel_id"), FAULT_KINDS):
            if fault.kind == SLOW:
                await self.world.clock.sleep(fault.seconds)
            elif fault.kind == "cut":
                self._record(asked, 0, None)
                return await cut_in_mid_response(request)
            elif fault.kind == "lost":
                lost = True
            elif fault.html or fault.kind == "cloudflare":
                return self._page(asked, fault)
            else:
                refusal, headers = fault_refusal(fault)
                return self._refuse(asked, refusal, headers)
        return await self._run(request, asked, lost=lost)

    async def _run(self, request: web.BaseRequest, asked: _Request, *, lost: bool) -> web.StreamResponse:
        call = Call(self.world, asked.bot, asked.place, asked.query, asked.body, asked.uploads)
        headers: dict[str, str] = {}
        try:
            headers = self.rates.pass_(asked.bot, asked.route.name, asked.place, free=asked.route.open)
            self._judge_request(asked)
            reply = await asked.route.handler(call)
        except ApiError as error:
            if error.status == 429:
                headers = self.rates.refusal_headers(error)
            return self._refuse(asked, error, headers)
        if lost:
            self._record(asked, 0, reply.body)
            await asyncio.sleep(0)
            return cut(request)
        return self._reply(asked, reply, headers)

    def _judge_request(self, asked: _Request) -> None:
        wrong = self.judge.request(asked.route.name, asked.body) if self.judge is not None else []
        if not self.strict:
            self.problems.extend(wrong)
        elif wrong:
            errors = FormErrors()
            errors.add("", "SCHEMA", "; ".join(wrong))
            errors.raise_if_any()

    def _reply(self, asked: _Request, reply: Reply, headers: dict[str, str]) -> web.Response:
        if self.judge is not None:
            self.problems.extend(self.judge.answer(asked.route.name, reply.status, reply.body))
        self._record(asked, reply.status, reply.body)
        if reply.body is None:
            return web.Response(status=204, headers=headers)
        body = json.dumps(reply.body, separators=(",", ":")).encode()
        return web.Response(body=body, status=reply.status, headers=headers | _JSON_HEADERS)

    def _refuse(self, asked: _Request, error: ApiError, headers: dict[str, str]) -> web.Response:
        self._record(asked, error.status, error.answer())
        return _refusal(error, headers)

    def _page(self, asked: _Request, fault: Fault) -> web.StreamResponse:
        status = 429 if fault.kind == "cloudflare" else fault.status
        title = "error code: 1015" if fault.kind == "cloudflare" else f"{status} {_REASONS.get(status, 'Error')}"
        self._record(asked, status, title)
        headers = {"Retry-After": str(round(fault.seconds))} if fault.kind == "cloudflare" else {}
        return web.Response(text=_PAGE.format(title), status=status, content_type="text/html", headers=headers)

    def _record(self, asked: _Request, status: int, answer: object) -> None:
        bot_id, files = (asked.bot.id if asked.bot is not None else ""), tuple(u.name for u in asked.uploads.values())
        at = self.world.clock.monotonic()
        self.calls.append(
            CallRecord(bot_id, asked.route.name, asked.place, asked.query, asked.body, files, status, answer, at)
        )


def _refusal(error: ApiError, headers: dict[str, str]) -> web.Response:
    body = json.dumps(error.answer(), separators=(",", ":")).encode()
    return web.Response(body=body, status=error.status, headers=headers | _JSON_HEADERS)


async def _body(request: web.BaseRequest) -> tuple[Any, dict[str, Upload]]:
    """What the request says, and the files with it.

    Raises:
        ApiError: 400 for JSON that is none.
    """
    if request.method == "GET" or not request.can_read_body:
        return None, {}
    if request.content_type == "multipart/form-data":
        return await _multipart(request)
    raw = await request.read()
    return (_json(raw), {}) if raw else (None, {})


def _json(raw: str | bytes) -> Any:  # noqa: ANN401 - JSON
    try:
        return json.loads(raw)
    except ValueError:
        raise ApiError(400, 50109, "The request body contains invalid JSON.") from None


async def _multipart(request: web.BaseRequest) -> tuple[Any, dict[str, Upload]]:
    uploads: dict[str, Upload] = {}
    body: Any = {}
    for name, value in (await request.post()).items():
        if isinstance(value, FileField):
            uploads[name] = Upload(value.filename, value.file.read())
        elif name == "payload_json" and isinstance(value, str):
            body = _json(value)
    return body, uploads
