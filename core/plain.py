"""Words from outside as plain text for a card: no control characters, no turned direction, no more than fits.

Pure. How an app's markup is kept out of them is each drawing's own business.
"""

import re
from typing import Final

_SPACES: Final = re.compile(r"\s+")
_UNSEEN: Final = re.compile("[\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u061c\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\uffff]")
"""Control characters, what turns the direction of the text after it, what takes no room; joiners stay, for emoji."""
_HALVES: Final = re.compile("[\ud800-\udfff]")

_LOOKED_AT: Final = 4
"""Times the characters wanted are looked at: a text of any size costs no more."""


def plain(text: str, most: int) -> str:
    """The text as one line of at most `most` characters; what is cut ends in “…”."""
    looked_at = text[: most * _LOOKED_AT]
    line = " ".join(_UNSEEN.sub("", _HALVES.sub("\ufffd", _SPACES.sub(" ", looked_at))).split())
    if len(line) <= most and len(looked_at) == len(text):
        return line
    return f"{line[: most - 1].rstrip()}…"
