"""What one transaction does with the work of many callers: all changes sorted and written together, then rare works.

Sync functions over a connection: they run wherever the connection may be used.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Any

from sqlalchemy import Connection

from core.errors import ConchError, StoreUnavailable
from core.events import Event
from core.store.changes import Change, RecentStates, Transaction
from core.store.faults import collided, translated


@dataclass(frozen=True, slots=True)
class Commit:
    """Changes of one caller: all of them or none."""

    changes: tuple[Change[Any], ...]


@dataclass(frozen=True, slots=True)
class Work:
    """A function of one caller over the connection."""

    function: Callable[[Connection], Any]


Job = Commit | Work


@dataclass(frozen=True, slots=True)
class Done:
    """The job is durable."""

    result: Any


@dataclass(frozen=True, slots=True)
class Failed:
    """Nothing of the job was stored."""

    error: Exception


Outcome = Done | Failed


@dataclass(slots=True)
class Written:
    """What became of jobs, in their order, and what the log gained."""

    outcomes: list[Outcome] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)


def write(connection: Connection, jobs: Sequence[Job], at: datetime, states: RecentStates) -> Written:
    """Do all jobs inside a transaction that somebody else begins and ends."""
    tx = Transaction(connection, at, states)
    with translated():
        changes = [change for job in jobs if isinstance(job, Commit) for change in job.changes]
        results = iter(_write(changes, tx))
        outcomes: list[Outcome] = [
            Done(tuple(islice(results, len(job.changes)))) if isinstance(job, Commit) else _do(job, connection)
            for job in jobs
        ]
    return Written(outcomes, tx.events)


def _write(changes: Sequence[Change[Any]], tx: Transaction) -> list[Any]:
    """Write all changes, class by class; the results are in the order of the changes."""
    results: list[Any] = [None] * len(changes)
    by_class: dict[type[Change[Any]], list[int]] = {}
    for place, change in enumerate(changes):
        by_class.setdefault(type(change), []).append(place)
    for kind in sorted(by_class, key=lambda kind: kind.step):
        places = by_class[kind]
        for place, result in zip(places, kind.apply_many(tx, [changes[place] for place in places]), strict=True):
            results[place] = result
    return results


def _do(work: Work, connection: Connection) -> Outcome:
    """A work may fail on purpose, for example with `NotFound`: then it alone is undone."""
    try:
        with translated(), connection.begin_nested():
            return Done(work.function(connection))
    except ConchError as error:
        if isinstance(error, StoreUnavailable) or collided(error):
            raise  # nothing is wrong with the work
        return Failed(error)
