"""What is done with what Slack tells, by whichever road it came: `socket`'s envelopes or `events`' requests.

Most of it is stored before it is acknowledged. A form is opened, and what is wrong with a sent one said, at once and
without the store. What `parse` would make nothing of is acknowledged and not kept.
"""

import asyncio
import json
import re
from collections.abc import Coroutine, Mapping, Sequence
from typing import Any, Final

import structlog

from channels.base import Edited, Inbound, InboundMessage, Press, Sink, Update
from channels.slack import forms, render
from channels.slack.client import SlackClient
from channels.slack.fields import Json, need_text, need_thing, text, thing, things
from channels.slack.known import About, Workspace
from channels.slack.parse import EVENT, INTERACTIVE, SLACKBOT, SLASH, SLASH_AWAY, Parser, went_out
from channels.slack.responding import Asked, Responses
from core.errors import ConchError

DID_NOT_OPEN: Final = "That did not open in time. Press the button once more."

_KEPT_OUT: Final = frozenset({"token", "response_url", "response_urls", "authorizations"})
"""What of a payload is a secret or of no use later."""
_NAMED = re.compile(r"<@([UW][A-Z0-9]+)")

_log = structlog.get_logger(__name__)


class Intake:
    """The way in of one bot."""

    def __init__(
        self, parser: Parser, client: SlackClient, workspace: Workspace, responses: Responses, console: str | None
    ) -> None:
        self._parser = parser
        self._client = client
        self._workspace = workspace
        self._responses = responses
        self._console = console
        self._background: set[asyncio.Task[None]] = set()
        self._team: str | None = None

    def is_in(self, team: str | None) -> None:
        """The workspace that the bot's key is good for."""
        self._team = team

    async def close(self) -> None:
        """End what goes on beside."""
        for task in self._background:
            task.cancel()
        await asyncio.gather(*self._background, return_exceptions=True)

    async def take(self, kind: str, payload: Json, sink: Sink) -> Mapping[str, Any] | None:
        """See to it: then it may be acknowledged, with what comes back.

        Raises:
            TryLater: nothing was stored; it must not be acknowledged.
        """
        if not self.is_for_now(kind, payload):
            if (update := self.update(kind, payload)) is not None:
                await sink.store([update])
            return None
        try:
            return await self._answer(kind, payload, sink)
        except ValueError:
            _log.warning("Slack sent a form or its button that cannot be read", exc_info=True)
            return None

    # ---- forms -----------------------------------------------------------------------------------------------------

    @staticmethod
    def is_for_now(kind: str, payload: Json) -> bool:
        """Whether it is to be answered by itself: the press of a button with a form, or a form that was sent."""
        try:
            return kind == INTERACTIVE and (
                payload.get("type") == "view_submission"
                or (payload.get("type") == "block_actions" and forms.opens_form(payload))
            )
        except ValueError:
            return False

    async def _answer(self, kind: str, payload: Json, sink: Sink) -> Mapping[str, Any] | None:
        """Open a form or take what it was sent with."""
        update = self.update(kind, payload)
        press = self._press(update)
        if update is None or press is None:
            return None
        if press.filled is not None:
            if faults := await sink.faults(press):
                return forms.errors(thing(payload, "view") or {}, faults)
        elif (form := await sink.form(press)) is not None:
            await self._open(press, render.open_form(press, form))
            return None
        await sink.store([update])
        return None

    def _press(self, update: Update | None) -> Press | None:
        for inbound in self._parser.parse(update.payload) if update else ():
            if isinstance(inbound, Press):
                return inbound
        return None

    async def _open(self, press: Press, call: render.ApiCall) -> None:
        """Too late, or refused: the person hears that, and nothing else came of the press."""
        try:
            await self._client.call(call)
        except ConchError as reason:
            _log.warning("a form was not opened", reason=str(reason))
            self._beside(self._say_to(press, DID_NOT_OPEN))

    async def _say_to(self, press: Press, words: str) -> None:
        chat = press.message.chat
        room = await self._workspace.room_of(chat.id) if chat.id == press.sender.id else chat.id
        await self._client.call(render.ephemeral(render.Place(room, chat.thread), press.sender.id, words))

    # ---- everything else -------------------------------------------------------------------------------------------

    def update(self, kind: str, payload: Json) -> Update | None:
        """The thing as it is stored, with what is known; None for what means nothing to us. Asks nobody.

        Also notes what is only good for now.

        What cannot be read is stored too: whoever reads it out of the inbox says so, and keeps it to be looked at.
        """
        stored: dict[str, Any] = {"type": kind, "payload": _kept(payload)}
        try:
            if not self._is_of_our_workspace(kind, payload):
                return None
            if kind == EVENT:
                self._note_event(thing(payload, "event") or {})
            stored["known"] = self._workspace.known(_about(kind, payload))
            found = self._parser.parse(stored)
            self._note_response(found, payload)
        except Exception:  # noqa: BLE001 - one odd payload does not end the connection
            _log.warning("Slack sent something that nobody foresaw", kind=kind, exc_info=True)
            name = payload.get("event_id") or payload.get("trigger_id") or json.dumps(stored, sort_keys=True)[:200]
            return Update(f"odd:{name}", stored)
        return Update(_update_id(found[0]), stored) if found else None

    def _is_of_our_workspace(self, kind: str, payload: Json) -> bool:
        """The same app may be installed in other workspaces too, and ids of people are only good within one.

        Source: docs.slack.dev/apis/events-api (`authorizations`), docs.slack.dev/reference/objects/user-object (`id`),
        docs.slack.dev/interactivity/implementing-slash-commands (`team_id`),
        docs.slack.dev/reference/interaction-payloads (`team`).
        """
        if kind != EVENT:
            team = text(payload, "team_id") or text(thing(payload, "team") or {}, "id")
            return team is None or self._team is None or team == self._team
        bots = [text(one, "user_id") for one in things(payload, "authorizations") if one.get("is_bot") is True]
        return not bots or self._parser.user_id in bots

    async def complete(self, stored: Json) -> Json:
        """What was stored, with the names and the room that were not known then."""
        try:
            about = _about(need_text(stored, "type"), need_thing(stored, "payload"))
        except ValueError:
            return stored
        await self._workspace.look_up(about)
        now, then = self._workspace.known(about), thing(stored, "known") or {}
        return {**stored, "known": {**now, "member": then.get("member") is True, "at": then.get("at", now["at"])}}

    def _note_response(self, found: Sequence[Inbound], payload: Json) -> None:
        """Where a command was given to which the bot can answer only so, or such an answer's button pressed."""
        url, (inbound, *_) = text(payload, "response_url"), (*found, None)
        if url is None:
            return
        if isinstance(inbound, InboundMessage) and (trigger := text(payload, "trigger_id")):
            # Whether it was in the private chat may be found out only later.
            self._responses.heard_slash(f"{SLASH_AWAY}{trigger}", url)
        elif isinstance(inbound, Press) and (thing(payload, "container") or {}).get("is_ephemeral") is True:
            for name in (inbound.id, inbound.message.message_id):
                self._responses.heard_slash(name, url)

    def _note_event(self, event: Json) -> None:
        kind, room = text(event, "type"), _room(event)
        if kind == "app_home_opened" and event.get("tab") == "home" and (visitor := text(event, "user")):
            self._beside(self._publish(visitor))
        if went_out(event, self._parser.user_id):
            self._workspace.went_out(room)
        if kind == "member_joined_channel" and event.get("user") == self._parser.user_id:
            self._workspace.came_into(room)
        message = _message_of(event)
        if message is not None and (author := text(message, "user")) not in (None, self._parser.user_id):
            self._note_message(event, message, author or "", room)

    def _note_message(self, event: Json, message: Json, author: str, room: str) -> None:
        private = event.get("channel_type") == "im" or room.startswith("D")
        if private:
            self._workspace.has_room(author, room)
        elif not self._workspace.is_in(room):
            self._workspace.came_into(room)
        ts, thread = text(message, "ts") or "", text(message, "thread_ts")
        asked = Asked(author, text(message, "user_team") or text(message, "team") or text(event, "team"))
        self._responses.heard(ts, asked, private=private, in_thread=thread not in (None, ts))

    # ---- beside ----------------------------------------------------------------------------------------------------

    async def _publish(self, person_id: str) -> None:
        await self._client.call(render.publish_home(person_id, self._console))

    def _beside(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(_quietly(work))
        self._background.add(task)
        task.add_done_callback(self._background.discard)


async def _quietly(work: Coroutine[Any, Any, None]) -> None:
    try:
        await work
    except ConchError as reason:
        _log.info("something beside was not done", reason=str(reason))


def _about(kind: str, payload: Json) -> About:
    """Whom and what it names by ids only.

    Raises:
        ValueError: Slack could not have sent this.
    """
    if kind == EVENT:
        event = thing(payload, "event") or {}
        message = _message_of(event)
        if message is not None and (author := text(message, "user")):
            return About(_room(event), (author, *_named(text(message, "text"))))
        inviter = text(event, "inviter") if event.get("type") == "member_joined_channel" else None
        return About(_room(event), (inviter,) if inviter else ())
    if kind == SLASH:
        room, person = need_text(payload, "channel_id"), need_text(payload, "user_id")
        return About(room, (person, *_named(text(payload, "text"))), may_be_room_of=person)
    user, channel = thing(payload, "user") or {}, thing(payload, "channel") or {}
    who = text(user, "id")
    return About(text(channel, "id") or "", (who,) if who else ())


def _message_of(event: Json) -> Json | None:
    """What a person wrote, or changed; None where it is something else, or a bot's."""
    kind = text(event, "type")
    if kind not in ("message", "app_mention"):
        return None
    message = thing(event, "message") or event if kind == "message" else event
    return None if "bot_id" in message or text(message, "user") == SLACKBOT else message


def _kept(payload: Json) -> dict[str, Any]:
    """A payload as it may be stored."""
    return {name: value for name, value in payload.items() if name not in _KEPT_OUT}


def _room(event: Json) -> str:
    channel = event.get("channel")
    return channel if isinstance(channel, str) else ""


def _named(words: str | None) -> list[str]:
    return _NAMED.findall(words or "")


def _update_id(inbound: Inbound) -> str:
    return inbound.message.update_id if isinstance(inbound, Edited) else inbound.update_id
