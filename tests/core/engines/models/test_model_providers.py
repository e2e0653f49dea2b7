"""What there is to connect to: keys by their shape, addresses that may be used, the best and the cheapest model."""

import re
from importlib import util
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from core.engines.base import ModelInfo, ModelOptions
from core.engines.models import lists, prices, ranking, windows
from core.engines.models.addresses import checked as checked_address
from core.engines.models.addresses import is_near
from core.engines.models.complaint import Complaint
from core.engines.models.connected import effort_of
from core.engines.models.contract import Connection
from core.engines.models.providers import PROVIDERS, checked, connect, recognise
from core.errors import UsageError
from core.events import Effort

KEYS = [
    ("anthropic", "sk-ant-api03-" + "aB3_" * 20),
    ("openai", "sk-proj-" + "aB3-" * 20),
    ("openai", "sk-" + "aB3x" * 12),
    ("google", "AIza" + "aB3_-" * 7),
    ("openrouter", "sk-or-v1-" + "0af1" * 16),
    ("groq", "gsk_" + "aB3x" * 13),
    ("deepseek", "sk-" + "0af1" * 8),
    ("xai", "xai-" + "aB3x" * 20),
]


@pytest.mark.parametrize(("kind", "key"), KEYS, ids=[f"{kind} {key[:9]}" for kind, key in KEYS])
@pytest.mark.parametrize("around", ["{}", "  {}\n", "my key: {}, thanks", 'export ANY_NAME="{}"', "Bearer {}"])
def test_a_key_is_known_by_its_shape_whatever_stands_around_it(kind: str, key: str, around: str) -> None:
    assert recognise(around.format(key)) == (kind, key)


def test_a_key_without_a_shape_is_known_by_the_name_before_it() -> None:
    assert recognise("MISTRAL_API_KEY=abcdefgh12345678") == ("mistral", "abcdefgh12345678")
    assert recognise("export GEMINI_API_KEY='odd-key-123'") == ("google", "odd-key-123")


@pytest.mark.parametrize(
    "pasted",
    [
        "",
        "hello",
        "sk-",
        "sk-ant-oat01-" + "aB3_" * 20,
        KEYS[0][1] + " " + KEYS[1][1],
        "123456789:AAHdqTcvCH1vGWJxfSeof",
    ],
)
def test_what_is_no_key_or_could_be_several_is_not_guessed(pasted: str) -> None:
    assert recognise(pasted) is None


NEAR = [
    "http://127.0.0.1:11434/v1",
    "http://localhost:1234",
    "http://[::1]:8000",
    "http://192.168.1.9:8080/v1",
    "http://10.0.0.4",
    "http://172.20.0.2:8000",
    "http://100.101.102.103:11434",
    "http://ollama:11434/v1",
    "http://box.local:8080",
    "http://host.docker.internal:11434",
]

FAR = [
    "https://api.openai.com/v1",
    "http://8.8.8.8/v1",
    "http://134744072/v1",
    "http://0x08080808/v1",
    "http://[::ffff:8.8.8.8]/v1",
    "http://local.example.com",
    "http://172.40.0.1",
]


@pytest.mark.parametrize("url", NEAR)
def test_a_key_may_go_over_plain_http_in_ones_own_network(url: str) -> None:
    assert is_near(url)
    assert checked_address(url, has_key=True) == url


@pytest.mark.parametrize("url", FAR)
def test_out_in_the_world_a_key_goes_over_https_alone(url: str) -> None:
    assert not is_near(url)
    if url.startswith("http://"):
        with pytest.raises(UsageError, match="over plain http"):
            checked_address(url, has_key=True)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "api.openai.com",
        "ftp://x.example",
        "http://",
        "https://me:pass@x.example",
        "https://x.example/v1?key=1",
        "http://x:99999/",
    ],
)
def test_what_is_no_address_or_hides_a_secret_is_turned_down_without_repeating_it(url: str) -> None:
    with pytest.raises(UsageError) as caught:
        checked_address(url, has_key=False)

    assert "pass" not in str(caught.value).replace("password", "")


