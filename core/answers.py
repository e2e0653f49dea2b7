"""Answers to a question: which values fit, and how an answer reads to people and to the model.

Pure. What may be asked is in `core.questions`, what typed words mean in `core.typed_answers`.
"""

import json
from calendar import day_name, month_name
from collections.abc import Callable, Mapping
from datetime import date, datetime, time
from typing import Any, Final, assert_never

from core.cards import ChoiceField, MomentField, NumberField, Question, QuestionField, TextField

MAX_ANSWER: Final = 4_000
"""Characters of a typed answer."""
_LARGEST: Final = 1e15
"""Of a number: the largest that is still exact when it has been through JSON in every language."""

_FORMATS: Final = {"date": "%Y-%m-%d", "time": "%H:%M", "datetime": "%Y-%m-%dT%H:%M"}
WRITTEN: Final = {"date": "YYYY-MM-DD", "time": "HH:MM in 24 hours", "datetime": "YYYY-MM-DDTHH:MM"}


# ---- what fits -----------------------------------------------------------------------------------------------------


def checked(question: Question, values: Mapping[str, Any]) -> dict[str, Any] | str:
    """The values as they are kept, in the order of the fields; or a sentence for the person about what does not fit.

    A choice's value is an option's id, or words where it takes others; a list of them where several may be picked. A
    field that was left empty is left out.
    """
    known = {field.id for field in question.fields}
    if unknown := [str(key) for key in values if key not in known]:
        return f"There is no “{unknown[0][:80]}” in this question."
    fine: dict[str, Any] = {}
    for field in question.fields:
        value = kept(field, values.get(field.id))
        if value is None:
            if not field.optional:
                return f"“{field.label}” needs an answer."
        elif wrong := unfit(field, value):
            return f"“{field.label}”: {wrong}"
        else:
            fine[field.id] = value
    return fine


def fits(field: QuestionField, value: object) -> bool:
    """Whether a value would be taken as this field's."""
    return (tidy := kept(field, value)) is not None and unfit(field, tidy) is None


def kept(field: QuestionField, value: Any) -> Any:  # noqa: ANN401 - whatever came in
    """A value in the form that is kept; None for an empty one. Whether it fits is another question."""
    if isinstance(value, str):
        value = value.strip()
    if value in (None, "", [], ()):
        return None
    if isinstance(field, ChoiceField) and field.multiple:
        return _picked(field, value if isinstance(value, list | tuple) else [value])
    if isinstance(value, float) and value.is_integer() and abs(value) <= _LARGEST:
        return int(value)
    return value


def _picked(field: ChoiceField, values: Any) -> list[Any]:  # noqa: ANN401 - whatever came in
    """Each once: options in their order, then what was typed."""
    order = {option.id: at for at, option in enumerate(field.options)}
    once = [value for at, value in enumerate(values) if value not in values[:at]]
    return sorted(once, key=lambda value: order.get(value, len(order)) if isinstance(value, str) else len(order))


def unfit(field: QuestionField, value: Any) -> str | None:  # noqa: ANN401 - whatever came in
    """What is wrong with a value, for the person; None where nothing is."""
    match field:
        case ChoiceField():
            return _unfit_choice(field, value)
        case MomentField():
            return _unfit_moment(field, value)
        case NumberField():
            return _unfit_number(field, value)
        case TextField():
            return _unfit_text(value)
        case _:
            assert_never(field)


def _unfit_choice(field: ChoiceField, value: Any) -> str | None:  # noqa: ANN401 - whatever came in
    ids = {option.id for option in field.options}
    several = value if field.multiple and isinstance(value, list) else [value]
    for one in several:
        if not isinstance(one, str) or (one not in ids and not field.other):
            return "that is none of the choices."
        if one not in ids and (wrong := _unfit_text(one)):
            return wrong
    if sum(one not in ids for one in several) > 1:
        return "only one thing of your own can be added."
    return None


def _unfit_text(value: object) -> str | None:
    if not isinstance(value, str) or not value.strip():
        return "that is not text."
    if len(value) > MAX_ANSWER:
        return f"that has {len(value):,} characters; up to {MAX_ANSWER:,} fit."
    return None


def _unfit_moment(field: MomentField, value: object) -> str | None:
    if not isinstance(value, str) or _moment(field.kind, value) is None:
        return f"that is not a real {_MOMENTS[field.kind]}; write it as {WRITTEN[field.kind]}."
    if field.min is not None and value < field.min:
        return f"{_spoken(field, field.min)} is the earliest."
    if field.max is not None and value > field.max:
        return f"{_spoken(field, field.max)} is the latest."
    return None


