"""What errors of model servers mean, by the bodies that the servers really send."""

from typing import Any

import httpx2
import pytest
from anthropic import APIStatusError as AnthropicError
from google.genai.errors import ClientError
from openai import APIConnectionError, APIStatusError
from pydantic import SecretStr
from pydantic_ai import exceptions as library

from core.engines.base import Ended, EndReason
from core.engines.models.contract import Connection
from core.engines.models.refusals import ended_for, error_for, window_in
from core.errors import ConchError, Refused, RefusedReason, TryLater, UsageError

CANARY = "sk-proj-canary0123456789canary0123456789"

THERE = Connection(id="work", title="Work AI", kind="openai", key=SecretStr(CANARY), model="gpt-9")
HERE = Connection(id="box", title="The Box", kind="compatible", base_url="http://192.168.1.9:8080/v1", model="qwen9")


def said(status: int, message: str, **more: Any) -> library.ModelHTTPError:
    """As the library raises it where it does not know the wording: a status and a body."""
    return library.ModelHTTPError(status, "gpt-9", {"message": message, **more})


def in_stream(message: str, **more: Any) -> library.ModelAPIError:
    return library.ModelAPIError("gpt-9", message, body={"message": message, **more}, in_stream=True)


def sent(status: int, body: Any, headers: dict[str, str] | None = None) -> APIStatusError:
    """As OpenAI's SDK raises it."""
    request = httpx2.Request("POST", f"https://api.example.com/v1/chat?key={CANARY}")
    response = httpx2.Response(status, json=body, headers=headers, request=request)
    return APIStatusError(f"Error code: {status} - {body} {CANARY}", response=response, body=body)


TOO_LONG = [
    (
        "openai",
        said(
            400,
            "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens. "
            "Please reduce the length of the messages.",
            code="context_length_exceeded",
        ),
        8192,
    ),
    ("openai responses", in_stream("Your input exceeds the context window of this model. Please adjust."), None),
    (
        "openai, more than a minute's tokens",
        said(
            429,
            "Request too large for gpt-9 in organization org-x on tokens per min (TPM): Limit 30000, Requested 41000.",
            type="tokens",
        ),
        30000,
    ),
    ("anthropic", said(400, "prompt is too long: 210000 tokens > 200000 maximum"), 200000),
    (
        "anthropic, with the answer",
        said(400, "input length and `max_tokens` exceed context limit: 198000 + 8192 > 200000, decrease input length"),
        200000,
    ),
    ("anthropic, bytes", said(413, "Request exceeds the maximum size", type="request_too_large"), None),
    (
        "google",
        said(400, "The input token count (1196265) exceeds the maximum number of tokens allowed (1048576)."),
        1048576,
    ),
    (
        "openrouter",
        said(400, "This endpoint's maximum context length is 131072 tokens. However, you requested about 200000."),
        131072,
    ),
    (
        "llama.cpp",
        said(
            400,
            "request (12345 tokens) exceeds the available context size (4096 tokens), try increasing it",
            type="exceed_context_size_error",
            n_prompt_tokens=12345,
            n_ctx=4096,
        ),
        4096,
    ),
    ("llama.cpp, older", said(500, "the request exceeds the available context size. try increasing it"), None),
    ("llama.cpp, in a stream", in_stream("Context size has been exceeded."), None),
    (
        "LM Studio",
        said(
            400,
            "Trying to keep the first 5120 tokens when context the overflows. However, the model is loaded with "
            "context length of only 4096 tokens, which is not enough.",
        ),
        4096,
    ),
    (
        "LM Studio, newer",
        in_stream(
            "The number of tokens to keep from the initial prompt is greater than the context length. Try to load the "
            "model with a larger context length"
        ),
        None,
    ),
    (
        "LM Studio, in the middle",
        in_stream(
            "Reached context length of 4096 tokens with this model, but this model does not currently support "
            "mid-generation context overflow."
        ),
        4096,
    ),
    (
        "vLLM, old",
        said(
            400,
            "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens "
            "(4000 in the messages, 1000 in the completion).",
        ),
        4096,
    ),
    (
        "vLLM, new",
        said(
            400,
            "You passed 5000 input tokens and requested 0 output tokens. However, the model's context length is only "
            "4096 tokens, resulting in a maximum input length of 4096 tokens.",
        ),
        4096,
    ),
    (
        "vLLM, decoder",
        said(400, "The decoder prompt (length 5000) is longer than the maximum model length of 4096."),
        4096,
    ),
    ("SGLang", said(400, "The input (5000 tokens) is longer than the model's context length (4096 tokens)."), 4096),
    ("Ollama", said(400, "the input length exceeds the context length"), None),
    ("Ollama's cloud", said(400, "prompt too long; exceeded max context length by 1234 tokens"), None),
    ("TGI", said(422, "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000"), 4096),
    (
        "Mistral",
        said(400, "Prompt contains 40000 tokens, too large for model with 32768 maximum context length"),
        32768,
    ),
    ("xAI", said(400, "This model's maximum prompt length is 131072 but the request contains 200000 tokens."), 131072),
    (
        "Groq, bytes of a minute",
        said(413, "Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 8000"),
        6000,
    ),
    (
        "Cerebras",
        said(
            400,
            "Please reduce the length of the messages or completion. Current length is 9000 while limit is 8192",
        ),
        8192,
    ),
    ("Moonshot", said(400, "Your request exceeded model token limit: 262144 (requested: 300000)"), 262144),
    ("MiniMax", said(400, "invalid params, context window exceeds limit (2013)"), None),
    ("the library's own", library.ModelContextWindowExceededError("gpt-9", "whatever"), None),
]


