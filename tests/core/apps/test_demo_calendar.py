"""The demo calendar's data and tools: the same each time, and what was added stays."""

from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.apps.demo_account import DemoAccount
from core.apps.demo_calendar import DemoCalendar
from core.apps.demo_days import DAYS, MAX_ADDED, Appointment, DemoDays, made_up
from core.apps.reading import AppTool
from core.cards import AgendaView, FilesView, MailView, MessagesView
from core.clock import ManualClock
from core.engines.base import HostToolResult, ToolAnswer
from core.errors import StoreUnavailable, TryLater, UsageError
from core.events import Tainted
from core.safety.permissions import ToolKind
from core.tools.tool import Tool
from tests.core.apps.desks import SilentDesk

START = datetime.fromisoformat("2026-12-01T13:00")
LUNCH = Appointment("Lunch", START, START + timedelta(hours=1))
DAY = START.date()


class OpenAccount(DemoAccount):
    """Takes every token."""

    def __init__(self) -> None:
        pass

    def check(self, access: str) -> None:
        """It does."""


async def key() -> str:
    return "key"


@pytest.fixture
def days(tmp_path: Path) -> DemoDays:
    return DemoDays(tmp_path / "calendar.json")


@pytest.fixture
def tools(days: DemoDays) -> tuple[Tool, Tool]:
    agenda, add, _ = DemoCalendar(OpenAccount(), days, ManualClock()).tools(key)
    return agenda, add


@pytest.fixture
def papers(days: DemoDays) -> Tool:
    *_, found = DemoCalendar(OpenAccount(), days, ManualClock()).tools(key)
    return found


@given(st.dates())
def test_a_day_has_the_same_appointments_each_time(day: date) -> None:
    appointments = made_up(day)

    assert appointments == made_up(day)
    assert all(each.start.date() == day and each.end is not None and each.end > each.start for each in appointments)


async def test_what_was_added_stays_and_stands_in_its_place(tmp_path: Path, days: DemoDays) -> None:
    assert await days.add(LUNCH)
    assert not await days.add(LUNCH)

    again = await DemoDays(tmp_path / "calendar.json").between(DAY, DAY)

    assert again == tuple(sorted((*made_up(DAY), LUNCH), key=lambda each: each.start))


async def test_a_broken_file_is_neither_read_nor_written_over(tmp_path: Path, days: DemoDays) -> None:
    (tmp_path / "calendar.json").write_text("{")

    with pytest.raises(StoreUnavailable):
        await days.add(LUNCH)

    assert (tmp_path / "calendar.json").read_text() == "{"


async def test_a_full_calendar_takes_no_more(days: DemoDays, monkeypatch: pytest.MonkeyPatch) -> None:
    full = tuple(Appointment(str(number), START, LUNCH.end) for number in range(MAX_ADDED))
    monkeypatch.setattr(days, "_read", lambda: full)

    with pytest.raises(UsageError, match="takes no more"):
        await days.add(LUNCH)


async def test_the_agenda_is_told_and_shown(tools: tuple[Tool, Tool]) -> None:
    answer = await tools[0].run(SilentDesk(), {"from": "2026-12-01", "to": "2026-12-02"})

    assert isinstance(answer, HostToolResult)
    assert answer.text.startswith("Demo Calendar, 2026-12-01 to 2026-12-02:\n- Tue 2026-12-01 09:30–09:45 Stand-up")
    assert isinstance(answer.view, AgendaView)
    assert len(answer.view.rows) == answer.text.count("\n- ")


@pytest.mark.parametrize(
    ("args", "told"),
    [
        ({"from": "tomorrow"}, "must be days as YYYY-MM-DD"),
        ({"from": "2026-12-02", "to": "2026-12-01"}, "`from` or later"),
        ({"from": "2026-12-01", "to": "2027-12-01"}, "at most 31 days"),
    ],
)
async def test_days_that_cannot_be_looked_up_are_said_to_be_so(
    tools: tuple[Tool, Tool], args: dict[str, Any], told: str
) -> None:
    answer = await tools[0].run(SilentDesk(), args)

    assert answer.failed
    assert told in answer.text


