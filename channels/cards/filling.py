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
from core.questions import from_words, words_of


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


def _next(question: Question, filling: Filling, value: Any) -> Filling | Finished:  # noqa: ANN401 - of any field
    values = dict(filling.values)
    if value is not None:
        values[field_of(question, filling).id] = value
    if filling.field + 1 >= len(question.fields):
        return Finished(values)
    return Filling(field=filling.field + 1, values=values)
