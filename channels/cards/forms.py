"""Questions as forms: which app takes them in which way, what a form asks, and what a form that was sent comes to.

Pure. Who may open and send one is in `channels.cards.pressed`, what a question's message says in
`channels.cards.prompts`.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, Final, assert_never

from channels.abilities import FormMessages, Forms
from channels.base import Capabilities, Channel, Form
from channels.cards.filling import fault_of
from channels.choices import has_buttons
from core.cards import ChoiceField, MomentField, NumberField, Question, QuestionField, TextField
from core.events import EventData, QuestionAsked
from core.questions import checked, value_in


class Way(StrEnum):
    """How a card is answered in an app, besides by typed words."""

    TYPED = "typed"
    """Not at all: it has no buttons."""
    TAPS = "taps"
    FORM = "form"
    """A button opens all fields."""
    FIELDS = "fields"
    """The message itself has them."""


TITLES: Final = ("Your answer", "Your answers")
"""Of a form whose question has no title: with one field, and with several."""


def wants_form(question: Question) -> bool:
    """Whether there is more to fill in than one thing to pick."""
    return len(question.fields) > 1 or not isinstance(question.fields[0], ChoiceField)


def way_of(channel: Channel, asked: EventData) -> Way:
    """How this card is answered in this app."""
    if not isinstance(asked, QuestionAsked) or not wants_form(asked.question) or not has_buttons(channel.capabilities):
        return by_hand(channel.capabilities)
    if isinstance(channel, FormMessages) and channel.holds(form_of(asked.question, "")):
        return Way.FIELDS
    return Way.FORM if isinstance(channel, Forms) else Way.TAPS


def by_hand(capabilities: Capabilities) -> Way:
    """The way that leads through one field after another."""
    return Way.TAPS if has_buttons(capabilities) else Way.TYPED


def form_of(question: Question, token: str) -> Form:
    """All fields of a question."""
    return Form(question.title or TITLES[len(question.fields) > 1], question.fields, token)


def values_in(question: Question, filled: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """What a form was sent with, as an answer to check: of each field the value that stands there."""
    fields = {field.id: field for field in question.fields}
    return {
        name: _value(fields[name], said) if name in fields else list(said)
        for name, words in filled.items()
        if (said := [word.strip() for word in words if word.strip()])
    }


def faults_in(question: Question, filled: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """What does not fit of what a form was sent with, by field; empty exactly where the core takes the answer."""
    values = values_in(question, filled)
    faults = {field.id: fault for field in question.fields if (fault := _fault(field, values.get(field.id)))}
    if not faults and isinstance(wrong := checked(question, values), str):
        return {question.fields[0].id: wrong}
    return faults


def _fault(field: QuestionField, value: Any) -> str | None:  # noqa: ANN401 - whatever was sent
    if value is None:
        return None if field.optional else "This needs an answer."
    if isinstance(field, ChoiceField) and not field.multiple and isinstance(value, list):
        return "Only one of these can be picked."
    return fault_of(field, value)


def _value(field: QuestionField, said: Sequence[str]) -> Any:  # noqa: ANN401 - whatever kind of value the field has
    match field:
        case ChoiceField(multiple=True):
            return [_option(field, word) for word in said]
        case ChoiceField():
            return _option(field, said[0]) if len(said) == 1 else list(said)
        case MomentField() | NumberField():
            value = value_in(field, said[0])
            return said[0] if value is None else value
        case TextField():
            return said[0]
        case _:
            assert_never(field)


def _option(field: ChoiceField, word: str) -> str:
    """An option by its id, as a list sends it; where the app has no list, by what somebody typed for it."""
    if any(option.id == word for option in field.options):
        return word
    value = value_in(field.model_copy(update={"multiple": False}), word)
    return value if isinstance(value, str) else word
