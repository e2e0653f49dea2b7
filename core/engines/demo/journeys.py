"""What the demo can do, sentence by sentence, and which script a message leads to."""

import re
from collections.abc import Sequence
from dataclasses import replace

from core.engines.base import MessageEnd
from core.engines.demo import scripts
from core.engines.demo.failures import FAILURES
from core.engines.demo.planning import make_a_plan
from core.engines.demo.stage import Journey, Stage, journey
from core.engines.script import Steps
from core.events import Mode

SHORT = 200
"""Characters of a message in which a cue is looked for anywhere."""

ASK_THE_OWNER = "ask whoever runs this bot"

SEVERAL = 5
"""Messages that came while an answer was running arrive as one: up to this many sentences are played in turn."""


def script(stage: Stage) -> Steps:
    """The steps for a turn."""
    turn = stage.turn
    if turn.words_only:
        stage = _in_words(stage)
    paragraphs = turn.text.strip().split("\n\n", SEVERAL)
    heard = [find(stage.journeys, words) for words in paragraphs]
    known = [found for found in heard if found is not None]
    if len(known) != len(heard) or len(heard) > SEVERAL:
        whole = find(stage.journeys, turn.text)
        known = [whole] if whole else []
    if turn.mode is Mode.PLAN and (not known or any(each.changes_something for each, _ in known)):
        return make_a_plan(stage, turn.text)
    if not known:
        return scripts.echo(stage, turn.text) if turn.attachments else scripts.no_script(stage)
    return _one_after_the_other(stage, known)


def _in_words(stage: Stage) -> Stage:
    """The stage for somebody who gets words only, and does not hear what there is on this machine."""
    journeys = tuple(each for each in stage.journeys if not each.beyond_words)
    return replace(stage, journeys=journeys, hint=ASK_THE_OWNER)


def find(journeys: Sequence[Journey], words: str) -> tuple[Journey, str] | None:
    """The journey and its words; one that takes words goes first, as those may hold the cue of another."""
    for each in journeys:
        if each.takes_words and (found := each.cue.match(words)):
            return each, found["words"].strip()
    if len(words) <= SHORT:
        for each in journeys:
            if not each.takes_words and each.cue.search(words):
                return each, words
    return None


def _one_after_the_other(stage: Stage, journeys: Sequence[tuple[Journey, str]]) -> Steps:
    for number, (each, words) in enumerate(journeys):
        if number:
            yield MessageEnd()
        yield from each.play(stage, words)


JOURNEYS: tuple[Journey, ...] = (
    journey(
        "What can you do?",
        "this list",
        r"\bwhat (can|could|do) you do\b|^(help|menu)\b|\b(your )?journeys\b",
        scripts.list_journeys,
    ),
    journey(
        "Show me a long answer with code",
        "headings, a list, a table and code, long enough to come in parts",
        r"\blong\b.*\b(answer|reply|message|text)\b",
        scripts.long_answer,
    ),
    journey(
        "Give me a slow answer",
        "a word now and then for about 20 seconds: stop it, or send more meanwhile",
        r"\bslow(ly)?\b",
        scripts.slow_answer,
    ),
    journey(
        "Make me a file",
        "a small table as a file",
        r"\b(make|send|give|create)\b.*\b(file|csv|table|spreadsheet)\b",
        scripts.make_a_file,
        beyond_words=True,
    ),
    journey(
        "Draw me a picture",
        "a small picture as a file",
        r"\b(draw|paint|make|send|show|create)\b.*\b(picture|image|drawing|shell|png)\b",
        scripts.draw_a_picture,
        beyond_words=True,
    ),
    journey(
        "Echo hello",
        "your own words, and the files you send along by name",
        r"\s*(please\s+)?echo\b(\s+this\b)?[\s:,]*(?P<words>.*)",
        scripts.echo,
        takes_words=True,
    ),
    journey(
        "Remember that tea is at four",
        "something kept in the conversation, also after a restart",
        r"\s*(please\s+)?remember\b(\s+that\b)?[\s:,]*(?P<words>\S.*)",
        scripts.remember,
        takes_words=True,
    ),
    journey(
        "What did I tell you?",
        "what was kept",
        r"\bwhat (did i (tell|say)|have i told|do you (remember|know))\b",
        scripts.recall,
    ),
    journey(
        "Fill this chat up",
        "a chat that has grown too long and is summed up by itself; /compact does it when you ask",
        r"\bfill\b.*\b(chat|conversation|memory|context)\b",
        scripts.fill_up,
        beyond_words=True,
    ),
    journey(
        "Make a plan",
        "a plan that is worked through in sight; in plan mode it asks you first",
        r"\b(make|show|write|have)\b.*\bplan\b|^plan\b",
        make_a_plan,
        beyond_words=True,
    ),
    journey(
        "Write a note",
        "a tool that asks before it runs",
        r"\b(write|take|make)\b.*\bnote\b",
        scripts.write_a_note,
        changes_something=True,
        beyond_words=True,
        asks=True,
    ),
    journey(
        "Ask me something",
        "a question that waits for your answer",
        r"\bask me\b",
        scripts.ask_me,
        beyond_words=True,
        asks=True,
    ),
    *FAILURES,
)

WITHOUT_ASKING = tuple(each for each in JOURNEYS if not each.asks)
"""What there is to see where nobody can be asked."""

_OTHERS = re.compile(
    r"^(?:In reply to what [^\n]* wrote|Forwarded from [^\n]*):\n(?:>[^\n]*(?:\n|$))+\s*", re.MULTILINE
)


def own_words(text: str) -> str:
    """A message without what it quotes or forwards: a cue in somebody else's words starts nothing.

    A message of nothing else stays as it is.
    """
    return _OTHERS.sub("", text).strip() or text
