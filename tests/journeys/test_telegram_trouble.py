"""When our own side is in trouble: the disk is full, the database locked; and what must never show."""

import logging
import resource
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from channels.emulators.telegram.pretend import DEFAULT_BOT, PretendTelegram
from conch.home import Home
from core.clock import SystemClock
from core.engines.scripted import ScriptedEngine
from tests.journeys.living import FastClock, echo, living, owner_of, said, until


async def asked_again(pretend: PretendTelegram) -> None:
    """Come back when the bot has asked for the same updates a few times more."""
    asked = len(pretend.calls("getUpdates"))
    await until(lambda: len(pretend.calls("getUpdates")) > asked + 3, within=20)


async def test_a_locked_database_acknowledges_nothing_and_loses_nothing(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    async with living(tmp_path, pretend, clock=FastClock()) as app:
        ada = await owner_of(app, pretend)
        await until(pretend.bot.queue.polling.is_set)
        with closing(sqlite3.connect(Home(tmp_path).database, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")

            await ada.chat.say("hello")
            await asked_again(pretend)
            left = len(pretend.bot.queue)
            other.execute("ROLLBACK")
        await ada.chat.wait_for_answer(timeout=20)

    assert left == 1, 'Telegram was told "got it"'
    assert said(ada.chat)[1:] == ["echo: hello"]


@contextmanager
def no_file_grows() -> Iterator[None]:
    """As on a full disk: for the length of the block the system refuses every write to a file."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.usefixtures("capsys")  # logs go to memory, for no file grows
async def test_a_full_disk_acknowledges_nothing_and_loses_nothing(tmp_path: Path, pretend: PretendTelegram) -> None:
    engine = ScriptedEngine(SystemClock(), echo)
    async with living(tmp_path, pretend, clock=FastClock(), engines=[engine]) as app:
        ada = await owner_of(app, pretend)
        await until(pretend.bot.queue.polling.is_set)
        with no_file_grows():
            await ada.chat.say("hello")
            await asked_again(pretend)
            left, answered = len(pretend.bot.queue), len(engine.turns)
        await ada.chat.wait_for_answer(timeout=20)

    assert (left, answered) == (1, 0)
    assert said(ada.chat)[1:] == ["echo: hello"]


def everything_in(folder: Path) -> bytes:
    """All bytes that were left on disk."""
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


@pytest.mark.report("R121", "R113")
async def test_the_bots_key_is_in_no_log_and_no_error(
    tmp_path: Path, pretend: PretendTelegram, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    secret = DEFAULT_BOT.partition(":")[2]
    async with living(tmp_path, pretend, clock=FastClock()) as app:
        ada = await owner_of(app, pretend)
        for kind in ("cut", "server_error", "refuse_html"):
            pretend.faults.add(kind, method="sendMessage")
        pretend.faults.add("cut", method="getUpdates")
        pretend.faults.add("unauthorized", method="sendChatAction")

        await ada.chat.say("hello")
        await ada.chat.wait_for_answer(timeout=20)
        health = app.registry.health()
    written = capsys.readouterr()

    assert secret.encode() not in everything_in(tmp_path)
    assert secret not in caplog.text + written.out + written.err + str(health)
    assert any("hello" in text for text in said(ada.chat))
