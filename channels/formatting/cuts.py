"""Where a line that is too long for a part is cut: after a sentence, at a space, between two characters at the last."""

import re
import unicodedata

SENTENCE = re.compile(r"[.!?…]['\")\]”’»]*(?=\s)|[。！？]['\")\]”’»」』]*")
SPACE = re.compile(r"\s+")
LONGEST_WORD = 40
ZERO_WIDTH_JOINER = "\u200d"


def cut_at(text: str, most: int, *, code: bool = False) -> int:
    """How many characters to take, from 1 to `most`, which is at least 1.

    A sentence ends a part only where that fills half of it. Code has no sentences.
    """
    if most >= len(text):
        return len(text)
    if not code:
        ends = [match.end() for match in SENTENCE.finditer(text, most // 2, most + 1)]
        if ends and ends[-1] <= most:
            return ends[-1]
    return last_space(text, most) or last_character(text, most)


def last_space(text: str, most: int) -> int:
    """The last space that has words before it, 0 without one."""
    for position in range(most, 0, -1):
        if text[position].isspace():
            return position if text[:position].strip() else 0
    return 0


def last_character(text: str, most: int) -> int:
    """The last place up to `most` that is not inside what a reader sees as one character; `most` where all are."""
    for position in range(most, max(0, most - 64), -1):
        if not joined(text, position):
            return position
    return most


def joined(text: str, position: int) -> bool:
    """Whether the characters on both sides of `position` are drawn as one.

    The rules of Unicode's annex 29 that matter for what people write: marks, joiners, skin tones, flags.
    """
    before, following = text[position - 1], text[position]
    if ZERO_WIDTH_JOINER in (before, following) or unicodedata.category(following).startswith("M"):
        return True
    if "\U0001f3fb" <= following <= "\U0001f3ff" or "\U000e0020" <= following <= "\U000e007f":
        return True
    return is_flag_half(before) and is_flag_half(following) and flag_halves(text, position) % 2 == 1


def is_flag_half(character: str) -> bool:
    """A regional indicator; two of them are a flag."""
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def flag_halves(text: str, position: int) -> int:
    """How many regional indicators stand right before `position`."""
    start = position
    while start and is_flag_half(text[start - 1]):
        start -= 1
    return position - start


def next_word(text: str, position: int) -> int:
    """The start of the first whole word from `position` on; where that is far away, the next character's start."""
    if found := SPACE.search(text, position, position + LONGEST_WORD):
        return found.end()
    while 0 < position < len(text) and joined(text, position):
        position += 1
    return position
