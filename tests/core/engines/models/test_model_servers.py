"""Providers against servers on loopback that speak each wire format: lists, what is sent, and what a fault tells."""

import traceback
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from pydantic import SecretStr
from pydantic_ai import exceptions as library
from pydantic_ai.direct import model_request_stream
from pydantic_ai.messages import ModelRequest, TextPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.tools import ToolDefinition

from core.engines.base import EndReason, ModelInfo, ModelOptions
from core.engines.models import refusals
from core.engines.models.contract import Connection, Provider
from core.engines.models.openai_api import OpenAIApi
from core.engines.models.patience import Patience
from core.engines.models.providers import PROVIDERS, connect
from core.errors import ConchError, Refused, RefusedReason, TryLater, UsageError
from core.events import Effort
from tests.core.engines.models.wire.listing_wire import (
    CHAT,
    GEMINI,
    GEMINI_CUT,
    MESSAGES,
    RESPONSES_CUT,
    Answer,
    Wire,
    chunk,
    serving,
)

CANARY = "sk-proj-canary-0123456789-canary-0123456789"

SOON = Patience(connect=2, read=5, read_near=5, listing=5, retries=0)

TOOL = ToolDefinition(name="ask", description="Ask.", parameters_json_schema={"type": "object", "properties": {}})


OPENAI = Connection("work", "Work AI", "openai", "https://api.openai.com/v1", SecretStr(CANARY))


def connection(wire: Wire, kind: str, path: str = "") -> Connection:
    return Connection(
        id="work", title="Work AI", kind=kind, base_url=wire.url + path, key=SecretStr(CANARY), model="gpt-9"
    )


@asynccontextmanager
async def connected(wire: Wire, kind: str, path: str = "") -> AsyncIterator[Provider]:
    provider = connect(connection(wire, kind, path), SOON)
    try:
        yield provider
    finally:
        await provider.close()


async def listed(kind: str, answers: Mapping[str, Answer], path: str = "") -> tuple[tuple[ModelInfo, ...], Wire]:
    async with serving(answers) as wire, connected(wire, kind, path) as provider:
        return tuple(await provider.models()), wire


async def answer_of(provider: Provider, model: str, options: ModelOptions | None = None) -> str:
    settings = provider.settings(model, options or ModelOptions(), "conversation-7")
    parameters = ModelRequestParameters(function_tools=[TOOL])
    messages = [ModelRequest.user_text_prompt("Hi")]
    async with model_request_stream(
        provider.model(model), messages, model_settings=settings, model_request_parameters=parameters
    ) as stream:
        async for _ in stream:
            pass
        return "".join(part.content for part in stream.get().parts if isinstance(part, TextPart))


# Lists


async def test_openai_lists_models_for_talk_the_best_first_and_no_dated_copies() -> None:
    ids = ["gpt-4o", "text-embedding-3-small", "gpt-6-luna", "gpt-5-2025-08-07", "gpt-5", "whisper-1", "gpt-6.1-sol"]

    models, wire = await listed("openai", {"/v1/models": Answer({"data": [{"id": each} for each in ids]})})

    assert [model.id for model in models] == ["gpt-6.1-sol", "gpt-5", "gpt-6-luna", "gpt-4o"]
    assert models[0] == ModelInfo("gpt-6.1-sol", "GPT-6.1 Sol", 1_050_000, models[0].efforts, fast=True, images=True)
    assert Effort.XHIGH in models[0].efforts
    assert wire.asked[0].headers["Authorization"] == f"Bearer {CANARY}"


async def test_anthropic_lists_models_with_their_names_for_people() -> None:
    entries = [
        {"type": "model", "id": "claude-haiku-4-5-20251001", "display_name": "Claude Haiku 4.5"},
        {"type": "model", "id": "claude-opus-4-5-20251101", "display_name": "Claude Opus 4.5"},
        {"type": "model", "id": "claude-sonnet-5-5", "display_name": "Claude Sonnet 5.5"},
    ]

    models, wire = await listed("anthropic", {"/v1/models": Answer({"data": entries})})

    assert [model.title for model in models] == ["Claude Sonnet 5.5", "Claude Opus 4.5", "Claude Haiku 4.5"]
    assert [model.window for model in models] == [1_000_000, 200_000, 200_000]
    assert all(model.images and model.efforts for model in models)
    assert wire.asked[0].headers["Authorization"] == f"Bearer {CANARY}"


