"""Forms as Slack's modals, and what they were sent with; also what a button or an option brings back.

Pure. Each field is one block (two where a date and a time belong together, or where something else may be typed). The
blocks are named by the field's place, because Slack gives names of blocks back; which field that is, and where the
button stood that opened the form, the form carries unseen.
Source: docs.slack.dev/reference/views, docs.slack.dev/reference/block-kit/blocks/input-block.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from channels.base import Form, Press
from channels.slack import limits
from channels.slack.fields import Json, need_text, text, thing, things
from core.cards import ChoiceField, MomentField, NumberField, QuestionField, TextField
from core.events import ChatKind

CALLBACK = "form"
OPENS_FORM = "form:"
"""How the `action_id` of a button begins that opens a form."""

_OTHER, _TIME = "o", "t"


@dataclass(frozen=True, slots=True)
class SentForm:
    """What came back: the form's token, where its button stood, and the values by field."""

    token: str
    chat_id: str
    private: bool
    thread: str | None
    message_id: str
    filled: Mapping[str, tuple[str, ...]]


def token_of(action: Json) -> str | None:
    """What a pressed button or a picked option brings back; None for a button that only opens an address."""
    option = thing(action, "selected_option")
    return text(option, "value") if option else text(action, "value")


def opens_form(payload: Json) -> bool:
    """Whether this is the press of a button that wants a form at once."""
    actions = things(payload, "actions")
    return bool(actions) and str(actions[0].get("action_id", "")).startswith(OPENS_FORM)


# ---- out -----------------------------------------------------------------------------------------------------------


def view(press: Press, form: Form) -> dict[str, Any]:
    """The modal."""
    where = press.message
    carried = {
        "token": form.token,
        "chat": where.chat.id,
        "private": where.chat.kind is ChatKind.PRIVATE,
        "thread": where.chat.thread,
        "message": where.message_id,
        "fields": [field.id for field in form.fields],
    }
    return {
        "type": "modal",
        "callback_id": CALLBACK,
        "title": plain(form.title or "Answer", limits.MAX_TITLE),
        "submit": plain(form.submit, limits.MAX_TITLE),
        "close": plain("Cancel", limits.MAX_TITLE),
        "private_metadata": json.dumps(carried, separators=(",", ":")),
        "blocks": [block for number, field in enumerate(form.fields) for block in _blocks(str(number), field)],
    }


def errors(form_view: Json, faults: Mapping[str, str]) -> dict[str, Any]:
    """The answer to a form with something wrong in it: a sentence under each field. `faults` are by field."""
    names = _carried(form_view).get("fields")
    places = {name: str(number) for number, name in enumerate(names if isinstance(names, list) else [])}
    said = {places.get(name, "0"): sentence for name, sentence in faults.items()}
    return {"response_action": "errors", "errors": said}


def plain(words: str, longest: int) -> dict[str, Any]:
    """Words without markup, cut where Slack would refuse them; Slack takes none that are empty."""
    kept = words if len(words) <= longest else words[: longest - 1].rstrip() + "…"
    return {"type": "plain_text", "text": kept or "…", "emoji": True}


def _blocks(place: str, field: QuestionField) -> Iterator[dict[str, Any]]:
    match field:
        case ChoiceField():
            yield _input(place, field.label, _choice(field), optional=field.optional or field.other)
            if field.other:
                yield _input(place + _OTHER, "Something else", _typed(), optional=True)
        case MomentField():
            yield from _moment(place, field)
        case NumberField():
            yield _input(place, field.label, _number(field), optional=field.optional, hint=_bounds(field, field.unit))
        case TextField():
            yield _input(place, field.label, _typed(field.placeholder, field.multiline), optional=field.optional)


def _input(
    place: str, label: str, element: dict[str, Any], *, optional: bool, hint: str | None = None
) -> dict[str, Any]:
    block = {
        "type": "input",
        "block_id": place,
        "label": plain(label, limits.MAX_FIELD_LABEL),
        "element": {**element, "action_id": "value"},
        "optional": optional,
    }
    return block | {"hint": plain(hint, limits.MAX_FIELD_LABEL)} if hint else block


