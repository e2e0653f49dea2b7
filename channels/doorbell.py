"""Tells the owner that somebody who is not let in wrote to their bot. What strangers hear themselves is the gate's.

None of a stranger's words reach the owner's chat, where an app would make links of them; `conch people list` has them.
"""

import asyncio
from collections.abc import Sequence
from typing import Final

import structlog

from channels.base import Channel, ChatRef, InboundMessage
from channels.cards.places import CardPlaces
from channels.formatting.parts import literal
from channels.gate import STRANGER_EVERY, Gate
from channels.notices import Notices
from core.clock import Clock
from core.patience import patiently
from core.store.people import AccessRequest

_log = structlog.get_logger(__name__)

LONGEST_NAME: Final = 40
"""Characters shown of a name that its bearer chose."""

MOST_NAMES: Final = 5
"""Names said in one line; the others are counted."""


class Doorbell:
    """Rings at most every half hour in the owner's private chat, and then for everyone who came meanwhile.

    Who waits for the next ring is not stored: after a restart they are told of with whoever writes next.
    """

    def __init__(self, places: CardPlaces, gate: Gate, notices: Notices, clock: Clock) -> None:
        self._places = places
        self._gate = gate
        self._notices = notices
        self._clock = clock
        self._later: dict[str, asyncio.Task[None]] = {}

    async def close(self) -> None:
        """Ring no more."""
        waiting = tuple(self._later.values())
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)

    async def ring(self, channel: Channel, message: InboundMessage) -> None:
        """Say who wrote, now or with the next ring; nothing where the bot has no owner who can be written to.

        Raises:
            StoreUnavailable: nothing was said.
        """
        owner = await self._places.owner(channel.id)
        chat = None if owner is None else await self._places.private_chat(channel, owner.person_id)
        if chat is None:
            return
        if not await self._tell(channel, chat, message.update_id) and channel.id not in self._later:
            task = asyncio.create_task(self._tell_later(channel, chat, message.update_id), name="a stranger waits")
            self._later[channel.id] = task
            task.add_done_callback(lambda _: self._later.pop(channel.id, None))

    async def _tell_later(self, channel: Channel, chat: ChatRef, update_id: str) -> None:
        await self._clock.sleep(STRANGER_EVERY.total_seconds())
        try:
            await patiently(lambda: self._tell(channel, chat, update_id), self._clock)
        except Exception as fault:  # noqa: BLE001 - `conch people list` has them all
            _log.error("the owner was not told of a stranger", channel=channel.id, exc_info=fault)

    async def _tell(self, channel: Channel, chat: ChatRef, update_id: str) -> bool:
        """False: it rang too lately."""
        news = await self._gate.news_for_owner(chat)
        if news:
            await self._notices.say(channel, chat, f"{channel.id}:{update_id}:doorbell", _words(news))
        return news is not None


def _words(requests: Sequence[AccessRequest]) -> str:
    """The line for those who asked, the first one first."""
    if len(requests) == 1:
        return (
            f"{_name(requests[0])} wrote to me and is not let in, so I didn't answer. To let them in, type "
            f"`conch people let-in {requests[0].person_id}` in a terminal where Conch runs; `conch people list` shows "
            "what they wrote, and who else waits."
        )
    names = [_name(request) for request in requests[:MOST_NAMES]]
    if more := len(requests) - len(names):
        names.append(f"{more} more")
    return (
        f"{', '.join(names[:-1])} and {names[-1]} wrote to me and are not let in, so I didn't answer. "
        "`conch people list` in a terminal where Conch runs shows what they wrote, and the ids for "
        "`conch people let-in`."
    )


def _name(request: AccessRequest) -> str:
    return literal(" ".join(request.name.split())[:LONGEST_NAME] or "Somebody")
