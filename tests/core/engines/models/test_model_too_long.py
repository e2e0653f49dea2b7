"""A request that is too long for a model, as each server says so over its wire: healed where it can be, else told."""

from collections.abc import Mapping
from typing import Any

import pytest

from commands.parsing import MARK
from core.engines.base import Compacted, Ended, EndReason, Text, TurnInput
from core.engines.scripted import ScriptedHost
from tests.core.engines.models.wire.lines import ANTHROPIC, GOOGLE, OPENAI, RESPONSES, Api, talking_to
from tests.core.engines.models.wire.serving import Answer, Asked, End, Refusal, Trouble, Words
from tests.core.engines.rigs import endings, words

HOST = ScriptedHost()

LLAMA_CPP = {
    "code": 400,
    "message": "request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it",
    "type": "exceed_context_size_error",
    "n_prompt_tokens": 9000,
    "n_ctx": 8192,
}


def openai(message: str, status: int = 400, **more: Any) -> Refusal:
    return Refusal(status, {"error": {"message": message, "type": "invalid_request_error", **more}})


def anthropic(message: str, status: int = 400, kind: str = "invalid_request_error") -> Refusal:
    return Refusal(status, {"type": "error", "error": {"type": kind, "message": message}})


def in_stream(error: Mapping[str, Any]) -> Answer:
    return (Trouble(error),)


MAXIMUM = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens."
SAID: list[tuple[str, Api, Answer]] = [
    ("OpenAI", OPENAI, openai(MAXIMUM, code="context_length_exceeded")),
    ("OpenAI's minute", OPENAI, openai("Request too large for gpt-4o on tokens per min: Limit 8192", 429)),
    ("responses", RESPONSES, openai("Your input exceeds the context window of this model.")),
    (
        "responses, in a stream",
        RESPONSES,
        in_stream({"code": "context_length_exceeded", "message": "Your input exceeds the context window."}),
    ),
    ("Anthropic", ANTHROPIC, anthropic("prompt is too long: 9000 tokens > 8192 maximum")),
    (
        "Anthropic, with the answer",
        ANTHROPIC,
        anthropic("input length and `max_tokens` exceed context limit: 7000 + 2000 > 8192, decrease input length"),
    ),
    ("Anthropic, bytes", ANTHROPIC, anthropic("Request exceeds the maximum size", 413, "request_too_large")),
    (
        "Anthropic, in a stream",
        ANTHROPIC,
        in_stream({"type": "invalid_request_error", "message": "prompt is too long: 9000 tokens > 8192 maximum"}),
    ),
    (
        "Google",
        GOOGLE,
        Refusal(
            400,
            {
                "error": {
                    "code": 400,
                    "message": "The input token count (9000) exceeds the maximum number of tokens allowed (8192).",
                    "status": "INVALID_ARGUMENT",
                }
            },
        ),
    ),
    ("llama.cpp", OPENAI, Refusal(400, {"error": LLAMA_CPP})),
    ("llama.cpp, older", OPENAI, Refusal(500, {"error": {**LLAMA_CPP, "code": 500}})),
    ("llama.cpp, in a stream", OPENAI, in_stream(LLAMA_CPP)),
    ("LM Studio", OPENAI, openai("The number of tokens to keep from the initial prompt is greater than the context")),
    ("vLLM", OPENAI, openai("The decoder prompt (length 9000) is longer than the maximum model length of 8192.")),
    ("vLLM, newer", OPENAI, openai("However, the model's context length is only 8192 tokens", code=400)),
    ("Ollama", OPENAI, openai("the input length exceeds the context length")),
    ("TGI", OPENAI, openai("`inputs` tokens + `max_new_tokens` must be <= 8192. Given: 9000", 422)),
    ("a gateway", OPENAI, Refusal(413, {"detail": "Payload Too Large"})),
]

every_way = pytest.mark.parametrize(("api", "refusal"), [case[1:] for case in SAID], ids=[case[0] for case in SAID])


@every_way
async def test_what_cannot_be_made_to_fit_ends_as_too_long_after_one_more_try(api: Api, refusal: Answer) -> None:
    async with talking_to(api, refusal) as line:
        session = await line.engine.open(None)

        events = [event async for event in session.run(TurnInput("hello"), HOST)]

    [ended] = endings(events)
    assert ended.reason is EndReason.CONTEXT_FULL
    assert ended.message == (
        f"This chat has grown too long for {api.model}. Send {MARK}/compact to sum it up, or {MARK}/new to start a "
        "fresh one."
    )
    assert len(line.server.asked) == 2


@every_way
async def test_what_can_is_made_to_and_the_person_hears_the_answer(api: Api, refusal: Answer) -> None:
    refused = iter((refusal,))

    def answer(asked: Asked) -> Answer:
        if "You keep the memory of a conversation" in repr(asked.body):
            return Words("They said much."), End()
        if "and now?" in repr(asked.body):
            return next(refused, (Words("Here I am."), End()))
        return Words("Fine."), End()

    async with talking_to(api, answer) as line:
        session = await line.engine.open(None)
        for number in range(3):
            [_ async for _ in session.run(TurnInput("x" * 8_000, first_seq=number), HOST)]

        events = [event async for event in session.run(TurnInput("and now?", first_seq=9), HOST)]

    kinds = [type(event) for event in events if isinstance(event, Compacted | Text | Ended)]
    assert words(events) == "Here I am."
    assert kinds == [Compacted, Text, Ended]
    assert endings(events) == [Ended(EndReason.DONE)]
    last = repr(line.server.asked[-1].body)
    assert "They said much." in last
    assert len(last) < len(repr(line.server.asked[3].body))
