"""`conch new-channel`: what it writes works at once, is found as an installed package is, and is in nobody's way."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from channels.conformance.promises import PROMISES
from conch import scaffold
from conch.cli import app
from conch.kinds import ENTRY_POINTS, NAMES, connectable
from conch.settings import ProgramSettings
from core.clock import SystemClock
from core.errors import UsageError

ROOT = Path(__file__).parents[2]
SHORTEST, LONGEST = "ab", "q" * scaffold.LONGEST


def run(place: Path, module: str, *arguments: str, **variables: str) -> str:
    """What a tool says about a folder, or why it is not content."""
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=place,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1", **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


# ---- what is written -------------------------------------------------------------------------------------------------


def test_its_own_tests_pass_and_hold_it_to_every_promise(tmp_path: Path) -> None:
    place = scaffold.write("pigeon", tmp_path)

    said = run(place, "pytest", "-v", "-p", "no:simcord", "-p", "no:cacheprovider")

    assert all(f"[{getattr(promise, '__name__', '')}]" in said for promise in PROMISES)
    assert "no Streams; instead: `Drafts`, else typing" in said
    assert "failed" not in said


@pytest.mark.parametrize("name", [SHORTEST, "pigeon_post", LONGEST])
def test_it_is_laid_out_and_has_nothing_to_mend(tmp_path: Path, name: str) -> None:
    place = scaffold.write(name, tmp_path)

    run(place, "ruff", "format", "--check", "--no-cache", ".")
    run(place, "ruff", "check", "--no-cache", ".")


@pytest.mark.slow
def test_everything_in_it_has_a_type(tmp_path: Path) -> None:
    place = scaffold.write("pigeon", tmp_path)

    said = run(place, "mypy", "--follow-imports", "silent", "--cache-dir", str(tmp_path / "types"), MYPYPATH=str(ROOT))

    assert "Success" in said


def test_it_has_the_files_of_an_adapter(tmp_path: Path) -> None:
    place = scaffold.write("pigeon", tmp_path)

    files = {path.name for path in (place / "conch_pigeon").iterdir()}

    assert {"parse.py", "render.py", "client.py", "channel.py", "limits.py", "kind.py", "py.typed"} <= files


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A scaffold as a package manager would have put it where Python looks."""
    place = scaffold.write("pigeon", tmp_path)
    about = place / "conch_pigeon-0.1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: conch-pigeon\nVersion: 0.1.0\n")
    (about / "entry_points.txt").write_text(f"[{ENTRY_POINTS}]\npigeon = conch_pigeon.kind:PigeonKind\n")
    monkeypatch.syspath_prepend(place)
    before = set(sys.modules)
    yield place
    for name in set(sys.modules) - before:
        if name.partition(".")[0] == "conch_pigeon":
            del sys.modules[name]


@pytest.mark.usefixtures("installed")
def test_an_installed_one_can_be_connected_beside_ours() -> None:
    kinds = connectable(ProgramSettings(), SystemClock())

    assert set(kinds) == {*NAMES, "pigeon"}
    assert kinds["pigeon"].find_credentials(f"it is pigeon-{'a' * 32}") == {"key": f"pigeon-{'a' * 32}"}


def test_the_entry_point_that_it_declares_is_the_one_that_is_read(tmp_path: Path) -> None:
    place = scaffold.write("pigeon", tmp_path)

    declared = (place / "pyproject.toml").read_text(encoding="utf-8")

    assert f'[project.entry-points."{ENTRY_POINTS}"]\npigeon = "conch_pigeon.kind:PigeonKind"' in declared


# ---- what is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*NAMES, "memory", "console"])
def test_a_name_of_ours_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=f"“{name}” is a name of Conch's own"):
        scaffold.write(name, tmp_path)

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["", "a", "Pigeon", "2pigeons", "pigeon-post", "a__b", "a_", "class", "../x", "ä" * 3])
def test_what_is_no_name_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="cannot be the name of a chat app"):
        scaffold.write(name, tmp_path)

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("length", [scaffold.LONGEST, scaffold.LONGEST + 1])
def test_a_name_is_as_long_as_the_limit_at_most(length: int) -> None:
    assert (scaffold.wrong_with("a" * length) is None) == (length <= scaffold.LONGEST)


def test_what_is_there_is_not_touched(tmp_path: Path) -> None:
    mine = tmp_path / "conch-pigeon"
    mine.mkdir()

    with pytest.raises(UsageError, match=r"There is a .*conch-pigeon already"):
        scaffold.write("pigeon", tmp_path)

    assert list(mine.iterdir()) == []


def test_a_place_that_is_no_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")

    with pytest.raises(UsageError, match="cannot be written"):
        scaffold.write("pigeon", tmp_path / "file")


# ---- at the terminal -------------------------------------------------------------------------------------------------


def test_the_command_says_where_it_is_and_what_to_do(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["new-channel", "pigeon", "--into", str(tmp_path)])

    assert result.exit_code == 0
    assert result.stdout.startswith(f"{tmp_path / 'conch-pigeon'} is written.")
    assert "README.md" in result.stdout