@pytest.mark.parametrize(("error", "window"), [case[1:] for case in TOO_LONG], ids=[case[0] for case in TOO_LONG])
def test_too_long_is_known_in_every_wording_with_the_window_where_it_is_named(
    error: Exception, window: int | None
) -> None:
    ended = ended_for(error, THERE)

    assert ended.reason is EndReason.CONTEXT_FULL
    assert window_in(error) == window
    assert "/compact" in (ended.message or "")


def test_a_window_is_learnt_only_from_a_refusal_of_something_too_long() -> None:
    other = said(400, "max_tokens must have less than 4096 of something")

    assert window_in(said(401, "maximum context length is 4096 tokens")) is None
    assert window_in(other) is None


MEANINGS = [
    ("openai key", said(401, "Incorrect API key provided: sk-pr***."), EndReason.AUTH, "does not work"),
    ("anthropic key", said(401, "invalid x-api-key", type="authentication_error"), EndReason.AUTH, "does not work"),
    (
        "google key",
        said(400, "API key not valid. Please pass a valid API key.", reason="API_KEY_INVALID"),
        EndReason.AUTH,
        "engines add",
    ),
    ("may not", said(403, "Your project does not have access"), EndReason.AUTH, "may not be used for gpt-9"),
    ("region", said(403, "Country, region, or territory not supported"), EndReason.AUTH, "country"),
    ("openai quota", said(429, "You exceeded …", code="insufficient_quota"), EndReason.RATE_LIMITED, "add credit"),
    ("anthropic credit", said(400, "Your credit balance is too low to access"), EndReason.RATE_LIMITED, "add credit"),
    ("openrouter credit", said(402, "Insufficient credits"), EndReason.RATE_LIMITED, "add credit"),
    ("xai credit", said(403, "has either used all available credits or reached"), EndReason.RATE_LIMITED, "credit"),
    ("rate", said(429, "Rate limit reached for gpt-9 on requests"), EndReason.RATE_LIMITED, "no more requests"),
    ("overloaded", said(529, "Overloaded", type="overloaded_error"), EndReason.UNAVAILABLE, "too much to do"),
    ("down", said(503, "upstream connect error"), EndReason.UNAVAILABLE, "could not be reached"),
    ("loading", said(503, "Loading model"), EndReason.UNAVAILABLE, "still loading"),
    ("slow", library.ModelTimeoutError("gpt-9", "Request timed out."), EndReason.UNAVAILABLE, "too long to answer"),
    (
        "cut",
        library.ModelAPIError("gpt-9", "Streamed response ended without a `finish_reason`"),
        EndReason.UNAVAILABLE,
        "broke off",
    ),
    ("in a stream", in_stream("Provider returned error"), EndReason.UNAVAILABLE, "could not finish"),
    (
        "openai model",
        said(404, "The model `gpt-9` does not exist", code="model_not_found"),
        EndReason.REJECTED,
        "gpt-9",
    ),
    ("anthropic model", said(404, "model: gpt-9", type="not_found_error"), EndReason.REJECTED, "/model"),
    ("ollama model", said(404, 'model "gpt-9" not found, try pulling it first'), EndReason.REJECTED, "no model gpt-9"),
    ("mistral model", said(400, "Invalid model: gpt-9", code="1500"), EndReason.REJECTED, "no model gpt-9"),
    ("deepseek model", said(400, "Model Not Exist"), EndReason.REJECTED, "no model gpt-9"),
    ("openrouter model", said(400, "gpt-9 is not a valid model ID"), EndReason.REJECTED, "no model gpt-9"),
    ("google model", said(404, "models/gpt-9 is not found for API version v1beta"), EndReason.REJECTED, "gpt-9"),
    ("wrong address", said(404, "Not Found"), EndReason.REJECTED, "/v1"),
    ("moved", sent(301, None), EndReason.REJECTED, "another address"),
    ("safety", said(400, "Output blocked by content filtering policy"), EndReason.REFUSED, "rules on content"),
    ("flagged", said(400, "Your prompt was flagged", code="invalid_prompt"), EndReason.REFUSED, "another way"),
    ("filtered", library.ContentFilterError("Content filter triggered."), EndReason.REFUSED, "another way"),
    ("no tools", said(400, "registry.ollama.ai/library/x does not support tools"), EndReason.REJECTED, "cannot use"),
    ("jinja", said(500, "tools param requires --jinja flag"), EndReason.REJECTED, "--jinja"),
    ("vllm tools", said(400, '"auto" tool choice requires --enable-auto-tool-choice'), EndReason.REJECTED, "--enable"),
    ("no pictures", said(500, "image input is not supported - hint: mmproj"), EndReason.REJECTED, "pictures"),
    ("effort", said(400, "Unsupported parameter: 'reasoning_effort'"), EndReason.REJECTED, "/effort auto"),
    ("bad request", said(400, "messages.1: something is off"), EndReason.REJECTED, "did not take"),
    ("unreadable", library.UnexpectedModelBehavior("Invalid response", "{"), EndReason.CRASHED, "cannot be read"),
    ("ours", ValueError("maximum context length is 12"), EndReason.CRASHED, "tell the owner"),
]


