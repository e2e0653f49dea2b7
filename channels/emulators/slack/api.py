"""The Web API over HTTP, and what else is behind the port: from a request to a call, with the faults in between.

Belongs here: addresses, tokens, faults, the log of calls. What a method does belongs to `methods`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from aiohttp import web

from channels.emulators.faults import SLOW, Fault, Faults
from channels.emulators.journal import Journal
from channels.emulators.listener import cut, cut_in_mid_response
from channels.emulators.slack import parameters, sockets
from channels.emulators.slack.errors import ApiError, strict
from channels.emulators.slack.methods.call import Call, Method
from channels.emulators.slack.methods.table import METHODS
from channels.emulators.slack.people import Bot
from channels.emulators.slack.rates import Rates
from channels.emulators.slack.responding import respond
from channels.emulators.slack.world import World

CALLS_KEPT = 20_000

ERRORS = frozenset(
    {
        "account_inactive",
        "channel_not_found",
        "fatal_error",
        "internal_error",
        "invalid_auth",
        "invalid_blocks",
        "is_archived",
        "message_not_found",
        "missing_scope",
        "msg_too_long",
        "not_in_channel",
        "restricted_action",
        "token_revoked",
    }
)
"""Refusals that can be asked for by their own words."""

CUT, LOST, RATELIMITED, SERVER_ERROR = "cut", "lost", "ratelimited", "server_error"
WIRE_FAULTS = frozenset({SLOW, CUT, LOST, RATELIMITED, SERVER_ERROR})
LOST_ACK = "lost_ack"
FAULT_KINDS = WIRE_FAULTS | ERRORS | {LOST_ACK}
"""`slow`: the answer waits. `cut`: nothing is done, the connection drops in mid-response. `lost`: it is done and seen,
and the connection drops before the answer. `ratelimited`: 429 with Retry-After of `seconds`. `server_error`: a 5xx with
a page. `lost_ack`: an acknowledgement does not arrive; `method` is `events_api`, `interactive` or `slash_commands`.
All others: a refusal of that name."""


class Judge(Protocol):
    """A second opinion on everything that goes over the wire; each method returns what is wrong."""

    def request(self, method: str, values: Mapping[str, Any]) -> list[str]:
        """A call with its values read."""
        ...

    def refusal(self, method: str, error: str) -> list[str]:
        """A word with which a call was refused."""
        ...


@dataclass(frozen=True, slots=True)
class CallRecord:
    """A call that was made. `status` is 0 where the connection was cut instead of answered; `order` as `Envelope`'s."""

    bot_id: str
    method: str
    parameters: Mapping[str, Any]
    status: int
    answer: Mapping[str, Any]
    at: float
    order: int

    @property
    def error(self) -> str | None:
        """The word with which it was refused."""
        return self.answer.get("error")


