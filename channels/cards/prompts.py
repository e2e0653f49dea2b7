"""What a card says and which buttons it has: one neutral `Prompt` for every app, from the event and what was filled in.

Pure. All words of the assistant and of apps are data: they are made literal before they go into Markdown. How a prompt
gets into one app's message is in `channels.cards.drawing`; what was decided, in words, in `channels.cards.decided`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, assert_never

from channels.base import ButtonStyle
from channels.cards.filling import OPTION, Filling, Tap, field_of, suggested
from channels.cards.forms import Way, wants_form
from channels.formatting.parts import literal
from core.cards import ChoiceField, MomentField, NumberField, PlanStep, Question, QuestionField, TextField
from core.engines.base import EXIT_PLAN_MODE
from core.events import PermissionRequested
from core.plans import MAX_TITLE, outline, plan_from
from core.questions import has_places, words_of

MOST_BUTTONS: Final = 8
"""Under a question; an option's place is never given up for one that types can do."""

ALLOW, ALWAYS, DENY = "allow", "allow-always", "deny"
"""What a permission's buttons do: the decisions of the log."""


@dataclass(frozen=True, slots=True)
class PromptButton:
    """A button: `what` it does is a word that its card understands, at most 8 characters of `a-z0-9-`.

    `option`: it picks one of the things that are asked for. `form`: it opens a form.
    """

    label: str
    what: str
    style: ButtonStyle = ButtonStyle.PLAIN
    ticked: bool | None = None
    """None: it is nothing to tick."""
    option: bool = False
    form: bool = False


@dataclass(frozen=True, slots=True)
class Prompt:
    """A card as every app can show it: Markdown, and buttons in the order of importance.

    `typed`: numbers and words are answers of their own here, so a number picks no button. `several`: more than one
    option may be picked. `fields` stand in the message itself.
    """

    text: str
    buttons: tuple[PromptButton, ...] = ()
    typed: bool = False
    several: bool = False
    fields: Question | None = None


# ---- a question ----------------------------------------------------------------------------------------------------


def question_prompt(question: Question, filling: Filling, behalf: str | None = None, *, way: Way = Way.TAPS) -> Prompt:
    """All fields as a form where nothing was filled in without it, else the field that is next.

    With `TYPED` there are no buttons, so what is only for fingers is left out.
    """
    begun = filling != Filling()
    if way is Way.FIELDS and not begun:
        return _with_fields(question, behalf)
    if way is Way.FORM and not begun and wants_form(question):
        return _to_open(question, behalf)
    taps = way is not Way.TYPED
    field = field_of(question, filling)
    choice = field if isinstance(field, ChoiceField) else None
    buttons = _field_buttons(field, filling, taps) + _ways_out(question, field)
    lines = [*_head(question, behalf), _label(question, filling, field), *_how(field, taps)]
    typed, several = choice is None or not has_places(choice), choice is not None and choice.multiple
    return Prompt("\n\n".join(lines), buttons, typed=typed, several=several)


ANSWER: Final = "Answer…"
"""The button that opens a form."""


def _to_open(question: Question, behalf: str | None) -> Prompt:
    """A button that opens all fields; where there is one, what it is about and what is suggested, too."""
    answer = PromptButton(ANSWER, Tap.FORM, ButtonStyle.PRIMARY, form=True)
    skip = PromptButton("Skip", Tap.SKIP)
    if len(question.fields) > 1:
        named = "\n".join(f"- {_named(field)}" for field in question.fields)
        return Prompt("\n\n".join([*_head(question, behalf), named]), (answer, skip), typed=True)
    field = question.fields[0]
    lines = [*_head(question, behalf), literal(field.label), *_how(field, taps=True)]
    return Prompt("\n\n".join(lines), (answer, *_field_buttons(field, Filling(), taps=True), skip), typed=True)


def _with_fields(question: Question, behalf: str | None) -> Prompt:
    """Only what the fields below do not say."""
    head = _head(question, behalf) if question.title else [*_head(question, behalf), "I have a question:"]
    return Prompt("\n\n".join(head), (PromptButton("Skip", Tap.SKIP),), typed=True, fields=question)


