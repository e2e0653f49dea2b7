"""Receiving: Teams brings what comes in to an address of ours, each request with a token that proves it.

The address is public, so nothing of a request is looked at before its token is good. Everything is stored before it is
acknowledged; a press is answered at once, and what is wrong with a form is said on its card. In teams and group chats
the bot only says that it answers in private chats.
"""

import asyncio
import hashlib
import json
from collections.abc import Coroutine, Mapping, Sequence
from typing import Any, Final, NoReturn

import structlog

from channels.base import Edited, Inbound, OutboundMessage, Press, Sink, Update
from channels.reach import Pushed, Unproven
from channels.teams import cards, limits, render
from channels.teams.addresses import same
from channels.teams.client import TeamsClient
from channels.teams.fields import Json, need_text, need_thing
from channels.teams.files import Files
from channels.teams.parse import CARD_PRESSED, FILE_ANSWERED, Parser, is_private, mentions
from channels.teams.places import Places, Reference
from channels.teams.processing import Turns
from channels.teams.proof import CHANNEL, Proof, Proven
from core.clock import Clock
from core.errors import ConchError, TryLater

LOOK_SECONDS: Final = 300.0
"""Between two looks whether the bot's key still works: with nothing to hear, nobody else would notice."""
PRIVATE_ONLY: Final = "I answer in private chats only. Open a chat with me and write to me there."
_REMEMBERED: Final = 1_000

_log = structlog.get_logger(__name__)


class Receiver:
    """The way in of one bot."""

    def __init__(self, parser: Parser, client: TeamsClient, places: Places, files: Files, clock: Clock) -> None:
        self._parser = parser
        self._client = client
        self._places = places
        self._files = files
        self._clock = clock
        self._proof = Proof(client, clock)
        self._turns = Turns()
        self._sink: Sink | None = None
        self._told: dict[str, float] = {}
        self._with_form: dict[tuple[str, str], OutboundMessage] = {}
        self._background: set[asyncio.Task[None]] = set()

    async def run(self, sink: Sink) -> NoReturn:
        """Take what is brought until cancelled.

        Raises:
            TryLater: Microsoft cannot be reached.
            Refused: the bot's key stopped working.
        """
        await self._proof.load()
        self._sink = sink
        try:
            while True:
                sink.online()
                await self._clock.sleep(LOOK_SECONDS)
                await self._client.sign_in()
        except asyncio.CancelledError:
            self._sink = None
            raise

    async def close(self) -> None:
        """End what goes on beside."""
        for task in self._background:
            task.cancel()
        await asyncio.gather(*self._background, return_exceptions=True)

    def shows(self, conversation: str, message_id: str, message: OutboundMessage) -> None:
        """A message with fields stands there, or says something else now."""
        key = (conversation, message_id)
        self._with_form.pop(key, None)
        if message.form is not None:
            self._with_form[key] = message
        if len(self._with_form) > _REMEMBERED:
            del self._with_form[next(iter(self._with_form))]

    # ---- one request -----------------------------------------------------------------------------------------------

    async def take(self, request: Pushed) -> Mapping[str, Any] | None:
        """Store what Teams brought; see `channels.reach.Pushes`."""
        proven = await self._proof.check(request.headers.get("authorization", ""))
        activity = _object(await request.body())
        if activity.get("channelId") != CHANNEL or not same(proven.service_url, need_text(activity, "serviceUrl")):
            raise Unproven("This token was made for another message.")
        sink = self._sink
        if sink is None:
            raise TryLater("This bot does not receive yet.")
        return await self._turns.process(proven, activity, lambda: self._handle(proven, activity, sink))

    async def _handle(self, proven: Proven, activity: Json, sink: Sink) -> Json | None:
        if not is_private(activity):
            self._say_private_only(proven, activity)
            return cards.unknown() if activity.get("name") == CARD_PRESSED else None
        if activity.get("from") is not None:
            await self._places.heard(Reference.of(activity))
        if activity.get("name") == FILE_ANSWERED:
            conversation = need_text(need_thing(activity, "conversation"), "id")
            answer = need_thing(activity, "value")
            self._beside(self._files.answered(proven.service_url, conversation, answer))
            return None
        update, found = self._read(activity)
        if update is None:
            return cards.unknown() if activity.get("name") == CARD_PRESSED else None
        press = found[0] if found and isinstance(found[0], Press) else None
        is_invoke = activity.get("type") == "invoke"
        if is_invoke and press is not None and press.filled is not None and (faults := await sink.faults(press)):
            return await self._with_faults(press, faults, sink)
        await sink.store([update])
        sink.online()
        return cards.taken() if is_invoke else None

    def _read(self, activity: Json) -> tuple[Update | None, Sequence[Inbound]]:
        """As it is stored; None for what means nothing to us. What cannot be read is stored to be looked at."""
        try:
            found = self._parser.parse(activity)
        except ValueError:
            digest = hashlib.sha256(json.dumps(activity, sort_keys=True).encode()).hexdigest()
            return Update(f"unread:{digest[:32]}", activity), ()
        if not found:
            return None, ()
        first = found[0]
        return Update(first.message.update_id if isinstance(first, Edited) else first.update_id, activity), found

    async def _with_faults(self, press: Press, faults: Mapping[str, str], sink: Sink) -> Json:
        """The card again, with what was filled in and what is wrong with it."""
        shown = self._with_form.get((press.message.chat.id, press.message.message_id))
        form = shown.form if shown is not None and shown.form is not None else await sink.form(press)
        if form is None:
            return cards.unknown()
        return cards.instead(cards.card(shown.buttons if shown else (), form, press.filled or {}, faults))

    # ---- teams and group chats -------------------------------------------------------------------------------------

    def _say_private_only(self, proven: Proven, activity: Json) -> None:
        """To whoever names the bot there, once in a while."""
        if activity.get("type") != "message" or not mentions(activity):
            return
        conversation = need_text(need_thing(activity, "conversation"), "id")
        room, now = conversation.partition(";")[0], self._clock.monotonic()
        told = self._told.get(room)
        if told is not None and now - told < limits.PRIVATE_ONLY_SECONDS:
            return
        self._told.pop(room, None)
        self._told[room] = now
        if len(self._told) > _REMEMBERED:
            del self._told[next(iter(self._told))]
        self._beside(self._say(proven.service_url, conversation, PRIVATE_ONLY))

    async def _say(self, service_url: str, conversation: str, words: str) -> None:
        await self._client.call(service_url, render.plain(conversation, words))

    def _beside(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(_quietly(work))
        self._background.add(task)
        task.add_done_callback(self._background.discard)


async def _quietly(work: Coroutine[Any, Any, None]) -> None:
    try:
        await work
    except (ConchError, ValueError) as reason:
        _log.info("something beside was not done", reason=str(reason))


def _object(body: bytes) -> Mapping[str, Any]:
    """The activity.

    Raises:
        ValueError: it is nothing that Teams sends.
    """
    if len(body) > limits.MAX_BODY:
        raise ValueError("more than Teams ever sends")
    try:
        found = json.loads(body)
    except RecursionError as error:
        raise ValueError("too deep to be Teams'") from error
    if not isinstance(found, dict):
        raise ValueError("what Teams sends is an object")
    need_text(found, "type")
    return found
