"""The models that servers list, each in its own words, and what is read of them."""

from typing import Any

import pytest

from core.engines.base import ModelInfo
from core.events import Effort
from tests.core.engines.models.wire.listing_wire import Answer
from tests.core.engines.models.wire.reaching import CANARY, listed


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
