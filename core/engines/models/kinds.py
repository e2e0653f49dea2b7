"""The kinds of model servers that are known by name, as data: where they are, what their keys look like, what is best.

Models come and go: which one is the default is said by patterns over what a server offers, never by one fixed name.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

Speech = Literal["anthropic", "openai", "google"]
"""Which API it speaks: Anthropic's messages, OpenAI's chat completions (as most do), or Google's."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of model server.

    `address` is where it is unless somebody says otherwise (None: has to be said), `key_names` the environment
    variables that hold a key, `address_names` those that hold an address, `key_shape` what a key of it looks like
    (None: like nothing in particular). `preferred` and `cheap` are patterns over model ids, the best first; within one
    pattern the newest is the best. `prices` names it in the price list (None: costs nothing, or is not known).
    """

    id: str
    title: str
    speaks: Speech
    address: str | None
    needs_key: bool = True
    key_names: tuple[str, ...] = ()
    address_names: tuple[str, ...] = ()
    key_shape: str | None = None
    key_page: str | None = None
    preferred: tuple[str, ...] = ()
    cheap: tuple[str, ...] = ()
    prices: str | None = None


_OPENAI_BEST = (r"gpt-[\d.]+-sol$", r"gpt-[\d.]+-terra$", r"gpt-[\d.]+$", r"gpt-[\d.]+-luna$", r"gpt-[\d.]+-mini$")
_OPENAI_CHEAP = (r"gpt-[\d.]+-luna$", r"gpt-[\d.]+-nano$", r"gpt-[\d.]+-mini$", r"gpt-4o-mini$")
_CLAUDE_BEST = (r"claude-sonnet-[\d-]+$", r"claude-opus-[\d-]+$", r"claude-haiku-[\d-]+$", r"claude-(?!.*preview)")
_CLAUDE_CHEAP = (r"claude-haiku-[\d-]+$", r"claude-.*haiku", r"claude-sonnet-[\d-]+$")
_GEMINI_BEST = (r"gemini-[\d.]+-flash$", r"gemini-[\d.]+-pro$", r"gemini-[\d.]+-\w+$", r"gemini-[\d.]+-pro-preview$")
_GEMINI_CHEAP = (r"gemini-[\d.]+-flash-lite$", r"gemini-[\d.]+-flash$")

_KINDS: Final = (
    Kind(
        id="anthropic",
        title="Anthropic",
        speaks="anthropic",
        address="https://api.anthropic.com",
        key_names=("ANTHROPIC_API_KEY",),
        address_names=("ANTHROPIC_BASE_URL",),
        # `sk-ant-oat…` is the sign-in of a subscription, which is no key for the API
        key_shape=r"sk-ant-(?!oat)[\w-]{20,}",
        key_page="https://platform.claude.com/settings/keys",
        preferred=_CLAUDE_BEST,
        cheap=_CLAUDE_CHEAP,
        prices="anthropic",
    ),
    Kind(
        id="openai",
        title="OpenAI",
        speaks="openai",
        address="https://api.openai.com/v1",
        key_names=("OPENAI_API_KEY",),
        address_names=("OPENAI_BASE_URL",),
        key_shape=r"sk-(?:proj|svcacct|None)-[\w-]{20,}|sk-(?=.{0,40}T3BlbkFJ)\w{40,}|sk-[A-Za-z0-9]{48}",
        key_page="https://platform.openai.com/api-keys",
        preferred=_OPENAI_BEST,
        cheap=_OPENAI_CHEAP,
        prices="openai",
    ),
    Kind(
        id="google",
        title="Google Gemini",
        speaks="google",
        address="https://generativelanguage.googleapis.com",
        key_names=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        key_shape=r"AIza[\w-]{35}|AQ\.[\w-]{30,}",
        key_page="https://aistudio.google.com/apikey",
        preferred=_GEMINI_BEST,
        cheap=_GEMINI_CHEAP,
        prices="google",
    ),
    Kind(
        id="openrouter",
        title="OpenRouter",
        speaks="openai",
        address="https://openrouter.ai/api/v1",
        key_names=("OPENROUTER_API_KEY",),
        key_shape=r"sk-or-[\w-]{20,}",
        key_page="https://openrouter.ai/settings/keys",
        preferred=tuple(
            f"{vendor}/{pattern}"
            for vendor, patterns in (
                ("anthropic", (r"claude-sonnet-[\d.-]+$",)),
                ("openai", _OPENAI_BEST[:2]),
                ("google", _GEMINI_BEST[:1]),
            )
            for pattern in patterns
        ),
        cheap=(r"openai/gpt-[\d.]+-luna$", r"google/gemini-[\d.]+-flash-lite$", r"anthropic/claude-haiku-[\d.-]+$"),
        prices="openrouter",
    ),
    Kind(
        id="groq",
        title="Groq",
        speaks="openai",
        address="https://api.groq.com/openai/v1",
        key_names=("GROQ_API_KEY",),
        key_shape=r"gsk_\w{40,}",
        key_page="https://console.groq.com/keys",
        preferred=(r"openai/gpt-oss-120b$", r"moonshotai/kimi-", r"qwen/", r"llama-[\d.]+-70b"),
        cheap=(r"openai/gpt-oss-20b$", r"llama-[\d.]+-8b"),
        prices="groq",
    ),
    Kind(
        id="mistral",
        title="Mistral",
        speaks="openai",
        address="https://api.mistral.ai/v1",
        key_names=("MISTRAL_API_KEY",),
        key_page="https://console.mistral.ai/api-keys",
        preferred=(r"mistral-large-latest$", r"mistral-medium-latest$", r"mistral-large", r"mistral-medium"),
        cheap=(r"mistral-small-latest$", r"mistral-small", r"ministral-8b-latest$"),
        prices="mistral",
    ),
    Kind(
        id="deepseek",
        title="DeepSeek",
        speaks="openai",
        address="https://api.deepseek.com",
        key_names=("DEEPSEEK_API_KEY",),
        key_shape=r"sk-[0-9a-f]{32}",
        key_page="https://platform.deepseek.com/api_keys",
        preferred=(r"deepseek-v[\d.]+-pro$", r"deepseek-chat$", r"deepseek-flash$"),
        cheap=(r"deepseek-flash$", r"deepseek-v[\d.]+-flash$", r"deepseek-chat$"),
        prices="deepseek",
    ),
    Kind(
        id="xai",
        title="xAI",
        speaks="openai",
        address="https://api.x.ai/v1",
        key_names=("XAI_API_KEY",),
        key_shape=r"xai-\w{40,}",
        key_page="https://console.x.ai",
        preferred=(r"grok-[\d.]+$", r"grok-[\d.-]+-reasoning$", r"grok-[\d.-]+$"),
        cheap=(r"grok-[\d.-]+-fast-non-reasoning$", r"grok-[\d.-]+-mini"),
        prices="x-ai",
    ),
    Kind(
        id="ollama",
        title="Ollama",
        speaks="openai",
        address="http://127.0.0.1:11434/v1",
        needs_key=False,
        key_names=("OLLAMA_API_KEY",),
        address_names=("OLLAMA_HOST",),
    ),
    Kind(id="lmstudio", title="LM Studio", speaks="openai", address="http://127.0.0.1:1234/v1", needs_key=False),
    Kind(id="llamacpp", title="llama.cpp", speaks="openai", address="http://127.0.0.1:8080/v1", needs_key=False),
    Kind(id="vllm", title="vLLM", speaks="openai", address="http://127.0.0.1:8000/v1", needs_key=False),
    Kind(id="compatible", title="OpenAI-compatible server", speaks="openai", address=None, needs_key=False),
)

KINDS: Final[Mapping[str, Kind]] = {kind.id: kind for kind in _KINDS}


def address_of(kind: str, given: str | None) -> str | None:
    """Where a server of this kind is: the given address, else the kind's own; None where neither is known."""
    known = KINDS.get(kind)
    return given or (known.address if known else None)


def recognised(pasted: str) -> tuple[str, str] | None:
    """The kind and the key in what somebody pasted: a key alone, or `NAME=key` as in a shell or an .env file.

    None when no known key is in it, or it could be of several kinds.
    """
    named = dict(_named_keys(pasted))
    if len(named) == 1:
        return next(iter(named.items()))
    found = {(kind.id, key[0]) for kind in _KINDS if kind.key_shape and (key := _shaped(kind.key_shape, pasted))}
    return found.pop() if len(found) == 1 else None


def _named_keys(pasted: str) -> Iterator[tuple[str, str]]:
    for kind in _KINDS:
        for name in kind.key_names:
            if found := re.search(rf"\b{name}\s*[=:]\s*[\"']?([^\s\"']{{8,}})", pasted):
                yield kind.id, found[1]


def _shaped(shape: str, pasted: str) -> re.Match[str] | None:
    return re.search(rf"(?<![\w-])(?:{shape})(?![\w-])", pasted)
