"""Discord's Markdown as a person reads it: without the signs.

Belongs here: taking signs off a text and naming whom it names. What an adapter writes is judged by what is left.
Bold, italics, underline, strike-out, spoilers, code, masked links, headings, small print, quotes, timestamps.
"""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

_ASIDE = re.compile(
    r"\\(?P<sign>[^\sA-Za-z0-9])"
    r"|```(?:[a-zA-Z0-9_+-]*\n)?(?P<block>.*?)\n?```"
    r"|(?P<ticks>`{1,2})(?!`)(?P<code>.+?)(?<!`)(?P=ticks)(?!`)",
    re.DOTALL,
)
"""Whatever comes first: a sign that is to be none, or code, in which nothing is a sign."""
_LINK = re.compile(r"\[([^\]\n]+)\]\(<?(https?://[^\s)>]+)>?(?: \"[^\"]*\")?\)")
_BARE = re.compile(r"<(https?://[^\s>]+)>")
_ADDRESS = re.compile(r"https?://[^\s<]+?(?=\*\*|[\s<]|\Z)")
"""What is bold around an address ends behind it."""
_PERSON = re.compile(r"<@!?(\d+)>")
_CHANNEL = re.compile(r"<#(\d+)>")
_COMMAND = re.compile(r"</([^:>]+):\d+>")
_EMOJI = re.compile(r"<a?(:\w+:)\d+>")
_TIME = re.compile(r"<t:(-?\d+)(?::[tTdDfFR])?>")
_LINE = re.compile(r"^(?:#{1,3} +|-# +|>>> ?|> )(?=\S)", re.MULTILINE)
_PAIRS = (
    re.compile(r"\*\*\*(?=\S)(.+?)(?<=\S)\*\*\*", re.DOTALL),
    re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*", re.DOTALL),
    re.compile(r"__(?=\S)(.+?)(?<=\S)__", re.DOTALL),
    re.compile(r"~~(?=\S)(.+?)(?<=\S)~~", re.DOTALL),
    re.compile(r"\|\|(.+?)\|\|", re.DOTALL),
    re.compile(r"\*(?=\S)([^*]+?)(?<=\S)\*", re.DOTALL),
    re.compile(r"(?<!\w)_(?=\S)(.+?)(?<=\S)_(?!\w)", re.DOTALL),
)

_SHELF = 0xE000
"""Signs that stand for something put aside while the rest is read; Discord's text never has them."""


def plain(text: str, names: Mapping[str, str] | None = None) -> str:
    """What a person reads; `names` are of people and channels, by id."""
    aside: list[str] = []

    def put_aside(words: str) -> str:
        aside.append(words)
        return chr(_SHELF + len(aside) - 1)

    text = _ASIDE.sub(lambda m: put_aside(_as_it_is(m)), text)
    text = _named(text, names or {}, put_aside)
    text = _ADDRESS.sub(lambda m: put_aside(m[0]), text)
    text = _LINE.sub("", text)
    for pair in _PAIRS:
        text = pair.sub(lambda m: m[1], text)
    for place in range(len(aside) - 1, -1, -1):
        text = text.replace(chr(_SHELF + place), aside[place])
    return text


def _as_it_is(found: re.Match[str]) -> str:
    if found["ticks"] == "``":
        return found["code"].strip()
    return found["sign"] or found["code"] or found["block"] or ""


def named(text: str, names: Mapping[str, str]) -> str:
    """The same text with its signs, people and channels by name; what a phone draws from."""
    text = _PERSON.sub(lambda m: f"@{names.get(m[1], 'unknown-user')}", text)
    text = _CHANNEL.sub(lambda m: f"#{names.get(m[1], 'unknown')}", text)
    text = _COMMAND.sub(lambda m: f"`/{m[1]}`", text)
    text = _EMOJI.sub(lambda m: m[1], text)
    return _TIME.sub(lambda m: _moment(int(m[1])), text)


def _named(text: str, names: Mapping[str, str], put_aside: Callable[[str], str]) -> str:
    text = _LINK.sub(lambda m: m[1], text)
    text = _BARE.sub(lambda m: put_aside(m[1]), text)
    text = _PERSON.sub(lambda m: put_aside(f"@{names.get(m[1], 'unknown-user')}"), text)
    text = _CHANNEL.sub(lambda m: put_aside(f"#{names.get(m[1], 'unknown')}"), text)
    text = _COMMAND.sub(lambda m: put_aside(f"/{m[1]}"), text)
    text = _EMOJI.sub(lambda m: put_aside(m[1]), text)
    return _TIME.sub(lambda m: put_aside(_moment(int(m[1]))), text)


def _moment(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%d %B %Y %H:%M")
