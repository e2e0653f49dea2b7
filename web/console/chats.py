"""The page of one chat, whichever app it is in: what was said, its cards, and the field to say more.

What is said or decided here comes back on the page by the live stream; without JavaScript by loading it again. What the
forms do is in `web.console.saying`, how things are drawn in `web.cards`.
"""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Final
from urllib.parse import quote

from fastapi import FastAPI, Query
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse

from channels.console.choices import Typable
from channels.console.commands import ConsoleCommands
from core.apps.links import ConnectLinks
from core.errors import NotFound
from core.events import Event
from core.files import FileStore
from core.own_commands import OwnCommands
from core.skills.skills import Skills
from core.store.database import Database
from web.api.following import Followers
from web.api.parts import Parts
from web.cards import Drawer
from web.console.deleting import Deleting
from web.console.desk import Desk
from web.console.telling import Telling
from web.export import As, as_json, as_markdown, file_name
from web.live import around
from web.live.around import PAGE, around_of, possible
from web.pages import THEME
from web.transcript import folded
from web.ways_back import WaysBack

THEMES: Final = ("system", "light", "dark")


@dataclass(frozen=True, slots=True)
class Chats:
    """What the pages use of the program."""

    parts: Parts
    commands: ConsoleCommands
    links: ConnectLinks
    skills: Skills
    database: Database
    followers: Followers
    own: OwnCommands
    ways_back: WaysBack
    files: FileStore
    deleting: Deleting


class ChatPages:
    """Shows a chat."""

    def __init__(self, desk: Desk, drawer: Drawer, chats: Chats, telling: Telling, parts: around.Parts) -> None:
        self._desk = desk
        self._drawer = drawer
        self._parts = chats.parts
        self._commands = chats.commands
        self._telling = telling
        self._around = parts

    def add_to(self, app: FastAPI) -> None:
        """Register the routes."""
        app.add_api_route("/chats/new", self.new, methods=["GET", "POST"], response_model=None)
        app.add_api_route("/chats/{chat}", self.page, methods=["GET"], response_model=None)
        app.add_api_route("/chats/{chat}/export", self.export, methods=["GET"], response_model=None)
        app.add_api_route("/chats/{chat}/commands", self.typables, methods=["GET"], response_model=None)

    async def new(self, request: Request) -> Response:
        """A chat in which nothing was said yet. It begins to exist with its first message."""
        return self._desk.done(request, f"/chats/{uuid.uuid4().hex}")

    async def page(
        self, request: Request, chat: str, before: Annotated[int | None, Query(ge=0)] = None
    ) -> HTMLResponse:
        """The newest of what was said, or what was said before the event `before`."""
        session = self._desk.session(request)
        values = await self._values(request, possible(chat), before)
        told = self._telling.take(session, chat) if session else None
        return self._desk.page(request, "console/chat.html", **values, told=told, typed="")

    async def again(self, request: Request, chat: str, fault: Exception, typed: str = "") -> HTMLResponse:
        """The page once more, with what was wrong and what was typed."""
        values = await self._values(request, chat, None)
        return self._desk.refused(request, "console/chat.html", fault, **values, told=None, typed=typed)

    async def export(self, chat: str, made: Annotated[As, Query(alias="as")] = "markdown") -> StreamingResponse:
        """The whole chat as a file."""
        log = self._parts.log
        await self._parts.expect(possible(chat))
        title = (await log.state(chat)).title or "Chat"
        name = quote(file_name(title, made))
        return StreamingResponse(
            as_json(log, chat) if made == "json" else as_markdown(log, chat, title),
            media_type="application/json" if made == "json" else "text/markdown",
            headers={"Content-Disposition": f"attachment; filename*=UTF-8''{name}"},
        )

    async def typables(self, request: Request, chat: str) -> JSONResponse:
        """What can be typed after a slash, for the menu."""
        found = await self._commands.typables(possible(chat), theme_of(request))
        return JSONResponse([_listed(one) for one in found])

    async def _values(self, request: Request, chat: str, before: int | None) -> dict[str, object]:
        events = await self._events(chat, before)
        if not events and before is None and not is_new(chat):
            raise NotFound("There is no such chat.")
        return {
            "chat": chat,
            "items": self._items(request, chat, events),
            "earlier": events[0].seq if events and events[0].seq > 0 else None,
            "seq": events[-1].seq if events else -1,
            "older": before is not None,
            **(await self._now(chat)),
        }

    async def _events(self, chat: str, before: int | None) -> tuple[Event, ...]:
        if before is None:
            return await self._parts.log.last_page(chat, PAGE)
        return await self._parts.log.before(chat, before, PAGE)

    def _items(self, request: Request, chat: str, events: tuple[Event, ...]) -> list[Markup]:
        root = request.scope.get("root_path", "")
        return [self._drawer.draw(item, conversation_id=chat, root=root) for item in folded(events).items]

    async def _now(self, chat: str) -> Mapping[str, object]:
        """What stands around the messages."""
        turn = self._parts.conversations.running(chat)
        written = turn.snapshot() if turn else None
        return {
            "now": await around_of(self._parts, chat),
            "words": written[1] if written else "",
            "around": self._around,
        }


def is_new(chat: str) -> bool:
    """Whether it is an id that the console gives to a chat before anything was said."""
    return len(chat) == 32 and all(mark in "0123456789abcdef" for mark in chat)


def theme_of(request: Request) -> str:
    """How this browser shows the console."""
    kept = request.cookies.get(THEME, "")
    return kept if kept in THEMES else THEMES[0]


def _listed(one: Typable) -> dict[str, object]:
    values = one.values
    return {
        "name": one.name,
        "description": one.description,
        "hint": one.hint,
        "section": one.section,
        "needs_args": one.needs_args,
        "values": values
        and {
            "kind": values.kind.value,
            "heading": values.heading,
            "items": [{"word": item.word, "title": item.title, "current": item.current} for item in values.items],
        },
    }