async def test_anthropic_says_itself_what_a_model_can_do() -> None:
    yes = {"supported": True}
    entry = {
        "id": "claude-next-9",
        "max_input_tokens": 300000,
        "capabilities": {"effort": {"low": yes, "max": yes, "high": {"supported": False}}, "image_input": yes},
    }

    models, _ = await listed("anthropic", {"/v1/models": Answer({"data": [entry]})})

    assert models == (
        ModelInfo("claude-next-9", "claude-next-9", 300000, (Effort.LOW, Effort.MAX), fast=True, images=True),
    )


async def test_google_lists_what_generates_and_its_key_is_in_no_address() -> None:
    entries = [
        {"name": "models/gemini-embedding-001", "supportedGenerationMethods": ["embedContent"]},
        {
            "name": "models/gemini-3.8-flash",
            "displayName": "Gemini 3.8 Flash",
            "inputTokenLimit": 1048576,
            "supportedGenerationMethods": ["generateContent"],
        },
    ]

    models, wire = await listed("google", {"/v1beta/models": Answer({"models": entries})})

    assert models == (
        ModelInfo(
            "gemini-3.8-flash",
            "Gemini 3.8 Flash",
            1048576,
            (Effort.LOW, Effort.MEDIUM, Effort.HIGH),
            fast=True,
            images=True,
        ),
    )
    assert wire.asked[0].headers["x-goog-api-key"] == CANARY


async def test_openrouter_says_windows_pictures_and_tools_itself() -> None:
    entries = [
        {
            "id": "some/painter",
            "name": "Painter",
            "architecture": {"output_modalities": ["image"]},
            "supported_parameters": ["tools"],
        },
        {"id": "some/mute", "name": "Without tools", "supported_parameters": ["temperature"]},
        {
            "id": "some/thinker",
            "name": "Some: Thinker",
            "context_length": 65536,
            "architecture": {"input_modalities": ["text", "image"], "output_modalities": ["text"]},
            "supported_parameters": ["tools", "reasoning"],
        },
    ]

    models, _ = await listed("openrouter", {"/v1/models": Answer({"data": entries})})

    assert models == (
        ModelInfo(
            "some/thinker",
            "Some: Thinker",
            65536,
            (Effort.LOW, Effort.MEDIUM, Effort.HIGH),
            fast=True,
            images=True,
        ),
    )


async def test_ollama_says_what_is_loaded_with_which_window_and_what_each_can_do() -> None:
    tags = [{"name": n, "model": n} for n in ("nomic-embed-text:latest", "llama9:latest", "qwen9:8b", "big:1t-cloud")]
    answers = {
        "/api/tags": Answer({"models": tags}),
        "/api/ps": Answer({"models": [{"name": "qwen9:8b", "model": "qwen9:8b", "context_length": 4096}]}),
        "/api/show nomic-embed-text:latest": Answer({"capabilities": ["embedding"]}),
        "/api/show llama9:latest": Answer(
            {
                "capabilities": ["completion", "tools"],
                "parameters": 'stop  "x"\nnum_ctx    32768',
                "model_info": {"llama.context_length": 131072},
            }
        ),
        "/api/show qwen9:8b": Answer(
            {
                "capabilities": ["completion", "tools", "thinking", "vision"],
                "model_info": {"qwen9.context_length": 262144},
            }
        ),
        "/api/show big:1t-cloud": Answer(
            {"capabilities": ["completion", "tools"], "model_info": {"big.context_length": 262144}}
        ),
    }

    models, _ = await listed("ollama", answers)

    assert [(model.id, model.title, model.window) for model in models] == [
        ("qwen9:8b", "qwen9:8b", 4096),
        ("llama9:latest", "llama9", 32768),
        ("big:1t-cloud", "big:1t-cloud", 262144),
    ]
    assert models[0].images
    assert models[0].efforts
    assert not models[1].efforts


async def test_an_ollama_behind_something_that_only_speaks_openai_is_listed_all_the_same() -> None:
    models, _ = await listed("ollama", {"/v1/models": Answer({"data": [{"id": "qwen9:8b"}]})})

    assert [model.id for model in models] == ["qwen9:8b"]


async def test_lm_studio_says_what_is_loaded() -> None:
    entries = [
        {"id": "text-embedding-nomic", "type": "embeddings", "state": "not-loaded"},
        {"id": "llama-9", "type": "llm", "state": "not-loaded", "max_context_length": 131072},
        {"id": "qwen9-eyes", "type": "vlm", "state": "loaded", "loaded_context_length": 8192},
    ]

    models, _ = await listed("lmstudio", {"/api/v0/models": Answer({"data": entries})})

    assert [(model.id, model.window, model.images) for model in models] == [
        ("qwen9-eyes", 8192, True),
        ("llama-9", None, False),
    ]


