"""Questions as the assistant asks them and as people answer them: what may be asked, what fits, how it reads.

Pure. What is here is what may be asked; the rest is named here and lives in `core.answers` (what fits, how it reads)
and `core.typed_answers` (what typed words mean). Who waits for an answer is in `core.asking`.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Any, Final, assert_never

from pydantic import ValidationError

from core.answers import WRITTEN
from core.answers import checked as checked
from core.answers import for_model as for_model
from core.answers import unfit as unfit
from core.answers import words_of as words_of
from core.cards import ChoiceField, MomentField, NumberField, Question, QuestionField, TextField
from core.typed_answers import from_words as from_words
from core.typed_answers import has_places as has_places
from core.typed_answers import value_in as value_in

MAX_ID: Final = 64
"""Characters of a field's or an option's id: it is part of what buttons carry."""
_MANY_FAULTS: Final = 5

_TEXT: Final = {"type": "string"}


def _text(most: int, description: str) -> dict[str, Any]:
    return {"type": "string", "maxLength": most, "description": description}


_OPTION: Final = {
    "type": "object",
    "properties": {
        "id": _text(MAX_ID, "Short, different for each option."),
        "label": _text(80, "What the person reads."),
        "description": _text(200, "More about it, where the label does not say enough."),
    },
    "required": ["id", "label"],
    "additionalProperties": False,
}

_BOUND: Final = "For date (YYYY-MM-DD), time (HH:MM), datetime (YYYY-MM-DDTHH:MM) and number (digits)"

_FIELD: Final = {
    "type": "object",
    "properties": {
        "id": _text(MAX_ID, "Short, different for each field."),
        "label": _text(200, "The question itself, in plain words."),
        "kind": {"type": "string", "enum": ["choice", "date", "time", "datetime", "text", "number"]},
        "optional": {"type": "boolean", "description": "It may be left out."},
        "options": {
            "type": "array",
            "items": _OPTION,
            "minItems": 2,
            "maxItems": 6,
            "description": "Of a choice: 2 to 6.",
        },
        "multiple": {"type": "boolean", "description": "Of a choice: several may be picked."},
        "other": {"type": "boolean", "description": "Of a choice: the person may type something else."},
        "min": {**_TEXT, "description": f"{_BOUND}: the least that is taken."},
        "max": {**_TEXT, "description": f"{_BOUND}: the most that is taken."},
        "suggested": {**_TEXT, "description": f"{_BOUND}: what they most likely want."},
        "step": {"type": "number", "description": "Of a number: the answer is a multiple, counted from min."},
        "unit": _text(24, "Of a number: what is counted, for example kg."),
        "placeholder": _text(120, "Of a text: an example."),
        "multiline": {"type": "boolean", "description": "Of a text: it may have several lines."},
    },
    "required": ["id", "label", "kind"],
    "additionalProperties": False,
}

SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "title": _text(120, "What the questions are about, where there are several."),
        "fields": {"type": "array", "items": _FIELD, "minItems": 1, "maxItems": 4},
    },
    "required": ["fields"],
    "additionalProperties": False,
}
"""The arguments of `ask`, as a model is told: no references and no open objects, so that every agent can list it."""


# ---- what may be asked ---------------------------------------------------------------------------------------------


def question_from(args: Mapping[str, Any], question_id: str) -> Question | str:
    """The question that these arguments ask, or what the model has to fix about them."""
    fields = args.get("fields")
    if not isinstance(fields, list | tuple):
        return _to_fix(["`fields` must be a list of 1 to 4 questions"])
    title = _line(args.get("title")) or None
    try:
        question = Question.model_validate(
            {"question_id": question_id, "title": title, "fields": [_tidy(field) for field in fields]}
        )
    except ValidationError as fault:
        return _to_fix(_told(fault))
    faults = [*_doubled("`fields`", [field.id for field in question.fields])]
    for field in question.fields:
        faults += (f"in the field “{field.id}” {fault}" for fault in _faults(field))
    return _to_fix(faults) if faults else question


def _tidy(field: object) -> object:
    """A field as the model meant it: one line where one line is shown, empty things left out, numbers as numbers."""
    if not isinstance(field, Mapping):
        return field
    tidy = {str(key): value for key, value in field.items() if value not in (None, "")}
    for name in ("id", "label", "placeholder", "unit"):
        if name in tidy:
            tidy[name] = _line(tidy[name])
    if isinstance(options := tidy.get("options"), list | tuple):
        tidy["options"] = [
            {str(key): _line(value) for key, value in option.items() if value not in (None, "")}
            if isinstance(option, Mapping)
            else option
            for option in options
        ]
    return tidy


def _line(value: object) -> object:
    return " ".join(value.split()) if isinstance(value, str) else value


def _to_fix(faults: list[str]) -> str:
    more = f"; and {len(faults) - _MANY_FAULTS} more" if len(faults) > _MANY_FAULTS else ""
    return f"Nobody was asked. Fix this and call `ask` again: {'; '.join(faults[:_MANY_FAULTS])}{more}."


def _told(fault: ValidationError) -> list[str]:
    kinds = ("choice", "date", "time", "datetime", "text", "number")
    faults: dict[str, str] = {}
    for error in fault.errors(include_url=False):
        where = ".".join(str(part) for part in error["loc"] if part not in kinds)
        faults[where] = f"`{where}`: {error['msg'][:200].replace('Tuple', 'List')}"
    if len(faults) > 1:
        faults.pop("fields", None)  # it repeats that some field is none
    return list(faults.values())


def _doubled(where: str, names: list[str]) -> Iterator[str]:
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"{where} has “{name}” twice"


def _faults(field: QuestionField) -> Iterator[str]:
    if not 1 <= len(field.id) <= MAX_ID:
        yield f"the id must have 1 to {MAX_ID} characters"
    if not field.label:
        yield "the label is empty"
    match field:
        case ChoiceField():
            yield from _choice_faults(field)
        case NumberField(step=step) if step is not None and not math.isfinite(step):
            yield "step is not a number"
        case MomentField() | NumberField():
            yield from _bound_faults({name: getattr(field, name) for name in ("min", "max", "suggested")}, field)
        case TextField():
            pass
        case _:
            assert_never(field)


def _choice_faults(field: ChoiceField) -> Iterator[str]:
    yield from _doubled("`options`", [option.id for option in field.options])
    yield from _doubled("the labels", [option.label.casefold() for option in field.options])
    if not all(1 <= len(option.id) <= MAX_ID for option in field.options):
        yield f"each option's id must have 1 to {MAX_ID} characters"
    if not all(option.label for option in field.options):
        yield "an option has an empty label"


def _bound_faults(bounds: Mapping[str, Any], field: MomentField | NumberField) -> Iterator[str]:
    """Whether each bound is one, and what is suggested would be taken."""
    bare = field.model_copy(update={"min": None, "max": None, "step": None})
    unread = [name for name, value in bounds.items() if value is not None and unfit(bare, value)]
    for name in unread:
        yield f"{name} must be {_expected(field)}"
    if unread:
        return
    low, high, suggested = bounds["min"], bounds["max"], bounds["suggested"]
    if low is not None and high is not None and low > high:
        yield "min is greater than max"
    elif suggested is not None and (wrong := unfit(field, suggested)):
        yield f"suggested would not be taken: {wrong}"


def _expected(field: MomentField | NumberField) -> str:
    return WRITTEN[field.kind] if isinstance(field, MomentField) else "a number"
