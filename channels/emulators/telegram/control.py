"""The control address: everything that a test does in process, over HTTP, for a pretend Telegram in another process.

Belongs here: addresses, the secret, the stream of what changes. What a person can do is listed in `acts`. It listens on
a port of its own, so that it answers while the Bot API is made unreachable.
"""

import asyncio
import hmac
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict
from typing import Any

from aiohttp import web

from channels.emulators.listener import HOST, Listener
from channels.emulators.telegram import acts
from channels.emulators.telegram.chats import Chat, Draft
from channels.emulators.telegram.people import Bot
from channels.emulators.telegram.presses import Press
from channels.emulators.telegram.pretend import PretendTelegram
from channels.emulators.telegram.seen import seen_draft, seen_message
from channels.emulators.telegram.world import Event

LONGEST_WAIT = 50.0
"""Seconds that `/control/events` waits for something at most."""

EVENTS_AT_ONCE = 500
MAX_BODY = 64 << 20

Answer = Callable[[Mapping[str, Any]], Awaitable[object]]


class ControlRefusal(Exception):
    """The control address cannot do that; `status` is the HTTP status."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status = status


class Control:
    """Serves the control address of one pretend Telegram. Every request carries `Authorization: Bearer <secret>`."""

    def __init__(self, telegram: PretendTelegram, secret: str) -> None:
        if not secret:
            raise ValueError("the control address needs a secret")
        self._telegram = telegram
        self._secret = f"Bearer {secret}".encode()
        self._listener = Listener(self._handle, max_body=MAX_BODY)
        self._closing = asyncio.Event()
        self._routes: dict[tuple[str, str], Answer] = {
            ("GET", "state"): self._state,
            ("GET", "screen"): self._screen,
            ("GET", "calls"): self._calls,
            ("GET", "events"): self._events,
            ("POST", "bots"): self._add_bot,
            ("POST", "people"): self._add_person,
            ("POST", "groups"): self._add_group,
            ("POST", "act"): self._act,
            ("POST", "faults"): self._add_fault,
            ("POST", "faults/clear"): self._clear_faults,
            ("POST", "flood"): self._flood,
            ("POST", "reachable"): self._reachable,
        }

    async def start(self, port: int = 0) -> None:
        """Listen on 127.0.0.1; port 0 takes a free one."""
        await self._listener.start(port)

    async def stop(self) -> None:
        """End every stream and give the port back."""
        self._closing.set()
        self._telegram.world.journal.wake()
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
            return self._file(path.removeprefix("files/"))
        answer = self._routes.get((request.method, path))
        if answer is None:
            return web.json_response({"error": f"nothing at {request.method} {request.path}"}, status=404)
        try:
            body = dict(request.query) if request.method == "GET" else await _json(request)
            return web.json_response(await answer(body))
        except ControlRefusal as refusal:
            return web.json_response({"error": str(refusal)}, status=refusal.status)
        except (LookupError, ValueError, TypeError) as error:
            return web.json_response({"error": f"{type(error).__name__}: {error}"}, status=400)
        except TimeoutError:
            return web.json_response({"error": "waited in vain"}, status=504)

    # ---- looking ---------------------------------------------------------------------------------------------------

    async def _state(self, _: Mapping[str, Any]) -> object:
        world = self._telegram.world
        return {
            "base_url": self._telegram.base_url,
            "base_file_url": self._telegram.base_file_url,
            "bots": [bot_json(bot) for bot in world.bots.values()],
            "people": [account.user for account in world.accounts.values() if not isinstance(account, Bot)],
            "groups": [group.json for group in world.groups.values()],
            "faults": [asdict(fault) for fault in self._telegram.faults.waiting],
            "flood_control": self._telegram.flood.on,
            "last_event": world.journal.last,
            "problems": self._telegram.problems,
        }

    async def _screen(self, given: Mapping[str, Any]) -> object:
        screen = acts.screen(self._telegram, given)
        thread = int(given["thread"]) if given.get("thread") else None
        draft = screen.draft_in(thread)
        return {
            "messages": [message.to_json() for message in screen.messages],
            "draft": asdict(draft) if draft is not None else None,
            "action": screen.action_in(thread),
            "menu": [asdict(command) for command in screen.menu],
            "last_event": self._telegram.world.journal.last,
        }

    async def _calls(self, given: Mapping[str, Any]) -> object:
        after, method = int(given.get("after", 0)), given.get("method")
        return [
            {
                "number": number,
                "bot": record.bot_id,
                "method": record.method,
                "parameters": record.parameters,
                "status": record.status,
                "answer": record.answer,
            }
            for number, record in self._telegram.api.calls.after(after)
            if method is None or record.method.lower() == method.lower()
        ]

    def _file(self, file_id: str) -> web.StreamResponse:
        stored = self._telegram.world.files.get(file_id)
        if stored is None:
            return web.json_response({"error": "no such file"}, status=404)
        headers = {"Content-Type": "application/octet-stream", "X-Content-Type-Options": "nosniff"}
        return web.Response(body=stored.data, headers=headers)

    async def _events(self, given: Mapping[str, Any]) -> object:
        """Long poll: what came after `after`, waiting up to `wait` seconds for the first."""
        after, wait = int(given.get("after", 0)), min(float(given.get("wait", 0)), LONGEST_WAIT)
        journal = self._telegram.world.journal
        if wait > 0 and not self._closing.is_set():
            try:
                async with asyncio.timeout(wait):
                    await journal.changed(after)
            except TimeoutError:
                pass
        events = journal.after(after, EVENTS_AT_ONCE)
        return {"events": [event_json(number, event) for number, event in events], "last": journal.last}

    async def _stream(self, request: web.BaseRequest) -> web.StreamResponse:
        """Server-sent events, numbered, from `after` or the browser's `Last-Event-ID` on."""
        journal = self._telegram.world.journal
        last = int(request.headers.get("Last-Event-ID") or request.query.get("after") or 0)
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-store"})
        await response.prepare(request)
        while not self._closing.is_set():
            for number, event in journal.after(last, EVENTS_AT_ONCE):
                data = json.dumps(event_json(number, event))
                await response.write(f"id: {number}\ndata: {data}\n\n".encode())
                last = number
            await journal.changed(last)
        return response

    # ---- doing -----------------------------------------------------------------------------------------------------

    async def _add_bot(self, given: Mapping[str, Any]) -> object:
        bot = self._telegram.add_bot(
            given["token"], given["first_name"], given["username"], reads_all=bool(given.get("reads_all"))
        )
        return bot_json(bot)

    async def _add_person(self, given: Mapping[str, Any]) -> object:
        return self._telegram.person(**given).user

    async def _add_group(self, given: Mapping[str, Any]) -> object:
        members = [acts.person(self._telegram, member) for member in given["members"]]
        bots = [acts.bot(self._telegram, bot) for bot in given["bots"]] if "bots" in given else None
        forum, basic = bool(given.get("forum")), bool(given.get("basic"))
        return self._telegram.group(given["title"], members, bots=bots, forum=forum, basic=basic).chat.json

    async def _act(self, given: Mapping[str, Any]) -> object:
        """Do what `do` names, with the other fields as its arguments; see `acts`."""
        do = acts.ACTS.get(given["do"])
        if do is None:
            raise ControlRefusal(404, f"nobody can {given['do']!r}; they can {', '.join(sorted(acts.ACTS))}")
        return await do(self._telegram, given)

    async def _add_fault(self, given: Mapping[str, Any]) -> object:
        return asdict(self._telegram.faults.add(**given))

    async def _clear_faults(self, _: Mapping[str, Any]) -> object:
        self._telegram.faults.clear()
        return {}

    async def _flood(self, given: Mapping[str, Any]) -> object:
        self._telegram.flood.switch(bool(given["on"]))
        return {"on": self._telegram.flood.on}

    async def _reachable(self, given: Mapping[str, Any]) -> object:
        await (self._telegram.come_back() if given["on"] else self._telegram.go_away())
        return {"on": bool(given["on"])}


