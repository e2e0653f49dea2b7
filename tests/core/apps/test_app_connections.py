"""What is kept of a connected app: keys that are renewed in time, tools that come and go, and whose they are."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from datetime import timedelta
from pathlib import Path

import pytest

from core.apps.app import Tokens
from core.apps.connections import Apps
from core.apps.demo_account import KEY_LIFE, DemoAccount
from core.apps.demo_calendar import DemoCalendar
from core.apps.demo_days import DemoDays
from core.apps.links import ConnectLinks
from core.attendance import attendance
from core.clock import ManualClock
from core.engines.base import EngineCapabilities, HostToolResult
from core.errors import NotFound
from core.events import Mode, Origin
from core.safety.permissions import ToolKind
from core.safety.secrets import SecretBox
from core.store.apps import AppConnections, Step, Ticket, TicketFault, Tickets
from core.store.database import Database
from core.store.queue import QueuedMessage
from core.tools.table import offered
from tests.core.apps.desks import SilentDesk
from tests.core.lives import from_chat

BACK = "http://127.0.0.1:7654/connect/back"
ABLE = EngineCapabilities(host_tools="inline")


class CountingAccount(DemoAccount):
    """Counts how often it was asked for tokens."""

    asked = 0

    async def token(self, asked: Mapping[str, str]) -> tuple[int, Mapping[str, str | int]]:
        self.asked += 1
        return await super().token(asked)


class Rig:
    """The demo calendar over a database, with a clock that tests move."""

    def __init__(self, database: Database, clock: ManualClock, folder: Path) -> None:
        self.clock = clock
        self.secrets = SecretBox("k" * 32)
        self.tickets = Tickets(database)
        self.rows = AppConnections(database)
        self.account = CountingAccount(self.tickets, self.secrets, clock, BACK)
        self.calendar = DemoCalendar(self.account, DemoDays(folder / "calendar.json"), clock)
        self.seen: list[str] = []
        self.apps = self.again()

    def again(self) -> Apps:
        """The same after a restart."""
        return Apps((self.calendar,), self.rows, self.secrets, self.clock, self.seen.append)

    async def connect(self) -> Tokens:
        """As a sign-in does it."""
        given = self.account.granted()
        tokens = Tokens(str(given["access_token"]), str(given["refresh_token"]), self.clock.now() + KEY_LIFE)
        await self.apps.connect(self.calendar, tokens)
        return tokens

    async def look(self) -> tuple[bool, str]:
        """Whether the agenda tool failed, and what it told the model."""
        agenda, *_ = self.apps.tools()
        answer = await agenda.run(SilentDesk(), {"from": "2026-12-01"})
        return answer.failed, answer.text


@pytest.fixture
async def rig(folder: Path) -> AsyncIterator[Rig]:
    clock = ManualClock()
    database = await Database.open(f"sqlite:///{folder / 'conch.db'}", clock)
    yield Rig(database, clock, folder)
    await database.close()


async def test_a_key_that_runs_out_is_renewed_once_however_many_ask(rig: Rig) -> None:
    await rig.connect()
    await rig.clock.advance(KEY_LIFE.total_seconds() - 30)

    answers = await asyncio.gather(*(rig.look() for _ in range(5)))

    assert [failed for failed, _ in answers] == [False] * 5
    assert rig.account.asked == 1


async def test_a_connection_that_the_app_takes_no_more_says_so(rig: Rig) -> None:
    await rig.connect()
    await rig.clock.advance(timedelta(days=366).total_seconds())

    failed, told = await rig.look()

    assert failed
    assert told == "Demo Calendar does not take the connection any more. Tell the person to connect it again."


async def test_a_connection_stands_after_a_restart_and_its_keys_are_sealed(rig: Rig) -> None:
    tokens = await rig.connect()
    [kept] = await rig.rows.list()

    later = rig.again()
    await later.open()

    assert later.connected() == {"demo-calendar"}
    assert tokens.access not in kept.credentials
    assert rig.seen[:2] == [tokens.access, tokens.refresh]


async def test_keys_that_another_secret_key_sealed_are_as_good_as_gone(rig: Rig) -> None:
    await rig.rows.put("demo-calendar", "Demo account", SecretBox("x" * 32).seal({"access": "key"}))
    await rig.apps.open()

    failed, told = await rig.look()

    assert (failed, "connect it again" in told) == (True, True)


async def test_a_tool_that_was_handed_out_before_a_disconnect_reads_nothing_after_it(rig: Rig) -> None:
    await rig.connect()
    agenda, *_ = rig.apps.tools()

    await rig.apps.disconnect("demo-calendar")
    answer = await agenda.run(SilentDesk(), {})

    assert answer.failed
    with pytest.raises(NotFound):
        rig.apps.find("gmail")


async def test_what_reads_returns_a_view_and_what_writes_is_known_to_write(rig: Rig) -> None:
    await rig.connect()
    agenda, add, *_ = rig.apps.tools()

    seen = await agenda.run(SilentDesk(), {"from": "2026-12-01"})

    assert (agenda.kind, add.kind) == (ToolKind.READ, ToolKind.ELSEWHERE)
    assert isinstance(seen, HostToolResult)
    assert seen.view is not None


OWNER = from_chat("ada").model_copy(update={"role": "owner"})
LET_IN = from_chat("bob").model_copy(update={"role": "let-in"})
GUEST = from_chat("mallory").model_copy(update={"role": "guest"})


@pytest.mark.parametrize(
    ("origin", "gets"),
    [
        (OWNER, True),
        (Origin(kind="console"), True),
        (LET_IN, False),
        (GUEST, False),
        (Origin(kind="routine"), False),
    ],
)
async def test_only_the_owner_who_is_there_gets_the_tools_of_apps(rig: Rig, origin: Origin, gets: bool) -> None:
    await rig.connect()
    here = attendance(QueuedMessage(text="hello", origin=origin))

    names = [tool.spec.name for tool in offered(ABLE, here, Mode.ASK, apps=rig.apps.tools())]

    assert ("calendar_agenda" in names, "calendar_add" in names) == (gets, gets)


async def test_a_ticket_is_taken_once_however_many_try(rig: Rig) -> None:
    secret = await rig.tickets.make(Ticket(Step.LINK, "demo-calendar"))

    taken = await asyncio.gather(*(rig.tickets.claim(Step.LINK, secret) for _ in range(20)))

    assert [one for one in taken if isinstance(one, Ticket)] == [Ticket(Step.LINK, "demo-calendar")]
    assert taken.count(TicketFault.USED) == 19


async def test_a_ticket_is_good_for_its_own_step_alone(rig: Rig) -> None:
    secret = await rig.tickets.make(Ticket(Step.LINK, "demo-calendar"))

    assert await rig.tickets.claim(Step.STATE, secret) is TicketFault.UNKNOWN
    assert isinstance(await rig.tickets.claim(Step.LINK, secret), Ticket)


async def test_an_app_that_cannot_be_connected_has_no_link(rig: Rig) -> None:
    links = ConnectLinks(rig.tickets, rig.apps.ids, local_url="http://127.0.0.1:7654")

    assert await links.link("chat", "offer", "gmail") is None
    assert await ConnectLinks(rig.tickets, rig.apps.ids).link("chat", "offer", "demo-calendar") is None
