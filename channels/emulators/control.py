"""The control address of a pretend app: what a test does in process, over HTTP, for one in another process.

Belongs here: the secret, the addresses that every app answers in the same way (events, files), and turning errors into
answers. What else there is to look at and to do is handed in by the app. It listens on a port of its own, so that it
answers while the app is made unreachable.
"""

import asyncio
import hmac
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Generic, TypeVar

from aiohttp import web

from channels.emulators.journal import Journal
from channels.emulators.listener import HOST, Listener

LONGEST_WAIT = 50.0
"""Seconds that `/control/events` waits for something at most."""

EVENTS_AT_ONCE = 500
MAX_BODY = 64 << 20

Given = Mapping[str, Any]
Answer = Callable[[Given], Awaitable[object]]
Routes = Mapping[tuple[str, str], Answer]
E = TypeVar("E")


class ControlRefusal(Exception):
    """The control address cannot do that; `status` is the HTTP status."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status = status


class ControlServer(Generic[E]):
    """Serves `routes` below `/control/`. Every request carries `Authorization: Bearer <secret>`.

    `event_json` says how an entry of the journal looks, `file` gives a file's bytes by its id, or None.
    """

    def __init__(
        self,
        routes: Routes,
        journal: Journal[E],
        event_json: Callable[[int, E], dict[str, Any]],
        file: Callable[[str], bytes | None],
        secret: str,
    ) -> None:
        if not secret:
            raise ValueError("the control address needs a secret")
        self._routes = {**routes, ("GET", "events"): self._events}
        self._journal = journal
        self._event_json = event_json
        self._file = file
        self._secret = f"Bearer {secret}".encode()
        self._listener = Listener(self._handle, max_body=MAX_BODY)
        self._closing = asyncio.Event()

    async def start(self, port: int = 0) -> None:
        """Listen on 127.0.0.1; port 0 takes a free one."""
        await self._listener.start(port)

    async def stop(self) -> None:
        """End every stream and give the port back."""
        self._closing.set()
        self._journal.wake()
        await self._listener.stop()

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://{HOST}:{self._listener.port}/control"

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        given = request.headers.get("Authorization", "").encode()
        if not hmac.compare_digest(given, self._secret):
            return web.json_response({"error": "the control address wants its secret"}, status=401)
        path = request.path.removeprefix("/control/")
        if path == "events" and "text/event-stream" in request.headers.get("Accept", ""):
            return await self._stream(request)
        if path.startswith("files/") and request.method == "GET":
            return self._give_file(path.removeprefix("files/"))
        answer = self._routes.get((request.method, path))
        if answer is None:
            return web.json_response({"error": f"nothing at {request.method} {request.path}"}, status=404)
        return await self._answer(request, answer)

    async def _answer(self, request: web.BaseRequest, answer: Answer) -> web.Response:
        try:
            body = dict(request.query) if request.method == "GET" else await _json(request)
            return web.json_response(await answer(body))
        except ControlRefusal as refusal:
            return web.json_response({"error": str(refusal)}, status=refusal.status)
        except (LookupError, ValueError, TypeError) as error:
            return web.json_response({"error": f"{type(error).__name__}: {error}"}, status=400)
        except TimeoutError:
            return web.json_response({"error": "waited in vain"}, status=504)

    def _give_file(self, file_id: str) -> web.Response:
        data = self._file(file_id)
        if data is None:
            return web.json_response({"error": "no such file"}, status=404)
        headers = {"Content-Type": "application/octet-stream", "X-Content-Type-Options": "nosniff"}
        return web.Response(body=data, headers=headers)

    async def _events(self, given: Given) -> object:
        """Long poll: what came after `after`, waiting up to `wait` seconds for the first."""
        after, wait = int(given.get("after", 0)), min(float(given.get("wait", 0)), LONGEST_WAIT)
        if wait > 0 and not self._closing.is_set():
            try:
                async with asyncio.timeout(wait):
                    await self._journal.changed(after)
            except TimeoutError:
                pass
        events = self._journal.after(after, EVENTS_AT_ONCE)
        return {"events": [self._event_json(number, event) for number, event in events], "last": self._journal.last}

    async def _stream(self, request: web.BaseRequest) -> web.StreamResponse:
        """Server-sent events, numbered, from `after` or the browser's `Last-Event-ID` on."""
        last = int(request.headers.get("Last-Event-ID") or request.query.get("after") or 0)
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-store"})
        await response.prepare(request)
        while not self._closing.is_set():
            for number, event in self._journal.after(last, EVENTS_AT_ONCE):
                data = json.dumps(self._event_json(number, event))
                await response.write(f"id: {number}\ndata: {data}\n\n".encode())
                last = number
            await self._journal.changed(last)
        return response


async def _json(request: web.BaseRequest) -> dict[str, Any]:
    body = json.loads(await request.read() or b"{}")
    if not isinstance(body, dict):
        raise ControlRefusal(400, "a JSON object, please")
    return body
