"""What the demo can do, sentence by sentence, and which script a message leads to."""

import re
from collections.abc import Sequence
from dataclasses import replace

from core.engines.base import MessageEnd
from core.engines.demo import scripts
from core.engines.demo.asking import ASKING, REFUSED
from core.engines.demo.calendar import CALENDAR
from core.engines.demo.failures import FAILURES
from core.engines.demo.offering import OFFERING
from core.engines.demo.planning import PLANS, make_a_plan
from core.engines.demo.stage import Group, Journey, Stage, journey
from core.engines.script import Steps
from core.events import Mode
from core.skills.calling import FOR_THIS

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
        Group.LISTS,
        "What can you do?",
        "what there is to try",
        r"\bwhat (can|could|do) you do\b|^(help|menu)\b|\b(your )?journeys\b",
        scripts.list_journeys,
    ),
    journey(
        Group.ANSWERS,
        "Show me a long answer with code",
        "it comes in parts",
        r"\blong\b.*\b(answer|reply|message|text)\b",
        scripts.long_answer,
    ),
    journey(
        Group.ANSWERS,
        "Give me a slow answer",
        "20 seconds to stop it or to send more",
        r"\bslow(ly)?\b",
        scripts.slow_answer,
    ),
    journey(
        Group.ANSWERS,
        "Echo hello",
        "your words, and files by name",
        r"\s*(please\s+)?echo\b(\s+this\b)?[\s:,]*(?P<words>.*)",
        scripts.echo,
        takes_words=True,
    ),
    journey(
        Group.MEMORY,
        "Remember that tea is at four",
        "kept, also after a restart",
        r"\s*(please\s+)?remember\b(\s+that\b)?[\s:,]*(?P<words>\S.*)",
        scripts.remember,
        takes_words=True,
    ),
    journey(
        Group.MEMORY,
        "What did I tell you?",
        "what was kept",
        r"\bwhat (did i (tell|say)|have i told|do you (remember|know))\b",
        scripts.recall,
    ),
    journey(
        Group.MEMORY,
        "Fill this chat up",
        "a chat that is too long is summed up; \u2060/compact does it, too",
        r"\bfill\b.*\b(chat|conversation|memory|context)\b",
        scripts.fill_up,
        beyond_words=True,
    ),
    journey(
        Group.FILES,
        "Make me a file",
        "a small table",
        r"\b(make|send|give|create)\b.*\b(file|csv|table|spreadsheet)\b",
        scripts.make_a_file,
        beyond_words=True,
    ),
    journey(
        Group.FILES,
        "Draw me a picture",
        "a small one",
        r"\b(draw|paint|make|send|show|create)\b.*\b(picture|image|drawing|shell|png)\b",
        scripts.draw_a_picture,
        beyond_words=True,
    ),
    *ASKING,
    *PLANS,
    REFUSED,
    *CALENDAR,
    *OFFERING,
    journey(
        Group.LISTS,
        scripts.FAILURES_SENTENCE,
        "every way an answer can fail",
        r"\bgo(es)? wrong\b|\bfailures\b",
        scripts.list_failures,
    ),
    *FAILURES,
)

_CARRYING_ON = re.compile(r"\A[^\n]* Carry on with what they asked[^\n]*\n\n")
"""What stands before the person's words where the core lets an answer go on."""

_SKILL = re.compile(rf"\AFollow the skill “(?P<name>[^\n”]+)” now\..*?^{FOR_THIS}\n\n", re.DOTALL | re.MULTILINE)
"""And where the core puts a skill in front of them."""

_OTHERS = re.compile(
    r"^(?:In reply to what [^\n]* wrote|Forwarded from [^\n]*):\n(?:>[^\n]*(?:\n|$))+\s*", re.MULTILINE
)


def skill_in(text: str) -> str | None:
    """The name of the skill that a message is to be answered with."""
    found = _SKILL.match(text)
    return found["name"] if found else None


def own_words(text: str) -> str:
    """A message without what it quotes or forwards: a cue in somebody else's words starts nothing.

    A message of nothing else stays as it is.
    """
    text = _CARRYING_ON.sub("", _SKILL.sub("", text))
    return _OTHERS.sub("", text).strip() or text