@pytest.mark.parametrize(
    ("args", "told"),
    [
        ({"title": "Lunch", "start": "2026-12-01T13:00"}, "Added: Tue 2026-12-01 13:00–14:00 Lunch"),
        ({"title": "Holiday", "start": "2026-12-24"}, "Added: Thu 2026-12-24 all day Holiday"),
        (
            {"title": "A\nwalk", "start": "2026-12-01T13:00", "end": "2026-12-01T15:30", "location": "The sea"},
            "Added: Tue 2026-12-01 13:00–15:30 A walk, The sea",
        ),
    ],
)
async def test_an_appointment_is_added(tools: tuple[Tool, Tool], args: dict[str, Any], told: str) -> None:
    answer = await tools[1].run(SilentDesk(), args)

    assert (answer.failed, answer.text) == (False, told)


@pytest.mark.parametrize(
    ("args", "told"),
    [
        ({"start": "2026-12-01T13:00"}, "`title` must be"),
        ({"title": "Lunch", "start": "at one"}, "must be YYYY-MM-DDTHH:MM"),
        ({"title": "Lunch", "start": "2026-12-01T13:00+02:00"}, "must be YYYY-MM-DDTHH:MM"),
        ({"title": "Lunch", "start": "2026-12-01T13:00", "end": "2026-12-01T12:00"}, "`end` must be after `start`"),
        ({"title": "Lunch", "start": "2026-12-01T13:00", "end": "2027-12-01T12:00"}, "at most a day later"),
    ],
)
async def test_what_is_no_appointment_is_not_added(tools: tuple[Tool, Tool], args: dict[str, Any], told: str) -> None:
    answer = await tools[1].run(SilentDesk(), args)

    assert answer.failed
    assert told in answer.text


@pytest.mark.parametrize(
    ("what", "kind"), [("invitations", MailView), ("papers", FilesView), ("remarks", MessagesView)]
)
async def test_what_goes_with_appointments_is_told_and_shown(papers: Tool, what: str, kind: type) -> None:
    answer = await papers.run(SilentDesk(), {"what": what, "from": "2026-12-01", "days": 2})

    assert isinstance(answer, HostToolResult)
    assert answer.view is not None
    assert isinstance(answer.view, kind)
    assert answer.text.splitlines()[0] == f"Demo Calendar, {what} from 2026-12-01 to 2026-12-02:"
    assert len(answer.text.splitlines()) - 1 == len(answer.view.rows) == 4


@pytest.mark.parametrize(
    ("args", "told"),
    [
        ({}, "`what` must be one of invitations, papers, remarks."),
        ({"what": "secrets"}, "`what` must be one of invitations, papers, remarks."),
        ({"what": "papers", "from": "tomorrow"}, "`from` must be a day as YYYY-MM-DD."),
        ({"what": "papers", "from": "9999-12-31"}, "`from` must be a day as YYYY-MM-DD."),
        ({"what": "papers", "days": 0}, f"`days` must be a number from 1 to {DAYS}."),
        ({"what": "papers", "days": "all"}, f"`days` must be a number from 1 to {DAYS}."),
    ],
)
async def test_what_cannot_be_looked_up_is_said(papers: Tool, args: dict[str, Any], told: str) -> None:
    answer = await papers.run(SilentDesk(), args)

    assert (answer.failed, answer.text) == (True, told)


class Telling:
    """A tool that answers with what it was given."""

    kind = ToolKind.READ

    def __init__(self, tools: tuple[Tool, Tool], said: ToolAnswer | Exception) -> None:
        self.spec = tools[0].spec
        self._said = said

    async def run(self, desk: Any, args: Any) -> ToolAnswer:
        if isinstance(self._said, Exception):
            raise self._said
        return self._said


@pytest.mark.parametrize(
    ("said", "marks"),
    [
        (ToolAnswer("words of the app's"), [Tainted(source="app", label="Demo Calendar")]),
        (ToolAnswer("words of ours", failed=True), []),
        (TryLater("It is away."), []),
    ],
)
async def test_what_an_app_says_marks_the_chat_and_what_we_say_of_it_does_not(
    tools: tuple[Tool, Tool], said: ToolAnswer | Exception, marks: list[Tainted]
) -> None:
    desk = SilentDesk()

    await AppTool("Demo Calendar", Telling(tools, said)).run(desk, {})

    assert desk.recorded == marks
