"""What goes with the demo calendar's appointments: invitations, papers and remarks, made up from these alone."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any, Final

from core import views
from core.apps.app import Key
from core.apps.demo_account import DemoAccount
from core.apps.demo_days import DAYS, Appointment, DemoDays
from core.cards import ToolView
from core.clock import Clock
from core.engines.base import HostTool, HostToolResult, ToolAnswer
from core.safety.permissions import ToolKind
from core.tools.tool import Desk

_PEOPLE: Final = ("Noor", "Sam", "Priya")
_REMARKS: Final = ("I'll bring the cake.", "I may be ten minutes late.", "Could we begin a little later?")


class CalendarPapers:
    """`calendar_papers`: one kind of what goes with the appointments of some days."""

    kind = ToolKind.READ
    spec = HostTool(
        "calendar_papers",
        "Look up what goes with the appointments in the person's Demo Calendar: invitations, papers or remarks. They"
        " are shown them as a list too, so say what matters and do not repeat it all.",
        {
            "type": "object",
            "properties": {
                "what": {"type": "string", "enum": ["invitations", "papers", "remarks"]},
                "from": {"type": "string", "description": "A day as YYYY-MM-DD; today where it is left out"},
                "days": {"type": "integer", "minimum": 1, "maximum": DAYS, "description": "7 where it is left out"},
            },
            "required": ["what"],
            "additionalProperties": False,
        },
    )

    def __init__(self, account: DemoAccount, days: DemoDays, clock: Clock, key: Key) -> None:
        self._account = account
        self._days = days
        self._clock = clock
        self._key = key

    async def run(self, desk: Desk, args: Mapping[str, Any]) -> ToolAnswer:
        """The list in words and as a view."""
        look = _LOOKS.get(str(args.get("what")))
        if look is None:
            return ToolAnswer(f"`what` must be one of {', '.join(_LOOKS)}.", failed=True)
        count = args.get("days", 7)
        if not isinstance(count, int) or not 1 <= count <= DAYS:
            return ToolAnswer(f"`days` must be a number from 1 to {DAYS}.", failed=True)
        try:
            first = date.fromisoformat(str(args.get("from") or self._clock.now().date()))
            last = first + timedelta(days=count - 1)
        except (ValueError, OverflowError):
            return ToolAnswer("`from` must be a day as YYYY-MM-DD.", failed=True)
        self._account.check(await self._key())
        found = await self._days.between(first, last)
        view = look(found)
        told = "\n".join(f"- {each.start:%a %Y-%m-%d} {each.title}" for each in found) or "none"
        return HostToolResult(f"Demo Calendar, {args['what']} from {first} to {last}:\n{told}", view=view)


def invitations(appointments: Sequence[Appointment]) -> ToolView:
    """A mail for each, the first one unread."""
    return views.mail(
        {
            "from": _person(place),
            "subject": f"Invitation: {each.title}",
            "snippet": f"Where: {each.location}" if each.location else None,
            "date": (each.start - timedelta(days=2)).isoformat(timespec="minutes"),
            "unread": place == 0,
        }
        for place, each in enumerate(appointments)
    )


def papers(appointments: Sequence[Appointment]) -> ToolView:
    """A file for each."""
    return views.files(
        {
            "name": f"{each.title}.pdf",
            "mime": "application/pdf",
            "modified": (each.start - timedelta(days=1)).date().isoformat(),
            "owner": _person(place),
        }
        for place, each in enumerate(appointments)
    )


def remarks(appointments: Sequence[Appointment]) -> ToolView:
    """What somebody said of each."""
    rows = (
        {
            "author": _person(place),
            "text": f"{each.title}: {_REMARKS[place % len(_REMARKS)]}",
            "at": (each.start - timedelta(hours=1)).isoformat(timespec="minutes"),
        }
        for place, each in enumerate(appointments)
    )
    return views.messages("Remarks", rows)


_LOOKS: Final[Mapping[str, Callable[[Sequence[Appointment]], ToolView]]] = {
    "invitations": invitations,
    "papers": papers,
    "remarks": remarks,
}


def _person(place: int) -> str:
    return _PEOPLE[place % len(_PEOPLE)]
