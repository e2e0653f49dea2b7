"""What the forms of a chat's page do: say something or give a command, stop, undo, answer its cards.

The first answer to a card counts, wherever it comes from; whoever is late is told what was decided.
"""

import uuid
from typing import Final, Literal, cast

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from channels.console.told import Told
from core.asking import NOT_WAITING
from core.cards import OfferKind
from core.decisions import RestoreContext, SetTitle
from core.errors import ConchError, UsageError
from core.events import Attachment, Origin
from core.offers.carrying import Dismissed, Taken, open_offer
from core.outcomes import SendOutcome
from core.skills.modes import switched
from core.store.queue import QueuedMessage
from web.cards import parse_answer
from web.console.attached import Attached
from web.console.chats import ChatPages, Chats, theme_of
from web.console.desk import Desk, all_fields, fields
from web.console.telling import Telling
from web.live.around import possible
from web.pages import THEME

LONGEST_MESSAGE: Final = 32_000
"""Characters of one message; for more there are files."""

OWNER: Final = Origin(kind="console", role="owner")
BY: Final = "The console"

LIVE: Final = "x-conch-live"
"""Set by the page's own script: what comes of the form goes into the page, which need not be loaded again."""

GO: Final = "x-conch-go"
"""Where the script leads the browser."""

SHOW: Final = "x-conch-theme"
"""How the page shows itself from now on."""

A_YEAR: Final = 365 * 24 * 3600

NOT_CONNECTED: Final = "It is not connected yet. Once it is, press it again."
OFFER_OVER: Final = "That offer is over, because something newer was said. Ask again, and it can be offered anew."
NOT_OPEN: Final = "That was decided already."