@pytest.mark.parametrize(
    ("error", "reason", "says"), [case[1:] for case in MEANINGS], ids=[case[0] for case in MEANINGS]
)
def test_an_error_ends_the_turn_for_its_reason_and_says_what_to_do(
    error: Exception, reason: EndReason, says: str
) -> None:
    ended = ended_for(error, THERE)

    assert ended.reason is reason
    assert says in (ended.message or "")


WAITS = [
    ("a header", sent(429, {"error": {}}, {"retry-after": "17"}), 17.0),
    ("openai's words", said(429, "Please try again in 1m12.5s. Visit https://…"), 72.5),
    ("milliseconds", said(429, "Rate limit reached. Please try again in 600ms."), 0.6),
    ("google's detail", said(429, "Quota", details=[{"retryDelay": "14s"}]), 14.0),
    ("a field", said(429, "Slow down", retry_after=5), 5.0),
    ("nothing", said(429, "Slow down"), None),
    ("years", sent(429, {}, {"retry-after": "99999999"}), None),
]


@pytest.mark.parametrize(("error", "seconds"), [case[1:] for case in WAITS], ids=[case[0] for case in WAITS])
def test_how_long_to_wait_is_read_from_wherever_it_is_said(error: Exception, seconds: float | None) -> None:
    ended = ended_for(error, THERE)

    assert ended.retry_after == seconds
    assert ended.reason is EndReason.RATE_LIMITED