def bot_json(bot: Bot) -> dict[str, Any]:
    """A bot with its token, which opens nothing but this."""
    return bot.user | {"token": bot.token, "reads_all": bot.reads_all}


def event_json(number: int, event: Event) -> dict[str, Any]:
    """A change on a screen; a message looks as it did at that moment."""
    json: dict[str, Any] = {"number": number, "kind": event.kind}
    if event.chat is not None:
        json |= _where(event.chat)
    if event.message is not None:
        json["message"] = seen_message(event.message, event.content).to_json()
    if isinstance(event.detail, Draft):
        json["draft"] = asdict(seen_draft(event.detail))
    elif isinstance(event.detail, Press):
        answer = event.detail.answer
        json["press"] = {"id": event.detail.id, "answer": asdict(answer) if answer is not None else None}
    elif isinstance(event.detail, str):
        json["detail"] = event.detail
    return json


def _where(chat: Chat) -> dict[str, Any]:
    bot = {"bot": chat.bot.id} if chat.bot is not None else {}
    return {"chat": chat.id} | bot


async def _json(request: web.BaseRequest) -> dict[str, Any]:
    body = json.loads(await request.read() or b"{}")
    if not isinstance(body, dict):
        raise ControlRefusal(400, "a JSON object, please")
    return body
