import socket
from collections.abc import Iterator

import pytest

from conch import machine
from conch.machine import Machine


@pytest.fixture
def listening_port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.fixture
def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


async def test_an_empty_machine_has_nothing_and_the_hint_says_what_could_be(free_port: int) -> None:
    found = await machine.look({"OLLAMA_HOST": f"127.0.0.1:{free_port}"}, which=lambda program: None)

    assert found == Machine()
    assert "ANTHROPIC_API_KEY" in found.hint


async def test_keys_agents_and_a_local_model_server_are_found(listening_port: int) -> None:
    environment = {"OPENAI_API_KEY": "sk-canary", "OLLAMA_HOST": f"http://127.0.0.1:{listening_port}"}

    found = await machine.look(environment, which=lambda program: "/bin/codex" if program == "codex" else None)

    assert found == Machine(keys=("OPENAI_API_KEY",), agents=("Codex",), ollama=True)


async def test_a_model_server_on_another_machine_is_not_asked() -> None:
    found = await machine.look({"OLLAMA_HOST": "http://10.1.2.3:11434"}, which=lambda program: None)

    assert not found.ollama


@pytest.mark.parametrize("setting", ["", "127.0.0.1:port", "[::1", "0.0.0.0"])
async def test_an_odd_address_is_no_fault(setting: str) -> None:
    assert await machine.look({"OLLAMA_HOST": setting}, which=lambda program: None)


@pytest.mark.parametrize(
    ("found", "named"),
    [
        (Machine(keys=("ANTHROPIC_API_KEY",), agents=("Codex",), ollama=True), "ANTHROPIC_API_KEY"),
        (Machine(agents=("Codex",), ollama=True), "Codex"),
        (Machine(ollama=True), "Ollama"),
    ],
)
def test_the_hint_names_the_quickest_way_and_promises_nothing_for_now(found: Machine, named: str) -> None:
    assert named in found.hint
    assert found.hint.startswith("wait for the next release")
