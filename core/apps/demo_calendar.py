"""The demo calendar as an app: what it may do, how one signs in, and its tools."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any, Final

from core import views
from core.apps.app import Key, SignIn
from core.apps.demo_account import APP_ID, CLIENT_ID, SCOPE, DemoAccount
from core.apps.demo_days import DAYS, Appointment, DemoDays
from core.apps.demo_papers import CalendarPapers
from core.clock import Clock
from core.engines.base import HostTool, HostToolResult, ToolAnswer
from core.errors import UsageError
from core.offers.catalog import DEMO_CALENDAR
from core.plain import plain
from core.safety.permissions import ToolKind
from core.tools.tool import Desk, Tool

PAGE: Final = "/demo-calendar/authorize"
"""The path of its sign-in's page."""

MAX_TITLE: Final = 200
LONGEST: Final = timedelta(days=1)

_DAY: Final = "A day as YYYY-MM-DD"
_MOMENT: Final = "YYYY-MM-DDTHH:MM, without a time zone"


class DemoCalendar:
    """Can be connected and used like a real one."""

    id = APP_ID
    name = DEMO_CALENDAR.name
    account = "Demo account"
    may = ("see the appointments in it, and what goes with them", "add appointments, after asking you")

    def __init__(self, account: DemoAccount, days: DemoDays, clock: Clock) -> None:
        self._account = account
        self._days = days
        self._clock = clock

    @property
    def sign_in(self) -> SignIn:
        """On a page of our own; the token address is in this process."""
        return SignIn(CLIENT_ID, PAGE, f"https://{APP_ID}.invalid/token", SCOPE, self._account.token)

    def tools(self, key: Key) -> Sequence[Tool]:
        """Looking and adding."""
        return (
            CalendarAgenda(self._account, self._days, self._clock, key),
            CalendarAdd(self._account, self._days, key),
            CalendarPapers(self._account, self._days, self._clock, key),
        )


class CalendarAgenda:
    """`calendar_agenda`: the appointments of some days."""

    kind = ToolKind.READ
    spec = HostTool(
        "calendar_agenda",
        f"Look up the appointments of at most {DAYS} days in the person's Demo Calendar. They are shown them as a list"
        " too, so say what matters and do not repeat it all.",
        {
            "type": "object",
            "properties": {
                "from": {"type": "string", "description": f"{_DAY}; today where it is left out"},
                "to": {"type": "string", "description": f"{_DAY}, which still counts; `from` where it is left out"},
            },
            "additionalProperties": False,
        },
    )

    def __init__(self, account: DemoAccount, days: DemoDays, clock: Clock, key: Key) -> None:
        self._account = account
        self._days = days
        self._clock = clock
        self._key = key

    async def run(self, desk: Desk, args: Mapping[str, Any]) -> ToolAnswer:
        """The days in words and as a view."""
        try:
            first = _day(args.get("from")) or self._clock.now().date()
            last = _day(args.get("to")) or first
        except ValueError:
            return ToolAnswer("`from` and `to` must be days as YYYY-MM-DD.", failed=True)
        if not 0 <= (last - first).days < DAYS:
            return ToolAnswer(f"`to` must be `from` or later, and at most {DAYS} days are looked up.", failed=True)
        self._account.check(await self._key())
        found = await self._days.between(first, last)
        view = views.agenda([_row(each) for each in found], first.isoformat(), last.isoformat())
        return HostToolResult(_told(first, last, found), view=view)


class CalendarAdd:
    """`calendar_add`: a new appointment."""

    kind = ToolKind.ELSEWHERE
    spec = HostTool(
        "calendar_add",
        "Add an appointment to the person's Demo Calendar. They are asked first.",
        {
            "type": "object",
            "properties": {
                "title": {"type": "string", "maxLength": MAX_TITLE},
                "start": {"type": "string", "description": f"{_MOMENT}, or a day alone for a whole day"},
                "end": {"type": "string", "description": f"{_MOMENT}; an hour later where it is left out"},
                "location": {"type": "string", "maxLength": MAX_TITLE},
            },
            "required": ["title", "start"],
            "additionalProperties": False,
        },
    )

    def __init__(self, account: DemoAccount, days: DemoDays, key: Key) -> None:
        self._account = account
        self._days = days
        self._key = key

    async def run(self, desk: Desk, args: Mapping[str, Any]) -> ToolAnswer:
        """Whether it may run was decided before."""
        try:
            appointment = _appointment(args)
        except ValueError as fault:
            return ToolAnswer(str(fault), failed=True)
        self._account.check(await self._key())
        try:
            is_new = await self._days.add(appointment)
        except UsageError as fault:
            return ToolAnswer(str(fault), failed=True)
        return ToolAnswer(f"{'Added' if is_new else 'It is there already'}: {_line(appointment)}")


def _appointment(args: Mapping[str, Any]) -> Appointment:
    """Raises ValueError with what to mend, for the model."""
    title, location = plain(str(args.get("title") or ""), MAX_TITLE), plain(str(args.get("location") or ""), MAX_TITLE)
    if not title:
        raise ValueError("`title` must be what the appointment is.")
    words, until = str(args.get("start") or ""), str(args.get("end") or "")
    try:
        if len(words) == len("2026-12-24"):
            day = date.fromisoformat(words)
            return Appointment(title, datetime.combine(day, datetime.min.time()), None, location or None)
        start = datetime.fromisoformat(words)
        end = datetime.fromisoformat(until) if until else start + timedelta(hours=1)
    except (ValueError, OverflowError):
        raise ValueError(f"`start` and `end` must be {_MOMENT}; `start` may be a day alone.") from None
    if start.tzinfo or end.tzinfo:
        raise ValueError(f"`start` and `end` must be {_MOMENT}.")
    if not timedelta() < end - start <= LONGEST:
        raise ValueError("`end` must be after `start`, and at most a day later.")
    return Appointment(title, start, end, location or None)


def _day(words: object) -> date | None:
    return None if words in (None, "") else date.fromisoformat(str(words))


def _row(appointment: Appointment) -> dict[str, object]:
    return {
        "title": appointment.title,
        "start": appointment.start.date().isoformat() if appointment.all_day else _moment(appointment.start),
        "end": _moment(appointment.end) if appointment.end else None,
        "all_day": appointment.all_day,
        "location": appointment.location,
        "calendar": DEMO_CALENDAR.name,
    }


def _told(first: date, last: date, found: Sequence[Appointment]) -> str:
    span = first.isoformat() if first == last else f"{first.isoformat()} to {last.isoformat()}"
    if not found:
        return f"{DEMO_CALENDAR.name}, {span}: no appointments."
    return "\n".join([f"{DEMO_CALENDAR.name}, {span}:", *(f"- {_line(each)}" for each in found)])


def _line(appointment: Appointment) -> str:
    day = appointment.start.strftime("%a %Y-%m-%d")
    hours = "all day" if appointment.end is None else f"{appointment.start:%H:%M}–{appointment.end:%H:%M}"
    where = f", {appointment.location}" if appointment.location else ""
    return f"{day} {hours} {appointment.title}{where}"


def _moment(moment: datetime) -> str:
    return moment.isoformat(timespec="minutes")
