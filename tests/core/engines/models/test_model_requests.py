"""What each kind of server is sent: effort, speed, cache markers, and nothing that is another's."""

from typing import Any

import httpx2
import pytest

from core.engines.base import ModelOptions
from core.engines.models.contract import Connection
from core.engines.models.openai_api import OpenAIApi
from core.engines.models.providers import PROVIDERS, connect
from core.errors import UsageError
from core.events import Effort
from tests.core.engines.models.wire.listing_wire import GEMINI, Answer, serving
from tests.core.engines.models.wire.reaching import MODELS, OPENAI, SOON, answer_of, connected, talking


@pytest.mark.parametrize("kind", list(PROVIDERS))
async def test_every_kind_answers_over_its_wire(kind: str) -> None:
    async with serving(talking(kind)) as wire, connected(wire, kind) as provider:
        answer = await answer_of(provider, MODELS.get(kind, "gpt-9"))

    assert answer == "Hello"


async def sent(kind: str, model: str, options: ModelOptions | None = None) -> dict[str, Any]:
    answers = {**talking(kind), f"/v1beta/models/{model}:streamGenerateContent": Answer(events=GEMINI)}
    async with serving(answers) as wire, connected(wire, kind) as provider:
        await answer_of(provider, model, options)
        body: dict[str, Any] = wire.asked[-1].body
        return body


async def test_a_name_that_openrouter_cannot_have_is_said_to_be_none() -> None:
    async with serving({}) as wire, connected(wire, "openrouter") as provider:
        known = provider.known("gpt-9")

        with pytest.raises(UsageError, match="begin with the vendor"):
            provider.model("gpt-9")

    assert known.efforts == ()


async def test_effort_reaches_each_api_in_its_own_words() -> None:
    hard = ModelOptions(effort=Effort.HIGH)

    openai = await sent("openai", "gpt-6-luna", hard)
    claude = await sent("anthropic", "claude-sonnet-5-5", hard)
    older_claude = await sent("anthropic", "claude-haiku-4-5", hard)
    gemini = await sent("google", "gemini-3.8-flash", hard)
    router = await sent("openrouter", "openai/gpt-6-luna", hard)
    local = await sent("ollama", "gpt-oss:20b", hard)

    assert openai["reasoning_effort"] == "high"
    assert claude["output_config"]["effort"] == "high"
    assert older_claude["thinking"]["budget_tokens"] > 1000
    assert gemini["generationConfig"]["thinkingConfig"]["thinking_level"] == "HIGH"
    assert router["reasoning"] == {"effort": "high"}
    assert local["reasoning_effort"] == "high"


async def test_an_effort_that_a_model_does_not_have_is_left_out_and_a_higher_one_is_brought_down() -> None:
    dull = await sent("compatible", "llama-9", ModelOptions(effort=Effort.HIGH))
    gemini = await sent("google", "gemini-3.8-flash", ModelOptions(effort=Effort.MAX))

    assert "reasoning_effort" not in dull
    assert gemini["generationConfig"]["thinkingConfig"]["thinking_level"] == "HIGH"


async def test_fast_is_the_apis_own_speed_or_little_thinking() -> None:
    fast = ModelOptions(fast=True)

    opus = await sent("anthropic", "claude-opus-5-5", fast)
    sonnet = await sent("anthropic", "claude-sonnet-5-5", fast)
    chosen = await sent("anthropic", "claude-sonnet-5-5", ModelOptions(fast=True, effort=Effort.HIGH))
    dull = await sent("compatible", "llama-9", fast)

    assert opus["speed"] == "fast"
    assert sonnet["output_config"]["effort"] == "low"
    assert chosen["output_config"]["effort"] == "high"
    assert "service_tier" not in dull


async def test_anthropics_cache_markers_are_set_and_other_servers_get_no_field_they_do_not_know() -> None:
    claude = await sent("anthropic", "claude-sonnet-5-5")
    openai = await sent("openai", "gpt-6-luna")
    mistral = await sent("mistral", "mistral-large-latest")

    assert "cache_control" in str(claude)
    assert openai["prompt_cache_key"] == "conversation-7"
    assert set(mistral) <= {
        "messages",
        "model",
        "parallel_tool_calls",
        "stream",
        "stream_options",
        "tools",
        "tool_choice",
    }


async def test_openai_itself_is_spoken_to_in_responses_and_told_to_keep_nothing() -> None:
    requests: list[httpx2.Request] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        requests.append(request)
        return httpx2.Response(500, json={"error": {"message": "enough"}})

    async with httpx2.AsyncClient(transport=httpx2.MockTransport(answer)) as http:
        provider = OpenAIApi(OPENAI, SOON, http)
        with pytest.raises(Exception, match="500"):
            await answer_of(provider, "gpt-6.1-sol", ModelOptions(fast=True, effort=Effort.MAX))

    body = httpx2.Response(200, content=requests[0].content).json()
    assert requests[0].url.path == "/v1/responses"
    assert (body["store"], body["prompt_cache_key"], body["service_tier"]) == (False, "conversation-7", "priority")
    assert body["reasoning"]["effort"] == "max"
    assert "reasoning.encrypted_content" in body["include"]


async def test_what_the_environment_says_about_a_vendor_goes_to_that_vendor_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-secret")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-environment")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "token-environment")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Gateway: header-environment")
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Gateway: header-environment")

    async with serving({**talking("groq"), **talking("anthropic")}) as wire:
        for kind in ("groq", "anthropic"):
            async with connected(wire, kind) as provider:
                await answer_of(provider, "gpt-9")

    assert len(wire.asked) == 2
    assert not any(word in str(wire.asked) for word in ("org-secret", "-environment"))


async def test_a_server_without_a_key_gets_none_of_the_environments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-environment")

    async with serving({**talking("compatible"), "/v1/models": Answer({"data": []})}) as wire:
        provider = connect(Connection("box", "Box", "compatible", wire.url), SOON)
        await provider.models()
        await answer_of(provider, "gpt-9")
        await provider.close()

    assert "sk-environment" not in str(wire.asked)
    assert "Authorization" not in wire.asked[0].headers
