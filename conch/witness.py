"""Writes down what was decided in conversations: permissions, offers, modes, whichever door the decision came through.

It listens to what the log commits, so each decision is seen once. What was seen and not written yet when the program
is killed is in the conversation's log alone.
"""

import asyncio
from collections.abc import Sequence
from typing import Final

import structlog

from commands.values import MODES
from core.errors import StoreUnavailable
from core.events import (
    Event,
    OfferResolved,
    OfferShown,
    OptionsSet,
    PermissionRequested,
    PermissionResolved,
)
from core.plain import plain
from core.store.audit import Audit, Deed
from core.store.conversation_list import ConversationList
from core.store.database import Database
from core.store.log import EventLog

_log = structlog.get_logger(__name__)

MOST_WAITING: Final = 1_000
"""Decisions that wait to be written down; people decide more slowly than that, by far."""

LOOKED_AT: Final = 50
"""Earlier events among which what was decided is looked for."""

LONGEST_SUMMARY: Final = 100
LONGEST_TITLE: Final = 40
"""Characters: both have to fit into a line."""

DEFAULT: Final = "the default"

LAST_SECONDS: Final = 5.0
"""Seconds that writing down may take at the end."""


class Witness:
    """Hears what is committed, and writes it down a little later."""

    def __init__(self, database: Database) -> None:
        self._log = EventLog(database)
        self._list = ConversationList(database)
        self._audit = Audit(database)
        self._seen: asyncio.Queue[Event] = asyncio.Queue(MOST_WAITING)
        self._task = asyncio.create_task(self._write())

    def hear(self, events: Sequence[Event]) -> None:
        """A listener of the log: quick, and never raises."""
        for event in events:
            if not _is_decision(event):
                continue
            try:
                self._seen.put_nowait(event)
            except asyncio.QueueFull:
                _log.warning("what was decided could not be written down", what=event.type)

    async def settled(self) -> None:
        """Come back when all that was heard is written down."""
        await self._seen.join()

    async def close(self) -> None:
        """Write down what waits, for some seconds at most."""
        try:
            await asyncio.wait_for(self.settled(), LAST_SECONDS)
        except TimeoutError:
            _log.warning("not everything that was decided could be written down")
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _write(self) -> None:
        while True:
            event = await self._seen.get()
            try:
                await self._note(event)
            except StoreUnavailable as reason:
                _log.warning("what was decided could not be written down", what=event.type, reason=str(reason))
            except Exception:  # noqa: BLE001 - one line that cannot be written is not the end of all others
                _log.exception("what was decided could not be written down", what=event.type)
            finally:
                self._seen.task_done()

    async def _note(self, event: Event) -> None:
        match event.data:
            case PermissionResolved(by=str(by), decision=decision) as resolved:
                what = Deed.DENIED if decision == "deny" else Deed.ALLOWED
                always = " from now on" if decision == "allow-always" else ""
                about = f"{await self._asked(event, resolved.permission_id)}{always}"
            case OfferResolved(by=str(by), offer_id=offer_id):
                what, about = Deed.OFFER_TAKEN, f"the offer of {await self._offered(event, offer_id)}"
            case OptionsSet(mode=mode):
                before = await self._mode_before(event)
                if mode is before:
                    return
                title = next((each.title for each in MODES.items if each.word == mode), DEFAULT)
                by, what, about = "Somebody", Deed.MODE_CHANGED, f"the mode to {title}"
            case _:
                return
        await self._audit.note(what, by, f"{about}, in {await self._place(event)}")

    async def _asked(self, event: Event, permission_id: str) -> str:
        for each in await self._log.newest(event.conversation_id, "permission.requested", LOOKED_AT):
            if isinstance(each.data, PermissionRequested) and each.data.permission_id == permission_id:
                return plain(each.data.summary or each.data.tool_name, LONGEST_SUMMARY)
        return "something"

    async def _offered(self, event: Event, offer_id: str) -> str:
        for each in await self._log.newest(event.conversation_id, "offer", LOOKED_AT):
            if isinstance(each.data, OfferShown) and each.data.offer.offer_id == offer_id:
                return each.data.offer.name
        return "something"

    async def _mode_before(self, event: Event) -> object:
        for each in await self._log.newest(event.conversation_id, "options", LOOKED_AT):
            if each.seq < event.seq and isinstance(each.data, OptionsSet):
                return each.data.mode
        return None

    async def _place(self, event: Event) -> str:
        """Where it was decided, in words."""
        found = await self._list.of(event.conversation_id)
        title = (found.summary.title or found.first if found else "").strip() or "a chat"
        app = (found.origin.app if found and found.origin else None) or "console or API"
        return f"“{plain(title, LONGEST_TITLE)}” ({app})"


def _is_decision(event: Event) -> bool:
    """Whether a person decided something there."""
    match event.data:
        case PermissionResolved(by=by):
            return by is not None
        case OfferResolved(outcome=outcome, by=by):
            return outcome == "accepted" and by is not None
    return isinstance(event.data, OptionsSet)
