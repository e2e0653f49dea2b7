"""What the owner wants connected, out of what they gave."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from pydantic import SecretStr

from conch.wanted import as_connected, expect_model, wanted
from core.engines.base import ModelInfo
from core.errors import NotFound, UsageError
from core.store.engines import EngineRecord
from web.engines import NewEngine

ANTHROPIC = "sk-ant-api03-canary0123456789abcdef"


def new(kind: str | None = None, pasted: str | None = None, **more: str) -> NewEngine:
    return NewEngine(kind=kind, pasted=SecretStr(pasted) if pasted is not None else None, **more)


@pytest.mark.parametrize("pasted", [ANTHROPIC, f"export ANTHROPIC_API_KEY='{ANTHROPIC}'", f"my key: {ANTHROPIC} \n"])
def test_the_kind_is_seen_by_the_key(pasted: str) -> None:
    connection = wanted(new(pasted=pasted))

    assert (connection.id, connection.kind, connection.title) == ("anthropic", "anthropic", "Anthropic")
    assert connection.key == SecretStr(ANTHROPIC)
    assert connection.base_url is None


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (new(), "Say what to connect"),
        (new(pasted="0123456789abcdef0123"), "cannot be told whose key"),
        (new("pigeon"), "no kind of engine “pigeon”"),
        (new("openai"), "needs a key"),
        (new("openai", ANTHROPIC), "a key for Anthropic, not for OpenAI"),
        (new("mistral", "here is my key"), "no key in what you pasted"),
        (new("compatible"), "Say where the server is"),
        (new("ollama", name="My Box"), "cannot be an engine's name"),
        (new("compatible", "a-key", url="http://models.example.org/v1"), "over plain http"),
    ],
)
def test_what_does_not_fit_is_said_and_no_key_with_it(given: NewEngine, said: str) -> None:
    with pytest.raises(UsageError, match=said) as raised:
        wanted(given)

    assert ANTHROPIC not in str(raised.value)


@pytest.mark.parametrize(
    ("kind", "url", "whole"),
    [
        ("ollama", "nas:11434", "http://nas:11434/v1"),
        ("lmstudio", "http://127.0.0.1:1234/", "http://127.0.0.1:1234/v1"),
        ("llamacpp", "http://127.0.0.1:8080/api", "http://127.0.0.1:8080/api"),
        ("compatible", "https://models.example.org/v1/", "https://models.example.org/v1"),
    ],
)
def test_what_is_often_left_out_of_an_address_is_put_in(kind: str, url: str, whole: str) -> None:
    assert wanted(new(kind, url=url)).base_url == whole


@pytest.mark.parametrize(
    ("given", "title"),
    [
        (new("ollama"), "Ollama"),
        (new("ollama", name="shed"), "Ollama (shed)"),
        (new("compatible", url="http://nas:8000/v1"), "The server at nas:8000"),
        (new("compatible", url="http://nas:8000/v1", name="nas"), "nas"),
    ],
)
def test_several_of_one_kind_are_told_apart(given: NewEngine, title: str) -> None:
    assert wanted(given).title == title


def test_a_model_that_is_not_there_is_answered_with_those_that_may_be_meant() -> None:
    models = [ModelInfo(name, name) for name in ("other", *(f"more-{number}" for number in range(8)), "toy-large")]

    expect_model("toy-large", models, "Shed")
    with pytest.raises(NotFound, match=r"Shed has no model “toy”\. It has: toy-large, other, more-0, .* and 2 more\."):
        expect_model("toy", models, "Shed")
    with pytest.raises(NotFound, match="It has: toy-large"):
        expect_model("toy-lagre", models, "Shed")


MINE = EngineRecord("mine", "compatible", "Mine", "https://models.example.org/v1", None, "big-one", datetime.now(UTC))


@pytest.mark.parametrize("given", [new("mine", "a-key"), new(pasted="a-key", name="mine")])
def test_a_connected_engine_gets_a_new_key_by_its_name_alone(given: NewEngine) -> None:
    connection = wanted(as_connected(given, [MINE]))

    assert (connection.id, connection.kind, connection.base_url, connection.model) == (
        *("mine", "compatible", "https://models.example.org/v1", "big-one"),
    )
    assert connection.key == SecretStr("a-key")


@pytest.mark.parametrize("given", [new("openai", ANTHROPIC), new("mine", "a-key", name="other"), new(pasted=ANTHROPIC)])
def test_what_names_no_connected_engine_stays_as_it_was_given(given: NewEngine) -> None:
    records = [MINE, replace(MINE, id="openai")]

    kept = as_connected(given, records)

    assert kept == given