def _named(field: QuestionField) -> str:
    notes = ["optional"] if field.optional else []
    if isinstance(field, ChoiceField):
        notes = [", ".join(literal(option.label) for option in field.options), *notes]
    return f"{literal(field.label)} _({'; '.join(notes)})_" if notes else literal(field.label)


def once_more(question: Question, filling: Filling, fault: str) -> str:
    """What is wrong with what was typed for the field that is next, and how to type it."""
    return " ".join([literal(fault), *_how(field_of(question, filling), taps=True)])


def settled_text(question: Question, behalf: str | None = None) -> str:
    """What is left of a question when nobody can answer it any more: a title says enough where there are several."""
    first, more = question.fields[0].label, len(question.fields) - 1
    if more and question.title:
        return "\n\n".join(_head(question, behalf))
    what = f"{literal(first)} _(and {more} more)_" if more else literal(first)
    return "\n\n".join([*_head(question, behalf), what])


def _head(question: Question, behalf: str | None) -> list[str]:
    lines = [_for(behalf)] if behalf is not None else []
    return [*lines, f"**{literal(question.title)}**"] if question.title else lines


def _for(behalf: str) -> str:
    return f"For {literal(behalf)}:"


def _label(question: Question, filling: Filling, field: QuestionField) -> str:
    notes = [f"{filling.field + 1} of {len(question.fields)}"] if len(question.fields) > 1 else []
    notes += ["optional"] if field.optional and len(question.fields) > 1 else []
    return f"{literal(field.label)} _({', '.join(notes)})_" if notes else literal(field.label)


def _field_buttons(field: QuestionField, filling: Filling, taps: bool) -> tuple[PromptButton, ...]:
    if isinstance(field, ChoiceField):
        return _option_buttons(field, filling, taps)
    value = suggested(field)
    if value is None:
        return ()
    return (PromptButton(said(field, value), Tap.SUGGESTED, ButtonStyle.PRIMARY),)


def _option_buttons(field: ChoiceField, filling: Filling, taps: bool) -> tuple[PromptButton, ...]:
    options = tuple(
        PromptButton(
            option.label,
            f"{OPTION}{place}",
            ticked=option.id in filling.ticked if field.multiple else None,
            option=not field.multiple,
        )
        for place, option in enumerate(field.options)
    )
    if not taps:
        return options
    done = (PromptButton("Done", Tap.DONE, ButtonStyle.PRIMARY),) if field.multiple else ()
    room = MOST_BUTTONS - len(options) - len(done) - 1 - field.optional
    other = (PromptButton("Something else…", Tap.OTHER),) if field.other and room > 0 else ()
    return (*options, *done, *other)


def _ways_out(question: Question, field: QuestionField) -> tuple[PromptButton, ...]:
    empty = field.optional and len(question.fields) > 1
    return (*((PromptButton("Leave this out", Tap.EMPTY),) if empty else ()), PromptButton("Skip", Tap.SKIP))


def said(field: QuestionField, value: object) -> str:
    """A value of a field as people read it."""
    alone = Question(question_id="", fields=(field,))
    return words_of(alone, {field.id: value})


def _how(field: QuestionField, taps: bool) -> list[str]:
    """What else there is to know about this field, and how to type an answer."""
    match field:
        case ChoiceField():
            return _how_to_choose(field, taps)
        case MomentField():
            bounds = _bounds(field, field.min, field.max)
            return [f"Type {_MOMENTS[field.kind]}{bounds}."]
        case NumberField():
            unit = f" in {literal(field.unit)}" if field.unit else ""
            return [f"Type a number{_bounds(field, field.min, field.max) or unit}."]
        case TextField():
            return [f"For example: {literal(field.placeholder)}"] if field.placeholder else ["Type your answer."]
        case _:
            assert_never(field)


_MOMENTS: Final = {
    "date": "a date, like 24 December 2026",
    "time": "a time, like 9:30",
    "datetime": "a day and a time, like 24 December 2026 9:30",
}


def _bounds(field: MomentField | NumberField, least: str | float | None, most: str | float | None) -> str:
    low = literal(said(field, least)) if least is not None else None
    high = literal(said(field, most)) if most is not None else None
    if low is not None and high is not None:
        if isinstance(field, NumberField) and field.unit:  # it is said once
            low = literal(said(field.model_copy(update={"unit": None}), least))
        return f" (from {low} to {high})"
    if low is not None:
        return f" ({low} or {'more' if isinstance(field, NumberField) else 'later'})"
    if high is not None:
        return f" ({high} or {'less' if isinstance(field, NumberField) else 'earlier'})"
    return ""


