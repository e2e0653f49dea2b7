"""Engines through the whole program: the command line, the running server's socket, and a chat that is answered."""

import asyncio
import re
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest

from channels.emulators.telegram.pretend import DEFAULT_BOT, PretendTelegram
from channels.emulators.telegram.screen import Screen
from tests.conch.model_server import KEY, ModelServer, model_server
from tests.conch.programs import Program, Result, conch, run

PATIENCE = 30.0


@pytest.fixture
async def telegram() -> AsyncIterator[PretendTelegram]:
    async with PretendTelegram() as pretend:
        yield pretend


@pytest.fixture
async def models() -> AsyncIterator[ModelServer]:
    async with model_server() as server:
        yield server


@pytest.fixture
def outside(telegram: PretendTelegram) -> Mapping[str, str]:
    """Variables that point the program at the pretend Telegram."""
    return {
        "CONCH_TELEGRAM_BASE_URL": telegram.base_url,
        "CONCH_TELEGRAM_BASE_FILE_URL": telegram.base_file_url,
        "CONCH_PORT": "0",
        "CONCH_LOG_LEVEL": "debug",
    }


async def owned(home: Path, telegram: PretendTelegram, server: Program, outside: Mapping[str, str]) -> Screen:
    """The private chat of the owner, who said hello to a bot that is connected now."""
    await server.started()
    added = await run(home, "channels", "add", "telegram", given=DEFAULT_BOT, **outside)
    code = re.search(r"start=(\S+)", added.out)
    assert code is not None
    chat = telegram.person("Ada").private_chat()
    await chat.start(code[1])
    await chat.wait_for_answer(timeout=PATIENCE)
    return chat


def bytes_in(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


async def asked(chat: Screen, words: str) -> str:
    """What is answered."""
    await chat.say(words)
    return (await chat.wait_for_answer(timeout=PATIENCE)).text


async def test_an_engine_is_connected_chosen_tried_and_taken_away_while_a_chat_goes_on(
    tmp_path: Path, telegram: PretendTelegram, outside: Mapping[str, str], models: ModelServer
) -> None:
    results: list[Result] = []

    async def engines(*words: str, given: str = "") -> str:
        results.append(await run(tmp_path, "engines", *words, given=given, **outside))
        assert results[-1].code == 0, results[-1].said
        return results[-1].out

    async with conch(tmp_path, "serve", **outside) as server:
        chat = await owned(tmp_path, telegram, server, outside)
        before = await asked(chat, "Are you real?")
        added = await engines("add", "compatible", "--url", models.url, "--name", "shed", given=KEY)
        by_model = await asked(chat, "And now?")
        chosen = await engines("default", "shed", "small")
        by_another = await asked(chat, "And now?")
        listed, offered, tried = await engines("list"), await engines("models", "shed"), await engines("test", "shed")
        fallback = await engines("fallback", "demo")
        used = await run(tmp_path, "usage", **outside)
        doctor = await run(tmp_path, "doctor", **outside)
        removed = await engines("remove", "shed")
        by_demo = await asked(chat, "And now?")
        ended = await server.ends()

    assert before.startswith("Demo")
    assert "shed is connected, with 2 models. It answers from the next message on, with toy-large." in added
    assert (by_model, by_another) == ("toy-large heard: And now?", "toy-small heard: And now?")
    assert "shed answers from the next message on, with toy-small" in chosen
    assert re.search(r"^shed +shed +ready +by default +toy-small \(of 2\) +connected by you$", listed, re.MULTILINE)
    assert re.search(r"^toy-small$", offered, re.MULTILINE)
    assert "30 tokens in, 4 out." in tried
    assert "Demo takes over" in fallback
    assert re.search(r"shed +toy-large +1 +30", used.out)
    assert "shed is ready (connected by you, 2 models). It answers by default, with toy-small." in doctor.out
    assert removed == "shed (shed) is forgotten, and its key with it. By default Demo answers now.\n"
    assert by_demo.startswith("Demo")
    for result in (*results, used, doctor, ended):
        assert KEY not in result.said
    assert KEY.encode() not in bytes_in(tmp_path)


async def test_a_key_in_the_environment_is_found_said_used_and_shown_nowhere(
    tmp_path: Path, telegram: PretendTelegram, outside: Mapping[str, str], models: ModelServer
) -> None:
    environment = {**outside, "OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": models.url}

    async with conch(tmp_path, "serve", **environment) as server:
        chat = await owned(tmp_path, telegram, server, environment)
        answer = await asked(chat, "Who are you?")
        models.key = "another key"
        refused = await asked(chat, "And now?")
        ended = await server.ends()

    said = f"Answers  come from OpenAI, by the OPENAI_API_KEY that is set here, at {models.url} (OPENAI_BASE_URL)."
    assert said in ended.out
    assert answer == "toy-large heard: Who are you?"
    assert "key" in refused
    assert KEY not in ended.said + refused
    assert KEY.encode() not in bytes_in(tmp_path)


async def test_settings_are_changed_in_the_running_server_and_kept(tmp_path: Path) -> None:
    environment = {"CONCH_PORT": "0", "CONCH_VOICE": "kind"}

    async with conch(tmp_path, "serve", **environment) as server:
        await server.started()
        changed = await run(tmp_path, "settings", "set", "assistant_name", "Pearl", **environment)
        fixed = await run(tmp_path, "settings", "set", "voice", "rude", **environment)
        wrong = await run(tmp_path, "settings", "set", "default_engine", "oracle", **environment)
        odd = await run(tmp_path, "settings", "set", "gather_ms", "-1", **environment)
        await server.ends()
    listed = await run(tmp_path, "settings", "list")
    unset = await run(tmp_path, "settings", "unset", "assistant_name")

    assert (changed.code, changed.out) == (0, "assistant_name is Pearl.\n")
    assert (fixed.code, "change it there" in fixed.err) == (2, True)
    assert (wrong.code, wrong.err) == (2, "There is no engine “oracle”. There is: demo.\n")
    assert (odd.code, odd.err) == (2, "“gather_ms” cannot be that: it must be 0 or more.\n")
    assert re.search(r"^assistant_name +Pearl +changed +What the assistant calls itself$", listed.out, re.MULTILINE)
    assert unset.out == "assistant_name is Conch (the default).\n"


LOADED = """
import asyncio, sys
import conch.chat, conch.cli, conch.server
from conch.alone import alone
from conch.home import Home
from core.clock import SystemClock

async def started():
    async with alone(Home(Path(sys.argv[1])), SystemClock()) as admin:
        return await admin.people(None), admin._app.engines.default.id

from pathlib import Path
print(asyncio.run(started())[1])
print([name for name in ("pydantic_ai", "openai", "anthropic", "genai_prices") if name in sys.modules])
"""


async def test_neither_a_start_nor_a_command_imports_the_library_of_an_engine_that_nobody_asks(
    tmp_path: Path, models: ModelServer
) -> None:
    added = await run(tmp_path, "engines", "add", "compatible", "--url", models.url, given=KEY)

    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", LOADED, str(tmp_path), stdout=asyncio.subprocess.PIPE
    )
    out, _ = await process.communicate()

    assert added.code == 0
    assert out.decode().splitlines() == ["compatible", "[]"]