@dataclass(slots=True)
class WebApi:
    """The handler behind the port. `problems` collects what the judge found in our own answers."""

    world: World
    faults: Faults
    rates: Rates
    judge: Judge | None = None
    calls: Journal[CallRecord] = field(default_factory=lambda: Journal(CALLS_KEPT))
    problems: list[str] = field(default_factory=list)

    async def __call__(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer one request."""
        path = request.path
        if path == sockets.PATH:
            return await self.world.deliveries.sockets.serve(request)
        if path.startswith("/api/"):
            return await self._call(request, path.removeprefix("/api/"))
        if path.startswith("/response/") and request.method == "POST":
            return await self._respond(request, path.removeprefix("/response/"))
        if path.startswith("/upload/") and request.method == "POST":
            return await self._upload(request, path.removeprefix("/upload/"))
        if path.startswith("/files-pri/") and request.method == "GET":
            return self._file(request, path.split("/")[2])
        return web.Response(status=404, text="Not Found")

    async def _call(self, request: web.BaseRequest, name: str) -> web.StreamResponse:
        try:
            given = await parameters.given(request)
        except ApiError as error:
            return web.json_response(dict(error.answer()))
        order = self.world.order.next()
        bot, method = self.world.bot_with(_token(request, given)), METHODS.get(name)
        if method is None:
            return web.json_response({"ok": False, "error": "unknown_method", "req_method": name})
        call = _Made(self, bot, method, given, order, _token(request, given))
        chat = given.get("channel") or given.get("channel_id")
        lost = False
        for fault in self.faults.strike(name, chat, FAULT_KINDS - {LOST_ACK}):
            if fault.kind == SLOW:
                await self.world.clock.sleep(fault.seconds)
            elif fault.kind == CUT:
                call.log(0, {})
                return await cut_in_mid_response(request)
            elif fault.kind == LOST:
                lost = True
            else:
                return call.struck(fault)
        wait = self.rates.wait_for(call.bot_id, name, str(chat))
        if wait:
            return call.struck(Fault(0, RATELIMITED, seconds=wait))
        answer = await call.run()
        call.log(0 if lost else 200, answer)
        # Every answer says what the token is allowed.
        scopes = {"x-oauth-scopes": ",".join(sorted(bot.scopes))} if bot is not None else {}
        return cut(request) if lost else web.json_response(dict(answer), headers=scopes)

    async def _respond(self, request: web.BaseRequest, key: str) -> web.StreamResponse:
        """What a response_url is posted; it answers in plain text."""
        order = self.world.order.next()
        given: Mapping[str, Any] = {}
        status, answer = 200, {"ok": True}
        lost = False
        for fault in self.faults.strike("response_url", None, FAULT_KINDS - {LOST_ACK}):
            if fault.kind == SLOW:
                await self.world.clock.sleep(fault.seconds)
            elif fault.kind == CUT:
                return await cut_in_mid_response(request)
            elif fault.kind == LOST:
                lost = True
            else:
                return _struck(fault)
        try:
            given = await parameters.given(request)
            response = self.world.interactions.respond(key)
            respond(self.world, response.press, response.thread, given)
        except ApiError as error:
            status, answer = (404 if error.code.endswith("_url") else 400), dict(error.answer())
        record = CallRecord("", "response_url", given, 0 if lost else status, answer, self._now(), order)
        self.calls.append(record)
        if lost:
            return cut(request)
        if status == 200:
            return web.Response(text="ok")
        return web.json_response(answer, status=status)

    async def _upload(self, request: web.BaseRequest, ticket: str) -> web.StreamResponse:
        if request.content_type == "multipart/form-data":
            parts = [part for part in (await request.post()).values() if isinstance(part, web.FileField)]
            data = parts[0].file.read() if parts else b""
        else:
            data = await request.read()
        if not self.world.files.receive(ticket, data):
            return web.Response(status=400, text="upload failed")
        return web.Response(text=f"OK - {len(data)}")

    def _file(self, request: web.BaseRequest, file_id: str) -> web.StreamResponse:
        """A file with the bot's token; without it Slack shows its page for signing in, as a success."""
        bot = self.world.bot_with(_token(request, {}))
        file = self.world.files.get(file_id)
        if bot is None or bot.revoked or "files:read" not in bot.scopes:
            return web.Response(text="<!DOCTYPE html><title>Sign in to Slack</title>", content_type="text/html")
        if file is None:
            return web.Response(status=404)
        return web.Response(body=file.data + bytes(max(0, file.size - len(file.data))), content_type=file.mime)

    def _now(self) -> float:
        return self.world.clock.monotonic()


@dataclass(frozen=True, slots=True)
class _Made:
    """A call under way."""

    api: WebApi
    bot: Bot | None
    method: Method
    given: Mapping[str, Any]
    order: int
    token: str

    @property
    def bot_id(self) -> str:
        """Of whoever calls; empty where nobody knows the token."""
        return self.bot.id if self.bot is not None else ""

    async def run(self) -> Mapping[str, Any]:
        """Do it; the answer, also where it is a refusal."""
        try:
            return await self._run()
        except ApiError as error:
            if self.api.judge is not None:
                self.api.problems += self.api.judge.refusal(self.method.name, error.code)
            return error.answer()

    async def _run(self) -> Mapping[str, Any]:
        world = self.api.world
        bot = self._known()
        values = parameters.read(self.method, self.given, is_strict=world.strict)
        if self.api.judge is not None:
            found = self.api.judge.request(self.method.name, values)
            if found:
                raise strict("; ".join(found))
        call = Call(world, bot, values)
        answer = {"ok": True, **await self.method.run(call)}
        if call.warnings:
            metadata = dict(answer.get("response_metadata", {})) | {"warnings": call.warnings}
            answer |= {"warning": ",".join(call.warnings), "response_metadata": metadata}
        return answer

    def _known(self) -> Bot:
        bot, method = self.bot, self.method
        if bot is None:
            raise ApiError("invalid_auth" if self.token else "not_authed")
        if bot.revoked:
            raise ApiError("token_revoked")
        if method.app_level is not (self.token == bot.app_token) and method.name != "auth.test":
            raise ApiError("not_allowed_token_type")
        if method.scopes and not bot.scopes.intersection(method.scopes):
            raise missing_scope(method, bot)
        return bot

    def struck(self, fault: Fault) -> web.StreamResponse:
        """The answer of a fault."""
        response = _struck(fault)
        if fault.kind in ERRORS:
            error = ApiError(fault.kind)
            if fault.kind == "missing_scope" and self.bot is not None:
                error = missing_scope(self.method, self.bot)
            self.log(200, error.answer())
            return web.json_response(dict(error.answer()))
        self.log(response.status, {"ok": False, "error": fault.kind})
        return response

    def log(self, status: int, answer: Mapping[str, Any]) -> None:
        """Write down that it was made."""
        shown = {name: value for name, value in self.given.items() if name != "token"}
        read = {name: _shown(value) for name, value in shown.items()}
        at = self.api.world.clock.monotonic()
        self.api.calls.append(CallRecord(self.bot_id, self.method.name, read, status, answer, at, self.order))


def missing_scope(method: Method, bot: Bot) -> ApiError:
    """A scope is wanted that the token does not have."""
    return ApiError("missing_scope", needed=",".join(method.scopes), provided=",".join(sorted(bot.scopes)))


def _struck(fault: Fault) -> web.StreamResponse:
    if fault.kind == RATELIMITED:
        headers = {"Retry-After": str(max(1, round(fault.seconds)))}
        return web.json_response({"ok": False, "error": "ratelimited"}, status=429, headers=headers)
    if fault.kind == SERVER_ERROR:
        return web.Response(
            status=fault.status, text="<html><title>Server Error</title></html>", content_type="text/html"
        )
    return web.json_response({"ok": False, "error": fault.kind})


def _token(request: web.BaseRequest, given: Mapping[str, Any]) -> str:
    header = request.headers.get("Authorization", "")
    return header.removeprefix("Bearer ") if header.startswith("Bearer ") else str(given.get("token", ""))


def _shown(value: Any) -> Any:  # noqa: ANN401 JSON is anything
    if isinstance(value, str) and value[:1] in ("[", "{"):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value