async def test_llama_cpp_says_the_window_that_it_was_started_with() -> None:
    answers = {
        "/v1/models": Answer({"data": [{"id": "qwen9.gguf", "meta": {"n_ctx_train": 262144}}]}),
        "/props": Answer({"default_generation_settings": {"n_ctx": 16384}, "modalities": {"vision": True}}),
    }

    models, _ = await listed("llamacpp", answers)

    assert [(model.window, model.images) for model in models] == [(16384, True)]


@pytest.mark.parametrize(
    ("kind", "entry", "window"),
    [
        ("vllm", {"max_model_len": 40960}, 40960),
        ("groq", {"context_window": 131072}, 131072),
        ("mistral", {"max_context_length": 262144, "capabilities": {"completion_chat": True}}, 262144),
        ("compatible", {"top_provider": {"context_length": 9000}}, 9000),
        ("compatible", {"context_length": "many"}, None),
    ],
)
async def test_a_window_is_read_from_whichever_field_a_server_has(
    kind: str, entry: dict[str, Any], window: int | None
) -> None:
    models, _ = await listed(kind, {"/v1/models": Answer({"data": [{"id": "some-model", **entry}]})})

    assert [model.window for model in models] == [window]


async def test_a_plain_list_without_a_frame_is_one_too() -> None:
    models, _ = await listed("compatible", {"/v1/models": Answer([{"id": "a"}, {"nothing": 1}, "odd"])})

    assert [model.id for model in models] == ["a"]


# What is sent


PATHS = {
    "anthropic": ("/v1/messages", MESSAGES),
    "google": ("/v1beta/models/gpt-9:streamGenerateContent", GEMINI),
}


MODELS = {"openrouter": "some/gpt-9"}


def talking(kind: str) -> dict[str, Answer]:
    path, events = PATHS.get(kind, ("/v1/chat/completions", CHAT))
    return {path: Answer(events=events)}


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


# Faults


FAULTS = [
    (401, {"error": {"message": f"Incorrect API key: {CANARY}"}}, EndReason.AUTH),
    (403, {"error": {"message": f"Key {CANARY} may not"}}, EndReason.AUTH),
    (402, {"error": {"message": f"Insufficient credits for {CANARY}"}}, EndReason.RATE_LIMITED),
    (404, {"error": {"message": f"model gpt-9 not found {CANARY}", "code": "model_not_found"}}, EndReason.REJECTED),
    (400, {"error": {"message": f"odd {CANARY}"}}, EndReason.REJECTED),
    (400, {"error": {"message": f"prompt is too long: 9 tokens > 200000 maximum {CANARY}"}}, EndReason.CONTEXT_FULL),
    (413, {"error": {"message": CANARY}}, EndReason.CONTEXT_FULL),
    (429, {"error": {"message": f"Slow down {CANARY}"}}, EndReason.RATE_LIMITED),
    (500, {"error": {"message": CANARY}}, EndReason.UNAVAILABLE),
    (503, {"error": {"message": CANARY}}, EndReason.UNAVAILABLE),
    (301, {"error": {"message": CANARY}}, EndReason.REJECTED),
]


@pytest.mark.parametrize("kind", ["openai", "anthropic", "google", "openrouter", "ollama", "deepseek", "compatible"])
@pytest.mark.parametrize(("status", "body", "reason"), FAULTS, ids=[str(fault[0]) for fault in FAULTS])
async def test_a_fault_on_the_wire_is_told_without_the_key(
    kind: str, status: int, body: dict[str, Any], reason: EndReason, caplog: pytest.LogCaptureFixture
) -> None:
    path, _ = PATHS.get(kind, ("/v1/chat/completions", CHAT))
    fault = Answer(body, status, headers={"location": "/elsewhere"})

    async with serving({path: fault}) as wire, connected(wire, kind) as provider:
        with pytest.raises(Exception) as caught:  # noqa: PT011 - each library has its own
            await answer_of(provider, MODELS.get(kind, "gpt-9"))
        ended = refusals.ended_for(caught.value, connection(wire, kind))

    assert ended.reason is reason
    assert CANARY not in f"{ended} {provider!r} {connection(wire, kind)!r} {caplog.text}"
    assert len(wire.asked) == 1


