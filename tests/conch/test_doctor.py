"""Whom the doctor asks: the running server through its socket, or the parts themselves; and that it changes nothing."""

import stat
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, closing
from pathlib import Path

import pytest

from channels.emulators.telegram.pretend import DEFAULT_BOT, PretendTelegram
from conch import lock
from conch.alone import alone
from conch.doctor import examine
from conch.findings import Finding, Verdict
from conch.home import Home
from core.clock import SystemClock
from core.errors import TryLater
from core.safety.secrets import KEY_FILE
from tests.web.fakes import FakeAdministration
from web.app import Backend, create_app
from web.control import create_control_app
from web.health import HealthReport
from web.security import Gate
from web.serving import address, listen, listen_locally, serving
from web.sessions import Sessions

CLOCK = SystemClock()


@pytest.fixture
async def telegram(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[PretendTelegram]:
    """A pretend Telegram, and the settings that lead there."""
    async with PretendTelegram() as pretend:
        monkeypatch.setenv("CONCH_TELEGRAM_BASE_URL", pretend.base_url)
        monkeypatch.setenv("CONCH_TELEGRAM_BASE_FILE_URL", pretend.base_file_url)
        monkeypatch.setenv("CONCH_PORT", "0")
        yield pretend


async def with_a_bot(place: Home) -> None:
    """What `conch channels add telegram` leaves."""
    async with alone(place, CLOCK) as admin:
        await admin.add_channel("telegram", DEFAULT_BOT)


def by_subject(found: tuple[Finding, ...]) -> Mapping[str, Finding]:
    return {finding.subject: finding for finding in found}


def everything_in(folder: Path) -> Mapping[str, tuple[bytes, int]]:
    """Every file's bytes and rights, besides SQLite's side files, which come and go with each connection."""
    files = [path for path in folder.rglob("*") if path.is_file() and not path.name.endswith(("-wal", "-shm", ".lock"))]
    return {str(path): (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) for path in files}


@asynccontextmanager
async def server(place: Home, administration: FakeAdministration, *, can_store: bool = True) -> AsyncIterator[None]:
    """What a running `conch serve` looks like from outside."""

    async def look() -> HealthReport:
        return HealthReport(can_store=can_store, channels={})

    async with AsyncExitStack() as stack:
        held = stack.enter_context(lock.hold(place, "conch serve", CLOCK))
        listener = stack.enter_context(closing(listen("127.0.0.1", 0)))
        web = create_app(Gate(Sessions(CLOCK), 0), Backend(administration, look))
        await stack.enter_async_context(serving(web, [listener]))
        local = stack.enter_context(listen_locally(place.path / "control.sock"))
        await stack.enter_async_context(serving(create_control_app(administration), [local]))
        held.announce(address=address("127.0.0.1", listener), control=place.path / "control.sock")
        yield


# ---- without a server ------------------------------------------------------------------------------------------------


@pytest.mark.report("R195")
async def test_before_the_first_start_there_is_nothing_to_mend_and_nothing_is_made(
    tmp_path: Path, telegram: PretendTelegram
) -> None:
    found = await examine(Home(tmp_path / "new"), CLOCK)

    assert {finding.verdict for finding in found} == {Verdict.OK}
    assert [finding.subject for finding in found] == ["Settings", "Data folder", "Port"]
    assert everything_in(tmp_path) == {}


@pytest.mark.report("R195")
async def test_a_connected_bot_is_asked_at_its_app_before_a_server_starts(
    place: Home, telegram: PretendTelegram
) -> None:
    await with_a_bot(place)

    found = by_subject(await examine(place, CLOCK))

    assert found["Bot @pretend_bot"].said == "Its key works."
    assert (found["Server"].verdict, "conch serve" in (found["Server"].todo or "")) == (Verdict.WARN, True)
    assert not [finding for finding in found.values() if finding.verdict is Verdict.FAIL]


async def test_nothing_is_changed_by_looking(place: Home, telegram: PretendTelegram) -> None:
    await with_a_bot(place)
    before = everything_in(place.path)

    await examine(place, CLOCK)
    after = everything_in(place.path)

    assert {name: content for name, content in after.items() if "sqlite" not in name} == {
        name: content for name, content in before.items() if "sqlite" not in name
    }
    assert telegram.calls("setWebhook") == telegram.calls("deleteWebhook") == telegram.calls("getUpdates") == []


@pytest.mark.report("R195")
async def test_a_key_that_was_revoked_is_told_with_what_to_do(place: Home, telegram: PretendTelegram) -> None:
    await with_a_bot(place)
    telegram.faults.add("unauthorized", method="getMe")

    found = by_subject(await examine(place, CLOCK))["Bot @pretend_bot"]

    assert (found.verdict, "channels add telegram" in (found.todo or "")) == (Verdict.FAIL, True)
    assert DEFAULT_BOT.partition(":")[2] not in found.said


async def test_a_key_file_that_is_gone_is_told_and_no_other_is_made(place: Home, telegram: PretendTelegram) -> None:
    await with_a_bot(place)
    key = place.path / KEY_FILE
    key.unlink()

    found = by_subject(await examine(place, CLOCK))

    assert found["Secret key"].verdict is Verdict.FAIL
    assert "Bot @pretend_bot" not in found
    assert not key.exists()


async def test_with_settings_that_cannot_be_used_the_rest_is_not_guessed(place: Home) -> None:
    place.config.write_text("port = many\n")

    found = await examine(place, CLOCK)

    assert [(finding.subject, finding.verdict) for finding in found] == [
        ("Settings", Verdict.FAIL),
        ("Data folder", Verdict.OK),
        ("Server", Verdict.OK),
    ]


async def test_a_database_that_cannot_be_reached_is_told_without_its_address(
    place: Home, telegram: PretendTelegram, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONCH_DATABASE_URL", "postgresql+asyncpg://ada:canary@127.0.0.1:9/conch")

    found = await examine(place, CLOCK)

    assert by_subject(found)["Database"].verdict is Verdict.FAIL
    assert "canary" not in str(found)


async def test_another_file_is_looked_at_where_it_is(
    place: Home, telegram: PretendTelegram, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONCH_DATABASE_URL", f"sqlite:///{place.path / 'other.sqlite'}")
    await with_a_bot(place)

    found = by_subject(await examine(place, CLOCK))

    assert "other.sqlite" in found["Database"].said
    assert found["Bot @pretend_bot"].verdict is Verdict.OK


async def test_what_would_keep_a_server_from_starting_is_told(
    place: Home, telegram: PretendTelegram, monkeypatch: pytest.MonkeyPatch
) -> None:
    await with_a_bot(place)
    key = place.path / KEY_FILE
    key.unlink()
    key.mkdir()

    found = by_subject(await examine(place, CLOCK))

    assert (found["Start"].verdict, KEY_FILE in found["Start"].said) == (Verdict.FAIL, True)


async def test_a_default_engine_that_is_not_connected_is_told(
    place: Home, telegram: PretendTelegram, monkeypatch: pytest.MonkeyPatch
) -> None:
    await with_a_bot(place)
    monkeypatch.setenv("CONCH_DEFAULT_ENGINE", "oracle")

    found = by_subject(await examine(place, CLOCK))

    assert (found["Engines"].verdict, "“oracle”" in found["Engines"].said) == (Verdict.WARN, True)
    assert found["Engine demo"].verdict is Verdict.OK


# ---- with one --------------------------------------------------------------------------------------------------------


@pytest.mark.report("R131")
async def test_a_running_server_is_asked_through_its_socket(place: Home, telegram: PretendTelegram) -> None:
    administration = FakeAdministration()

    async with server(place, administration):
        found = by_subject(await examine(place, CLOCK))

    assert administration.asked == [("diagnose",)]
    assert found["Bot @shell_bot"].said.startswith("Online since")
    assert found["Server"].said.startswith("`conch serve` (process")
    assert found["Web side"].verdict is Verdict.OK
    assert "Port" not in found


async def test_a_server_that_does_not_answer_is_a_fault(place: Home, telegram: PretendTelegram) -> None:
    administration = FakeAdministration()
    administration.error = TryLater("Too much to do.")

    async with server(place, administration):
        found = by_subject(await examine(place, CLOCK))

    assert (found["Server"].verdict, "Too much to do." in found["Server"].said) == (Verdict.FAIL, True)


async def test_a_web_side_that_reports_an_outage_is_a_fault(place: Home, telegram: PretendTelegram) -> None:
    async with server(place, FakeAdministration(), can_store=False):
        found = by_subject(await examine(place, CLOCK))

    assert (found["Web side"].verdict, "503" in found["Web side"].said) == (Verdict.FAIL, True)


async def test_a_web_side_that_is_gone_is_a_fault(place: Home, telegram: PretendTelegram) -> None:
    async with server(place, FakeAdministration()):
        holder = lock.holder(place)
        assert holder is not None
        gone = holder.model_copy(update={"address": "http://127.0.0.1:9"})
        place.holder.write_text(gone.model_dump_json())

        found = by_subject(await examine(place, CLOCK))

    assert (found["Web side"].verdict, "http://127.0.0.1:9" in found["Web side"].said) == (Verdict.FAIL, True)


async def test_settings_that_changed_since_the_start_are_told(
    place: Home, telegram: PretendTelegram, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONCH_PORT", "7655")

    async with server(place, FakeAdministration()):
        found = by_subject(await examine(place, CLOCK))

    assert (found["Web side"].verdict, "7655" in found["Web side"].said) == (Verdict.WARN, True)


async def test_a_program_that_takes_no_commands_is_named(
    place: Home, telegram: PretendTelegram, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("conch.doctor.PATIENCE", 0.01)

    with lock.hold(place, "conch chat", CLOCK):
        found = by_subject(await examine(place, CLOCK))

    assert (found["Server"].verdict, "`conch chat`" in found["Server"].said) == (Verdict.WARN, True)
