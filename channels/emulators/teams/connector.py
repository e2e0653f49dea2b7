"""The Connector over HTTP: from a request to what happens in a chat, with the faults in between.

Belongs here: addresses, tokens, faults, the log of calls. What a message may hold is `contents`, what a stream may do
`streams`.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.parse import unquote

from aiohttp import web

from channels.emulators.faults import SLOW, Fault, Faults
from channels.emulators.journal import Journal
from channels.emulators.listener import cut, cut_in_mid_response
from channels.emulators.teams import methods
from channels.emulators.teams.deliveries import LOST_ACK
from channels.emulators.teams.errors import REFUSALS, ApiError
from channels.emulators.teams.methods import Call
from channels.emulators.teams.rates import Rates
from channels.emulators.teams.streams import Streams
from channels.emulators.teams.world import World

CALLS_KEPT = 20_000

PATH = "/emea/"
"""What the addresses of the Connector begin with; the real one names a region there."""

CUT, LOST, THROTTLED, SERVER_ERROR = "cut", "lost", "throttled", "server_error"
FAULT_KINDS = frozenset({SLOW, CUT, LOST, THROTTLED, SERVER_ERROR, LOST_ACK, *REFUSALS})
"""`slow`: the answer waits. `cut`: nothing is done, the connection drops in mid-response. `lost`: it is done and seen,
and the connection drops before the answer. `throttled`: 429 with Retry-After of `seconds`. `server_error`: a 5xx with a
page. `lost_ack`: an answer of the bot's does not arrive; `method` is the activity's type. All others: a refusal of that
name, such as `PreconditionFailed` (412), `MessageSizeTooBig` (413), `ServiceError` (502), `Timeout` (504)."""


class Judge(Protocol):
    """A second opinion on everything that goes over the wire; each method returns what is wrong."""

    def request(self, method: str, path: str, body: object) -> list[str]:
        """A call of the bot's."""
        ...

    def activity(self, activity: Mapping[str, Any]) -> list[str]:
        """What a bot is posted."""
        ...


@dataclass(frozen=True, slots=True)
class CallRecord:
    """A call that was made. `status` is 0 where the connection was cut instead of answered; `order` as a delivery's."""

    bot_id: str
    method: str
    path: str
    parameters: Any
    status: int
    answer: Any
    at: float
    order: int

    @property
    def error(self) -> str | None:
        """The code with which it was refused."""
        refused = self.answer.get("error") if isinstance(self.answer, Mapping) else None
        return refused.get("code") if isinstance(refused, Mapping) else None


