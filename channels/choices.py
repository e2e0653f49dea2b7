"""Typed replies to what has buttons: the word or number that picks one, and how buttons are said where an app has none.

Pure. What is remembered of a chat's choices is stored with them (cards, actions); here is only what words mean.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from channels.base import Button, ButtonStyle, Capabilities
from channels.formatting.parts import literal
from core.typed_answers import FULL_WIDTH

LONGEST_REPLY: Final = 40
"""Characters of a reply that may pick a choice, normalised; what is longer was written as a message."""

MOST: Final = 9
"""Choices that a one-digit number can pick."""

YES: Final = frozenset({"yes", "y", "ok", "okay", "sure", "allow", "go", "go ahead"})
NO: Final = frozenset({"no", "n", "nope", "don't", "deny"})
THUMB_UP: Final = "\N{THUMBS UP SIGN}"
THUMB_DOWN: Final = "\N{THUMBS DOWN SIGN}"

_SHADE: Final = re.compile("[\ufe0f\U0001f3fb-\U0001f3ff]")
"""A thumb's colour, and the mark that asks for it in colour."""
_APOSTROPHES: Final = str.maketrans({"‘": "'", "’": "'", "ʼ": "'", "−": "-"})
_MEANT: Final = re.compile(r"[^\W_]|'|[+#<>=%$€£¥]|-(?=[.,]?\d)|(?<=\d)[.,:/](?=\d)")
"""What tells words apart that are the same once normalised: C++ and C, 1.5 and 15, -1 and 1."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What can be picked: a button's label and look."""

    label: str
    style: ButtonStyle = ButtonStyle.PLAIN


def picked(words: str, choices: Sequence[Choice], *, numbered: bool = True) -> int | None:
    """The place of the choice that these words pick; None: they are an ordinary message.

    `numbered`: the person was shown numbers, or could count the buttons. A yes picks only the primary choice, a no only
    the dangerous one, so that neither ever takes a lone Undo. A sign that changes the meaning counts: “-1” is no 1, and
    “C++” is not the choice “C”.
    """
    if words.lstrip().startswith("/"):
        return None
    sign = _SHADE.sub("", words.strip())
    if sign in (THUMB_UP, THUMB_DOWN):
        return _styled(choices, ButtonStyle.PRIMARY if sign == THUMB_UP else ButtonStyle.DANGER)
    reply = normalised(words)
    if not 1 <= len(reply) <= LONGEST_REPLY:
        return None
    meant = _meant(words)
    if numbered and len(reply) == 1 and reply in "123456789" and meant.removeprefix("#") == reply:
        return int(reply) - 1 if int(reply) <= len(choices) else None
    for place, choice in enumerate(choices):
        if reply == normalised(choice.label) and meant == _meant(choice.label):
            return place
    if reply in YES:
        return _styled(choices, ButtonStyle.PRIMARY)
    return _styled(choices, ButtonStyle.DANGER) if reply in NO else None


def normalised(words: str) -> str:
    """Letters, digits, apostrophes and single spaces, in lower case."""
    straight = _straight(words)
    return " ".join("".join(one if one.isalnum() or one == "'" else _gap(one) for one in straight).split())


def _meant(text: str) -> str:
    return "".join(_MEANT.findall(_straight(text)))


def _straight(text: str) -> str:
    """In lower case and as a plain keyboard writes it: a full-width 1 is a 1."""
    return text.translate(FULL_WIDTH).lower().translate(_APOSTROPHES)


def _gap(one: str) -> str:
    return " " if one.isspace() else ""


def _styled(choices: Sequence[Choice], style: ButtonStyle) -> int | None:
    return next((place for place, choice in enumerate(choices) if choice.style is style), None)


# ---- where an app has no buttons -----------------------------------------------------------------------------------


def has_buttons(capabilities: Capabilities) -> bool:
    """Whether an app has buttons; where it has none, choices are numbered in the text."""
    return capabilities.button_limit > 0


def room_for(capabilities: Capabilities) -> int:
    """How many choices can stand under one message."""
    return capabilities.button_limit or MOST


def in_words(markdown: str, buttons: Sequence[Button]) -> str:
    """A message whose buttons the app cannot show: they are said under it, with numbers."""
    return f"{markdown}\n\n{as_numbers([button.label for button in buttons])}" if buttons else markdown


def as_numbers(labels: Sequence[str], lead: str = "Reply with a number:") -> str:
    """Markdown that says what there is to pick, each on a line of its own, at most nine."""
    return "\n".join([lead, *(f"{number} {literal(label)}" for number, label in enumerate(labels[:MOST], start=1))])


def as_words(labels: Sequence[str], lead: str = "Or reply") -> str:
    """The same for what is picked by its words, because numbers are answers here."""
    *firsts, last = (f"“{literal(label)}”" for label in labels)
    return f"{lead} {', '.join(firsts)} or {last}." if firsts else f"{lead} {last}."
