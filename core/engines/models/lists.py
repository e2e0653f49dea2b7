"""Reading the lists of models that servers send. Pure, and lenient: a field that is missing or odd says nothing.

Where each field comes from: OpenRouter `context_length`, `architecture`, `supported_parameters`
(openrouter.ai/docs/api-reference/list-available-models); vLLM `max_model_len`; Groq `context_window`; Mistral
`max_context_length`, `capabilities`; LM Studio `/api/v0/models`; llama.cpp `meta.n_ctx`; Anthropic `display_name`,
`max_input_tokens`; Google `inputTokenLimit`, `supportedGenerationMethods`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from core.engines.base import ModelInfo
from core.engines.models import ranking
from core.events import Effort

Entry = Mapping[str, Any]

SOME_EFFORTS: Final = (Effort.LOW, Effort.MEDIUM, Effort.HIGH)

MOST_MODELS: Final = 2000
"""Of one list; OpenRouter has several hundred."""

_WINDOWS: Final = (
    "loaded_context_length",
    "max_model_len",
    "context_length",
    "context_window",
    "max_context_length",
    "max_input_tokens",
    "inputTokenLimit",
)


def read_openai(body: object) -> list[ModelInfo]:
    """A list as OpenAI sends it, and everybody who speaks like it.

    Raises:
        ValueError: it is no such list.
    """
    return [_from_openai(entry) for entry in _entries(body, "data", "models") if _answers_in_text(entry)]


def read_anthropic(body: object) -> list[ModelInfo]:
    """A list as Anthropic sends it.

    Raises:
        ValueError: it is no such list.
    """
    return [
        ModelInfo(
            id=entry["id"],
            title=_text(entry, "display_name") or entry["id"],
            window=_window(entry),
            efforts=_efforts_said(entry.get("capabilities")),
            images=_sees(entry),
        )
        for entry in _entries(body, "data")
    ]


def read_google(body: object) -> list[ModelInfo]:
    """A list as Google sends it: names begin with `models/`.

    Raises:
        ValueError: it is no such list.
    """
    return [
        ModelInfo(
            model_id := entry["id"].removeprefix("models/"),
            _text(entry, "displayName") or model_id,
            _window(entry),
            images=ranking.sees(model_id),
        )
        for entry in _entries(body, "models")
        if "generateContent" in _strings(entry.get("supportedGenerationMethods"))
    ]


def read_ollama(tags: object, shown: Mapping[str, object], running: object) -> list[ModelInfo]:
    """Ollama's own lists: of what is there (`/api/tags`), of each (`/api/show`), and of what is loaded (`/api/ps`).

    What is loaded comes first. The window is the one that a model runs with, or was made with (`num_ctx`); what it
    could hold says nothing, because Ollama starts it with far less.

    Raises:
        ValueError: `tags` is no such list.
    """
    loaded = {_ollama_name(entry): entry for entry in _entries(running, "models", strict=False)}
    names = [_ollama_name(entry) for entry in _entries(tags, "models")]
    models = [_from_ollama(name, shown.get(name), loaded.get(name)) for name in names]
    able = [model for model in models if model is not None]
    return sorted(able, key=lambda model: model.id not in loaded)


def read_lmstudio(body: object) -> list[ModelInfo]:
    """LM Studio's own list (`/api/v0/models`); what is loaded comes first.

    Raises:
        ValueError: it is no such list.
    """
    entries = [entry for entry in _entries(body, "data") if _text(entry, "type") in ("llm", "vlm")]
    entries.sort(key=lambda entry: _text(entry, "state") != "loaded")
    return [
        ModelInfo(
            entry["id"],
            entry["id"],
            _number(entry.get("loaded_context_length")),
            efforts=efforts_by_name(entry["id"]),
            images=_text(entry, "type") == "vlm",
        )
        for entry in entries
    ]


def efforts_by_name(model_id: str) -> tuple[Effort, ...]:
    """The open models that are told how hard to think in OpenAI's words, wherever they run."""
    return SOME_EFFORTS if "gpt-oss" in model_id.lower() else ()


def window_of_props(body: object) -> int | None:
    """Tokens that llama.cpp's server was started with, by its `/props`."""
    settings = _part(_part(body, "default_generation_settings"), "n_ctx")
    return _number(settings)


def pictures_of_props(body: object) -> bool:
    """Whether llama.cpp's server was started with eyes."""
    return _part(_part(body, "modalities"), "vision") is True


def _from_openai(entry: Entry) -> ModelInfo:
    model_id: str = entry["id"]
    parameters = _strings(entry.get("supported_parameters"))
    thinks = "reasoning" in parameters or "reasoning_effort" in parameters
    return ModelInfo(
        id=model_id,
        title=_text(entry, "name") or _text(entry, "display_name") or model_id,
        window=_window(entry),
        efforts=SOME_EFFORTS if thinks else efforts_by_name(model_id),
        images=_sees(entry),
    )


