"""A form as a Discord modal: fields to type in, and lists to pick from.

Pure. A modal has five parts at most, a question four fields; what can be typed besides picking takes a part of its own
where there is room, and goes without where there is none. What comes back is read by `tokens`.
"""

from typing import Any, assert_never

from channels.base import Form
from channels.discord import limits, tokens
from core.cards import ChoiceField, MomentField, NumberField, QuestionField, TextField

_LABEL, _INPUT = 18, 4
_SHORT, _PARAGRAPH = 1, 2
_WRITTEN = {"date": "YYYY-MM-DD", "time": "HH:MM", "datetime": "YYYY-MM-DDTHH:MM"}
"""How these answers are written."""


def drawn(form: Form) -> dict[str, Any]:
    """The data of a modal."""
    room = limits.MAX_MODAL_FIELDS - len(form.fields)
    parts: list[dict[str, Any]] = []
    for field in form.fields:
        other = isinstance(field, ChoiceField) and field.other and room > 0
        parts.append(_part(field, needed=not (field.optional or other)))
        if isinstance(field, ChoiceField) and other:
            parts.append(_other(field))
            room -= 1
    return {"title": _cut(form.title, limits.MAX_MODAL_TITLE), "custom_id": tokens.of_button(form.token, form=True)} | {
        "components": parts
    }


def _part(field: QuestionField, *, needed: bool) -> dict[str, Any]:
    described = field.label if len(field.label) > limits.MAX_FIELD_LABEL else ""
    match field:
        case ChoiceField():
            return _labelled(field.label, described, _picker(field, needed=needed))
        case MomentField():
            how = _joined(described, _bounds(_WRITTEN[field.kind], field.min, field.max))
            return _labelled(field.label, how, _input(field, _WRITTEN[field.kind], field.suggested))
        case NumberField():
            how = _joined(described, _bounds(field.unit or "", field.min, field.max))
            suggested = None if field.suggested is None else _number(field.suggested)
            return _labelled(field.label, how, _input(field, field.unit or "A number", suggested))
        case TextField():
            style = _PARAGRAPH if field.multiline else _SHORT
            return _labelled(field.label, described, _input(field, field.placeholder or "", None, style))
        case _:
            assert_never(field)


def _labelled(label: str, description: str, component: dict[str, Any]) -> dict[str, Any]:
    part = {"type": _LABEL, "label": _cut(label, limits.MAX_FIELD_LABEL), "component": component}
    return part | {"description": _cut(description, limits.MAX_FIELD_DESCRIPTION)} if description else part


def _picker(field: ChoiceField, *, needed: bool) -> dict[str, Any]:
    options: list[dict[str, Any]] = []
    for option in field.options:
        drawn = {"label": _cut(option.label, limits.MAX_OPTION_TEXT), "value": option.id}
        if option.description:
            drawn["description"] = _cut(option.description, limits.MAX_OPTION_TEXT)
        options.append(drawn)
    return {
        "type": tokens.SELECT,
        "custom_id": tokens.of_field(field.id),
        "options": options,
        "required": needed,
        "min_values": 1 if needed else 0,
        "max_values": len(options) if field.multiple else 1,
    }


def _other(field: ChoiceField) -> dict[str, Any]:
    label = "Something else too" if field.multiple else "Something else"
    custom_id = tokens.of_other(field.id, also=field.multiple)
    typed = {"type": _INPUT, "custom_id": custom_id, "style": _SHORT, "required": False}
    return _labelled(label, "Besides what you picked above" if field.multiple else "Instead of the list above", typed)


def _input(field: QuestionField, placeholder: str, suggested: str | None, style: int = _SHORT) -> dict[str, Any]:
    typed: dict[str, Any] = {
        "type": _INPUT,
        "custom_id": tokens.of_field(field.id),
        "style": style,
        "required": not field.optional,
    }
    if placeholder:
        typed["placeholder"] = _cut(placeholder, limits.MAX_PLACEHOLDER)
    if suggested:
        typed["value"] = suggested
    return typed


def _bounds(written: str, low: object, high: object) -> str:
    """How it is written, and from where to where."""
    least = _number(low) if low is not None else None
    most = _number(high) if high is not None else None
    if least and most:
        return _joined(written, f"{least} to {most}")
    return _joined(written, f"from {least}" if least else f"up to {most}" if most else "")


def _joined(*parts: str) -> str:
    return ", ".join(part for part in parts if part)


def _number(value: object) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _cut(words: str, longest: int) -> str:
    return words if len(words) <= longest else words[: longest - 1].rstrip() + "…"
