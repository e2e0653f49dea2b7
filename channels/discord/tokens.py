"""What our buttons, lists and forms carry, and what comes back of it.

Pure. A `custom_id` says at once, without a look at what is stored, whether its press opens a form. What is drawn is
`render`'s and `forms`'.
"""

from collections.abc import Iterator, Mapping

from channels.discord.fields import Json, number, text, texts, thing, things

_BUTTON, _FORM, _LIST = "b:", "f:", "l:"
_FIELD, _INSTEAD, _ALSO = "v:", "i:", "a:"

SELECT = 3
"""A list to pick from [discord.com/developers/docs/components/reference]."""


def of_button(token: str, *, form: bool = False) -> str:
    """The custom id of a button, and of a form: the press brings back the token."""
    return f"{_FORM if form else _BUTTON}{token}"


def of_list(place: int) -> str:
    """The custom id of a list; its options' values are those of buttons."""
    return f"{_LIST}{place}"


def of_field(field_id: str) -> str:
    """The custom id of a field of a form."""
    return f"{_FIELD}{field_id}"


def of_other(field_id: str, *, also: bool) -> str:
    """The custom id of what is typed instead of picking something, or besides it."""
    return f"{_ALSO if also else _INSTEAD}{field_id}"


def opens_form(data: Json) -> bool:
    """Whether what was pressed opens a form."""
    return (text(data, "custom_id") or "").startswith(_FORM)


def pressed(data: Json) -> str | None:
    """The token that a press brings back; None where it is nothing of ours."""
    custom_id = text(data, "custom_id") or ""
    if custom_id.startswith(_LIST):
        custom_id = next(iter(texts(data, "values")), "")
    for prefix in (_BUTTON, _FORM):
        if custom_id.startswith(prefix):
            return custom_id.removeprefix(prefix)
    return None


def filled(data: Json) -> Mapping[str, tuple[str, ...]]:
    """What a form was sent with, by its fields; what was left empty is not there."""
    found: dict[str, tuple[str, ...]] = {}
    for part in _inputs(data):
        custom_id = text(part, "custom_id") or ""
        values = texts(part, "values") if number(part, "type") == SELECT else (text(part, "value") or "",)
        values = tuple(value.strip() for value in values if value.strip())
        prefix, field_id = custom_id[:2], custom_id[2:]
        if values and prefix in (_FIELD, _INSTEAD):
            found[field_id] = values
        elif values and prefix == _ALSO:
            found[field_id] = (*found.get(field_id, ()), *values)
    return found


def _inputs(data: Json) -> Iterator[Json]:
    """Those under a label, and those in a row, as forms had them before."""
    for part in things(data, "components"):
        if (inner := thing(part, "component")) is not None:
            yield inner
        yield from things(part, "components")
