"""What the demo says and makes, a script for each journey. What it asks, plans and pretends has its own modules."""

from collections.abc import Sequence
from pathlib import Path

from core.engines.base import FileMade, Text, Thought
from core.engines.demo.making import csv_table, shell_picture
from core.engines.demo.notebook import SUMMARY_LENGTH
from core.engines.demo.quoting import fenced, literal, quoted
from core.engines.demo.stage import LABEL, Group, Journey, Stage, say
from core.engines.script import Steps, Wait
from core.events import Attachment

LONG_ANSWER = Path(__file__).with_name("long_answer.md").read_text(encoding="utf-8")

NAMED = 3
"""Journeys that are named where there is no script for what was said."""

FAILURES_SENTENCE = "What can go wrong?"

LISTED = tuple(group for group in Group if group not in (Group.FAILURES, Group.LISTS))

SLOW_WORDS = (
    "this is a slow answer, so that there is time to try what can be done while one is running: stop it, send more"
    " and see that it comes after, close the window and come back, or only watch the words come in one by one."
)
SLOW_SECONDS = 0.5
"""Between two words: the whole takes about 20 seconds."""

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
    """Every journey by group, one line each; the failures have a list of their own, so that this one fits a phone."""
    groups = "\n\n".join(
        f"**{group}**\n{_lines(journeys)}" for group in LISTED if (journeys := _of_group(stage, group))
    )
    yield from say(
        f"{LABEL}I play scripts, to show how Conch works. Type one of these:\n\n{groups}\n\n"
        f"“{FAILURES_SENTENCE}” lists the failures that I can pretend. For a real assistant, {stage.hint}."
    )


def list_failures(stage: Stage, _words: str) -> Steps:
    """The ways in which an answer can fail."""
    lines = _lines(_of_group(stage, Group.FAILURES))
    yield from say(f"{LABEL}I can pretend that an answer fails. Type one of these:\n\n{lines}")


def _of_group(stage: Stage, group: Group) -> Sequence[Journey]:
    return [each for each in stage.journeys if each.group is group]


def _lines(journeys: Sequence[Journey]) -> str:
    return "\n".join(f"- {each.sentence} — {each.shows}" for each in journeys)


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
