"""What a fault on the wire tells: why, a plain sentence, and never the key."""

import traceback
from dataclasses import replace
from typing import Any

import httpx2
import pytest
from pydantic_ai import exceptions as library

from core.engines.base import EndReason
from core.engines.models import refusals
from core.engines.models.openai_api import OpenAIApi
from core.engines.models.providers import PROVIDERS
from core.errors import ConchError, Refused, RefusedReason, TryLater
from tests.core.engines.models.wire.listing_wire import (
    CHAT,
    GEMINI_CUT,
    MESSAGES,
    RESPONSES_CUT,
    Answer,
    chunk,
    serving,
)
from tests.core.engines.models.wire.reaching import (
    CANARY,
    MODELS,
    OPENAI,
    PATHS,
    SOON,
    answer_of,
    connected,
    connection,
    listed,
)

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


@pytest.mark.parametrize("kind", ["openai", "anthropic", "compatible"])
@pytest.mark.parametrize(
    ("wants", "requests"),
    [
        ({"retry-after": "0.01"}, 2),
        ({"retry-after-ms": "10"}, 2),
        ({"retry-after": "20"}, 1),
        ({"retry-after-ms": "20000"}, 1),
        ({"retry-after": "Fri, 01 Jan 2100 00:00:00 GMT"}, 1),
    ],
    ids=str,
)
async def test_a_server_that_wants_to_be_left_alone_for_long_is_not_waited_for(
    kind: str, wants: dict[str, str], requests: int
) -> None:
    path, _ = PATHS.get(kind, ("/v1/chat/completions", CHAT))
    busy = Answer({"error": {"message": "Slow down"}}, 429, headers=wants)

    async with serving({path: busy}) as wire, connected(wire, kind, replace(SOON, retries=1)) as provider:
        with pytest.raises(library.ModelHTTPError):
            await answer_of(provider, "gpt-9")

    assert len(wire.asked) == requests


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
