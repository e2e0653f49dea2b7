"""Fields to fill in on a card, and what they were sent with.

Pure. Inputs are named by the field's place; which field that is, and which options a choice has, the button carries
unseen, so that what comes back is read without knowing the question. Options go by their places, because several come
back in one text with commas between. Source: adaptivecards.io/explorer (Input.*).
"""

from collections.abc import Iterator, Mapping
from typing import Any, assert_never

from channels.base import Form
from channels.teams.fields import Json, need_text, text, things
from core.cards import ChoiceField, MomentField, NumberField, QuestionField, TextField

FIELDS = "fields"
MAX_TYPED = 4_000
_OTHER, _TIME = "o", "t"
NEEDED = "This needs an answer."

Element = dict[str, Any]


# ---- out -----------------------------------------------------------------------------------------------------------


def elements(form: Form, filled: Mapping[str, tuple[str, ...]], faults: Mapping[str, str]) -> list[Element]:
    """All fields, each with what is wrong with it below."""
    drawn: list[Element] = []
    for place, field in enumerate(form.fields):
        drawn += _inputs(str(place), field, filled.get(field.id, ()))
        if fault := faults.get(field.id):
            drawn.append({"type": "TextBlock", "text": fault, "color": "attention", "wrap": True, "spacing": "none"})
    return drawn


def carried(form: Form) -> list[dict[str, Any]]:
    """What reading the answer takes."""
    return [
        {"id": field.id, "options": [option.id for option in field.options], "several": field.multiple}
        if isinstance(field, ChoiceField)
        else {"id": field.id}
        for field in form.fields
    ]


def _inputs(place: str, field: QuestionField, filled: tuple[str, ...]) -> Iterator[Element]:
    match field:
        case ChoiceField():
            yield from _choice(place, field, filled)
        case MomentField():
            yield from _moment(place, field, filled[0] if filled else field.suggested or "")
        case NumberField():
            yield _number(place, field, filled)
        case TextField():
            drawn = _input("Text", place, field.label, needed=not field.optional)
            drawn |= {"isMultiline": field.multiline, "maxLength": MAX_TYPED}
            drawn |= {"placeholder": field.placeholder} if field.placeholder else {}
            yield drawn | ({"value": filled[0]} if filled else {})
        case _:
            assert_never(field)


def _choice(place: str, field: ChoiceField, filled: tuple[str, ...]) -> Iterator[Element]:
    places = {option.id: str(number) for number, option in enumerate(field.options)}
    drawn = _input("ChoiceSet", place, field.label, needed=not (field.optional or field.other))
    drawn |= {"style": "expanded", "isMultiSelect": field.multiple, "wrap": True, "choices": []}
    for option in field.options:
        title = f"{option.label}: {option.description}" if option.description else option.label
        drawn["choices"].append({"title": title, "value": places[option.id]})
    if picked := [places[word] for word in filled if word in places]:
        drawn["value"] = ",".join(picked)
    yield drawn
    if field.other:
        typed = [word for word in filled if word not in places]
        other = _input("Text", place + _OTHER, _other_label(field), needed=False) | {"maxLength": MAX_TYPED}
        yield other | ({"value": typed[0]} if typed else {})


def _other_label(field: ChoiceField) -> str:
    return "Something else too" if field.multiple else "Something else"


def _moment(place: str, field: MomentField, value: str) -> Iterator[Element]:
    day, _, clock = value.partition("T")
    least, most = (field.min or "").partition("T"), (field.max or "").partition("T")
    if field.kind == "time":
        yield _timed("Time", place, field.label, value[:5], field.min, field.max, needed=not field.optional)
        return
    yield _timed("Date", place, field.label, day, least[0], most[0], needed=not field.optional)
    if field.kind == "datetime":
        yield _timed("Time", place + _TIME, "At what time", clock[:5], None, None, needed=not field.optional)


def _timed(
    kind: str, place: str, label: str, value: str, least: str | None, most: str | None, *, needed: bool
) -> Element:
    bounds = {"value": value, "min": least, "max": most}
    return _input(kind, place, label, needed=needed) | {name: said for name, said in bounds.items() if said}


def _number(place: str, field: NumberField, filled: tuple[str, ...]) -> Element:
    label = f"{field.label} ({field.unit})" if field.unit else field.label
    drawn = _input("Number", place, label, needed=not field.optional)
    drawn |= {name: bound for name, bound in (("min", field.min), ("max", field.max)) if bound is not None}
    if drawn.keys() & {"min", "max"}:
        drawn["errorMessage"] = _bounds(field)
    value = _as_number(filled[0]) if filled else field.suggested
    return drawn | ({"value": value} if value is not None else {})


def _bounds(field: NumberField) -> str:
    least, most = (None if bound is None else f"{bound:g}" for bound in (field.min, field.max))
    if least is not None and most is not None:
        return f"A number from {least} to {most}, please."
    return f"A number from {least} up, please." if least is not None else f"A number up to {most}, please."


def _as_number(word: str) -> float | None:
    try:
        return float(word)
    except ValueError:
        return None


def _input(kind: str, name: str, label: str, *, needed: bool) -> Element:
    drawn: Element = {"type": f"Input.{kind}", "id": name, "label": label}
    return drawn | ({"isRequired": True, "errorMessage": NEEDED} if needed else {})


# ---- back ----------------------------------------------------------------------------------------------------------


def read(data: Json) -> Mapping[str, tuple[str, ...]] | None:
    """What a form was sent with, by field; None where this is no form.

    Raises:
        ValueError: it is no form of ours.
    """
    if FIELDS not in data:
        return None
    filled = {}
    for place, field in enumerate(things(data, FIELDS)):
        if said := _values(str(place), field, data):
            filled[need_text(field, "id")] = said
    return filled


def _values(place: str, field: Json, data: Json) -> tuple[str, ...]:
    value, typed, clock = _said(data, place), _said(data, place + _OTHER), _said(data, place + _TIME)
    if place + _TIME in data:
        return (f"{value}T{clock[:5]}",) if value or clock else ()
    options = field.get("options")
    if not isinstance(options, list):
        return (value,) if value else ()
    picked = tuple(_option(options, number) for number in value.split(",") if number)
    if field.get("several") is True:
        return (*picked, typed) if typed else picked
    return (typed,) if typed else picked


def _option(options: list[Any], number: str) -> str:
    try:
        return str(options[int(number)])
    except (IndexError, ValueError) as error:
        raise ValueError("an option that the form does not have") from error


def _said(data: Json, name: str) -> str:
    value = data.get(name)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:g}"
    return (text(data, name) or "").strip()