_MOMENTS: Final = {"date": "date", "time": "time", "datetime": "date with a time"}


def _moment(kind: str, value: str) -> date | time | datetime | None:
    """The moment that was written in full: `strptime` alone would take 2026-1-2, which does not sort as text."""
    try:
        moment = datetime.strptime(value, _FORMATS[kind])  # noqa: DTZ007 - the person's own wall clock
    except ValueError:
        return None
    written = moment.strftime(_FORMATS[kind]).zfill(len(value))
    if written != value:
        return None
    match kind:
        case "date":
            return moment.date()
        case "time":
            return moment.time()
    return moment


def _unfit_number(field: NumberField, value: object) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= _LARGEST:
        return "that is not a number."
    if field.min is not None and value < field.min:
        return f"{_spoken(field, field.min)} is the least."
    if field.max is not None and value > field.max:
        return f"{_spoken(field, field.max)} is the most."
    if field.step is not None:
        steps = (value - (field.min or 0)) / field.step
        if abs(steps - round(steps)) > 1e-6:
            start = f", counted from {_number(field.min)}" if field.min else ""
            return f"only steps of {_number(field.step)}{start} are taken."
    return None


# ---- how it reads --------------------------------------------------------------------------------------------------


def words_of(question: Question, values: Mapping[str, Any]) -> str:
    """The answer as people read it, in one line but for typed text: labels, weekday and date, unit."""
    return _joined(question, values, _said)


def for_model(question: Question, answer: Mapping[str, Any] | str | None) -> str:
    """What the model hears: the sentence and the exact values; typed words quoted, so that they are no order."""
    if answer is None:
        return (
            "The person skipped the question, or did not answer in time. Use your best judgement, and say what you"
            " assumed."
        )
    if isinstance(answer, str):
        return f"The person did not pick from the card but typed: {_quoted(answer)}"
    exact = json.dumps(dict(answer), ensure_ascii=False)
    told = _joined(question, answer, _reported) or "everything was left out"
    return f"The person answered. {told}\nExact values: {exact}"


def _joined(question: Question, values: Mapping[str, Any], say: Callable[[QuestionField, Any], str]) -> str:
    said = [(field, say(field, values[field.id])) for field in question.fields if field.id in values]
    if len(question.fields) == 1:
        return "".join(words for _, words in said)
    return "; ".join(f"{field.label.rstrip(':?')}: {words}" for field, words in said)


def _said(field: QuestionField, value: Any) -> str:  # noqa: ANN401 - a checked value
    if isinstance(field, ChoiceField):
        labels = {option.id: option.label for option in field.options}
        several: list[str] = value if isinstance(value, list) else [value]
        return ", ".join(labels.get(one, one) for one in several)
    return _spoken(field, value)


def _reported(field: QuestionField, value: Any) -> str:  # noqa: ANN401 - a checked value
    if isinstance(field, ChoiceField):
        labels = {option.id: option.label for option in field.options}
        several: list[str] = value if isinstance(value, list) else [value]
        return ", ".join(labels[one] if one in labels else f"typed {_quoted(one)}" for one in several)
    return f"typed {_quoted(value)}" if isinstance(field, TextField) else _spoken(field, value)


def _quoted(words: str) -> str:
    return json.dumps(words, ensure_ascii=False)


def _spoken(field: QuestionField, value: Any) -> str:  # noqa: ANN401 - a checked value
    match field:
        case MomentField():
            moment = _moment(field.kind, value)
            return spoken_moment(moment) if moment is not None else str(value)
        case NumberField():
            return f"{_number(value)} {field.unit}" if field.unit else _number(value)
        case _:
            return str(value)


def spoken_moment(moment: date | time | datetime) -> str:
    """For example “Thursday, 24 December 2026, 09:30”; the names are English whatever the machine speaks."""
    if isinstance(moment, time):
        return f"{moment:%H:%M}"
    day = f"{day_name[moment.weekday()]}, {moment.day} {month_name[moment.month]} {moment.year}"
    return f"{day}, {moment:%H:%M}" if isinstance(moment, datetime) else day


def _number(value: float) -> str:
    return f"{value:.10g}" if abs(value) < 1e10 else f"{value:.0f}"