@dataclass(slots=True)
class Connector:
    """The handler behind the port."""

    world: World
    faults: Faults
    rates: Rates
    judge: Judge | None = None
    calls: Journal[CallRecord] = field(default_factory=lambda: Journal(CALLS_KEPT))
    streams: Streams = field(init=False)

    def __post_init__(self) -> None:
        """The streams go with the world."""
        self.streams = Streams(self.world)

    async def __call__(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer one request."""
        whole = request.raw_path.partition("?")[0]
        path = [unquote(part) for part in whole.strip("/").split("/")]
        if path[0] == "files" and request.method == "GET" and len(path) > 1:
            return self._file(path[1])
        if path[0] == "upload" and request.method == "PUT" and len(path) > 1:
            return await self._upload(request, path[1])
        found = methods.find(request.method, path[1:]) if whole.startswith(PATH) else None
        if found is None:
            return web.json_response(
                {"message": "No HTTP resource was found that matches the request URI."}, status=404
            )
        name, run, about = found
        order = self.world.next_order()
        body = await _body(request)
        made = _Made(self, name, request.path, body, order, self._bot_id(request))
        return await self._call(request, made, run, about)

    async def _call(
        self, request: web.BaseRequest, made: "_Made", run: "Callable[[Call], Any]", about: Mapping[str, str]
    ) -> web.StreamResponse:
        lost = False
        for fault in self.faults.strike(made.name, about.get("conversation"), FAULT_KINDS - {LOST_ACK}):
            if fault.kind == SLOW:
                await self.world.clock.sleep(fault.seconds)
            elif fault.kind == CUT:
                made.log(0, {})
                return await cut_in_mid_response(request)
            elif fault.kind == LOST:
                lost = True
            else:
                return made.struck(fault)
        bot = self.world.accounts.get(made.bot_id)
        if bot is None:
            return made.answer(401, {"message": "Authorization has been denied for this request."})
        wait = self.rates.wait_for(made.bot_id, about.get("conversation"))
        if wait:
            return made.struck(Fault(0, THROTTLED, seconds=wait))
        status, answer = await self._run(made, run, about)
        if lost:
            made.log(0, answer)
            return cut(request)
        if isinstance(answer, bytes):
            made.log(status, {})
            return web.Response(body=answer, status=status)
        return made.answer(status, answer)

    async def _run(self, made: "_Made", run: "Callable[[Call], Any]", about: Mapping[str, str]) -> tuple[int, Any]:
        bot = self.world.bot_with(made.bot_id.removeprefix("28:"))
        assert bot is not None  # noqa: S101 its token was looked at
        try:
            found = self.judge.request(made.name, made.path, made.body) if self.judge is not None else []
            if found:
                raise ApiError("BadSyntax", "; ".join(found))
            result: tuple[int, Any] = run(Call(self.world, self.streams, bot, made.body, about))
            return result
        except ApiError as error:
            return error.status, error.answer()

    def _bot_id(self, request: web.BaseRequest) -> str:
        """Whose token it is; empty where it is nobody's."""
        header = request.headers.get("Authorization", "")
        app_id = self.world.tokens.app_of(header.removeprefix("Bearer ")) if header.startswith("Bearer ") else None
        return f"28:{app_id}" if app_id is not None else ""

    def _file(self, file_id: str) -> web.StreamResponse:
        stored = self.world.files.get(file_id)
        if stored is None:
            return web.Response(status=404)
        return web.Response(body=stored.data + bytes(max(0, stored.size - len(stored.data))), content_type=stored.mime)

    async def _upload(self, request: web.BaseRequest, upload_id: str) -> web.StreamResponse:
        """Bytes of a file, all or a part, as OneDrive takes them (createUploadSession)."""
        data = await request.read()
        order = self.world.next_order()
        made = _Made(self, "upload", request.path, {"bytes": len(data)}, order, "")
        for fault in self.faults.strike("upload", None, {CUT, SERVER_ERROR, THROTTLED}):
            if fault.kind == CUT:
                return await cut_in_mid_response(request)
            return made.struck(fault)
        return made.answer(*methods.upload(self.world, upload_id, data, request.headers.get("Content-Range", "")))


@dataclass(frozen=True, slots=True)
class _Made:
    """A call under way."""

    connector: Connector
    name: str
    path: str
    body: Any
    order: int
    bot_id: str

    def struck(self, fault: Fault) -> web.StreamResponse:
        """The answer of a fault."""
        if fault.kind == THROTTLED:
            headers = {"Retry-After": str(max(1, round(fault.seconds)))}
            return self.answer(429, ApiError("Throttled").answer(), headers)
        if fault.kind == SERVER_ERROR:
            self.log(fault.status, {})
            return web.Response(status=fault.status, text="<html><title>Error</title></html>", content_type="text/html")
        error = ApiError(fault.kind)
        return self.answer(error.status, error.answer())

    def answer(self, status: int, answer: object, headers: Mapping[str, str] | None = None) -> web.StreamResponse:
        """Answer, and write it down."""
        self.log(status, answer)
        if answer is None:
            return web.Response(status=status, headers=headers)
        return web.json_response(answer, status=status, headers=headers)

    def log(self, status: int, answer: object) -> None:
        """Write down that it was made."""
        at = self.connector.world.clock.monotonic()
        record = CallRecord(self.bot_id, self.name, self.path, self.body, status, answer, at, self.order)
        self.connector.calls.append(record)


async def _body(request: web.BaseRequest) -> Any:  # noqa: ANN401 JSON is anything
    text = await request.text()
    try:
        return json.loads(text) if text else {}
    except ValueError:
        return {}