def test_a_server_of_ones_own_that_does_not_answer_is_to_be_started() -> None:
    error = APIConnectionError(request=httpx2.Request("POST", "http://192.168.1.9:8080/v1"))

    near, far = ended_for(error, HERE), ended_for(error, THERE)

    assert (near.reason, far.reason) == (EndReason.UNAVAILABLE, EndReason.UNAVAILABLE)
    assert "The Box does not answer at its address. Start it" in (near.message or "")
    assert "Start it" not in (far.message or "")


def raised_from(outer: Exception, cause: Exception) -> Exception:
    outer.__cause__ = cause
    return outer


LEAKING = [
    said(401, f"Incorrect API key provided: {CANARY}"),
    said(400, f"Bad request with {CANARY} at https://x.example/?key={CANARY}"),
    sent(500, {"error": {"message": CANARY}}),
    sent(429, {"error": {"message": CANARY, "code": "insufficient_quota"}}),
    in_stream(f"Provider said {CANARY}"),
    AnthropicError(
        CANARY,
        response=httpx2.Response(403, request=httpx2.Request("POST", f"https://x.example/{CANARY}")),
        body={"error": {"message": CANARY}},
    ),
    ClientError(404, {"error": {"message": f"models/{CANARY}", "status": "NOT_FOUND"}}),
    httpx2.ConnectError(f"https://x.example/?key={CANARY}"),
    httpx2.ReadTimeout(CANARY),
    library.UnexpectedModelBehavior(CANARY, CANARY),
    library.UserError(CANARY),
    ExceptionGroup(CANARY, [said(429, CANARY)]),
    raised_from(RuntimeError(CANARY), ConnectionResetError(CANARY)),
    KeyError(CANARY),
]


@pytest.mark.parametrize("error", LEAKING, ids=lambda error: type(error).__name__)
def test_no_sentence_holds_what_the_server_wrote(error: Exception) -> None:
    ended = ended_for(error, THERE)

    assert ended.message
    assert CANARY not in repr(ended)
    assert CANARY not in str(error_for(error, THERE))
    assert "://" not in ended.message


OURS = [
    (TryLater("Wait.", retry_after=3), Ended(EndReason.UNAVAILABLE, "Wait.", 3)),
    (Refused("No.", RefusedReason.AUTH), Ended(EndReason.AUTH, "No.")),
    (UsageError("Say it so."), Ended(EndReason.REJECTED, "Say it so.")),
]


@pytest.mark.parametrize(("error", "ended"), OURS)
def test_what_was_raised_on_purpose_keeps_its_own_sentence(error: ConchError, ended: Ended) -> None:
    assert ended_for(error, THERE) == ended
    assert error_for(error, THERE) is error


def test_outside_of_a_turn_the_same_becomes_an_error_of_ours() -> None:
    key = error_for(said(401, "bad key"), THERE)
    busy = error_for(said(429, "Please try again in 20s"), THERE)
    odd = error_for(said(400, "what?"), THERE)

    assert isinstance(key, Refused)
    assert key.reason is RefusedReason.AUTH
    assert isinstance(busy, TryLater)
    assert busy.retry_after == 20
    assert isinstance(odd, Refused)
    assert odd.reason is RefusedReason.BAD_PAYLOAD


def test_a_cancelled_run_and_a_full_answer_are_no_faults() -> None:
    cancelled = ended_for(library.RunCancelled("stopped"), THERE)
    full = ended_for(library.IncompleteToolCall("cut"), THERE)

    assert cancelled == Ended(EndReason.CANCELLED)
    assert full == Ended(EndReason.LENGTH)
