"""What is thrown away after a while: finished rows of the inbox and outbox, client ids, codes, notes, buttons, cards,
and what was done long ago.

Events, people and what still waits are never thrown away here. Rows go in small batches, each in a transaction of its
own, so that nobody who writes waits long.
"""

from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import Column, ColumnElement, Connection, Table, and_, delete, or_, select, tuple_

from core.store import app_tables, audit, console_tables, preview_tables, tables
from core.store.database import Database
from core.store.groups import GUEST_WINDOW
from core.store.outbox import State

KEPT: Final = timedelta(days=30)
"""How long finished rows and client ids stay, where the settings say nothing else."""

NOTE_KEPT: Final = timedelta(hours=1)
"""How long it is remembered that a chat was told something: longer than anything waits that is said now and then."""

BUTTONS_KEPT: Final = timedelta(days=2)
"""How long after its time a late press still hears what became of a button; then the button is an unknown one."""

BATCH: Final = 500
"""Rows of one transaction."""

_UNFINISHED = (State.PENDING.value, State.SENDING.value)


async def throw_away(database: Database, kept: timedelta = KEPT) -> int:
    """Delete everything that is over; returns how many rows went. To be called now and then, for example each hour."""
    now = database.now()
    old = now - kept
    inbox, outbox, client_id, hello, told, guests, actions, cards, menus, tickets, previews, sessions = (
        tables.inbox.c,
        tables.outbox.c,
        tables.client_id.c,
        tables.hello_code.c,
        tables.told.c,
        tables.guest_answer.c,
        tables.action_set.c,
        tables.card.c,
        tables.menu.c,
        app_tables.app_ticket.c,
        preview_tables.preview.c,
        console_tables.web_session.c,
    )
    rules = (
        (tables.inbox, inbox.arrival, inbox.done_at < old),
        (tables.outbox, outbox.id, and_(outbox.changed_at < old, outbox.state.not_in(_UNFINISHED))),
        (tables.client_id, client_id.at, client_id.at < old),
        (tables.hello_code, hello.expires_at, hello.expires_at <= now),
        (tables.told, told.at, told.at < now - NOTE_KEPT),
        (tables.guest_answer, guests.at, guests.at <= now - GUEST_WINDOW),
        (tables.action_set, actions.expires_at, actions.expires_at < now - BUTTONS_KEPT),
        (tables.menu, menus.expires_at, menus.expires_at < now - BUTTONS_KEPT),
        (app_tables.app_ticket, tickets.expires_at, tickets.expires_at < now - BUTTONS_KEPT),
        (console_tables.web_session, sessions.ends_at, sessions.ends_at <= now),
        (console_tables.audit, console_tables.audit.c.id, _too_old_or_many(now - max(kept, audit.KEPT))),
        (preview_tables.preview, previews.opened_at, previews.opened_at < old),
        (tables.card, cards.created_at, and_(cards.created_at < now - BUTTONS_KEPT, cards.state == "closed")),
    )
    return sum([await _throw_away(database, *rule) for rule in rules])


def _too_old_or_many(old: datetime) -> ColumnElement[bool]:
    """The lines of what was done that have no place any more."""
    lines, every = console_tables.audit.c, console_tables.audit.alias()
    pushed_out = select(every.c.id).order_by(every.c.id.desc()).offset(audit.MOST).limit(1).scalar_subquery()
    return or_(lines.at < old, lines.id <= pushed_out)


async def _throw_away(database: Database, table: Table, age: Column[Any], over: ColumnElement[bool]) -> int:
    """Look at the oldest rows by `age`, delete those that are over, and go on while there were any."""
    key = tuple(table.primary_key)
    oldest = select(*key).order_by(age).limit(BATCH)
    statement = delete(table).where(tuple_(*key).in_(oldest), over)

    def work(connection: Connection) -> int:
        return connection.execute(statement).rowcount

    total = 0
    while gone := await database.write(work):
        total += gone
    return total
