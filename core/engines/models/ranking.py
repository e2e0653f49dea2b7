"""Which models are for talking with, which one is the best default, which one does for summaries. Pure."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from core.engines.base import ModelInfo
from core.engines.models import prices
from core.engines.models.kinds import KINDS, Kind

_NOT_FOR_TALK: Final = re.compile(
    r"embed|whisper|tts|transcri|(?<![a-z])audio|realtime|image|dall-e|moderation|davinci|babbage|instruct-\d{4}$"
    r"|gpt-3\.5-turbo-instruct|sora|veo|imagen|lyria|rerank|guard|(?<![a-z])ocr|(?<![a-z])live(?![a-z])|search-(?:api|prev)"
    r"|deep-research|computer-use|robotics|banana|voxtral|orpheus|speech|(?<![a-z])voice|(?<![a-z])aqa|omni-\d|bge-"
    r"|nomic-|minilm|(?<![a-z])e5-|-cyber|multi-agent"
)

_SEES: Final = re.compile(
    r"claude-(?!2|instant)|gpt-(?:4o|4\.1|4-turbo|5|6|[7-9])|(?<![a-z])o[134](?!-mini)|o4-mini|gemini|gemma-?[34]|vision"
    r"|(?<![a-z])vl|[\d.]vl|llava|pixtral|llama-?4|minicpm-?v|internvl|moondream|molmo|grok-(?:[4-9])|multimodal|omni"
    r"|mistral-(?:small|medium|large)(?:-3|-4|-2[5-9]|-latest)"
)

_DATE: Final = re.compile(r"-(?:20\d{2}-?\d{2}-?\d{2}|\d{4})$")
"""The end of a dated name: `-20250929`, `-2025-08-07`, and Mistral's `-2512`."""


def is_for_talk(model_id: str) -> bool:
    """Whether a model of this name answers in text; not those for sound, pictures, search or embeddings."""
    return _NOT_FOR_TALK.search(model_id.lower()) is None


def sees(model_id: str) -> bool:
    """Whether a model of this name can look at pictures, where nobody says so."""
    return _SEES.search(model_id.lower()) is not None


def ranked(kind: Kind, models: Iterable[ModelInfo]) -> tuple[ModelInfo, ...]:
    """Those for talking with, the best default first, then as they are listed; no dated name beside its plain one."""
    able = [model for model in models if is_for_talk(model.id)]
    plain = {model.id for model in able}
    kept = {model.id: model for model in able if not _is_copy(model.id, plain)}
    places = {model_id: place for place, model_id in enumerate(kept)}
    return tuple(sorted(kept.values(), key=lambda model: (*_preference(kind.preferred, model.id), places[model.id])))


def cheapest(kind_id: str, models: Sequence[ModelInfo]) -> ModelInfo | None:
    """The one for small jobs such as summaries; None where no model is known to be cheaper than the others.

    First by the kind's own pattern, then by price. A server of one's own costs nothing: there the chat's own does.
    """
    kind = KINDS.get(kind_id)
    if kind is None or not models:
        return None
    by_name = min(models, key=lambda model: _preference(kind.cheap, model.id))
    if kind.cheap and _preference(kind.cheap, by_name.id)[0] < len(kind.cheap):
        return by_name
    priced = [(price, model) for model in models if (price := prices.per_million(kind.prices, model.id)) is not None]
    return min(priced, key=lambda pair: pair[0])[1] if priced else None


def _is_copy(model_id: str, others: set[str]) -> bool:
    plain = _DATE.sub("", model_id)
    return plain != model_id and plain in others


def _preference(patterns: Sequence[str], model_id: str) -> tuple[int, tuple[int, ...]]:
    """How good: the place among the patterns, then the newest version first."""
    place = next((n for n, pattern in enumerate(patterns) if re.match(pattern, model_id)), len(patterns))
    if place == len(patterns):
        return place, ()
    numbers = re.findall(r"\d+", _DATE.sub("", model_id))
    return place, (*(-int(number) for number in numbers), 0)
