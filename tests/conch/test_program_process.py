import re
import signal
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import aiohttp
import pytest

from channels.emulators.telegram.pretend import DEFAULT_BOT, PretendTelegram
from conch.access import administration
from conch.home import Home
from core.clock import SystemClock
from tests.conch.programs import conch, run

BOTFATHER = (
    f"Done! Congratulations on your new bot.\nUse this token to access the HTTP API:\n{DEFAULT_BOT}\nKeep it safe."
)


@pytest.fixture
async def telegram() -> AsyncIterator[PretendTelegram]:
    async with PretendTelegram() as pretend:
        yield pretend


@pytest.fixture
def outside(telegram: PretendTelegram) -> Mapping[str, str]:
    """Variables that point the program at the pretend Telegram."""
    return {
        "CONCH_TELEGRAM_BASE_URL": telegram.base_url,
        "CONCH_TELEGRAM_BASE_FILE_URL": telegram.base_file_url,
        "CONCH_PORT": "0",
        "CONCH_LOG_LEVEL": "debug",
    }


@pytest.mark.report("R121")
async def test_a_bot_is_connected_says_hello_answers_and_is_turned_off_without_its_key_ever_being_shown(
    tmp_path: Path, telegram: PretendTelegram, outside: Mapping[str, str]
) -> None:
    ada = telegram.person("Ada").private_chat()

    added = await run(tmp_path, "channels", "add", "telegram", given=BOTFATHER, **outside)
    code = re.search(r"start=(\S+)", added.out)
    assert code is not None
    async with conch(tmp_path, "serve", **outside) as server:
        await server.started()
        await ada.start(code[1])
        welcome = await ada.wait_for_answer(timeout=30)
        await ada.say("What can you do?")
        answer = await ada.wait_for_answer(timeout=30)
        async with administration(Home(tmp_path), "test", SystemClock()) as commands:
            online = await commands.channels()
            people = await commands.people(None)
            await commands.switch_channel("pretend_bot", False)
            off = await commands.channels()
        ended = await server.ends()

    assert "is yours now" in welcome.text
    assert answer.text.startswith("Demo")
    assert [(each.state, each.enabled) for each in (*online, *off)] == [("online", True), (None, False)]
    assert [(each.name, each.role) for each in people.people] == [("Ada", "owner")]
    assert ended.code == 0
    for secret in (DEFAULT_BOT.partition(":")[2], code[1]):
        assert secret not in ended.said
        assert secret not in added.err


@pytest.mark.report("R119")
async def test_one_server_holds_the_data_and_its_web_side_is_on_this_machine_and_wants_its_link(tmp_path: Path) -> None:
    async with conch(tmp_path, "serve", "--port", "0") as server:
        link = await server.started()
        where = link.partition("/?")[0]
        second = await run(tmp_path, "serve", "--port", "0")
        chat = await run(tmp_path, "chat", given="hello")
        async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as browser:
            async with browser.get(f"{where}/bots") as before, browser.get(f"{where}/healthz") as looked:
                health = await looked.json()
            async with browser.get(link) as after:
                pass
        async with administration(Home(tmp_path), "test", SystemClock()) as commands:
            another = await commands.console_link()
        ended = await server.ends(signal.SIGINT)

    assert second.code == chat.code == 2
    assert f"`conch serve` (process {server.process.pid}," in second.err
    bound = where.replace("//localhost:", "//127.0.0.1:")
    assert bound in second.err
    assert bound in chat.err
    assert where.startswith("http://localhost:")
    assert (before.status, after.status, after.url.path) == (401, 200, "/welcome")
    assert health == {"status": "ok", "channels": {}}
    assert another.startswith(f"{where}/?token=")
    assert ended.code == 0
    assert "Traceback" not in second.said + chat.said + ended.said
    assert "token=" not in ended.err


@pytest.mark.report("R191")
async def test_neither_a_kill_nor_a_spoilt_settings_file_keeps_the_server_down(tmp_path: Path) -> None:
    config = Home(tmp_path).config
    config.write_text('assistant_name = "Shell"\nport = 0\n')
    async with conch(tmp_path, "serve") as server:
        await server.started()
        await server.ends(signal.SIGKILL)
    config.write_text("port = nowhere\n")

    async with conch(tmp_path, "serve") as server:
        await server.started()
        ended = await server.ends()

    assert ended.code == 0
    assert "conch.toml is not valid TOML" in ended.err
    assert "last settings that worked" in ended.err


async def test_a_chat_in_a_pipe_is_answered_and_goes_on_the_next_time(tmp_path: Path) -> None:
    first = await run(tmp_path, "chat", given="Remember that the key is under the mat\n")

    second = await run(tmp_path, "chat", given="What did I tell you?\n")

    assert first.code == second.code == 0
    assert "the key is under the mat" in second.out
    assert second.err == ""