def _choice(field: ChoiceField) -> dict[str, Any]:
    options = []
    for option in field.options:
        drawn: dict[str, Any] = {"text": plain(option.label, limits.MAX_LABEL), "value": option.id}
        if option.description:
            drawn["description"] = plain(option.description, limits.MAX_LABEL)
        options.append(drawn)
    return {"type": "checkboxes" if field.multiple else "radio_buttons", "options": options}


def _moment(place: str, field: MomentField) -> Iterator[dict[str, Any]]:
    day, _, time = (field.suggested or "").partition("T")
    if field.kind == "time":
        day, time = "", field.suggested or ""
    hint = _bounds(field)
    if field.kind != "time":
        element = {"type": "datepicker"} | ({"initial_date": day} if day else {})
        yield _input(place, field.label, element, optional=field.optional, hint=hint)
    if field.kind != "date":
        element = {"type": "timepicker"} | ({"initial_time": time[:5]} if time else {})
        name, label = (place, field.label) if field.kind == "time" else (place + _TIME, "At what time")
        hint = hint if field.kind == "time" else None
        yield _input(name, label, element, optional=field.optional, hint=hint)


def _number(field: NumberField) -> dict[str, Any]:
    """Its bounds are said and checked by us: Slack's own words about them name no unit."""
    element: dict[str, Any] = {"type": "number_input", "is_decimal_allowed": True}
    return element | {"initial_value": f"{field.suggested:g}"} if field.suggested is not None else element


def _typed(placeholder: str | None = None, multiline: bool = False) -> dict[str, Any]:
    element: dict[str, Any] = {"type": "plain_text_input", "multiline": multiline, "max_length": limits.MAX_TYPED}
    return element | {"placeholder": plain(placeholder, 150)} if placeholder else element


def _bounds(field: MomentField | NumberField, unit: str | None = None) -> str | None:
    """What may be filled in, in words."""
    least, most = (
        f"{bound:g}" if isinstance(bound, float) else bound.replace("T", " ") if bound else None
        for bound in (field.min, field.max)
    )
    said = (
        f"{least} to {most}" if least and most else f"At least {least}" if least else f"At most {most}" if most else ""
    )
    return f"{said} {unit or ''}".strip() or None


# ---- back ----------------------------------------------------------------------------------------------------------


def read(form_view: Json) -> SentForm | None:
    """What a form was sent with; None where it is not one of ours."""
    if form_view.get("callback_id") != CALLBACK:
        return None
    carried = _carried(form_view)
    state = thing(thing(form_view, "state") or {}, "values") or {}
    names = carried.get("fields")
    fields = [str(name) for name in names] if isinstance(names, list) else []
    filled = {name: values for number, name in enumerate(fields) if (values := _values(str(number), state))}
    return SentForm(
        token=need_text(carried, "token"),
        chat_id=need_text(carried, "chat"),
        private=carried.get("private") is True,
        thread=text(carried, "thread"),
        message_id=need_text(carried, "message"),
        filled=filled,
    )


def _carried(form_view: Json) -> Json:
    try:
        carried = json.loads(need_text(form_view, "private_metadata"))
    except RecursionError as error:
        raise ValueError("too deep to be a form of ours") from error
    if not isinstance(carried, dict):
        raise ValueError("this form does not say what it is for")
    return carried


def _values(place: str, state: Json) -> tuple[str, ...]:
    value, typed = _value(state, place), _value(state, place + _OTHER)
    time = _value(state, place + _TIME)
    if place + _TIME in state and (value or time):
        return (f"{''.join(value)}T{''.join(time)}",)
    return (*value, *typed) if typed and _several(state, place) else typed or value


def _several(state: Json, place: str) -> bool:
    element = thing(thing(state, place) or {}, "value") or {}
    return element.get("type") == "checkboxes"


def _value(state: Json, place: str) -> tuple[str, ...]:
    element = thing(thing(state, place) or {}, "value") or {}
    if picked := thing(element, "selected_option"):
        return (need_text(picked, "value"),)
    if several := things(element, "selected_options"):
        return tuple(need_text(option, "value") for option in several)
    words = text(element, "selected_date") or text(element, "selected_time") or text(element, "value")
    return (words.strip(),) if words and words.strip() else ()
