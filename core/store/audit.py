"""What was done with Conch, by whom and from where: kept so that the owner can look it up, and never for anything else.

A line is written right after the deed, or with it where that is one transaction. A store that is away costs the line,
never the deed, and so does the end of the program in between.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

import structlog
from sqlalchemy import Connection, insert, select

from core.errors import StoreUnavailable
from core.plain import plain
from core.store import console_tables
from core.store.database import Database

_AUDIT = console_tables.audit
_log = structlog.get_logger(__name__)

LONGEST: Final = 200
"""Characters of `by` and of `about`."""

KEPT: Final = timedelta(days=90)
"""How long a line is kept at least, however short the settings keep the rest: what was allowed may matter later."""

MOST: Final = 50_000
"""Lines that are kept; one more pushes out the oldest."""


class Deed(StrEnum):
    """What was done. Once stored, a word never changes its meaning."""

    SIGNED_IN = "signed-in"
    SIGN_IN_FAILED = "sign-in-failed"
    SIGNED_OUT = "signed-out"
    DEVICE_ENDED = "device-ended"
    PASSWORD_SET = "password-set"  # noqa: S105 - the name of a deed
    PASSWORD_REMOVED = "password-removed"  # noqa: S105 - as above
    PASSKEY_ADDED = "passkey-added"
    PASSKEY_REMOVED = "passkey-removed"
    TOKEN_MADE = "token-made"  # noqa: S105 - as above
    TOKEN_REVOKED = "token-revoked"  # noqa: S105 - as above
    BOT_CONNECTED = "bot-connected"
    BOT_KEY_CHANGED = "bot-key-changed"
    BOT_ON = "bot-on"
    BOT_OFF = "bot-off"
    BOT_REMOVED = "bot-removed"
    LINK_MADE = "link-made"
    LET_IN = "let-in"
    CAME_IN = "came-in"
    BLOCKED = "blocked"
    PERSON_REMOVED = "person-removed"
    GROUP_ON = "group-on"
    GROUP_OFF = "group-off"
    ENGINE_ADDED = "engine-added"
    ENGINE_KEY_CHANGED = "engine-key-changed"
    ENGINE_REMOVED = "engine-removed"
    SETTING_CHANGED = "setting-changed"
    APP_CONNECTED = "app-connected"
    APP_DISCONNECTED = "app-disconnected"
    ALLOWED = "allowed"
    DENIED = "denied"
    MODE_CHANGED = "mode-changed"
    OFFER_TAKEN = "offer-taken"
    SENT_AGAIN = "sent-again"
    LEFT_UNSENT = "left-unsent"
    CHAT_DELETED = "chat-deleted"


@dataclass(frozen=True, slots=True)
class AuditLine:
    """One deed. `address` is where it was asked from, where that is known."""

    id: int
    at: datetime
    what: str
    by: str
    about: str
    address: str | None


class Audit:
    """Writes and reads the lines."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def note(self, what: Deed, by: str, about: str = "", address: str | None = None) -> None:
        """Write one down; `by` and `about` are words for people, and hold no key."""
        at = self._database.now()
        try:
            await self._database.write(lambda connection: note_in(connection, at, what, by, about, address))
        except StoreUnavailable as reason:
            _log.warning("what was done could not be written down", what=what.value, reason=str(reason))

    async def page(self, most: int, before: int | None = None, what: Sequence[str] = ()) -> Sequence[AuditLine]:
        """The newest first, those before the line `before`; of these kinds, where any are named.

        Raises:
            StoreUnavailable: they cannot be read now.
        """
        query = select(_AUDIT).order_by(_AUDIT.c.id.desc()).limit(most)
        if before is not None:
            query = query.where(_AUDIT.c.id < before)
        if what:
            query = query.where(_AUDIT.c.what.in_(what))
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        return [AuditLine(row.id, row.at, row.what, row.by, row.about, row.address) for row in rows]


@dataclass(frozen=True, slots=True)
class Doer:
    """Somebody at one of the doors: the terminal, the console. `name` stands at the beginning of a sentence."""

    audit: Audit
    name: str

    async def did(self, what: Deed, about: str = "") -> None:
        """Write down what they just did."""
        await self.audit.note(what, self.name, about)


def note_in(
    connection: Connection, at: datetime, what: Deed, by: str, about: str = "", address: str | None = None
) -> None:
    """Write one down in the transaction of the deed."""
    where = plain(address, LONGEST) if address else None
    row = {"at": at, "what": what.value, "by": plain(by, LONGEST), "about": plain(about, LONGEST), "address": where}
    connection.execute(insert(_AUDIT).values(row))
