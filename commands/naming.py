"""What a command's name may look like and when two spellings are one name. Nothing here knows a command."""

import unicodedata

MAX_NAME = 64
"""Longest name a person may type after the slash, in characters; Conch's own stay within 32."""


def fold_name(typed: str) -> str:
    """The one spelling that stands for every way of typing this name.

    Lower-cased and composed (NFC): a Mac keeps the file name `café.md` decomposed, a phone types it composed.
    """
    return unicodedata.normalize("NFC", typed.lower())


def is_name(text: str) -> bool:
    """Whether a person could type this after a slash: 1 to 64 letters, digits, `_`, `?` or `-` of any script."""
    return 0 < len(text) <= MAX_NAME and all(map(_may_stand_in_a_name, text))


def _may_stand_in_a_name(character: str) -> bool:
    # Marks count as part of their letter: without them no word of Hindi, Thai or Tamil that has a vowel sign would do.
    category = unicodedata.category(character)
    return category[0] in "LM" or category == "Nd" or character in "_?-"