class SayingRoutes:
    """The routes."""

    def __init__(self, desk: Desk, pages: ChatPages, chats: Chats, telling: Telling, attached: Attached) -> None:
        self._desk = desk
        self._pages = pages
        self._parts = chats.parts
        self._commands = chats.commands
        self._links = chats.links
        self._ways_back = chats.ways_back
        self._attached = attached
        self._conversations = chats.parts.conversations
        self._telling = telling

    def add_to(self, app: FastAPI) -> None:
        """Register them."""
        one = "/chats/{chat}"
        app.add_api_route(f"{one}/messages", self.say, methods=["POST"], response_model=None)
        app.add_api_route(f"{one}/stop", self.stop, methods=["POST"], response_model=None)
        app.add_api_route(f"{one}/undo", self.undo, methods=["POST"], response_model=None)
        app.add_api_route(f"{one}/title", self.rename, methods=["POST"], response_model=None)
        app.add_api_route(f"{one}/questions/{{card}}", self.answer, methods=["POST"], response_model=None)
        app.add_api_route(f"{one}/permissions/{{card}}", self.decide, methods=["POST"], response_model=None)
        app.add_api_route(f"{one}/offers/{{card}}", self.take, methods=["POST"], response_model=None)

    # ---- words -----------------------------------------------------------------------------------------------------

    async def say(self, request: Request, chat: str) -> Response:
        """Send what was typed, or do it where it is a command. The same client id again sends nothing again."""
        sent = await all_fields(request)
        given, names = {name: values[-1] for name, values in sent.items()}, sent.get("file", ())
        words, client_id = given.get("text", "").strip(), given.get("client_id", "")[:100] or uuid.uuid4().hex
        try:
            if not words and not names:
                raise UsageError("Write something first.")
            if len(words) > LONGEST_MESSAGE:
                raise UsageError(
                    f"That is {len(words):,} characters; {LONGEST_MESSAGE:,} is the most. Nothing was sent."
                )
            told = None
            if "literal" not in given and not names:  # a chip's words, and those of a file, are said as they stand
                told = await self._commands.run(possible(chat), words, client_id=client_id, theme=theme_of(request))
            told = told or Told(say=words)
            if told.say is not None:
                await self._send(chat, told.say, client_id, self._attached.of(chat, names))
                self._attached.forget(names)
        except ConchError as fault:
            return await self._refused(request, chat, fault, words)
        return self._told(request, chat, told)

    async def _send(self, chat: str, words: str, client_id: str, files: tuple[Attachment, ...]) -> None:
        goal, plan, options = self._commands.take_pending(chat)
        message = QueuedMessage(
            text=words, origin=OWNER, attachments=files, client_ids=(client_id,), goal=goal, plan=plan, options=options
        )
        sent = await self._conversations.send(chat, message)
        if sent.outcome is SendOutcome.FULL:
            raise UsageError(
                f"{sent.waiting} messages wait already, so this one was not sent. Stop, or try again later."
            )

    async def stop(self, request: Request, chat: str) -> Response:
        """End what runs and drop what waits."""
        try:
            await self._conversations.stop(possible(chat))
        except ConchError as fault:
            return await self._refused(request, chat, fault)
        return self._done(request, chat)

    async def undo(self, request: Request, chat: str) -> Response:
        """Take a clear back."""
        seq = (await fields(request)).get("cleared_seq", "")
        try:
            wanted = int(seq) if seq.isdecimal() and len(seq) < 12 else None
            decided = await self._conversations.decide(possible(chat), RestoreContext(wanted))
            if not decided.events:
                raise UsageError("Something was said since the clear, so it cannot be taken back any more.")
        except ConchError as fault:
            return await self._refused(request, chat, fault)
        return self._done(request, chat)

    async def rename(self, request: Request, chat: str) -> Response:
        """Give the chat another name."""
        title = (await fields(request)).get("title", "")
        try:
            await self._conversations.decide(possible(chat), SetTitle(title))
        except ConchError as fault:
            return await self._refused(request, chat, fault)
        return self._done(request, chat)

    # ---- cards -----------------------------------------------------------------------------------------------------

    async def answer(self, request: Request, chat: str, card: str) -> Response:
        """Answer a question, or skip it."""
        given = await all_fields(request)
        try:
            waiting = (await self._parts.log.state(possible(chat))).waiting_question
            if waiting is None or waiting.question.question_id != card:
                raise UsageError(NOT_WAITING)
            answer = None if "skip" in given else parse_answer(waiting.question, given)
            answered = await self._conversations.answer_question(chat, card, answer, BY)
            if answered.outcome != "answered":
                raise UsageError(answered.sentence or NOT_WAITING)
        except ConchError as fault:
            return await self._refused(request, chat, fault)
        return self._done(request, chat)

    async def decide(self, request: Request, chat: str, card: str) -> Response:
        """Allow what a tool wants to do, or not; start a plan, or not."""
        decision = (await fields(request)).get("decision", "")
        try:
            if decision not in ("allow", "allow-always", "deny"):
                raise UsageError("Something is missing in that form. Load the page again.")
            wanted = cast("Literal['allow', 'allow-always', 'deny']", decision)
            resolved = await self._conversations.resolve_permission(possible(chat), card, wanted, BY)
            if resolved.outcome != "resolved":
                raise UsageError(NOT_OPEN)
        except ConchError as fault:
            return await self._refused(request, chat, fault)
        return self._done(request, chat)

    async def take(self, request: Request, chat: str, card: str) -> Response:
        """Take an offer, by way of the sign-in where it is an app that is not connected; or hear no more of it."""
        do = (await fields(request)).get("do", "")
        try:
            if do in ("dismiss", "mute"):
                gone = await self._conversations.dismiss_offer(possible(chat), card, BY, mute=do == "mute")
                if gone is not Dismissed.DISMISSED:
                    raise UsageError(OFFER_OVER)
                return self._done(request, chat)
            return await self._accept(request, possible(chat), card, do)
        except ConchError as fault:
            return await self._refused(request, chat, fault)

    async def _accept(self, request: Request, chat: str, card: str, do: str) -> Response:
        offer = open_offer(await self._parts.log.state(chat), card)
        skill: Literal["on", "once"] | None = None
        if offer is not None and offer.kind is OfferKind.SKILL:
            skill = "on" if do == "on" else "once"
        if offer is not None and skill == "on":
            changes = switched(self._parts.preferences.current, offer.target, "automatic")
            await self._parts.preferences.change(changes, BY)
        taken = await self._conversations.accept_offer(chat, card, BY, skill=skill)
        if taken is Taken.NOT_READY and offer is not None:
            link = await self._links.link(chat, card, offer.target)
            if link is None:
                raise UsageError(NOT_CONNECTED)
            root = request.scope.get("root_path", "")
            here = f"{request.url.scheme}://{request.headers.get('host', '')}{root}/chats/{chat}"
            self._ways_back.remember(chat, here)
            return self._go(request, link)
        if taken in (Taken.GONE, Taken.NOT_FOUND, Taken.NOT_READY):
            raise UsageError(OFFER_OVER)
        return self._done(request, chat)

    # ---- what is answered ------------------------------------------------------------------------------------------

    def _done(self, request: Request, chat: str) -> Response:
        if LIVE in request.headers:
            return Response(status_code=204)
        return self._desk.done(request, f"/chats/{chat}")

    def _told(self, request: Request, chat: str, told: Told) -> Response:
        """The words of a command, and where it leads."""
        if told.go is not None:
            return self._go(request, f"{request.scope.get('root_path', '')}{told.go}")
        if LIVE in request.headers:
            if not (told.words or told.theme):
                return Response(status_code=204)
            fragment = self._desk.fragment(request, "chat/told.html", chat=chat, told=told)
            return self._themed(request, HTMLResponse(fragment), told)
        session = self._desk.session(request)
        if told.words and session:
            self._telling.keep(session, chat, told)
        return self._themed(request, self._desk.done(request, f"/chats/{chat}"), told)

    def _go(self, request: Request, where: str) -> Response:
        if LIVE in request.headers:
            return Response(status_code=204, headers={GO: where})
        return RedirectResponse(where, 303)

    def _themed(self, request: Request, answer: Response, told: Told) -> Response:
        if told.theme is not None:
            secure = self._desk.is_secure(request)
            path = request.scope.get("root_path", "") or "/"
            answer.headers[SHOW] = told.theme
            answer.set_cookie(
                THEME, told.theme, max_age=A_YEAR, httponly=True, samesite="lax", secure=secure, path=path
            )
        return answer

    async def _refused(self, request: Request, chat: str, fault: ConchError, typed: str = "") -> Response:
        """The sentence; what was typed is not lost."""
        told = Told(str(fault))
        if LIVE in request.headers:
            values = {"chat": chat, "told": told, "trouble": True}
            return HTMLResponse(self._desk.fragment(request, "chat/told.html", **values), 422)
        return await self._pages.again(request, possible(chat), fault, typed)
