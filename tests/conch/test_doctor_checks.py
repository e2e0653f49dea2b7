"""What the doctor finds out by itself; run as root, files that others may not read are read all the same."""

import os
import shutil
import socket
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from conch import checks, settings
from conch.findings import Finding, Verdict
from conch.home import Home
from conch.settings import ProgramSettings
from core.clock import ManualClock
from core.errors import UsageError
from core.safety.secrets import KEY_FILE, SecretBox
from core.store.database import Database
from core.store.inspection import Shape

FIRST_RELEASE = Path(__file__).parents[1] / "store" / "databases" / "1-spine.sqlite"
KEPT_OUT = os.geteuid() == 0
"""Root is kept out of nothing."""


def only(found: Iterator[Finding]) -> Finding:
    [finding] = found
    return finding


# ---- the data folder -------------------------------------------------------------------------------------------------


def test_a_folder_for_us_alone_with_room_is_well(place: Home) -> None:
    found = only(checks.about_folder(place))

    assert (found.verdict, "free" in found.said) == (Verdict.OK, True)


def test_a_folder_that_is_not_there_yet_is_no_fault(tmp_path: Path) -> None:
    found = only(checks.about_folder(Home(tmp_path / "later")))

    assert (found.verdict, "first start makes it" in found.said) == (Verdict.OK, True)
    assert not (tmp_path / "later").exists()


def test_a_file_in_its_place_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "taken").touch()

    found = only(checks.about_folder(Home(tmp_path / "taken")))

    assert (found.verdict, "CONCH_HOME" in (found.todo or "")) == (Verdict.FAIL, True)


@pytest.mark.skipif(KEPT_OUT, reason="root is kept out of nothing")
def test_a_folder_that_cannot_be_written_is_a_fault(place: Home) -> None:
    place.path.chmod(0o500)

    found = only(checks.about_folder(place))
    place.path.chmod(0o700)

    assert found.verdict is Verdict.FAIL


@pytest.mark.parametrize("mode", [0o755, 0o750, 0o711])
def test_a_folder_that_others_may_enter_is_told_and_left_so(place: Home, mode: int) -> None:
    place.path.chmod(mode)

    first = next(iter(checks.about_folder(place)))

    assert (first.verdict, "open to others" in first.said) == (Verdict.WARN, True)
    assert place.path.stat().st_mode & 0o777 == mode


@pytest.mark.parametrize(
    ("free", "verdict"), [(49 << 20, Verdict.FAIL), (499 << 20, Verdict.WARN), (1 << 30, Verdict.OK)]
)
def test_a_disk_without_room_is_told_in_time(
    place: Home, monkeypatch: pytest.MonkeyPatch, free: int, verdict: Verdict
) -> None:
    usage = shutil.disk_usage(place.path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=free))

    assert only(checks.about_folder(place)).verdict is verdict


# ---- settings --------------------------------------------------------------------------------------------------------


@pytest.mark.report("R191", "R195")
def test_bad_settings_are_named_with_file_and_key(place: Home) -> None:
    place.config.write_text("porte = 1\n")

    chosen, [found] = checks.about_settings(place, ManualClock())

    assert chosen is None
    assert (found.verdict, "conch.toml" in found.said, "porte" in found.said) == (Verdict.FAIL, True, True)


@pytest.mark.report("R191", "R195")
def test_an_address_that_a_start_refuses_is_refused_in_the_same_words(place: Home) -> None:
    place.config.write_text('telegram_base_url = "http://evil.example"\n')
    with pytest.raises(UsageError) as refusal:
        settings.load_or_last_good(place)

    chosen, [found] = checks.about_settings(place, ManualClock())

    assert (chosen, found.verdict, found.said) == (None, Verdict.FAIL, str(refusal.value))


