"""Filling in a card: from labels and words to what an action sends, and what Teams itself does not let through.

Belongs here: values of inputs and their checks (adaptive-cards/authoring-cards/input-validation). Sending is `acting`.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from channels.emulators.teams import cards
from channels.emulators.teams.cards import Json

Values = Mapping[str, str | Sequence[str]]

NOTHING: Values = {}


def gathered(card: Json, action: Json, values: Values) -> dict[str, Any]:
    """What the inputs hold once `values` were filled in, by labels or ids, by the inputs' ids.

    Raises:
        LookupError: there is no such field or option.
        ValueError: a field is empty that must not be, or holds what it may not; in the words that stand under it.
    """
    fields = cards.inputs(card)
    labels = [cards.label_of(field) for field in fields]
    unknown = values.keys() - {*labels, *(str(field["id"]) for field in fields)}
    if unknown:
        raise LookupError(f"no field {min(unknown)!r}; there are {', '.join(labels)}")
    if action.get("associatedInputs") == "none":
        return {}
    held = {}
    for label, field in zip(labels, fields, strict=True):
        name = str(field["id"])
        given = values.get(name, values.get(label))
        value = _value(field, given) if given is not None else str(field.get("value") or _empty(field))
        _check(field, value)
        held[name] = value
    return held


def _empty(field: Json) -> str:
    return str(field.get("valueOff", "false")) if field["type"] == "Input.Toggle" else ""


def _value(field: Json, given: str | Sequence[str]) -> str:
    if field["type"] == "Input.Toggle":
        on = str(given).lower() in ("true", "yes", "on", str(field["title"]).lower())
        return str(field.get("valueOn", "true") if on else field.get("valueOff", "false"))
    if field["type"] != "Input.ChoiceSet":
        return str(given)
    picked = [given] if isinstance(given, str) else list(given)
    if len(picked) > 1 and not field.get("isMultiSelect"):
        raise LookupError(f"only one can be picked in {cards.label_of(field)!r}")
    options = {str(choice["title"]): str(choice["value"]) for choice in field.get("choices", ())}
    missing = [label for label in picked if label and label not in options]
    if missing:
        raise LookupError(f"no option {missing[0]!r}; there are {', '.join(options)}")
    return ",".join(options[label] for label in picked if label)


def _check(field: Json, value: str) -> None:
    if wrong(field, value):
        raise ValueError(str(field.get("errorMessage") or f"{cards.label_of(field)}: this can't be sent"))


def wrong(field: Json, value: str) -> bool:
    """Whether the person's app does not send this."""
    if not value:
        return bool(field.get("isRequired"))
    if field["type"] == "Input.Number":
        return not _fits(field, value)
    if field["type"] == "Input.Text":
        longest = field.get("maxLength")
        too_long = longest is not None and len(value) > int(longest)
        return too_long or ("regex" in field and re.search(field["regex"], value) is None)
    if field["type"] == "Input.Toggle":
        return bool(field.get("isRequired")) and value != str(field.get("valueOn", "true"))
    return False


def _fits(field: Json, value: str) -> bool:
    try:
        number = float(value)
    except ValueError:
        return False
    return float(field.get("min", number)) <= number <= float(field.get("max", number))
