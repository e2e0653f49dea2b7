"""What the demo has stand under an answer: a card that turns a skill on, and what may be sent next."""

from typing import Final

from core.engines.base import ToolAnswer
from core.engines.demo.quoting import literal, quoted
from core.engines.demo.stage import LABEL, Group, Journey, Stage, journey, say
from core.engines.script import CallTool, Steps

OFFER: Final = "offer"
SUGGEST: Final = "suggest_replies"

SKILLS: Final = ("meeting-notes", "trip-planner")
"""Ids of skills that Conch brings; the first that can be offered is."""

NEXT: Final = ("Draw me a picture", "Make a plan", "What can you do?")


def offer_a_skill(stage: Stage, _words: str) -> Steps:
    """A card with the skill; once that is taken, or where a message calls a skill by its name, the skill is there."""
    if stage.skill is not None:
        yield from say(
            f"{LABEL}I was given the skill {quoted(stage.skill)} with your words. A real assistant would follow it now."
        )
    elif stage.has_tool(OFFER):
        yield from _offer(stage)
    else:
        yield from say(f"{LABEL}I would offer you a skill, but there is none here that you could turn on.")


def _offer(stage: Stage) -> Steps:
    answer = ToolAnswer("", failed=True)
    for skill in SKILLS:
        args = {"kind": "skill", "target": skill, "why": "So that you see how a skill is turned on"}
        answer = yield CallTool(stage.next_id(), OFFER, args)
        if not answer.failed:
            yield from say(
                f"{LABEL}a skill would help with this, so a card for it stands under this answer. Turn it on, and I go"
                " on by myself."
            )
            return
    yield from say(f"{LABEL}I wanted to offer you a skill, but the host told me: {literal(answer.text)}")


def suggest_next(stage: Stage, _words: str) -> Steps:
    """Three buttons that send words."""
    if not stage.has_tool(SUGGEST):
        yield from say(f"{LABEL}I would suggest what to send next, but suggestions do not reach you here.")
        return
    yield CallTool(stage.next_id(), SUGGEST, {"replies": list(NEXT)})
    yield from say(
        f"{LABEL}I suggest three things to send next, as buttons under this answer. A tap sends just these words, and"
        " whatever comes next takes them away. In groups, and once a chat has read something from outside, there are"
        " none."
    )


OFFERING: tuple[Journey, ...] = (
    journey(
        Group.APPS,
        "Offer me a skill",
        "turn it on with a tap, and the answer goes on",
        r"\b(offer|use|turn on)\b.*\bskill\b",
        offer_a_skill,
        beyond_words=True,
    ),
    journey(
        Group.ANSWERS,
        "Suggest what to send next",
        "buttons that send words for you",
        r"\bsuggest\b",
        suggest_next,
        beyond_words=True,
    ),
)
