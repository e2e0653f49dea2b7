"""A person's own words inside an answer: short, and never read as markup. What is said around them is the scripts'."""

import re

_MARKUP = re.compile(r"([\\`*_\[\]<>~|&#])")
_BACKTICKS = re.compile(r"`+")


def shortened(text: str, limit: int) -> str:
    """At most `limit` characters of the text, the cut marked."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def literal(text: str) -> str:
    """Markdown that shows the text as it is, in the middle of a line."""
    return _MARKUP.sub(r"\\\1", text)


def quoted(text: str, limit: int = 80) -> str:
    """The words on one line in quotation marks, as Markdown that shows them as they were typed."""
    # A message may be a megabyte: nothing past what could be shown is looked at.
    words = " ".join(text[: limit * 10].split())
    return f"“{literal(shortened(words, limit))}”"


def fenced(text: str, limit: int = 2_000) -> str:
    """The words as a block of Markdown that shows them exactly, line breaks and all."""
    words = shortened(text, limit)
    longest = max((len(run) for run in _BACKTICKS.findall(words)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{words}\n{fence}"
