"""What models cost and how much they hold, by the price list that comes with the library. Nothing is ever fetched."""

from collections.abc import Mapping
from typing import Final

from genai_prices import Usage, data_snapshot
from genai_prices.types import ModelInfo as Listed
from genai_prices.types import Provider as Vendor

_PER_MILLION: Final = 1_000_000


def price_of(vendor: str | None, model_id: str, usage: Mapping[str, int]) -> float | None:
    """US dollars for tokens: `input` (which `cached`, read from a cache, is part of), `output`.

    None where the vendor or the model is not in the list. Tiers by length are in it, discounts and speed are not.
    """
    found = _found(vendor, model_id)
    if found is None:
        return None
    seller, model = found
    tokens = Usage(
        input_tokens=max(usage.get("input", 0), usage.get("cached", 0)),
        cache_read_tokens=usage.get("cached", 0),
        output_tokens=usage.get("output", 0),
    )
    try:
        price = model.calc_price(tokens, seller)
    except (LookupError, ValueError):
        return None
    return float(price.total_price)


def per_million(vendor: str | None, model_id: str) -> float | None:
    """US dollars for a million tokens in, to tell a cheap model from a dear one."""
    return price_of(vendor, model_id, {"input": _PER_MILLION})


def window_of(vendor: str | None, model_id: str) -> int | None:
    """Tokens that a model holds, by the list."""
    found = _found(vendor, model_id)
    return found[1].context_window if found else None


def title_of(vendor: str | None, model_id: str) -> str | None:
    """A model's name for people; None where the list has none, or one that is only the id again."""
    found = _found(vendor, model_id)
    name = found[1].name if found else None
    return name if name and name != name.lower() else None


def _found(vendor: str | None, model_id: str) -> tuple[Vendor, Listed] | None:
    if vendor is None:
        return None
    try:
        return data_snapshot.get_snapshot().find_provider_model(model_id, None, vendor, None)
    except LookupError:
        return None
