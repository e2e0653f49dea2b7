"""The demo calendar's appointments: made up from the date alone, and those that were added, kept in a file."""

import asyncio
import json
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Final

from core.errors import StoreUnavailable, UsageError

MAX_ADDED: Final = 500
"""Appointments that can be added to one calendar."""

DAYS: Final = 31
"""Days that are looked at in one go."""


@dataclass(frozen=True, slots=True)
class Appointment:
    """Something in the calendar, in the time of wherever the person is; `end` is None for a whole day."""

    title: str
    start: datetime
    end: datetime | None = None
    location: str | None = None

    @property
    def all_day(self) -> bool:
        """Whether it has no times."""
        return self.end is None


_Made = tuple[str, time, int, str | None]

_EVERY_WEEK: Final[tuple[tuple[_Made, ...], ...]] = (
    (("Plan the week", time(9), 30, None), ("Lunch with Noor", time(12, 30), 60, "Café Meridian")),
    (("Stand-up", time(9, 30), 15, "Video call"), ("Dentist", time(16), 45, "12 Harbour Street")),
    (("Stand-up", time(9, 30), 15, "Video call"), ("Design review", time(14), 60, "Room 3")),
    (("Stand-up", time(9, 30), 15, "Video call"), ("Choir", time(19), 90, "St Anne's Hall")),
    (("Look back at the week", time(15), 45, None),),
    (("Market", time(10), 60, "Old Square"),),
    (),
)
"""By weekday, Monday first."""

_EVERY_OTHER_WEEK: Final[tuple[tuple[_Made, ...], ...]] = (
    (),
    (("One-to-one with Sam", time(11), 30, "Room 1"),),
    (("Book club", time(19, 30), 120, "At Priya's"),),
    (),
    (("Team breakfast", time(8, 30), 60, "Kitchen"),),
    (),
    (("Walk by the sea", time(14), 120, None),),
)


def made_up(day: date) -> tuple[Appointment, ...]:
    """What stands in the calendar of that day by itself, always the same."""
    week, weekday = day.isocalendar().week, day.weekday()
    made = _EVERY_WEEK[weekday] + (_EVERY_OTHER_WEEK[weekday] if week % 2 == 0 else ())
    return tuple(_appointment(day, *each) for each in made)


def _appointment(day: date, title: str, at: time, minutes: int, location: str | None) -> Appointment:
    start = datetime.combine(day, at)
    return Appointment(title, start, start + timedelta(minutes=minutes), location)


class DemoDays:
    """The calendar of one data folder, in a file that is written whole or not at all."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._one_writer = asyncio.Lock()

    async def between(self, first: date, last: date) -> tuple[Appointment, ...]:
        """All appointments from one day to another, both counted, in their order.

        Raises:
            StoreUnavailable: the file cannot be read.
        """
        days = [first + timedelta(days=number) for number in range((last - first).days + 1)]
        found = [each for day in days for each in made_up(day)]
        added = [each for each in await asyncio.to_thread(self._read) if first <= each.start.date() <= last]
        return tuple(sorted([*found, *added], key=lambda each: (each.start.date(), not each.all_day, each.start)))

    async def add(self, appointment: Appointment) -> bool:
        """Keep an appointment; False: it is there already.

        Raises:
            UsageError: the calendar is full.
            StoreUnavailable: it cannot be kept now.
        """
        async with self._one_writer:
            added = await asyncio.to_thread(self._read)
            if appointment in added:
                return False
            if len(added) >= MAX_ADDED:
                raise UsageError(f"{MAX_ADDED} appointments were added, and the demo calendar takes no more.")
            await asyncio.to_thread(self._write, [*added, appointment])
            return True

    def _read(self) -> tuple[Appointment, ...]:
        try:
            rows = json.loads(self._file.read_text(encoding="utf-8"))
            return tuple(_of(row) for row in rows)
        except FileNotFoundError:
            return ()
        except (OSError, ValueError, KeyError, TypeError) as fault:
            raise StoreUnavailable(f"The demo calendar's file {self._file.name} cannot be read.") from fault

    def _write(self, appointments: Sequence[Appointment]) -> None:
        try:
            handle, name = tempfile.mkstemp(dir=self._file.parent, prefix=".calendar-")
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump([_row(each) for each in appointments], file, ensure_ascii=False, indent=1)
            Path(name).replace(self._file)
        except OSError as fault:
            raise StoreUnavailable(f"The demo calendar's file {self._file.name} cannot be written.") from fault


def _row(appointment: Appointment) -> dict[str, str | None]:
    end = appointment.end.isoformat() if appointment.end else None
    start = appointment.start.isoformat()
    return {"title": appointment.title, "start": start, "end": end, "location": appointment.location}


def _of(row: dict[str, str | None]) -> Appointment:
    end, location = row["end"], row["location"]
    start = datetime.fromisoformat(str(row["start"]))
    return Appointment(str(row["title"]), start, datetime.fromisoformat(end) if end else None, location)
