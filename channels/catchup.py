"""Reading what was written to a bot while it was away, where the app does not keep that for us (`History`).

Each time a bot has come online, the private chat of everybody who is let in is read since the last message that was
seen there, at most a day back and so many messages a chat. What is found goes the way of any update, whose id keeps
what came another way from counting twice, and one line says so first. Groups are never read.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final

import structlog

from channels.abilities import History, PrivateChats
from channels.base import Channel, ChatRef, InboundMessage, Update
from channels.composing import compose
from channels.outbox import Outbox
from channels.service import ChannelService
from core.clock import Clock
from core.errors import Refused, TryLater
from core.events import ChatKind
from core.patience import backoff, patiently
from core.store.database import Database
from core.store.inbox import Inbox
from core.store.outbox import Kind
from core.store.people import People, Role
from core.store.references import References

_log = structlog.get_logger(__name__)

BACK: Final = timedelta(days=1)
"""How old a message may be to be answered still."""

OVERLAP: Final = timedelta(minutes=10)
"""How much before the last message seen is read again: of what came at once with the end of the program, the later may
be known and the earlier not."""

MOST: Final = 50
"""Messages that are read of one chat."""

BEGAN: Final = "catch-up began"
"""The note of a bot for which not everything is read yet; its words are the moment in ISO 8601."""

PAGE: Final = 500
"""Rows of the inbox that are looked at together."""

MOST_PAGES: Final = 20
"""How far back the last message of a chat is looked for; one that is not found was written long ago, or never."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """The private chat of a person, and when the newest message that is known from there was written."""

    chat: ChatRef
    at: datetime


@dataclass(frozen=True, slots=True)
class _Away:
    """`until`: what is in the inbox since then says nothing about what was missed; an earlier life may have noted it.

    `online`: when this connection began.
    """

    until: datetime
    online: datetime


@dataclass(slots=True)
class _Missed:
    """What was found in a chat. `more`: there are newer ones, which were not read; `older`: there are too old ones.

    `count` and `first` are of what was written before the bot came online. What was written later the app is bringing
    at the same time: it is taken, in case it does not come, but nobody was away.
    """

    updates: list[Update] = field(default_factory=list)
    count: int = 0
    first: InboundMessage | None = None
    newest: str | None = None
    more: bool = False
    older: bool = False

    @property
    def is_told(self) -> bool:
        """Whether there is anything to say of it."""
        return self.count > 0 or self.more or self.older


class CatchUp:
    """Reads what was missed, a task for each bot."""

    def __init__(
        self, *, database: Database, people: People, service: ChannelService, outbox: Outbox, clock: Clock
    ) -> None:
        self._database = database
        self._inbox = Inbox(database)
        self._people = people
        self._service = service
        self._outbox = outbox
        self._clock = clock
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._unfinished: dict[str, datetime] = {}
        """By bot: when it came online, where not everything from before is read yet."""

    def online(self, channel: Channel) -> None:
        """A bot has come online: from now on it hears everything, and what was written before is read."""
        if not isinstance(channel, History):
            return
        self.stop(channel.id)
        online = self._clock.now()
        away = _Away(self._unfinished.setdefault(channel.id, online), online)
        work = self._catch_up(channel, channel, away)
        self._tasks[channel.id] = asyncio.create_task(work, name=f"catch-up {channel.id}")

    def stop(self, channel_id: str) -> None:
        """Read no more; what was not read yet is read when the bot is online again."""
        if task := self._tasks.pop(channel_id, None):
            task.cancel()

    async def settled(self) -> None:
        """Come back when everything is read."""
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def close(self) -> None:
        """Read no more, of any bot."""
        tasks = list(self._tasks.values())
        for channel_id in tuple(self._tasks):
            self.stop(channel_id)
        await asyncio.gather(*tasks, return_exceptions=True)

    # ---- one bot ---------------------------------------------------------------------------------------------------

    async def _catch_up(self, channel: Channel, history: History, away: _Away) -> None:
        """`away.until` is kept until everything is read, whatever becomes of this life of the program."""
        notes = References(self._database, channel.id)
        until = await patiently(lambda: _begun(notes, away.until), self._clock)
        people = await patiently(lambda: self._people.list(channel.id), self._clock)
        wanted = {person.person_id for person in people if person.role in (Role.OWNER, Role.PERSON)}
        seen = await patiently(lambda: self._last_seen(channel, wanted, until), self._clock)
        for person_id in sorted(wanted):
            known = seen.get(person_id)
            chat = known.chat if known is not None else _chat_of(channel, person_id)
            if chat is not None:
                seen_at = known.at if known is not None else None
                await self._chat(channel, history, chat, seen_at, _Away(until, away.online))
        await patiently(lambda: notes.forget(BEGAN), self._clock)
        self._unfinished.pop(channel.id, None)

    async def _chat(
        self, channel: Channel, history: History, chat: ChatRef, seen: datetime | None, away: _Away
    ) -> None:
        """One chat, as often as it takes; its trouble is not that of the others."""
        for wait in backoff():
            try:
                missed = await self._missed(channel, history, chat, seen, away)
                await self._take(channel, chat, missed)
                return
            except TryLater as reason:
                await self._clock.sleep(max(wait, reason.retry_after or 0.0))
            except Refused as reason:
                _log.warning("a chat cannot be read", channel=channel.id, chat=chat.id, reason=str(reason))
                return
            except Exception:  # noqa: BLE001 - whatever an adapter raises, the other chats are read
                _log.exception("reading a chat failed", channel=channel.id, chat=chat.id)
                return

    async def _take(self, channel: Channel, chat: ChatRef, missed: _Missed) -> None:
        """Say so, then let it come in. The line has a key of what was found, so that it is said once."""
        if missed.newest is None:
            return
        if missed.is_told:
            key = f"{channel.id}:{chat.id}:{missed.newest}:away"
            await self._outbox.post(compose(channel.capabilities, chat, key, words_about(missed), kind=Kind.NOTICE))
        await self._service.receive(channel, missed.updates)

    # ---- what was missed -------------------------------------------------------------------------------------------

    async def _missed(
        self, channel: Channel, history: History, chat: ChatRef, seen: datetime | None, away: _Away
    ) -> _Missed:
        """What a person wrote and is not in the inbox."""
        missed, oldest = _Missed(), away.until - BACK
        if seen is not None and seen < oldest:
            await self._look_for_older(channel, history, chat, seen, oldest, missed)
        since = max(seen - OVERLAP if seen is not None else oldest, oldest)
        async with aclosing(_as_generator(history.missed(chat, since))) as updates:
            async for update in updates:
                message = _message_in(channel, update, chat)
                if message is None or await self._inbox.has(channel.id, update.update_id):
                    continue
                if len(missed.updates) == MOST:
                    missed.more = True
                    return missed
                missed.updates.append(update)
                missed.newest = update.update_id
                if message.at <= away.online:
                    missed.count += 1
                    missed.first = missed.first or message
        return missed

    async def _look_for_older(
        self, channel: Channel, history: History, chat: ChatRef, seen: datetime, oldest: datetime, missed: _Missed
    ) -> None:
        """Whether there is anything that is too old to be answered: the first one found says so."""
        async with aclosing(_as_generator(history.missed(chat, seen))) as updates:
            async for update in updates:
                message = _message_in(channel, update, chat)
                if message is not None and not await self._inbox.has(channel.id, update.update_id):
                    missed.older = message.at <= oldest
                    missed.newest = update.update_id if missed.older else None
                    return

    async def _last_seen(self, channel: Channel, wanted: set[str], now: datetime) -> Mapping[str, _Seen]:
        """By person; from the inbox, the newest first."""
        seen: dict[str, _Seen] = {}
        before: int | None = None
        for _ in range(MOST_PAGES):
            page = await self._inbox.newest(channel.id, PAGE, until=now, before=before)
            for row in page:
                for message in _messages_in(channel, row.payload):
                    known = seen.get(message.sender.id)
                    if message.sender.id in wanted and (known is None or known.at < message.at):
                        seen[message.sender.id] = _Seen(replace(message.chat, thread=None), message.at)
            if len(page) < PAGE or seen.keys() >= wanted:
                break
            before = page[-1].arrival
        return seen


async def _begun(notes: References, now: datetime) -> datetime:
    """Since when not everything is read: as an earlier life noted it, else from now on.

    Raises:
        StoreUnavailable: it is not noted.
    """
    noted = (await notes.recall()).get(BEGAN)
    if noted is not None:
        return min(now, datetime.fromisoformat(noted))
    await notes.note(BEGAN, now.isoformat())
    return now


def words_about(missed: _Missed) -> str:
    """What the chat is told; times are the machine's."""
    words, count = ["I was away."], missed.count
    if missed.older:
        words.append("What you sent me more than a day ago I did not answer. If it still matters, send it again.")
    if missed.first is not None:
        at = f"{missed.first.at.astimezone():%H:%M}"
        words.append(
            f"I have read the message you sent at {at}."
            if count == 1
            else f"I have read the {count} messages you sent since {at}."
        )
    if missed.more:
        words.append("You sent more after those, which I did not read. Please send them again.")
    return " ".join(words)


def _chat_of(channel: Channel, person_id: str) -> ChatRef | None:
    """The private chat of somebody of whom nothing is in the inbox (any more)."""
    return channel.private_chat(person_id) if isinstance(channel, PrivateChats) else None


def _messages_in(channel: Channel, payload: Mapping[str, Any]) -> list[InboundMessage]:
    """What people wrote in private; nothing for what cannot be read."""
    try:
        found = channel.parse(payload)
    except ValueError:
        return []
    messages = [inbound for inbound in found if isinstance(inbound, InboundMessage)]
    return [one for one in messages if one.chat.kind is ChatKind.PRIVATE and not one.sender.is_bot]


def _message_in(channel: Channel, update: Update, chat: ChatRef) -> InboundMessage | None:
    """What a person wrote in this chat."""
    return next((one for one in _messages_in(channel, update.payload) if one.chat.id == chat.id), None)


async def _as_generator(updates: AsyncIterator[Update]) -> AsyncGenerator[Update, None]:
    """So that reading can end early, and what it holds is let go of at once."""
    try:
        async for update in updates:
            yield update
    finally:
        if isinstance(updates, AsyncGenerator):
            await updates.aclose()
