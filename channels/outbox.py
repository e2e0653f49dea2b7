"""The one component that sends: every message is a row before it is tried, and stays one until its end is known.

A lane per chat keeps the order, whatever is tried again. What happens to a message is decided here alone:

    surely not taken     the row waits (`Retry-After`, else longer each time) and holds its lane
    no receipt           `unknown`; an answer or a notice is sent again (silence is worse), an action never is
    will never be taken  `failed`, with its class; a key that stopped working makes the row wait for a new one
    older than 12 hours  `expired`: said late is worse than not said

What was to end a message that its chat has seen begun, and never will, is told in that message.

The states and their transitions are in `core.store.outbox`.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import structlog
from pydantic import TypeAdapter

from channels.base import Channel, ChatRef, MessageRef, OutboundMessage
from channels.rates import Rates
from core.checkpoints import Checkpoint, Checkpoints
from core.clock import Clock
from core.errors import MaybeDone, Refused, RefusedReason, TryLater
from core.events import ChatKind
from core.lanes import Lanes
from core.meter import NO_METER, Meter, Sending
from core.patience import backoff, until_stored
from core.store.changes import Change
from core.store.database import Database
from core.store.groups import MoveChat
from core.store.outbox import (
    Claim,
    Delivered,
    Dropped,
    Expired,
    Failed,
    FailureClass,
    Kind,
    Letter,
    OutboxRows,
    Post,
    Resend,
    Retry,
    Unknown,
)

_log = structlog.get_logger(__name__)

EXPIRES = timedelta(hours=12)
"""A message that could not be sent for so long is not sent any more."""

LEASE = timedelta(minutes=2)
"""How long one try may take before nobody believes that it is still going on."""

RESENDS = 3
"""How often a message without a receipt is sent again; then it stays `unknown` for the owner to decide."""

DEATHS = 10
"""The same where the program ended while it was sending: that says nothing about the message."""

NOT_SHOWN = "I could not show this part of my answer here."

_BODY = TypeAdapter(OutboundMessage)

_OUTCOMES: Mapping[type[Change[Any]], Sending] = {
    Delivered: Sending.DELIVERED,
    Retry: Sending.RETRIED,
    Unknown: Sending.UNKNOWN,
    Failed: Sending.FAILED,
    Expired: Sending.EXPIRED,
}
"""What is counted."""


Lane = tuple[str, str, str | None]
"""A chat of a connected bot: what goes there goes in order."""


@dataclass(slots=True)
class _Line:
    """A connected bot, as the outbox needs it. `open` is set while sending makes sense.

    `behind` collects what is posted while the rows of an earlier life are being read: those go first.
    """

    channel: Channel
    rates: Rates
    open: asyncio.Event = field(default_factory=asyncio.Event)
    behind: list[Letter] | None = field(default_factory=list)


class Outbox:
    """Sends what was posted, in order, once."""

    def __init__(
        self, *, database: Database, clock: Clock, checkpoints: Checkpoints, owner: str, meter: Meter = NO_METER
    ) -> None:
        self._database = database
        self._rows = OutboxRows(database)
        self._clock = clock
        self._checkpoints = checkpoints
        self._owner = owner
        self._meter = meter
        self._lines: dict[str, _Line] = {}
        self._on_usable: list[Callable[[], None]] = []
        self._on_refused: list[Callable[[Letter], None]] = []
        self._lanes: Lanes[Lane, Letter] = Lanes(self._deliver, self._fault)
        self._starting: set[Lane] = set()
        """Lanes whose first message is being stored as one that is being sent."""

    # ---- posting ---------------------------------------------------------------------------------------------------

    async def post(self, posts: Sequence[Post], *also: Change) -> None:
        """Store messages together with what caused them, and send them.

        A key that was posted before is not posted again. Messages go out in the order in which `post` was called. While
        the database cannot take anything, this waits.
        """
        first = self._begun(posts[0]) if posts else None
        if first is not None:
            posts = (first, *posts[1:])
        try:
            results = await until_stored(self._database, self._clock, *posts, *also)
        finally:
            if first is not None:
                self._starting.discard(_lane(first))
        for post, letter_id in zip(posts, results, strict=False):
            if isinstance(letter_id, int):
                self._hand_over(Letter.posted(letter_id, post, self._clock.now()))

    async def resend(self, letter_id: int) -> bool:
        """Send again what did not arrive for certain, because a person wants it; False where it is not in trouble.

        Wanted twice at once, it is sent once. Where its bot is not connected it goes out once that is.

        Raises:
            StoreUnavailable: nothing was changed.
        """
        if not await self._database.commit_one(Resend(letter_id)):
            return False
        letter = await self._rows.get(letter_id)
        if letter is not None:
            self._hand_over(letter)
        return True

    async def drop(self, letter_id: int) -> bool:
        """Leave unsent what did not arrive for certain; False where it is not in trouble.

        Raises:
            StoreUnavailable: nothing was changed.
        """
        return await self._database.commit_one(Dropped(letter_id))

    def _begun(self, post: Post) -> Post | None:
        """The post as one that is being sent; None where anything could keep it from going out at once.

        That saves a transaction on the way of most messages. An action is claimed when its turn has come: it is never
        sent again, so it must not look as if it had been tried.
        """
        lane, line = _lane(post), self._lines.get(post.channel_id)
        if line is None or line.behind is not None or not line.open.is_set() or post.kind is Kind.ACTION:
            return None
        if lane in self._starting or self._lanes.busy(lane) or not line.rates.final_now(_chat(post)):
            return None
        self._starting.add(lane)
        return replace(post, owner=self._owner, lease_until=self._clock.now() + LEASE)

    def _hand_over(self, letter: Letter) -> None:
        """Into its lane; without a connected bot its row is all there is, and is read when one connects."""
        line = self._lines.get(letter.channel_id)
        if line is not None and line.behind is not None:
            line.behind.append(letter)
        elif line is not None or self._is_claimed(letter):
            self._lanes.put(_lane(letter), letter)

    # ---- channels come and go --------------------------------------------------------------------------------------

    async def connect(self, channel: Channel, rates: Rates) -> None:
        """Send through this channel from now on, starting with what an earlier life of the program left behind."""
        line = self._lines[channel.id] = _Line(channel, rates)
        earlier = await self._left_behind(channel.id)
        known = {letter.id for letter in earlier}
        later = [letter for letter in line.behind or () if letter.id not in known]
        line.behind = None
        for letter in (*earlier, *later):
            self._hand_over(letter)

    def disconnect(self, channel_id: str) -> None:
        """Nothing goes out through this channel any more; what waits stays stored."""
        line = self._lines.pop(channel_id, None)
        if line is not None:
            line.open.set()  # whoever waits for it looks again, and finds it gone

    def open(self, channel_id: str) -> None:
        """The channel's key works: what waits for it goes on."""
        if line := self._lines.get(channel_id):
            line.open.set()
            for listener in self._on_usable:
                listener()

    def on_usable(self, listener: Callable[[], None]) -> None:
        """Tell a listener whenever a channel's key was found to work."""
        self._on_usable.append(listener)

    def on_refused(self, listener: Callable[[Letter], None]) -> None:
        """Tell a listener of every message that its app will never take; it must be quick and must not raise."""
        self._on_refused.append(listener)

    @property
    def usable(self) -> tuple[str, ...]:
        """The connected bots whose keys work, as far as is known."""
        return tuple(channel_id for channel_id, line in self._lines.items() if line.open.is_set())

    def channel(self, channel_id: str) -> Channel | None:
        """A connected bot."""
        line = self._lines.get(channel_id)
        return line.channel if line else None

    async def idle(self) -> None:
        """Come back when nothing is on its way."""
        await self._lanes.settled()

    def quiet(self, chat: ChatRef) -> bool:
        """Whether nothing is on its way to this chat."""
        return not self._lanes.busy((chat.channel_id, chat.id, chat.thread))

    def rates(self, channel_id: str) -> Rates | None:
        """The budgets of a connected bot."""
        line = self._lines.get(channel_id)
        return line.rates if line else None

    async def _left_behind(self, channel_id: str) -> list[Letter]:
        """What was not finished when the program ended; what had begun then has no receipt."""
        letters = []
        for letter in await self._rows.unfinished(channel_id):
            if self._is_claimed(letter):
                continue  # on its way in its lane at this moment
            if letter.sending and not await self._again(letter, "the program ended while sending", DEATHS):
                continue
            letters.append(letter)
        return letters

    async def settle(self, grace: float) -> None:
        """Come back when everything is sent, at the latest after `grace` seconds; what is left stays stored."""
        over = asyncio.create_task(self._clock.sleep(grace))
        settled = asyncio.create_task(self._lanes.settled())
        await asyncio.wait({over, settled}, return_when=asyncio.FIRST_COMPLETED)
        over.cancel()
        settled.cancel()
        await asyncio.gather(over, settled, return_exceptions=True)
        await self._lanes.close()

    # ---- sending ---------------------------------------------------------------------------------------------------

    async def _deliver(self, _: Lane, letters: list[Letter]) -> None:
        letter = letters[0]
        chat, claimed = _chat(letter), self._is_claimed(letter)
        for wait in backoff():
            line = self._lines.get(letter.channel_id)
            if claimed and (line is None or not line.open.is_set()):
                await self._store(letter, Retry(letter.id, self._clock.now(), "the bot was disconnected first"))
                claimed = False
            if line is None:
                return
            if self._clock.now() - letter.created_at > EXPIRES:
                await self._give_up(letter, Expired(letter.id), tell=True)
                _log.warning("a message expired unsent", key=letter.key, channel=letter.channel_id)
                return
            if not await self._usable(line) or self._lines.get(letter.channel_id) is not line:
                continue
            if not claimed:
                await line.rates.final(chat)
            if not (claimed or await self._claim(letter)) or await self._attempt(line, chat, letter, wait):
                return
            claimed = False

    def _is_claimed(self, letter: Letter) -> bool:
        return letter.sending and letter.owner == self._owner

    async def _claim(self, letter: Letter) -> bool:
        """False when somebody else sends it, or sent it."""
        (claimed,) = await self._store(letter, Claim(letter.id, self._owner, self._clock.now() + LEASE))
        return bool(claimed)

    async def _usable(self, line: _Line) -> bool:
        """Wait until the channel can send; False after a minute, so that the message's age is looked at again."""
        if line.open.is_set():
            return True
        opened = asyncio.create_task(line.open.wait())
        minute = asyncio.create_task(self._clock.sleep(60))
        try:
            await asyncio.wait({opened, minute}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            opened.cancel()
            minute.cancel()
            await asyncio.gather(opened, minute, return_exceptions=True)
        return line.open.is_set()

    async def _attempt(self, line: _Line, chat: ChatRef, letter: Letter, wait: float) -> bool:
        """One try; True when there is nothing more to do for this message."""
        await self._checkpoints.reach(Checkpoint.SENDING)
        try:
            sent = await line.channel.send(chat, message_of(letter))
        except TryLater as reason:
            return await self._later(line, chat, letter, reason.retry_after or wait, str(reason))
        except MaybeDone as reason:
            _log.warning("no receipt for a message", key=letter.key, channel=letter.channel_id, reason=str(reason))
            line.rates.hold(chat, wait)  # whatever swallowed the receipt needs a moment too
            return not await self._again(letter, str(reason), RESENDS)
        except Refused as reason:
            return await self._refused(line, chat, letter, reason, wait)
        await self._checkpoints.reach(Checkpoint.SENT)
        await self._receipt(letter, sent)
        return True

    async def _later(self, line: _Line, chat: ChatRef, letter: Letter, seconds: float, why: str) -> bool:
        """Surely not taken: wait, and hold the lane meanwhile."""
        line.rates.hold(chat, seconds)
        await self._store(letter, Retry(letter.id, self._clock.now() + timedelta(seconds=seconds), why))
        return False

    async def _again(self, letter: Letter, why: str, at_most: int) -> bool:
        """No receipt: mark it so, and in the same transaction decide whether it is sent once more; returns that."""
        unknown = Unknown(letter.id, why)
        if letter.kind is Kind.ACTION:
            await self._store(letter, unknown)
            return False
        _, resent = await self._store(letter, unknown, Resend(letter.id, at_most=at_most))
        return bool(resent)

    async def _refused(self, line: _Line, chat: ChatRef, letter: Letter, reason: Refused, wait: float) -> bool:
        if reason.reason is RefusedReason.AUTH:
            line.open.clear()
            return await self._later(line, chat, letter, wait, str(reason))
        failed = Failed(letter.id, FailureClass(reason.reason.value), str(reason))
        await self._give_up(letter, failed, tell=reason.reason is RefusedReason.BAD_PAYLOAD)
        _log.error("a message was refused", key=letter.key, channel=letter.channel_id, reason=str(reason))
        for listener in self._on_refused:
            listener(letter)
        return True

    async def _give_up(self, letter: Letter, end: Change, *, tell: bool) -> None:
        """It will not be said. `tell`: the chat can hear of it, where it has seen the beginning."""
        instead = _instead_of(letter) if tell else None
        _, *posted = await self._store(letter, end, *((instead,) if instead is not None else ()))
        if instead is not None and isinstance(posted[0], int):
            self._hand_over(Letter.posted(posted[0], instead, self._clock.now()))

    async def _receipt(self, letter: Letter, sent: MessageRef) -> None:
        delivered = Delivered(letter.id, sent.message_id)
        if sent.chat.id == letter.chat_id:
            await self._store(letter, delivered)
        else:
            await self._store(letter, delivered, MoveChat(letter.channel_id, letter.chat_id, sent.chat.id))

    async def _store(self, letter: Letter, *changes: Change) -> tuple[object, ...]:
        """Store what became of a letter, and count it."""
        results = await until_stored(self._database, self._clock, *changes)
        line, outcome = self._lines.get(letter.channel_id), _OUTCOMES.get(type(changes[0]))
        if line is not None and outcome is not None:
            self._meter.sent(line.channel.capabilities.kind, outcome)
        return results

    def _fault(self, key: Lane, fault: BaseException) -> None:
        _log.error("sending failed in a way nobody foresaw", channel=key[0], chat=key[1], exc_info=fault)


def _instead_of(letter: Letter) -> Post | None:
    """What stands in a message that was begun and gets no end; None where nothing was begun."""
    message = message_of(letter)
    if message.into is None or message.text == NOT_SHOWN:
        return None
    key = f"{letter.key}:not shown"
    words = OutboundMessage(text=NOT_SHOWN, fallback=NOT_SHOWN, key=key, answers=message.answers, into=message.into)
    return post_of(key, 0, 1, _chat(letter), words, Kind.NOTICE)


def _lane(message: Post | Letter) -> Lane:
    return message.channel_id, message.chat_id, message.thread


def _chat(message: Post | Letter) -> ChatRef:
    return ChatRef(message.channel_id, message.chat_id, ChatKind(message.chat_kind), message.thread)


def message_of(letter: Letter | Post) -> OutboundMessage:
    """What a row says."""
    return _BODY.validate_json(letter.body)


def post_of(key: str, part: int, of: int, chat: ChatRef, message: OutboundMessage, kind: Kind) -> Post:
    """The row for one part of a reply."""
    return Post(
        key=key,
        part=part,
        of=of,
        channel_id=chat.channel_id,
        chat_id=chat.id,
        chat_kind=chat.kind.value,
        thread=chat.thread,
        body=_BODY.dump_json(message, exclude_defaults=message.form is None).decode(),  # a field's kind may be one
        kind=kind,
    )
