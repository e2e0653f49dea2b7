"""What the demo asks a person: questions, and whether a tool of its own may run. Plans are put in `planning`."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import Any, Final

from core.cards import Choice, ChoiceField, MomentField, NumberField, Question, QuestionField, TextField
from core.engines.base import MessageEnd
from core.engines.demo.quoting import fenced, quoted
from core.engines.demo.stage import LABEL, Group, Journey, Stage, journey, say
from core.engines.script import AskPermission, AskPerson, CallTool, Steps, Together
from core.events import Mode
from core.questions import checked, words_of

ASK: Final = "ask"
"""The host's tool for questions."""

ALLOW, DO_NOT_ALLOW = "Allow", "Don't allow"

HURRY_SECONDS: Final = 30.0
"""How long the question waits that does not wait long."""

_LEAVES_IN: Final = timedelta(days=7)


# ---- questions -----------------------------------------------------------------------------------------------------


def _drink(stage: Stage) -> Question:
    options = tuple(Choice(id=word.lower(), label=word) for word in ("Tea", "Coffee", "Water"))
    field = ChoiceField(id="drink", label="What may I bring you?", options=options, other=True)
    return Question(question_id=stage.next_id(), fields=(field,))


def _trip(stage: Stage) -> Question:
    likes = ("Museums", "Food", "Hiking", "The sea")
    options = tuple(Choice(id=word.lower(), label=word) for word in likes)
    day = (stage.today + _LEAVES_IN).isoformat()
    fields: tuple[QuestionField, ...] = (
        ChoiceField(id="likes", label="What do you like?", options=options, multiple=True, other=True),
        MomentField(id="day", label="Which day do you leave?", kind="date", suggested=day),
        MomentField(id="time", label="At what time?", kind="time", suggested="09:30"),
        NumberField(
            id="nights", label="How long do you stay?", min=1, max=30, step=1, unit="nights", suggested=3, optional=True
        ),
    )
    return Question(question_id=stage.next_id(), title="A pretended trip", fields=fields)


def _word(stage: Stage) -> Question:
    field = TextField(id="word", label="What comes to mind when you hear the sea?", placeholder="Holidays")
    return Question(question_id=stage.next_id(), fields=(field,))


def ask_me(stage: Stage, _words: str) -> Steps:
    """One choice, which takes words of the person's own too."""
    yield from _ask(stage, _drink(stage), "a question, and I wait for your answer.")


def ask_several(stage: Stage, _words: str) -> Steps:
    """Several fields of different kinds on one card."""
    yield from _ask(stage, _trip(stage), "four questions about a trip that I don't book.")


def ask_in_a_hurry(stage: Stage, _words: str) -> Steps:
    """A question that is taken back when nobody answers soon."""
    lead = f"a question that waits {HURRY_SECONDS:.0f} seconds. Let them go by, and see what becomes of it."
    yield from _ask(stage, _word(stage), lead, HURRY_SECONDS)


def _ask(stage: Stage, question: Question, lead: str, within: float | None = None) -> Steps:
    """Natively where the demo asks by itself, else through the host's tool, where there is one."""
    if not stage.native and not stage.has_tool(ASK):
        yield from say(f"{LABEL}I would ask you something, but questions do not reach you here.")
        return
    yield from say(f"{LABEL}{lead}")
    yield MessageEnd()
    if stage.native:
        (values,) = yield Together((AskPerson(question),), within)
        yield from say(_taken(_said_back(question, values)))
    else:
        args = question.model_dump(mode="json", exclude_none=True, exclude={"question_id"})
        (answer,) = yield Together((CallTool(stage.next_id(), ASK, args),), within)
        # What the host tells a model is shown as it is: this is what the variant with host tools is for.
        yield from say(_taken(f"The host told me:\n\n{fenced(answer.text)}" if answer else None))