def test_a_kind_that_needs_a_key_says_where_to_get_one() -> None:
    with pytest.raises(UsageError, match=r"Anthropic needs a key; you get one at https://"):
        checked(Connection("a", "A", "anthropic"))


@pytest.mark.parametrize("key", ["", "two words", "sk-é", "sk-1\nX-Other: 1", "sk-\x00"])
def test_a_key_that_cannot_be_one_is_turned_down_before_it_is_sent(key: str) -> None:
    with pytest.raises(UsageError, match="Copy it again") as caught:
        checked(Connection("a", "A", "anthropic", key=SecretStr(key)))

    assert not key or key not in str(caught.value)


def test_a_server_without_an_address_of_its_own_has_to_be_given_one() -> None:
    with pytest.raises(UsageError, match="Say where the server is"):
        checked(Connection("a", "A", "compatible"))


def test_an_unknown_kind_is_answered_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match="anthropic, openai, google"):
        checked(Connection("a", "A", "watson"))


@pytest.mark.parametrize(
    ("kind", "given", "whole"),
    [
        ("ollama", None, "http://127.0.0.1:11434/v1"),
        ("ollama", "http://box:11434", "http://box:11434/v1"),
        ("compatible", "http://box:8080/", "http://box:8080/v1"),
        ("compatible", "http://box:8080/api/", "http://box:8080/api"),
        ("deepseek", None, "https://api.deepseek.com"),
        ("anthropic", "http://localhost:9", "http://localhost:9"),
    ],
)
def test_an_address_is_made_whole(kind: str, given: str | None, whole: str) -> None:
    assert checked(Connection("a", "A", kind, given, SecretStr("k" * 20))).base_url == whole


def test_a_missing_library_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(util, "find_spec", lambda _: None)

    with pytest.raises(UsageError, match=re.escape("pip install 'conch[google]'")):
        connect(Connection("g", "G", "google", key=SecretStr("k" * 20)))


def test_every_kind_has_patterns_that_are_patterns_and_an_address_that_may_be_used() -> None:
    for kind in PROVIDERS.values():
        for pattern in (*kind.preferred, *kind.cheap, kind.key_shape or ""):
            re.compile(pattern)
        if kind.address:
            assert checked_address(kind.address, has_key=kind.needs_key) == kind.address


# Ranking and prices


def models(*ids: str) -> tuple[ModelInfo, ...]:
    return tuple(ModelInfo(each, each) for each in ids)


BEST = [
    (
        "anthropic",
        ["claude-opus-5-5", "claude-haiku-5-5", "claude-sonnet-4-6", "claude-sonnet-5-5"],
        "claude-sonnet-5-5",
    ),
    ("anthropic", ["claude-sonnet-4-20250514", "claude-sonnet-4-5-20250929"], "claude-sonnet-4-5-20250929"),
    ("openai", ["gpt-4o", "gpt-5.6-sol", "gpt-6.1-sol", "gpt-6-sol", "o3"], "gpt-6.1-sol"),
    ("google", ["gemini-3.1-pro-preview", "gemini-3.8-flash", "gemini-2.5-flash"], "gemini-3.8-flash"),
    ("openrouter", ["a/z", "anthropic/claude-sonnet-5.5", "openai/gpt-6.1-sol"], "anthropic/claude-sonnet-5.5"),
    ("ollama", ["loaded:8b", "other:70b"], "loaded:8b"),
]


@pytest.mark.parametrize(("kind", "ids", "best"), BEST)
def test_the_best_default_is_the_newest_of_the_kind_people_mean(kind: str, ids: list[str], best: str) -> None:
    assert ranking.ranked(PROVIDERS[kind], models(*ids))[0].id == best


