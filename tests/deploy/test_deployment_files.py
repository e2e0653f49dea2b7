"""What is in `deploy/` and in its guide fits the program that it runs; no engine is needed to tell."""

import configparser
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatch
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from conch.app import OUTBOX_SETTLES, TURNS_END
from conch.home import VARIABLE
from conch.settings import PREFIX, ProgramSettings
from core.meter import Sending
from web.metrics import Levels, Metrics

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
GUIDE = ROOT / "docs" / "running.md"


@pytest.fixture(scope="module")
def image() -> str:
    return (DEPLOY / "Containerfile").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def unit() -> configparser.SectionProxy:
    parser = configparser.ConfigParser(strict=False, interpolation=None, comment_prefixes="#")
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # names are as they are written
    parser.read(DEPLOY / "conch.service")
    return parser["Service"]


def copied(image: str) -> list[str]:
    """What of the checkout goes into the image."""
    lines = re.findall(r"^COPY (?!--from)(.+)$", image, re.MULTILINE)
    return [source for line in lines for source in line.split()[:-1]]


# ---- the image -------------------------------------------------------------------------------------------------------


def test_the_image_holds_the_packages_of_the_wheel_and_what_is_needed_to_build_it(image: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    packages = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    needed = {project["project"]["readme"], *project["project"]["license-files"], "pyproject.toml", "uv.lock"}

    sources = set(copied(image))

    assert {*packages, *needed, "deploy/healthcheck.py"} == sources
    assert all((ROOT / source).exists() for source in sources)


def test_what_goes_into_the_image_is_not_kept_from_whoever_builds(image: str) -> None:
    rules = (DEPLOY / "Containerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    let_through = [rule.removeprefix("!") for rule in rules if rule.startswith("!")]

    kept_back = [source for source in copied(image) if not any(fnmatch(source, rule) for rule in let_through)]

    assert kept_back == []


def test_the_image_is_built_by_the_lock_and_the_same_uv_as_a_checkout(image: str) -> None:
    version = re.search(r"^UV_VERSION=(\S+)$", (ROOT / "tools" / "setup.sh").read_text(encoding="utf-8"), re.MULTILINE)
    guide = (DEPLOY / "README.md").read_text(encoding="utf-8")

    assert version is not None
    assert f"uv=={version[1]}\n" in image
    assert f"uv=={version[1]}\n" in guide
    assert all("--locked" in line and "--no-dev" in line for line in re.findall(r"uv sync .*", image + guide))


def test_the_image_runs_without_rights_on_its_volume(image: str) -> None:
    last_stage = image[image.rindex("\nFROM ") :]

    assert re.search(r"^USER [1-9]\d+:[1-9]\d+$", last_stage, re.MULTILINE)
    assert "VOLUME /data" in last_stage
    assert f"{VARIABLE}=/data" in last_stage
    assert last_stage.rstrip().endswith('ENTRYPOINT ["conch"]\nCMD ["serve"]')


# ---- the health check ------------------------------------------------------------------------------------------------


@contextmanager
def answering(status: int) -> Iterator[int]:
    """A server on a free port that answers one request with this status."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status if self.path == "/healthz" else 404)
            self.end_headers()

        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - the library's name
            pass

    with HTTPServer(("127.0.0.1", 0), Answer) as server:
        thread = Thread(target=server.handle_request)
        thread.start()
        yield server.server_port
        thread.join()


def checked(port: int) -> int:
    """The exit code of the health check, with a proxy in the environment that nobody answers."""
    environment = {**os.environ, "CONCH_PORT": str(port), "http_proxy": "http://127.0.0.1:9"}
    return subprocess.run(
        [sys.executable, DEPLOY / "healthcheck.py"], env=environment, capture_output=True, check=False
    ).returncode


@pytest.mark.parametrize(("status", "code"), [(200, 0), (503, 1)])
def test_the_health_check_says_what_conch_says(status: int, code: int) -> None:
    with answering(status) as port:
        assert checked(port) == code


def test_a_conch_that_does_not_answer_is_not_healthy() -> None:
    assert checked(9) == 1


# ---- running it ------------------------------------------------------------------------------------------------------


def test_answers_may_end_before_the_end_is_forced(unit: configparser.SectionProxy) -> None:
    compose = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
    grace = re.search(r"stop_grace_period: (\d+)s", compose)
    needed = TURNS_END + OUTBOX_SETTLES + 10

    assert grace is not None
    assert int(grace[1]) >= needed
    assert int(unit["TimeoutStopSec"]) >= needed
    assert f"--stop-timeout {grace[1]}" in (DEPLOY / "README.md").read_text(encoding="utf-8")


def test_one_conch_runs_on_loopback_with_its_data_in_a_volume() -> None:
    compose = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")

    for line in (
        "replicas: 1",
        '- "127.0.0.1:7654:7654"',
        "- data:/data",
        "read_only: true",
        "- no-new-privileges:true",
    ):
        assert re.search(rf"^ +{re.escape(line)}$", compose, re.MULTILINE), line


def test_the_unit_is_closed_and_has_its_own_folder(unit: configparser.SectionProxy) -> None:
    assert (unit["User"], unit["UMask"], unit["StateDirectoryMode"]) == ("conch", "0077", "0700")
    assert f"{VARIABLE}=/var/lib/{unit['StateDirectory']}" in unit["Environment"]
    assert (unit["ProtectSystem"], unit["ProtectHome"], unit["NoNewPrivileges"]) == ("strict", "yes", "yes")
    assert (unit["CapabilityBoundingSet"], unit["ExecStart"]) == ("", "/opt/conch/bin/conch serve")


def test_settings_that_are_off_are_not_tried_for_ever(unit: configparser.SectionProxy) -> None:
    assert (unit["Restart"], unit["RestartPreventExitStatus"]) == ("on-failure", "2")


@pytest.mark.parametrize("path", [*sorted(DEPLOY.iterdir()), GUIDE], ids=lambda path: path.name)
def test_every_variable_that_is_named_is_one(path: Path) -> None:
    named = set(re.findall(r"\bCONCH_[A-Z_]*[A-Z]\b", path.read_text(encoding="utf-8")))

    known = {VARIABLE, "CONCH_NAME", *(PREFIX + name.upper() for name in ProgramSettings.model_fields)}

    assert named <= known


# ---- the guide -------------------------------------------------------------------------------------------------------


def test_the_guide_lists_every_figure_and_no_other() -> None:
    metrics = Metrics("0")
    metrics.received("telegram", new=1, known=0)
    metrics.sent("telegram", Sending.DELIVERED)
    text = metrics.text(Levels()).decode()
    exported = set(re.findall(r"^# TYPE (conch_\w+) ", text, re.MULTILINE))

    table = [line for line in GUIDE.read_text(encoding="utf-8").splitlines() if line.startswith("| `conch_")]
    told = {name for line in table for name in re.findall(r"`(conch_\w+)", line.split("|")[1])}

    assert told == exported
