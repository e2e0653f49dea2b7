"""A question while it is being filled in: one field after the other, by taps and by typed words. Pure.

What stands so far is `Filling`, stored with the card. How it is drawn is in `channels.cards.prompts`; whether the
finished values are taken is the core's to say.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from pydantic import BaseModel, ConfigDict

from core.cards import ChoiceField, MomentField, NumberField, Question, QuestionField
from core.questions import from_words, unfit, value_in, words_of


class Tap(StrEnum):
    """What a question's buttons do besides picking an option."""

    DONE = "done"
    """What is ticked is the answer to this field."""
    SUGGESTED = "use"
    OTHER = "other"
    """Something else is going to be typed."""
    EMPTY = "empty"
    """This field is left out."""
    SKIP = "skip"
    """The whole question is."""
    FORM = "form"
    """All fields are filled in at once: opens the form, and is what comes back with it."""


OPTION: Final = "o"
"""An option's button: this, and the option's place from 0."""


class Filling(BaseModel):
    """How far a question is filled in: the field that is next, the values before it, the options ticked in it."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    field: int = 0
    values: dict[str, Any] = {}
    ticked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Finished:
    """Every field has been seen to; None: the question was skipped."""

    values: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Hint:
    """The tap says how to go on, and changes nothing."""

    words: str


TYPE_IT: Final = "Type your answer and send it."
PICK_FIRST: Final = "Pick at least one first."


def field_of(question: Question, filling: Filling) -> QuestionField:
    """The field that is next."""
    return question.fields[min(filling.field, len(question.fields) - 1)]


def suggested(field: QuestionField) -> str | float | None:
    """What the assistant thinks the person wants; None where it did not say."""
    return field.suggested if isinstance(field, MomentField | NumberField) else None


def tapped(question: Question, filling: Filling, what: str) -> Filling | Finished | Hint | None:
    """What a button comes to; None for one that this field does not have."""
    field = field_of(question, filling)
    if what == Tap.SKIP:
        return Finished(None)
    if what == Tap.EMPTY and field.optional:
        return _next(question, filling, None)
    if what == Tap.SUGGESTED and (value := suggested(field)) is not None:
        return _next(question, filling, value)
    return _tapped_choice(question, filling, field, what) if isinstance(field, ChoiceField) else None


def _tapped_choice(
    question: Question, filling: Filling, field: ChoiceField, what: str
) -> Filling | Finished | Hint | None:
    if what == Tap.OTHER and field.other:
        return Hint(TYPE_IT)
    if what == Tap.DONE and field.multiple:
        return _next(question, filling, list(filling.ticked)) if filling.ticked else Hint(PICK_FIRST)
    place = what.removeprefix(OPTION)
    if not (what.startswith(OPTION) and place.isdecimal() and int(place) < len(field.options)):
        return None
    option = field.options[int(place)].id
    return _ticked(filling, option) if field.multiple else _next(question, filling, option)


def _ticked(filling: Filling, option: str) -> Filling:
    ticked = filling.ticked
    news = tuple(one for one in ticked if one != option) if option in ticked else (*ticked, option)
    return filling.model_copy(update={"ticked": news})


def told_of(question: Question, filling: Filling) -> str:
    """What was filled in and ticked so far, as people read it; empty where nothing was."""
    ticked = {field_of(question, filling).id: list(filling.ticked)} if filling.ticked else {}
    return words_of(question, {**filling.values, **ticked})


def typed(question: Question, filling: Filling, words: str) -> Filling | Finished | None:
    """What typed words come to as the value of the field that is next; None where they are none."""
    value = from_words(field_of(question, filling), words)
    return None if value is None else _next(question, filling, value)


MOST_WORDS: Final = 4
"""Of a value that was tried and missed; more were written to be read."""


def missed(question: Question, filling: Filling, words: str) -> str | None:
    """What is wrong with words that were tried as a date, a time or a number and are none that the field takes.

    None: they are something else, and free text for the whole. With one field, words beside digits are read by whoever
    asked (“tomorrow at 9”); with several they would end the rest unasked.
    """
    field = field_of(question, filling)
    if not isinstance(field, MomentField | NumberField):
        return None
    value = value_in(field, words)
    if value is not None:
        return fault_of(field, value)
    letters = any(one.isalpha() for one in words)
    short = len(words.split()) <= MOST_WORDS and (not letters or len(question.fields) > 1)
    if not short or not any(one.isdigit() for one in words):
        return None
    return "I can't read that as a number." if isinstance(field, NumberField) else _UNREAD[field.kind]


def fault_of(field: QuestionField, value: Any) -> str | None:  # noqa: ANN401 - of any field
    """What is wrong with a value of a field, as a sentence for the person; None where nothing is."""
    if isinstance(field, MomentField) and unfit(field.model_copy(update={"min": None, "max": None}), value):
        return _UNREAL[field.kind] if value_in(field, str(value)) is not None else _UNREAD[field.kind]
    fault = unfit(field, value)
    return f"{fault[:1].upper()}{fault[1:]}" if fault else None


_UNREAD: Final = {
    "date": "I can't tell which date that is.",
    "time": "I can't tell which time that is.",
    "datetime": "I can't tell which day and time that is.",
}
_UNREAL: Final = {
    "date": "There is no such date.",
    "time": "There is no such time.",
    "datetime": "There is no such day and time.",
}


def _next(question: Question, filling: Filling, value: Any) -> Filling | Finished:  # noqa: ANN401 - of any field
    values = dict(filling.values)
    if value is not None:
        values[field_of(question, filling).id] = value
    if filling.field + 1 >= len(question.fields):
        return Finished(values)
    return Filling(field=filling.field + 1, values=values)