def _from_ollama(name: str, shown: object, loaded: object) -> ModelInfo | None:
    """None for a model that answers nothing, such as one for embeddings."""
    abilities = _strings(_part(shown, "capabilities"))
    if abilities and "completion" not in abilities:
        return None
    thinks = "thinking" in abilities or bool(efforts_by_name(name))
    window = _number(_part(loaded, "context_length")) or _made_with(_part(shown, "parameters"))
    if window is None and name.endswith("-cloud"):
        window = _could_hold(_part(shown, "model_info"))
    return ModelInfo(
        id=name,
        title=name.removesuffix(":latest"),
        window=window,
        efforts=SOME_EFFORTS if thinks else (),
        images="vision" in abilities if abilities else ranking.sees(name),
    )


def _could_hold(info: object) -> int | None:
    """The length under a name such as `qwen3.context_length`: Ollama's cloud runs its models with all of it."""
    return next((_number(value) for name, value in _items(info) if name.endswith(".context_length")), None)


def _ollama_name(entry: Entry) -> str:
    return _text(entry, "model") or _text(entry, "name") or ""


def _made_with(parameters: object) -> int | None:
    """`num_ctx` in the lines of a Modelfile's parameters."""
    for line in parameters.splitlines() if isinstance(parameters, str) else ():
        name, _, value = line.strip().partition(" ")
        if name == "num_ctx" and value.strip().isdigit():
            return int(value)
    return None


def _entries(body: object, *names: str, strict: bool = True) -> list[Entry]:
    """The entries of a list, each a mapping with an `id` (Google and Ollama call it `name`).

    Raises:
        ValueError: there is no list under any of the names (only where `strict`).
    """
    found = body if isinstance(body, list) else next((p for n in names if isinstance(p := _part(body, n), list)), None)
    if found is None:
        if strict:
            raise ValueError("no list of models")
        return []
    return list(_named(found[:MOST_MODELS]))


def _named(entries: Iterable[object]) -> Iterator[Entry]:
    for entry in entries:
        name = _part(entry, "id") or _part(entry, "name") or _part(entry, "model")
        if isinstance(entry, Mapping) and isinstance(name, str) and name:
            yield {**entry, "id": name}


def _answers_in_text(entry: Entry) -> bool:
    """By what OpenRouter and Mistral say of a model; everybody else says nothing."""
    outputs = _strings(_part(entry.get("architecture"), "output_modalities"))
    if outputs and "text" not in outputs:
        return False
    parameters = _strings(entry.get("supported_parameters"))
    if parameters and "tools" not in parameters:
        return False
    return _part(entry.get("capabilities"), "completion_chat") is not False and entry.get("active") is not False


def _window(entry: Entry) -> int | None:
    places = (entry, _part(entry, "top_provider"), _part(entry, "meta"))
    known = (_number(_part(place, name)) for name in (*_WINDOWS, "n_ctx") for place in places)
    return next((tokens for tokens in known if tokens), None)


def _sees(entry: Entry) -> bool:
    """By what OpenRouter, xAI, Mistral and Anthropic say of a model, else by its name."""
    inputs = _strings(_part(entry.get("architecture"), "input_modalities")) or _strings(entry.get("input_modalities"))
    if inputs:
        return "image" in inputs
    abilities = entry.get("capabilities")
    told = _part(abilities, "vision")
    if told is None:
        told = _part(_part(abilities, "image_input"), "supported")
    return told if isinstance(told, bool) else ranking.sees(entry["id"])


def _efforts_said(abilities: object) -> tuple[Effort, ...]:
    """By what Anthropic says of a model; one without efforts may still think by a budget."""
    efforts = _part(abilities, "effort")
    said = tuple(effort for effort in Effort if _part(_part(efforts, effort.value), "supported") is True)
    return said or (SOME_EFFORTS if _part(_part(abilities, "thinking"), "supported") is True else ())


def _part(whole: object, name: str) -> object:
    return whole.get(name) if isinstance(whole, Mapping) else None


def _items(whole: object) -> Iterator[tuple[str, object]]:
    for name, value in whole.items() if isinstance(whole, Mapping) else ():
        yield str(name), value


def _text(entry: Entry, name: str) -> str | None:
    value = entry.get(name)
    return " ".join(value.split()) or None if isinstance(value, str) else None


def _strings(value: object) -> tuple[str, ...]:
    return tuple(each for each in value if isinstance(each, str)) if isinstance(value, Sequence) else ()


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