CHEAP = [
    ("anthropic", ["claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-4-5-20251001"], "claude-haiku-4-5-20251001"),
    ("openai", ["gpt-6.1-sol", "gpt-6-luna", "gpt-5-nano"], "gpt-6-luna"),
    ("google", ["gemini-3.8-flash", "gemini-3.5-flash-lite"], "gemini-3.5-flash-lite"),
    ("xai", ["grok-4.7", "grok-code-fast-1"], "grok-code-fast-1"),
    ("ollama", ["llama9:70b", "llama9:1b"], None),
    ("unheard-of", ["a"], None),
]


@pytest.mark.parametrize(("kind", "ids", "cheap"), CHEAP)
def test_the_cheapest_is_known_by_name_or_by_price(kind: str, ids: list[str], cheap: str | None) -> None:
    found = ranking.cheapest(kind, models(*ids))

    assert (found.id if found else None) == cheap


def test_a_price_counts_what_came_from_the_cache_as_cheaper() -> None:
    fresh = prices.price_of("anthropic", "claude-sonnet-4-5", {"input": 10_000, "output": 1_000})
    cached = prices.price_of("anthropic", "claude-sonnet-4-5", {"input": 10_000, "output": 1_000, "cached": 9_000})

    assert fresh == pytest.approx(0.045)
    assert cached == pytest.approx(0.0207)


def test_a_model_that_is_not_in_the_list_has_no_price() -> None:
    assert prices.price_of("openai", "my-own-model", {"input": 5}) is None
    assert prices.price_of(None, "gpt-6-luna", {"input": 5}) is None


def test_where_no_window_is_known_a_server_of_ones_own_is_taken_to_have_little() -> None:
    near = windows.window_unless_known(Connection("a", "A", "ollama"))
    far = windows.window_unless_known(Connection("a", "A", "compatible", "https://models.example.com/v1"))

    assert (near, far) == (8_000, 128_000)


LEVELS = (Effort.LOW, Effort.HIGH)


@pytest.mark.parametrize(
    ("options", "efforts", "thinks"),
    [
        (ModelOptions(), LEVELS, None),
        (ModelOptions(effort=Effort.AUTO), LEVELS, None),
        (ModelOptions(effort=Effort.MEDIUM), LEVELS, "low"),
        (ModelOptions(effort=Effort.MAX), LEVELS, "high"),
        (ModelOptions(effort=Effort.LOW), (Effort.HIGH,), "high"),
        (ModelOptions(effort=Effort.MAX), (), None),
        (ModelOptions(fast=True), LEVELS, "low"),
        (ModelOptions(fast=True), (Effort.HIGH,), None),
        (ModelOptions(fast=True, effort=Effort.HIGH), LEVELS, "high"),
    ],
)
def test_effort_is_the_nearest_that_a_model_has(
    options: ModelOptions, efforts: tuple[Effort, ...], thinks: str | None
) -> None:
    assert effort_of(options, ModelInfo("m", "M", efforts=efforts)) == thinks


# Whatever a server sends

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["id", "name", "model", "data", "models", "capabilities", "architecture", "meta", "parameters"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(JSON, JSON, JSON)
def test_no_list_however_odd_breaks_a_reader(body: Any, shown: Any, running: Any) -> None:
    for read in (lists.read_openai, lists.read_anthropic, lists.read_google, lists.read_lmstudio):
        try:
            found = read(body)
        except ValueError:
            continue
        assert all(isinstance(model.id, str) and model.id for model in found)
    lists.window_of_props(body)
    try:
        lists.read_ollama(body, {"a": shown}, running)
    except ValueError:
        return


@given(st.text(), st.integers(), st.text(max_size=3000))
def test_no_error_however_odd_breaks_its_reading(message: str, status: int, body: str) -> None:
    error = RuntimeError(message)
    error.__cause__ = ConnectionError(body)
    vars(error).update(status_code=status, body=body)

    complaint = Complaint.of(error)

    assert complaint.retry_after is None or complaint.retry_after >= 0
