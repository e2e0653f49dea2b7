"""The list of chats: every conversation of every bot, of the console and of the API, and the search over them."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Final

from fastapi import FastAPI, Query
from starlette.requests import Request
from starlette.responses import Response

from core.errors import ConchError, NotFound, UsageError
from core.events import Status
from core.plain import plain
from core.store.conversation_list import ConversationList, Listed
from core.store.log import ConversationSummary
from web.administration import Administration
from web.console.channels import KIND_TITLES
from web.console.deleting import Deleting
from web.console.desk import Desk
from web.live.around import possible

PAGE: Final = 40
ASIDE: Final = 30
"""Chats that are named beside an open one."""

LONGEST_TITLE: Final = 80
UNTITLED: Final = "Nothing was said yet"


@dataclass(frozen=True, slots=True)
class Row:
    """A chat as the list names it. `mark` is two letters for its app, `place` says where and with whom it is."""

    id: str
    title: str
    mark: str
    place: str
    status: Status
    at: datetime


class ChatListPages:
    """The page."""

    def __init__(
        self, desk: Desk, administration: Administration, conversations: ConversationList, deleting: Deleting
    ) -> None:
        self._desk = desk
        self._deleting = deleting
        self._administration = administration
        self._conversations = conversations

    def add_to(self, app: FastAPI) -> None:
        """Register the route."""
        app.add_api_route("/chats", self.page, methods=["GET"], response_model=None)
        app.add_api_route("/chats/{chat}/delete", self.delete, methods=["POST"], response_model=None)
        app.add_api_route("/chats/{chat}/keep", self.keep, methods=["POST"], response_model=None)

    async def page(
        self,
        request: Request,
        q: Annotated[str, Query(max_length=200)] = "",
        after: Annotated[str | None, Query(max_length=400)] = None,
    ) -> Response:
        """The newest first; with `q` those in which each of its words stands."""
        words = q.replace("\0", "")
        found = await self._conversations.page(PAGE + 1, _place(after) if after else None, words)
        leaving = self._deleting.leaving
        rows = await self.rows([one for one in found[:PAGE] if one.summary.id not in leaving])
        following = _cursor(found[PAGE - 1].summary) if len(found) > PAGE else None
        return self._desk.page(
            request,
            "console/chats.html",
            rows=rows,
            words=words,
            following=following,
            is_first=after is None,
            leaving=leaving,
        )

    async def delete(self, request: Request, chat: str) -> Response:
        """Take a chat out of sight; in ten minutes it is gone."""
        found = await self._conversations.of(possible(chat))
        if found is None:
            raise NotFound("There is no such chat.")
        [row] = await self.rows([found])
        try:
            await self._deleting.begin(chat, row.title)
        except ConchError as fault:
            return self._desk.told(request, f"/chats/{chat}", fault)
        return self._desk.done(request, "/chats", f"“{row.title}” is deleted. For ten minutes that can be undone here.")

    async def keep(self, request: Request, chat: str) -> Response:
        """Undo a deletion."""
        kept = self._deleting.undo(possible(chat))
        return self._desk.done(
            request, "/chats", "It is here again." if kept else "It was too late: that chat is gone."
        )

    async def rows(self, found: Sequence[Listed]) -> Sequence[Row]:
        """As the list names them."""
        bots = {each.id: each.kind for each in await self._administration.channels()}
        return [row_of(one, bots) for one in found]


def row_of(one: Listed, kinds: Mapping[str, str]) -> Row:
    """A chat as the list names it; `kinds` are those of the bots that are still there."""
    summary, origin = one.summary, one.origin
    title = plain(summary.title or one.first, LONGEST_TITLE) or UNTITLED
    if origin is None or origin.kind == "console":
        mark, place = "Co", "Console"
    elif origin.kind == "channel":
        app = KIND_TITLES.get(kinds.get(one.channel_id or "", ""), origin.app or "An app")
        mark, place = app[:2], f"{app} · {origin.person_name or 'somebody'}"
        if origin.address is not None and origin.address.chat_kind.value == "group":
            place += ", in a group"
    else:
        mark, place = origin.kind[:2].upper(), "The API" if origin.kind == "api" else "A routine"
    return Row(summary.id, title, mark, place, summary.status, summary.updated_at)


def _cursor(last: ConversationSummary) -> str:
    return urlsafe_b64encode(f"{last.updated_at.isoformat()} {last.id}".encode()).decode()


def _place(cursor: str) -> ConversationSummary:
    """Where a page begins; only that of it matters which the order is made of."""
    try:
        moment, _, conversation_id = urlsafe_b64decode(cursor).decode("ascii").partition(" ")
        at = datetime.fromisoformat(moment)
        if at.tzinfo is None or not conversation_id.isprintable():
            raise ValueError("no place")
    except ValueError:
        raise UsageError("That page is not there. Begin at the newest chat.") from None
    return ConversationSummary(conversation_id, None, Status.IDLE, 0, at, at)
