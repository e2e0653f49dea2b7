"""What this machine has that can answer."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from conch import machine
from conch.machine import Found, Machine, ollama_address

KEY = "sk-ant-canary-0123456789abcdef"


def nothing(program: str) -> None:
    """No program is on the path."""


@asynccontextmanager
async def ollama(*models: str) -> AsyncIterator[int]:
    """An Ollama with these models, and the port at which it is."""

    async def tags(_request: web.Request) -> web.Response:
        return web.json_response({"models": [{"name": name} for name in models]})

    app = web.Application()
    app.router.add_get("/api/tags", tags)
    async with TestServer(app) as server:
        yield server.port or 0


NOBODY = {"OLLAMA_HOST": "127.0.0.1:9"}
"""An address at which nothing listens."""


async def test_an_empty_machine_has_nothing_and_the_hint_says_what_to_do() -> None:
    found = await machine.look(NOBODY, which=nothing)

    assert found == Machine()
    assert found.hint().startswith("run `conch engines add` and paste a key")


async def test_a_key_in_the_environment_is_found_and_never_shown() -> None:
    found = await machine.look({**NOBODY, "ANTHROPIC_API_KEY": KEY}, which=nothing)

    [first] = found.found
    assert first == Found("anthropic", "Anthropic", "the ANTHROPIC_API_KEY that is set here", None, first.key)
    assert first.key is not None
    assert first.key.get_secret_value() == KEY
    assert KEY not in f"{found!r}{found.hint()}"


async def test_the_address_that_is_set_beside_a_key_is_used_and_said() -> None:
    environment = {**NOBODY, "OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": "https://proxy.example.org/v1/"}

    [first] = (await machine.look(environment, which=nothing)).found

    assert first.base_url == "https://proxy.example.org/v1"
    assert first.source == "the OPENAI_API_KEY that is set here, at https://proxy.example.org/v1 (OPENAI_BASE_URL)"


async def test_a_key_is_not_sent_to_an_address_where_others_can_read_it() -> None:
    environment = {**NOBODY, "OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": "http://proxy.example.org/v1"}

    found = await machine.look(environment, which=nothing)

    assert found.found == ()
    assert found.remarks[0].startswith("OPENAI_API_KEY is not used, because OPENAI_BASE_URL is off")
    assert KEY not in repr(found)


async def test_a_key_whose_library_is_not_installed_is_a_remark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(machine.LIBRARIES, "google", ("google.nothing.of.it", "pip install 'conch[google]'"))

    found = await machine.look({**NOBODY, "GEMINI_API_KEY": KEY}, which=nothing)

    assert found.found == ()
    assert "pip install 'conch[google]'" in found.remarks[0]


async def test_what_is_found_first_is_what_the_hint_names() -> None:
    environment = {**NOBODY, "OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY, "GOOGLE_API_KEY": " "}

    found = await machine.look(environment, which=nothing)

    assert [each.kind for each in found.found] == ["anthropic", "openai"]
    assert found.hint() == (
        "run `conch engines default anthropic`: Anthropic is here, by the ANTHROPIC_API_KEY that is set here"
    )


async def test_an_ollama_with_a_model_is_found_where_its_variable_says() -> None:
    async with ollama("qwen3:8b") as port:
        found = await machine.look({"OLLAMA_HOST": f"127.0.0.1:{port}"}, which=nothing)

    where = f"http://127.0.0.1:{port}"
    assert found.found == (Found("ollama", "Ollama", f"the Ollama at {where}", f"{where}/v1"),)


async def test_an_ollama_without_a_model_is_told_how_to_get_one() -> None:
    async with ollama() as port:
        found = await machine.look({"OLLAMA_HOST": f"127.0.0.1:{port}"}, which=nothing)

    assert found.found == ()
    assert "ollama pull" in found.remarks[0]


async def test_a_model_server_out_in_the_world_is_not_asked() -> None:
    found = await machine.look({"OLLAMA_HOST": "http://models.example.org:11434"}, which=nothing)

    assert found == Machine()


@pytest.mark.parametrize(
    ("setting", "address"),
    [
        ("", "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:8080", "http://127.0.0.1:8080"),
        (":8080", "http://127.0.0.1:8080"),
        ("nas", "http://nas:11434"),
        ("https://nas.lan/", "https://nas.lan:11434"),
        ("[::1]", "http://[::1]:11434"),
        ("[::]:99", "http://[::1]:99"),
        ("127.0.0.1:port", None),
        ("[::1", None),
    ],
)
def test_ollamas_variable_may_name_a_host_a_port_or_both(setting: str, address: str | None) -> None:
    assert ollama_address(setting) == address


async def test_agents_are_only_mentioned() -> None:
    found = await machine.look(NOBODY, which=lambda program: "/bin/codex" if program == "codex" else None)

    assert found.found == ()
    assert found.about_agents == "Codex found on this machine: coding agents come with a later release."
