"""Tells the owner, in their private chat, of answers to a group that its app will never take: the bot was put out, say.

What was done for such an answer is done, often with the owner's own Allow; without a word it would look as if not.
"""

import asyncio
from typing import Final

import structlog

from channels.base import Channel
from channels.cards.places import CardPlaces
from channels.composing import compose
from channels.formatting.parts import literal
from channels.outbox import Outbox
from core.events import ChatKind
from core.store.groups import Groups
from core.store.outbox import FailureClass, Kind, Letter, OutboxRows

_log = structlog.get_logger(__name__)

AWAY: Final = (
    "My answer did not arrive in {group}: I'm not in it any more, or may not write there. What you asked for may be "
    "done all the same. Bring me back there to go on."
)
NOT_TAKEN: Final = (
    "My answer did not arrive in {group}: the app did not take it. What you asked for may be done all the same."
)


class Undelivered:
    """Hears of messages that were refused."""

    def __init__(self, outbox: Outbox, rows: OutboxRows, places: CardPlaces, groups: Groups) -> None:
        self._outbox = outbox
        self._rows = rows
        self._places = places
        self._groups = groups
        self._tasks: set[asyncio.Task[None]] = set()
        outbox.on_refused(self._hear)

    async def close(self) -> None:
        """Tell of nothing more."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _hear(self, letter: Letter) -> None:
        if letter.kind is Kind.ANSWER and letter.chat_kind == ChatKind.GROUP.value:
            task = asyncio.create_task(self._tell(letter), name="an answer was refused")
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _tell(self, letter: Letter) -> None:
        channel = self._outbox.channel(letter.channel_id)
        try:
            if channel is not None:
                await self._tell_owner(channel, letter)
        except Exception as fault:  # noqa: BLE001 - the log has it, and the row says that it failed
            _log.error("nobody was told that an answer failed", key=letter.key, exc_info=fault)

    async def _tell_owner(self, channel: Channel, letter: Letter) -> None:
        """Once for each reply, however many parts it has."""
        owner = await self._places.owner(channel.id)
        chat = None if owner is None else await self._places.private_chat(channel, owner.person_id)
        if chat is None:
            return
        failed = await self._rows.get(letter.id)
        away = failed is not None and failed.error_class in (FailureClass.GONE, FailureClass.FORBIDDEN)
        title = " ".join((await self._groups.title(channel.id, letter.chat_id)).split())
        group = f"the group “{literal(title)}”" if title else "a group"
        words = (AWAY if away else NOT_TAKEN).format(group=group)
        key = f"{letter.key}:undelivered"
        await self._outbox.post(compose(channel.capabilities, chat, key, words, kind=Kind.NOTICE))
