"""How servers say that a request is longer than the model's window, and how long the window is.

Only wordings, as data. What else a server may say is in `refusals`. The library knows some of them; self-hosted
servers, gateways and newer versions say it differently.
"""

import re
from typing import Final

SMALLEST_WINDOW: Final = 256
LARGEST_WINDOW: Final = 20_000_000
"""Tokens. A number outside is no window: a port, a year, a count of something else."""

_WORDINGS: Final = re.compile(
    "|".join(
        (
            # OpenAI, and what copied it; the code, then chat completions, then responses
            r"context_length_exceeded",
            r"maximum context length",
            r"exceeds the context window",
            # over the tokens of a minute with one request: OpenAI's 429 and Groq's 413; only a shorter one helps
            r"request too large for",
            # Anthropic
            r"prompt is too long",
            r"input length and `?max_tokens`? exceed context limit",
            r"request_too_large",
            r"request exceeds the maximum size",
            r"model_context_window_exceeded",
            # Google
            r"input token count",
            r"exceeds the maximum number of tokens",
            # llama.cpp
            r"exceed_context_size_error",
            r"exceeds the available context size",
            r"context size has been exceeded",
            r"input is too large to process",
            # LM Studio
            r"tokens to keep from the initial prompt",
            r"trying to keep the first \d+ tokens when context",
            r"reached context length of",
            r"greater than the context length",
            r"loaded with context length of only",
            r"context (?:length|window)[^.]{0,60}overflow|context overflow",
            # vLLM and SGLang
            r"(?:is )?longer than the (?:maximum model length|model'?s? context length)",
            r"context length is only",
            r"max_model_len",
            r"exceeds (?:the )?model'?s? (?:maximum )?context",
            # Ollama, here and in its cloud
            r"exceeded max context length",
            r"input length exceeds (?:the |maximum )?context length",
            # Text Generation Inference, Together
            r"`?inputs`? tokens \+ `?max_new_tokens`? must be",
            r"`?inputs`? must have less than",
            # Groq, Cerebras; Mistral; xAI; Moonshot; MiniMax; Bedrock; Copilot; others
            r"reduce the length of the (?:messages|input|prompt)",
            r"too large for model with \d+ maximum context",
            r"maximum prompt length is",
            r"exceeded model token limit",
            r"context window exceeds limit",
            r"input is too long for requested model",
            r"token count of \d+ exceeds the limit",
            r"too many (?:input )?tokens in (?:the )?(?:request|prompt)|tokens in request more than max",
        )
    )
)

_NUMBER: Final = r"[( ]{0,2}([\d,_]{3,12})"

_WINDOWS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        r"['\"]n_ctx['\"]: ?(\d+)",
        rf"available context size{_NUMBER}",
        r"exceed context limit: \d+ \+ \d+ > (\d+)",
        r"tokens > (\d+) maximum",
        rf"maximum context length (?:is|of)?:?{_NUMBER}",
        rf"maximum context length{_NUMBER}",
        r"(\d+) maximum context length",
        rf"context length is only{_NUMBER}",
        rf"context length of (?:only )?{_NUMBER}",
        rf"maximum model length of{_NUMBER}",
        rf"model'?s? context length{_NUMBER}",
        rf"maximum number of tokens allowed{_NUMBER}",
        rf"maximum prompt length is{_NUMBER}",
        rf"model token limit:{_NUMBER}",
        r"must be <= (\d+)",
        rf"must have less than{_NUMBER}",
        rf"exceeds the limit of{_NUMBER}",
        rf"while limit is{_NUMBER}",
        rf"limit{_NUMBER}, requested",
    )
)


def says_too_long(words: str) -> bool:
    """Whether these words, in lower case, say that the request does not fit into the window."""
    return _WORDINGS.search(words) is not None


def window_named(words: str) -> int | None:
    """The window in tokens that the words name, in lower case; None when they name none."""
    for pattern in _WINDOWS:
        if found := pattern.search(words):
            tokens = int(re.sub(r"\D", "", found[1]) or 0)
            if SMALLEST_WINDOW <= tokens <= LARGEST_WINDOW:
                return tokens
    return None
