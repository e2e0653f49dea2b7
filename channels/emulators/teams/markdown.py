"""What Teams makes of a bot's Markdown, as plain words.

Belongs here: the part of Markdown that every client shows (bots/how-to/format-your-bot-messages for messages,
adaptive-cards/authoring-cards/text-features for cards). Signs that stand for nothing stay, since a person sees them. A
lone line break is a space, as in all Markdown.
"""

import re
from html import unescape

_FENCE = re.compile(r"^```[^\n]*\n(.*?)\n?```[ \t]*$", re.M | re.S)
_CODE = re.compile(r"(`+)([^`\n](?:.*?[^`\n])?)\1(?!`)")
_LINK = re.compile(r"!?\[([^\]\n]*)\]\(<?([^)\s]+?)>?(?:\s+\"[^\"]*\")?\)")
_AT = re.compile(r"<at>(.*?)</at>")
_BREAK = re.compile(r"<br\s*/?>|(?<=\S)(?: {2,}|\\)\n", re.I)
_HEADING = re.compile(r"^#{1,6}[ \t]+", re.M)
_QUOTE = re.compile(r"^[ \t]*>[ \t]?", re.M)
_BULLET = re.compile(r"^([ \t]*)[*+-][ \t]+", re.M)
_SOFT = re.compile(r"(?<=[^\n\ue002])\n(?![\n\ue002]|[ \t]*(?:[*+-]|\d+[.)])[ \t])")
_STYLES = (
    re.compile(r"(?<![\w*])\*\*\*(?=\S)(.+?)(?<=\S)\*\*\*", re.S),
    re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*", re.S),
    re.compile(r"~~(?=\S)(.+?)(?<=\S)~~", re.S),
    re.compile(r"(?<!\w)__(?=\S)(.+?)(?<=\S)__(?!\w)", re.S),
    re.compile(r"(?<!\*)\*(?=[^\s*])([^*\n]+?)(?<=\S)\*(?!\*)"),
    re.compile(r"(?<!\w)_(?=\S)([^_\n]+?)(?<=\S)_(?!\w)"),
)
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_KEPT = re.compile("\ue000(\\d+)\ue001")
_LINES = re.compile(r"[ \t]*\n\s*")
_HARD = "\ue002"


def plain(text: str) -> str:
    """A message's words as they stand on the screen, a line for each paragraph."""
    kept = _Kept()
    text = _FENCE.sub(lambda match: _HARD + kept.keep(match[1]) + _HARD, text.replace("\r\n", "\n"))
    text = _CODE.sub(lambda match: kept.keep(match[2]), text)
    text = _ESCAPED.sub(lambda match: kept.keep(match[1]), text)
    text = _broken(_BREAK.sub(_HARD, _QUOTE.sub("", text)))
    return _styled(_HEADING.sub("", text), kept)


def card_plain(text: str) -> str:
    """The same for text in a card, which knows neither code nor headings nor quotes."""
    kept = _Kept()
    text = _ESCAPED.sub(lambda match: kept.keep(match[1]), text.replace("\r\n", "\n").replace("\r", "\n"))
    return _styled(_broken(_BREAK.sub(_HARD, text)), kept)


class _Kept:
    """Words that no rule may touch any more."""

    def __init__(self) -> None:
        self._words: list[str] = []

    def keep(self, words: str) -> str:
        self._words.append(words)
        return f"\ue000{len(self._words) - 1}\ue001"

    def back(self, text: str) -> str:
        while _KEPT.search(text):
            text = _KEPT.sub(lambda match: self._words[int(match[1])], text)
        return text


def _broken(text: str) -> str:
    return _SOFT.sub(" ", text).replace(_HARD, "\n")


def _styled(text: str, kept: _Kept) -> str:
    text = _LINK.sub(r"\1", _AT.sub(r"\1", text))
    text = _BULLET.sub(r"\1• ", text)
    for style in _STYLES:
        text = style.sub(r"\1", text)
    text = _LINES.sub("\n", unescape(text))
    return kept.back(text).replace("\u00a0", " ").strip()