def _how_to_choose(field: ChoiceField, taps: bool) -> list[str]:
    described = [f"- {literal(one.label)}: {literal(one.description)}" for one in field.options if one.description]
    in_words = "like 1,2" if has_places(field) else "with commas between them"
    several = ["Pick as many as you like, then Done." if taps else f"You can pick several, {in_words}."]
    lines = ["\n".join(described)] if described else []
    lines += several if field.multiple else []
    return [*lines, "You can also type something else."] if field.other else lines


# ---- a permission, and the start of a plan -------------------------------------------------------------------------


def permission_prompt(asked: PermissionRequested, behalf: str | None = None) -> Prompt:
    """May this be done? "Always" is not offered with a reason to look twice, nor for what is allowed once at most."""
    if asked.tool_name == EXIT_PLAN_MODE:
        return _start_prompt(behalf)
    always = (PromptButton("Always in this chat", ALWAYS),) if asked.reason is None and not asked.once else ()
    buttons = (
        PromptButton("Allow", ALLOW, ButtonStyle.PRIMARY),
        *always,
        PromptButton("Don't allow", DENY, ButtonStyle.DANGER),
    )
    lines = [_for(behalf)] if behalf is not None else []
    lines += ["**May I do this?**", literal(asked.summary)]
    lines += [literal(asked.reason)] if asked.reason else []
    return Prompt("\n\n".join(lines), buttons)


def _start_prompt(behalf: str | None) -> Prompt:
    lines = [_for(behalf)] if behalf is not None else []
    buttons = (
        PromptButton("Start", ALLOW, ButtonStyle.PRIMARY),
        PromptButton("Keep planning", DENY, ButtonStyle.DANGER),
    )
    return Prompt("\n\n".join([*lines, "Shall I start with this plan?"]), buttons)


def plan_text(asked: PermissionRequested, behalf: str | None = None) -> str:
    """The plan that a person is asked to start, as the message before the question; empty where there is none.

    Its steps are a checklist, all still to be done; the rest is the assistant's own Markdown.
    """
    plan = plan_from(asked.input)
    if plan is None:
        return ""
    shown = outline(plan)
    lines = [_for(behalf)] if behalf is not None else []
    lines += ["**The plan**"]
    lines += [shown.rest] if shown.rest else []
    lines += [_steps(shown.steps)] if shown.steps else []
    return "\n\n".join(lines)


# ---- the checklist of a turn ---------------------------------------------------------------------------------------

MARKS: Final = {"pending": "○", "active": "◐", "done": "✓"}


def checklist_text(steps: Sequence[PlanStep], behalf: str | None = None, most: int | None = None) -> str:
    """Every step with how far it is. Long titles are cut so that it fits in one message of `most` characters."""
    lines = [_for(behalf)] if behalf is not None else []
    for longest in (MAX_TITLE, *range(160, 10, -20)):
        text = "\n\n".join([*lines, _steps(steps, longest)])
        if most is None or _size(text) <= most * _ROOM:
            break
    return text


_ROOM: Final = 0.85
"""How much of a message a checklist fills at most: markup takes some of it."""


def _size(text: str) -> int:
    """In UTF-16 units, which is the most that any app counts."""
    return len(text.encode("utf-16-le")) // 2


def folded_text(steps: Sequence[PlanStep], behalf: str | None = None) -> str:
    """What is left of a checklist when its turn has ended."""
    done = sum(step.state == "done" for step in steps)
    mark = "✓" if done == len(steps) else "○"
    lines = [_for(behalf)] if behalf is not None else []
    return "\n\n".join([*lines, f"{mark} {done} of {len(steps)} done"])


def _steps(steps: Sequence[PlanStep], longest: int = MAX_TITLE) -> str:
    return "\n".join(f"{MARKS[step.state]} {literal(_cut(step.title, longest))}" for step in steps)


def _cut(title: str, longest: int) -> str:
    return title if len(title) <= longest else f"{title[: longest - 1].rstrip()}…"