def _said_back(question: Question, values: Mapping[str, Any] | None) -> str | None:
    if not values:
        return None
    if isinstance(checked(question, values), str):  # typed words that are no field's value come as the first one's
        return f"You did not pick from the card but typed {quoted(str(next(iter(values.values()))), 300)}."
    answers = [(field.label, _words_for(field, values)) for field in question.fields if field.id in values]
    if len(question.fields) == 1:
        return f"You answered {answers[0][1]}."
    return "You answered:\n\n" + "\n".join(f"- {label} {words}" for label, words in answers)


def _words_for(field: QuestionField, values: Mapping[str, Any]) -> str:
    return quoted(words_of(Question(question_id="", fields=(field,)), values), 300)


def _taken(answer: str | None) -> str:
    return answer or "I got no answer, so I go on without one. A real assistant would say now what it assumed."


# ---- permissions ---------------------------------------------------------------------------------------------------


def _note(stage: Stage, text: str) -> AskPermission:
    return AskPermission(stage.next_id(), "write_note", {"text": text}, (ALLOW, DO_NOT_ALLOW), ALLOW)


def write_a_note(stage: Stage, _words: str) -> Steps:
    """A tool of the demo's own that asks before it runs, and then does nothing."""
    yield from say(f"{LABEL}I want to write a pretended note. That needs your yes, unless you said Always before.")
    yield MessageEnd()
    if (yield _note(stage, "Buy bread")):
        yield from say("Done: the note is written, or would be if I weren't a demo.")
    else:
        yield from say("There was no yes, so nothing was written.")


def write_two_notes(stage: Stage, _words: str) -> Steps:
    """Two calls at once, as models make them: each is decided by itself."""
    yield from say(f"{LABEL}I want to write two pretended notes at once. You decide about each.")
    yield MessageEnd()
    allowed = yield Together((_note(stage, "Buy bread"), _note(stage, "Water the plants")))
    yield from say(_written(allowed))


def _written(allowed: Sequence[bool]) -> str:
    match sum(allowed):
        case 0:
            return "There was no yes, so nothing was written."
        case 1:
            return "One note is written, or would be if I weren't a demo. The other is not."
    return "Done: both notes are written, or would be if I weren't a demo."


def write_anyway(stage: Stage, _words: str) -> Steps:
    """In plan mode, try what changes something: the refusal comes from the host, and no person is bothered."""
    if stage.turn.mode is not Mode.PLAN:
        yield from say(f"{LABEL}this shows what plan mode refuses. Send \u2060/plan first, and then this again.")
        return
    yield from say(f"{LABEL}plan mode is on, and I try to write a note all the same.")
    yield MessageEnd()
    if (yield _note(stage, "Buy bread")):
        yield from say("It was let through, so plan mode must have ended meanwhile.")
    else:
        yield from say("It was refused and nothing was written: in plan mode nothing changes before you say Start.")


_asks = partial(journey, Group.QUESTIONS, beyond_words=True)

ASKING: tuple[Journey, ...] = (
    _asks(
        "Ask me something",
        "a question with buttons; your own words count too",
        r"\bask me\b(?!.*\b(several|many|more|hurry|quick\w*)\b)",
        ask_me,
    ),
    _asks(
        "Ask me several things",
        "what you like, a day, a time, a number",
        r"\bask me\b.*\b(several|many|more)\b",
        ask_several,
    ),
    _asks(
        "Ask me in a hurry",
        "a question that waits half a minute",
        r"\bask me\b.*\b(hurry|quick\w*)\b",
        ask_in_a_hurry,
    ),
    _asks(
        "Write a note",
        "Allow it, once or always, or don't",
        r"\b(write|take|make)\b.*\bnote\b(?!.*\banyway\b)",
        write_a_note,
        changes_something=True,
    ),
    _asks(
        "Write two notes at once",
        "two such questions side by side",
        r"\b(write|take|make)\b.*\btwo notes\b",
        write_two_notes,
        changes_something=True,
    ),
)

REFUSED: Journey = journey(
    Group.PLANS,
    "Write a note anyway",
    "after \u2060/plan: what is refused there",
    r"\bnote\b.*\banyway\b",
    write_anyway,
    beyond_words=True,
)
