"""Commands in this process, without a server; with one they are in `test_program_process`."""

import asyncio
import io
import json
import logging
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import structlog

from conch import cli, lock
from conch.access import administration
from conch.home import Home
from core.clock import ManualClock, SystemClock
from core.store.channels import Channels
from core.store.database import Database
from core.store.people import People
from tests.conch.programs import Result

Conch = Callable[..., Result]


async def has_a_bot(place: Home) -> None:
    """A bot in the data folder that its owner talks to, and to which Ada wrote."""
    clock = SystemClock()
    async with administration(place, "test", clock):
        pass  # what a first command leaves
    database = await Database.open(f"sqlite:///{place.database}", clock)
    try:
        await Channels(database).add("c1", "telegram", "1", "Shell", "shell_bot", "sealed")
        people = People(database)
        await people.let_in("c1", "76", by="test", name="Olga", username=None)
        now = clock.now()
        await people.request("c1", "77", "Ada", None, chat_id="77", preview="Hello?", answered_before=now)
    finally:
        await database.close()


@pytest.fixture
def conch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Conch]:
    """Runs one command line; `given` is piped in."""
    root = logging.getLogger()
    handlers, level = root.handlers, root.level
    monkeypatch.setenv("CONCH_HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "200")

    def run(*arguments: str, given: str = "") -> Result:
        monkeypatch.setattr(sys, "argv", ["conch", *arguments])
        monkeypatch.setattr(sys, "stdin", io.StringIO(given))
        code: object = 0
        try:
            cli.main()
        except SystemExit as ended:
            code = ended.code
        out, err = capsys.readouterr()
        return Result(int(code) if isinstance(code, int) else 0, out, err)

    yield run
    root.handlers, root.level = handlers, level
    logging.captureWarnings(False)
    structlog.reset_defaults()


@pytest.mark.parametrize("word", ["version", "--version"])
def test_it_says_its_version(conch: Conch, word: str) -> None:
    result = conch(word)

    assert re.fullmatch(r"conch \d+\.\d+\.\d+\n", result.out)
    assert result.code == 0


@pytest.mark.parametrize("arguments", [["--help"], ["serve", "--help"], ["channels", "--help"], ["people", "--help"]])
def test_every_command_explains_itself(conch: Conch, arguments: list[str]) -> None:
    result = conch(*arguments)

    assert result.code == 0
    assert "Usage: conch" in result.out


@pytest.mark.parametrize(
    "arguments", [["serv"], ["serve", "--port", "many"], ["people", "let-in"], ["channels", "add"]]
)
def test_words_that_do_not_fit_are_a_fault_of_usage(conch: Conch, arguments: list[str]) -> None:
    result = conch(*arguments)

    assert result.code == 2
    assert "Traceback" not in result.said


def test_a_fresh_machine_is_told_how_to_begin(conch: Conch) -> None:
    bots, people, link = conch("channels", "list"), conch("people", "list"), conch("console")

    assert (bots.code, bots.out) == (
        0,
        "No bot is connected yet. Connect one with `conch channels add telegram` (or discord, slack, teams).\n",
    )
    assert "conch channels link" in people.out
    assert (link.code, link.err.split(".")[0]) == (2, "Conch is not running")


def test_the_doctor_says_by_its_exit_code_whether_anything_does_not_work(
    conch: Conch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONCH_PORT", "0")
    well = conch("doctor")
    Home(tmp_path).config.write_text("porte = 7654\n")

    ill = conch("doctor", "--json")

    assert (well.code, "OK    Settings" in well.out) == (0, True)
    assert (ill.code, json.loads(ill.out)["ok"]) == (1, False)


def test_what_holds_no_key_goes_nowhere(conch: Conch) -> None:
    result = conch("channels", "add", "telegram", given="Alright, a new bot. How are we going to call it?")

    assert result.code == 2
    assert "nothing was sent anywhere" in result.err


def test_a_key_on_the_command_line_is_taken_with_a_word_about_the_shells_history(conch: Conch) -> None:
    result = conch("channels", "add", "telegram", "no key")

    assert "shell's history" in result.err


def test_an_app_that_is_not_there_is_answered_with_those_that_are(conch: Conch) -> None:
    result = conch("channels", "add", "pigeon", given="key")

    assert result.code == 2
    assert "telegram" in result.err


def test_bad_settings_are_told_without_a_traceback(conch: Conch, tmp_path: Path) -> None:
    Home(tmp_path).config.write_text("porte = 7654\n")

    for arguments in (["serve"], ["chat"], ["channels", "list"]):
        result = conch(*arguments)

        assert result.code == 2
        assert "conch.toml: there is no setting “porte”. Was “port” meant?" in result.err
        assert "Traceback" not in result.said


def test_the_playground_is_not_for_other_machines(conch: Conch) -> None:
    result = conch("serve", "--playground", "--host", "0.0.0.0")

    assert result.code == 2
    assert "this machine only" in result.err


def test_a_misspelt_variable_is_remarked_upon(conch: Conch, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CONCH_LOG_LEVE", "debug")

    with lock.hold(Home(tmp_path), "test", ManualClock()):
        result = conch("chat", given="hello")

    assert "Was CONCH_LOG_LEVEL meant?" in result.err


def test_a_folder_that_somebody_uses_is_left_alone(
    conch: Conch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("conch.access.PATIENCE", 0.01)
    with lock.hold(Home(tmp_path), "conch chat", ManualClock()):
        result = conch("channels", "list")

    assert result.code == 2
    assert "`conch chat` (process" in result.err


def test_forgetting_a_bot_is_asked_about_first(conch: Conch, tmp_path: Path) -> None:
    asyncio.run(has_a_bot(Home(tmp_path)))

    no = conch("channels", "remove", "shell_bot", given="n\n")
    still_there = conch("channels", "list")
    yes = conch("channels", "remove", "shell_bot", given="y\n")

    assert (no.code, "Forget shell_bot, its key and its people (1)?" in no.err) == (1, True)
    assert "@shell_bot" in still_there.out
    assert (yes.code, "is forgotten" in yes.out) == (0, True)


def test_a_bot_that_is_not_there_is_told_before_anything_is_asked(conch: Conch, tmp_path: Path) -> None:
    none = conch("channels", "remove", "nope", given="y\n")
    asyncio.run(has_a_bot(Home(tmp_path)))

    another = conch("channels", "remove", "nope", given="y\n")

    assert "No bot is connected" in none.err
    assert "There is no bot “nope”. There is: @shell_bot." in another.err
    assert "Forget" not in none.said + another.said


def test_who_wrote_to_the_playgrounds_bot_is_let_in_there_and_nowhere_else(conch: Conch, tmp_path: Path) -> None:
    asyncio.run(has_a_bot(Home(tmp_path).playground))

    let_in = conch("people", "--playground", "let-in", "77")

    assert (let_in.code, let_in.out) == (0, "Ada may talk to @shell_bot now.\n")
    assert "@shell_bot" in conch("channels", "--playground", "list").out
    assert "@shell_bot" not in conch("channels", "list").out
    assert conch("groups", "--playground", "list").code == 0


def test_a_fault_of_our_own_is_told_with_a_traceback_that_holds_no_key(
    conch: Conch, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw-canary"

    def fails(_: object) -> None:
        raise RuntimeError(f"at bot{key}/getMe")

    monkeypatch.setattr("conch.printing.channels", fails)

    result = conch("channels", "list")

    assert result.code == 1
    assert "Traceback" in result.err
    assert "fault of Conch's own" in result.err
    assert key not in result.err


@pytest.mark.parametrize("arguments", [["on", "-1001234567890"], ["off", "-1001234567890", "--bot", "shell"]])
def test_a_groups_id_may_look_like_an_option(conch: Conch, arguments: list[str]) -> None:
    result = conch("groups", *arguments)

    assert result.code == 1 or "No bot is connected" in result.err
    assert "such option" not in result.said


def test_without_a_group_it_says_how_a_bot_comes_to_one(conch: Conch) -> None:
    result = conch("groups", "list")

    assert (result.code, result.out.split(",")[0]) == (0, "No bot is in a group yet")


def test_skills_are_listed_and_turned_on_and_off(conch: Conch) -> None:
    asked = conch("skills", "ask", "trip-planner")
    listed = conch("skills", "list")
    off = conch("skills", "off", "trip-planner")
    unknown = conch("skills", "on", "trips")

    assert asked.out.startswith("“Trip planner” is used only when you send /trip-planner. It may look things up")
    assert [line.split()[0] for line in listed.out.splitlines()] == ["NAME", "meeting-notes", "trip-planner"]
    assert "When I ask" in listed.out
    assert off.out == "“Trip planner” is off.\n"
    assert unknown.err == "There is no skill “trips”. There is: meeting-notes, trip-planner.\n"


def test_a_token_is_shown_once_listed_and_taken_back(conch: Conch) -> None:
    made = conch("tokens", "add", "laptop", "--read-only")
    listed = conch("tokens", "list")
    revoked = conch("tokens", "revoke", "laptop")
    again = conch("tokens", "revoke", "laptop")

    [token] = re.findall(r"^  (conch_\S+)$", made.out, re.MULTILINE)
    assert "laptop  looks only" in listed.out
    assert token not in listed.out
    assert revoked.out == "“laptop” is revoked: whoever uses it is turned away from now on.\n"
    assert (again.code, again.err) == (1, "There is no token “laptop”. `conch tokens list` shows which there are.\n")
