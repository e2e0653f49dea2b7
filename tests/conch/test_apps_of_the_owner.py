"""Apps from the owner's side: listed, connected by a link, disconnected, in this process and over the local socket."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from conch import printing_apps as printing
from conch.admin import Admin
from conch.app import App
from conch.app_admin import AppAdmin
from conch.apps import WebPlace, app_side
from conch.control import RemoteAdministration, reach
from conch.examination import Examination
from core.apps.app import Tokens
from core.clock import ManualClock
from core.errors import NotFound, UsageError
from core.safety.secrets import SecretBox
from core.store.audit import Audit, Doer
from web.apps import AppLinkView, AppView
from web.control import create_control_app
from web.diagnosis import Answer
from web.serving import listen_locally, serving

CALENDAR = AppView(id="demo-calendar", name="Demo Calendar")
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


@pytest.fixture
async def remote(built: App, tmp_path: Path) -> AsyncIterator[RemoteAdministration]:
    with listen_locally(tmp_path / "control.sock") as listener:
        app = create_control_app(Admin(built))
        async with serving(app, [listener]), reach(tmp_path / "control.sock") as administration:
            yield administration


async def test_a_connected_app_is_listed_with_who_signed_in(
    remote: RemoteAdministration, built: App, clock: ManualClock
) -> None:
    before = await remote.apps.list()
    await built.apps.apps.connect(built.apps.apps.find("demo-calendar"), Tokens("key"))

    [after] = await remote.apps.list()

    assert list(before) == [CALENDAR]
    assert after == CALENDAR.model_copy(update={"account": "Demo account", "connected_at": clock.now()})


async def test_a_disconnected_app_is_gone_with_its_tools(remote: RemoteAdministration, built: App) -> None:
    apps = built.apps.apps
    await apps.connect(apps.find("demo-calendar"), Tokens("key"))
    tools = [tool.spec.name for tool in apps.tools()]

    gone = await remote.apps.disconnect("demo-calendar")

    assert tools == ["calendar_agenda", "calendar_add", "calendar_papers"]
    assert (gone, apps.tools(), list(await remote.apps.list())) == (CALENDAR, (), [CALENDAR])
    with pytest.raises(NotFound, match=r"^Demo Calendar is not connected\.$"):
        await remote.apps.disconnect("demo-calendar")


async def test_without_a_server_there_is_no_page_to_sign_in_on(remote: RemoteAdministration) -> None:
    with pytest.raises(UsageError, match="Start it with `conch serve`"):
        await remote.apps.connect("demo-calendar")


async def test_a_public_address_alone_answers_nobody(built: App, clock: ManualClock) -> None:
    place = WebPlace("https://conch.example.com")
    side = app_side(built.home, built.database, SecretBox("k" * 32), clock, place, lambda _secret: None)

    with pytest.raises(UsageError, match="Start it with `conch serve`"):
        await AppAdmin(side, Doer(Audit(built.database), "The terminal")).connect("demo-calendar")


async def test_an_app_that_is_none_is_said_to_be_none(remote: RemoteAdministration) -> None:
    with pytest.raises(NotFound, match=r"There is no app “gmail” that can be connected. There is: demo-calendar\."):
        await remote.apps.connect("gmail")


@pytest.mark.parametrize(
    ("web", "begins", "local"),
    [
        (WebPlace(None, "http://127.0.0.1:7654"), "http://127.0.0.1:7654/connect/", True),
        (WebPlace("https://conch.example.com/", "http://127.0.0.1:7654"), "https://conch.example.com/connect/", False),
    ],
)
async def test_a_link_leads_to_the_public_address_where_there_is_one(
    built: App, clock: ManualClock, web: WebPlace, begins: str, local: bool
) -> None:
    side = app_side(built.home, built.database, SecretBox("k" * 32), clock, web, lambda _secret: None)

    made = await AppAdmin(side, Doer(Audit(built.database), "The terminal")).connect("demo-calendar")

    assert made.link.startswith(begins)
    assert made.local is local


def test_what_is_printed_says_what_to_do() -> None:
    connected = CALENDAR.model_copy(update={"account": "Demo account", "connected_at": NOON})
    link = AppLinkView(app=CALENDAR, link="http://127.0.0.1:7654/connect/x", local=True)

    assert printing.apps([CALENDAR]).splitlines()[1].split() == ["demo-calendar", "Demo", "Calendar", "no"]
    assert printing.apps([connected]).endswith("yes, as Demo account, since 2026-01-01")
    assert printing.link(link) == (
        "Sign in with Demo Calendar here:\n\n  http://127.0.0.1:7654/connect/x\n\n"
        "Open it on the machine where Conch runs. It works once, for ten minutes."
    )
    assert printing.disconnected(CALENDAR).startswith("Demo Calendar is disconnected: its keys are forgotten.")


async def test_the_doctor_sees_whether_a_connected_app_can_be_used(built: App) -> None:
    apps = built.apps.apps
    examination = Examination(built, Admin(built).engines, running=False)
    await apps.connect(apps.find("demo-calendar"), Tokens("key", None, built.clock.now()))

    [broken] = (await examination.everything(())).apps
    await apps.connect(apps.find("demo-calendar"), Tokens("key"))
    [working] = (await examination.everything(())).apps

    assert (broken.answer, working.answer) == (Answer.REFUSED, Answer.WORKS)