@pytest.mark.parametrize("kind", list(PROVIDERS))
async def test_a_list_that_is_refused_says_why_without_the_key(kind: str) -> None:
    paths = ("/v1/models", "/v1beta/models", "/api/tags", "/api/v0/models")
    refused = Answer({"error": {"message": f"bad key {CANARY}"}}, 401)

    async with serving(dict.fromkeys(paths, refused)) as wire, connected(wire, kind) as provider:
        with pytest.raises(Refused) as caught:
            await provider.models()

    assert caught.value.reason is RefusedReason.AUTH
    assert "Work AI" in str(caught.value)
    assert CANARY not in str(caught.value)


@pytest.mark.parametrize("body", ["a page", {"data": "nothing"}, {}, 7, None])
async def test_something_else_at_the_address_is_said_to_be_something_else(body: Any) -> None:
    with pytest.raises(Refused, match="not with a list of models"):
        await listed("compatible", {"/v1/models": Answer(body)})


@pytest.mark.parametrize("kind", list(PROVIDERS))
async def test_a_server_that_is_not_there_is_to_be_tried_later(kind: str) -> None:
    async with serving({}) as wire:
        pass

    async with connected(wire, kind) as provider:
        with pytest.raises(TryLater) as caught:
            await provider.models()

    assert "does not answer at its address. Start it" in str(caught.value)


CUT = [
    ("compatible", "/v1/chat/completions", (chunk("Hel"),)),
    ("openai", "/v1/chat/completions", (chunk("Hel"),)),
    ("openrouter", "/v1/chat/completions", (chunk("Hel"),)),
    ("anthropic", "/v1/messages", MESSAGES[:3]),
    ("google", "/v1beta/models/gpt-9:streamGenerateContent", GEMINI_CUT),
]


@pytest.mark.parametrize(("kind", "path", "events"), CUT, ids=[case[0] for case in CUT])
async def test_a_stream_that_was_closed_too_early_does_not_look_like_an_answer(
    kind: str, path: str, events: tuple[Any, ...]
) -> None:
    async with serving({path: Answer(events=events)}) as wire, connected(wire, kind) as provider:
        with pytest.raises(library.ModelAPIError) as caught:
            await answer_of(provider, MODELS.get(kind, "gpt-9"))

    ended = refusals.ended_for(caught.value, connection(wire, kind))
    assert ended.reason is EndReason.UNAVAILABLE
    assert "broke off" in (ended.message or "")


async def test_a_stream_of_responses_that_was_closed_too_early_does_not_either() -> None:
    def answer(_: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, text=RESPONSES_CUT, headers={"content-type": "text/event-stream"})

    async with httpx2.AsyncClient(transport=httpx2.MockTransport(answer)) as http:
        provider = OpenAIApi(OPENAI, SOON, http)

        with pytest.raises(library.ModelAPIError, match="finish_reason"):
            await answer_of(provider, "gpt-6-luna")


IN_STREAM = [
    ("llama.cpp", {"error": {"code": 400, "message": "request exceeds the available context size"}}),
    ("openrouter", {"error": {"code": 400, "message": "This endpoint's maximum context length is 8192 tokens"}}),
]


@pytest.mark.parametrize("error", [case[1] for case in IN_STREAM], ids=[case[0] for case in IN_STREAM])
async def test_too_long_inside_a_stream_that_began_well_is_too_long(error: dict[str, Any]) -> None:
    answers = {"/v1/chat/completions": Answer(events=(chunk("Hel"), error))}

    async with serving(answers) as wire, connected(wire, "compatible") as provider:
        with pytest.raises(Exception) as caught:  # noqa: PT011 - the library's
            await answer_of(provider, "gpt-9")

    assert refusals.ended_for(caught.value, connection(wire, "compatible")).reason is EndReason.CONTEXT_FULL


async def test_a_redirect_is_not_followed_with_the_key() -> None:
    moved = Answer({}, 307, headers={"location": "/elsewhere"})

    answers = {"/v1/models": moved, "/elsewhere": Answer({"data": []})}
    async with serving(answers) as wire, connected(wire, "anthropic") as provider:
        with pytest.raises(ConchError, match="another address"):
            await provider.models()

    assert [asked.path for asked in wire.asked] == ["/v1/models"]


async def test_no_traceback_of_ours_holds_the_key() -> None:
    async with serving({"/v1/models": Answer({}, 500)}) as wire, connected(wire, "google") as provider:
        try:
            await provider.models()
        except ConchError as error:
            told = "".join(traceback.format_exception(error))

    assert CANARY not in told