def test_what_a_start_could_not_build_is_a_fault_of_the_settings(place: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(*_: object) -> None:
        raise UsageError("No such app.")

    monkeypatch.setattr(checks, "connectable", refuses)

    _, [found] = checks.about_settings(place, ManualClock())

    assert (found.verdict, found.said) == (Verdict.FAIL, "No such app.")


def test_settings_that_pass_say_where_they_are_from(place: Home) -> None:
    place.config.write_text("port = 1\n")

    chosen, [found] = checks.about_settings(place, ManualClock())

    assert chosen is not None
    assert (found.verdict, str(place.config) in found.said) == (Verdict.OK, True)


def test_a_misspelt_variable_is_told(place: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONCH_LOG_LEVE", "debug")

    _, found = checks.about_settings(place, ManualClock())

    assert [finding.verdict for finding in found] == [Verdict.WARN, Verdict.OK]


@pytest.mark.parametrize(
    ("text", "verdicts"),
    [
        ('host = "0.0.0.0"', [Verdict.WARN, Verdict.OK]),
        ('host = "0.0.0.0"\npublic_url = "https://conch.example"', [Verdict.OK]),
        ('host = "127.0.0.1"', [Verdict.OK]),
    ],
)
def test_a_web_side_that_others_reach_in_the_clear_is_told(place: Home, text: str, verdicts: list[Verdict]) -> None:
    place.config.write_text(text)

    _, found = checks.about_settings(place, ManualClock())

    assert [finding.verdict for finding in found] == verdicts


# ---- the key ---------------------------------------------------------------------------------------------------------


def test_a_key_file_for_us_alone_is_well(place: Home) -> None:
    SecretBox.kept_in(place.path)

    assert checks.about_key(place, ProgramSettings(), sealed=1).verdict is Verdict.OK


def test_a_key_file_that_is_gone_with_keys_sealed_is_a_fault_and_none_is_made(place: Home) -> None:
    found = checks.about_key(place, ProgramSettings(), sealed=2)

    assert (found.verdict, "engines (2)" in found.said) == (Verdict.FAIL, True)
    assert not (place.path / KEY_FILE).exists()


def test_before_the_first_bot_there_need_be_no_key(place: Home) -> None:
    assert checks.about_key(place, ProgramSettings(), sealed=0).verdict is Verdict.OK


def test_a_key_file_that_others_may_read_is_told_and_left_so(place: Home) -> None:
    SecretBox.kept_in(place.path)
    (place.path / KEY_FILE).chmod(0o644)

    found = checks.about_key(place, ProgramSettings(), sealed=1)

    assert (found.verdict, "chmod 600" in (found.todo or "")) == (Verdict.WARN, True)
    assert (place.path / KEY_FILE).stat().st_mode & 0o777 == 0o644


def test_a_key_from_the_settings_needs_no_file_and_is_not_shown(place: Home) -> None:
    chosen = ProgramSettings.model_validate({"secret_key": "k" * 40})

    found = checks.about_key(place, chosen, sealed=1)

    assert (found.verdict, "kkk" in found.said) == (Verdict.OK, False)


# ---- the database ----------------------------------------------------------------------------------------------------


async def test_a_sound_database_of_this_release_is_well(place: Home) -> None:
    await (await Database.open(f"sqlite:///{place.database}", ManualClock())).close()

    inspected, found = checks.about_database(place.database)

    assert inspected is not None
    assert (inspected.shape, found.verdict, "KiB" in found.said) == (Shape.CURRENT, Verdict.OK, True)


def test_no_database_yet_is_no_fault_and_none_is_made(place: Home) -> None:
    inspected, found = checks.about_database(place.database)

    assert (inspected, found.verdict) == (None, Verdict.OK)
    assert not place.database.exists()


def test_a_database_of_an_earlier_release_is_told_before_it_is_changed(place: Home) -> None:
    shutil.copy(FIRST_RELEASE, place.database)

    inspected, found = checks.about_database(place.database)

    assert inspected is not None
    assert (found.verdict, "copy" in (found.todo or "")) == (Verdict.WARN, True)


async def test_a_database_of_a_newer_release_is_a_fault(place: Home) -> None:
    await (await Database.open(f"sqlite:///{place.database}", ManualClock())).close()
    with closing(sqlite3.connect(place.database)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()

    inspected, found = checks.about_database(place.database)

    assert (inspected, found.verdict, "newer release" in found.said) == (None, Verdict.FAIL, True)


def test_a_damaged_database_is_a_fault(place: Home) -> None:
    shutil.copy(FIRST_RELEASE, place.database)
    with place.database.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * 8192)

    inspected, found = checks.about_database(place.database)

    assert (inspected, found.verdict, found.todo) == (None, Verdict.FAIL, "Restore it from a backup.")


# ---- the port --------------------------------------------------------------------------------------------------------


def at(host: str, port: int) -> ProgramSettings:
    return ProgramSettings.model_validate({"host": host, "port": port})


def test_a_port_that_another_program_has_is_a_fault() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as other:
        port = other.getsockname()[1]
        taken = checks.about_port(at("127.0.0.1", port))
    free = checks.about_port(at("127.0.0.1", port))

    assert (taken.verdict, str(port) in taken.said) == (Verdict.FAIL, True)
    assert free.verdict is Verdict.OK


def test_an_address_that_this_machine_has_not_is_a_fault() -> None:
    assert checks.about_port(at("192.0.2.1", 0)).verdict is Verdict.FAIL


@pytest.mark.parametrize(
    ("count", "words"),
    [(0, "0 bytes"), (1023, "1023 bytes"), (1024, "1 KiB"), (5 << 20, "5 MiB"), (3 << 30, "3.0 GiB")],
)
def test_sizes_are_told_in_words(count: int, words: str) -> None:
    assert checks.size(count) == words
