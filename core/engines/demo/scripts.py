"""What the demo says and makes, one script for each journey. Plans and failures have modules of their own."""

from collections.abc import Sequence
from pathlib import Path

from core.cards import Choice, ChoiceField, Question
from core.engines.base import FileMade, MessageEnd, Text, Thought
from core.engines.demo.making import csv_table, shell_picture
from core.engines.demo.notebook import SUMMARY_LENGTH
from core.engines.demo.quoting import fenced, literal, quoted
from core.engines.demo.stage import LABEL, Stage, say
from core.engines.script import AskPermission, AskPerson, CallTool, Steps, Wait
from core.events import Attachment

LONG_ANSWER = Path(__file__).with_name("long_answer.md").read_text(encoding="utf-8")

NAMED = 3
"""Journeys that are named where there is no script for what was said."""

SLOW_WORDS = (
    "this is a slow answer, so that there is time to try what can be done while one is running: stop it, send more"
    " and see that it comes after, close the window and come back, or only watch the words come in one by one."
)
SLOW_SECONDS = 0.5
"""Between two words: the whole takes about 20 seconds."""

ALLOW, DO_NOT_ALLOW = "Allow", "Don't allow"

ASK = "ask"

PRETENDED_NOTES = (
    "The train from Rome arrives at 14:05",
    "The plants want water on Sundays",
    "The spare key lies under the blue pot",
)


def no_script(stage: Stage) -> Steps:
    """Say in two sentences what this is, what was understood, three things to type and the way to a real engine."""
    what = quoted(stage.turn.text) if stage.turn.text.strip() else "a message without words"
    first, second, third = (f"“{each.sentence}”" for each in stage.journeys[:NAMED])
    yield from say(
        f"{LABEL}this is Conch's built-in demo, which only plays scripts and has none for {what}. "
        f"Type {first}, {second} or {third} to see something, or, for a real assistant, {stage.hint}."
    )


def list_journeys(stage: Stage, _words: str) -> Steps:
    """Every journey in one line."""
    lines = "\n".join(f"- {each.sentence} — {each.shows}" for each in stage.journeys)
    yield from say(
        f"{LABEL}I play scripts, to show how Conch works. Type one of these:\n\n{lines}\n\n"
        f"For a real assistant, {stage.hint}."
    )


def long_answer(_stage: Stage, _words: str) -> Steps:
    """More than any chat app but Slack takes in one message, after a thought that must not be shown."""
    yield Thought("A thought is not for the chat; it must not show up there.")
    yield from say(f"{LABEL}a long answer, to show how it arrives.\n\n{LONG_ANSWER}")


def slow_answer(_stage: Stage, _words: str) -> Steps:
    """A word every half second."""
    yield Text(LABEL)
    for word in SLOW_WORDS.split():
        yield Wait(SLOW_SECONDS)
        yield Text(f"{word} ")


def make_a_file(stage: Stage, _words: str) -> Steps:
    """The journeys as CSV."""
    yield from say(f"{LABEL}here is a table of what I can do, made just now.")
    rows = [(each.sentence, each.shows) for each in stage.journeys]
    yield FileMade("journeys.csv", "text/csv", csv_table(("Sentence", "What it shows"), rows), "What the demo can do")


def draw_a_picture(_stage: Stage, _words: str) -> Steps:
    """A PNG."""
    yield from say(f"{LABEL}here is a shell, drawn just now.")
    yield FileMade("shell.png", "image/png", shell_picture(), "A shell")


def echo(stage: Stage, words: str) -> Steps:
    """The words exactly, up to 2,000 characters, and the names, types and sizes of what came with them."""
    said = f"you said:\n\n{fenced(words)}" if words.strip() else "you said nothing in words."
    yield from say(f"{LABEL}{said}{_files_named(stage.turn.attachments)}")


def _files_named(attachments: Sequence[Attachment]) -> str:
    if not attachments:
        return ""
    lines = "\n".join(f"- {quoted(file.name)} ({literal(file.mime)}, {file.size:,} bytes)" for file in attachments)
    return f"\n\nWith it came {'a file' if len(attachments) == 1 else f'{len(attachments)} files'}:\n\n{lines}"


def remember(stage: Stage, words: str) -> Steps:
    """Write it into the notebook."""
    stage.notebook.remember(words)
    yield from say(f"{LABEL}I'll remember {quoted(words)}, also after a restart. Ask me “What did I tell you?”")


def recall(stage: Stage, _words: str) -> Steps:
    """Read it from the notebook."""
    notebook = stage.notebook
    if not (notebook.facts or notebook.summary):
        yield from say(f"{LABEL}you told me nothing yet. Try “Remember that tea is at four”.")
        return
    summed_up = [f"- summed up: {quoted(notebook.summary, SUMMARY_LENGTH)}"] if notebook.summary else []
    lines = "\n".join([*summed_up, *(f"- {quoted(fact, 300)}" for fact in notebook.facts)])
    yield from say(f"{LABEL}you told me:\n\n{lines}")


def fill_up(stage: Stage, _words: str) -> Steps:
    """Notes of its own as if they had been told in turns of their own, and then the fold that a full chat gets."""
    for note in PRETENDED_NOTES:
        stage.notebook.remember(note)
    stage.notebook.turns += len(PRETENDED_NOTES)
    if folded := stage.notebook.fold():
        yield folded
    yield from say(
        f"{LABEL}I filled this chat up with {len(PRETENDED_NOTES)} pretended notes, and what came before this message "
        "was summed up, as a real model's is when a chat grows too long. Nothing is lost: ask me “What did I tell you?”"
    )


def write_a_note(stage: Stage, _words: str) -> Steps:
    """A tool of the demo's own that asks before it runs, and then does nothing."""
    yield from say(f"{LABEL}I'd like to pretend to write a note, and ask before I do.")
    yield MessageEnd()
    args = {"text": "A pretended note"}
    if (yield AskPermission(stage.next_id(), "write_note", args, (ALLOW, DO_NOT_ALLOW), ALLOW)):
        yield from say("Done: the note is written, or would be if I weren't a demo.")
    else:
        yield from say("There was no yes, so nothing was written.")


def ask_me(stage: Stage, _words: str) -> Steps:
    """A question: the demo's own where it asks natively, else through the host's tool, where there is one."""
    choices = tuple(Choice(id=word.lower(), label=word) for word in ("Tea", "Coffee", "Water"))
    field = ChoiceField(id="drink", label="What may I bring you?", options=choices, other=True)
    if stage.native:
        yield from say(f"{LABEL}a question, and I wait for your answer.")
        yield MessageEnd()
        values = yield AskPerson(Question(question_id=stage.next_id(), title="A pretended order", fields=(field,)))
        answer = None if values is None else ", ".join(str(value) for value in values.values())
        yield from say(f"You chose {quoted(answer)}." if answer else "You skipped it, so I take it that water is fine.")
    elif stage.has_tool(ASK):
        yield from say(f"{LABEL}a question, and I wait for your answer.")
        yield MessageEnd()
        answered = yield CallTool(stage.next_id(), ASK, {"fields": [field.model_dump(mode="json", exclude_none=True)]})
        yield from say(f"I was told: {quoted(answered.text, 300)}.")
    else:
        yield from say(f"{LABEL}I would ask you something, but questions do not reach you here.")
