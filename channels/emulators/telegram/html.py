"""Telegram's HTML: the subset it reads, and its words where it refuses.

Belongs here: the grammar, tag by tag, as TDLib reads it (which Telegram's own Bot API server uses); a test holds it
against TDLib. What becomes of the text afterwards belongs to `text`.
"""

import re
from dataclasses import dataclass, field, replace
from typing import NoReturn

from channels.emulators.telegram.errors import bad_request
from channels.emulators.telegram.links import checked_link, mentioned_user
from channels.emulators.telegram.text import Entity, Formatted, ordered, units

STYLES = {
    "b": "bold",
    "strong": "bold",
    "i": "italic",
    "em": "italic",
    "u": "underline",
    "ins": "underline",
    "s": "strikethrough",
    "strike": "strikethrough",
    "del": "strikethrough",
    "tg-spoiler": "spoiler",
    "span": "spoiler",
}
TAGS = frozenset({*STYLES, "a", "pre", "code", "blockquote", "tg-emoji", "tg-time"})

_SPACE = b" \t\r\n\x00\x0b"
_PLAIN = re.compile(rb"[^<&]+")
_REFERENCE = re.compile(rb"&(?:#(?:x(?P<hex>[0-9a-fA-F]*)|(?P<dec>[0-9]*))|(?P<name>[a-zA-Z]*));?")
_NAMED = {b"lt": "<", b"gt": ">", b"amp": "&", b"quot": '"'}
_NAME_TOKEN = re.compile(rb"[a-zA-Z0-9.-]*")
_TAG_NAME = re.compile(rb"[^> \t\r\n\x00\x0b]*")
_ATTRIBUTE_NAME = re.compile(rb"[^=>/\"' \t\r\n\x00\x0b]*")
_SPACES = re.compile(rb"[ \t\r\n\x0b]*")
_TIME_FORMAT = re.compile(r"r|w?[dD]?[tT]?")
_LAST_CODE_POINT = 0x10FFFF
_LONGEST_REFERENCE = 10


def parse_html(markup: str) -> Formatted:
    """Read markup.

    Raises:
        ApiError: 400 "can't parse entities: …" with TDLib's words and the byte offset.
    """
    return _Reader(markup.encode()).read()


@dataclass(slots=True)
class _Open:
    tag: str
    argument: str
    offset: int
    part: int


@dataclass(slots=True)
class _Reader:
    data: bytes
    parts: list[str] = field(default_factory=list)
    length: int = 0
    open: list[_Open] = field(default_factory=list)
    entities: list[Entity] = field(default_factory=list)

    def read(self) -> Formatted:
        place = 0
        while place < len(self.data):
            byte = self.data[place : place + 1]
            if byte == b"<":
                ends = self.data[place + 1 : place + 2] == b"/"
                place = self._end_tag(place) if ends else self._start_tag(place)
            elif byte == b"&":
                text, place = _reference(self.data, place)
                self._say(text)
            else:
                text, place = _take(_PLAIN, self.data, place)
                self._say(text)
        if self.open:
            _refuse(f'Can\'t find end tag corresponding to start tag "{self.open[-1].tag}"')
        return self._result()

    def _result(self) -> Formatted:
        text = "".join(self.parts)
        if any("\ud800" <= character <= "\udfff" for character in text):
            _refuse(
                "Text contains invalid Unicode characters after decoding HTML entities, "
                "check for unmatched surrogate code units"
            )
        plain_code = (replace(e, language=None) if e.type == "code" else e for e in self.entities)
        return Formatted(text, tuple(ordered(plain_code)))

    def _say(self, text: str) -> None:
        self.parts.append(text)
        self.length += units(text)

    def _start_tag(self, begin: int) -> int:
        name, place = _take(_TAG_NAME, self.data, begin + 1)
        if _over(self.data, place):
            _refuse(f"Unclosed start tag at byte offset {begin}")
        tag = name.lower()
        if tag not in TAGS:
            _refuse(f'Unsupported start tag "{tag}" at byte offset {begin}')
        argument = ""
        while True:
            place = _skip(self.data, place)
            if self.data[place : place + 1] == b">":
                break
            attribute, value, place = _attribute(self.data, place, tag, begin)
            argument = _argument(tag, attribute, value, argument)
        if tag == "span" and argument != "spoiler":
            _refuse(f'Tag "span" must have class "tg-spoiler" at byte offset {begin}')
        self.open.append(_Open(tag, argument, self.length, len(self.parts)))
        return place + 1

    def _end_tag(self, begin: int) -> int:
        if not self.open:
            _refuse(f"Unexpected end tag at byte offset {begin}")
        name, place = _take(_TAG_NAME, self.data, begin + 2)
        place = _skip(self.data, place)
        if self.data[place : place + 1] != b">":
            _refuse(f"Unclosed end tag at byte offset {begin}")
        opened = self.open.pop()
        if name and name.lower() != opened.tag:
            _refuse(f'Unmatched end tag at byte offset {begin}, expected "</{opened.tag}>", found "</{name.lower()}>"')
        if self.length > opened.offset:
            self._close(opened)
        return place + 1

    def _close(self, opened: _Open) -> None:
        offset, length = opened.offset, self.length - opened.offset
        if opened.tag in STYLES:
            self.entities.append(Entity(STYLES[opened.tag], offset, length))
        elif opened.tag == "blockquote":
            self.entities.append(Entity(f"{opened.argument}blockquote", offset, length))
        elif opened.tag in ("pre", "code"):
            self._close_code(opened, offset, length)
        elif opened.tag == "a":
            self._close_link(opened, offset, length)
        elif opened.tag == "tg-emoji":
            emoji_id = _emoji_id(opened.argument)
            self.entities.append(Entity("custom_emoji", offset, length, custom_emoji_id=emoji_id))
        else:
            self._close_time(opened, offset, length)

    def _close_code(self, opened: _Open, offset: int, length: int) -> None:
        """`<pre><code class="language-x">`, in either order around the same text, is one block with a language."""
        last = self.entities[-1] if self.entities else None
        same = last is not None and last.offset == offset and last.length == length
        if same and last is not None and opened.tag == "pre" and last.type == "code" and last.language:
            self.entities[-1] = replace(last, type="pre")
        elif same and last is not None and opened.tag == "code" and last.type == "pre" and opened.argument:
            self.entities[-1] = replace(last, language=opened.argument)
        else:
            self.entities.append(Entity(opened.tag, offset, length, language=opened.argument or None))

    def _close_link(self, opened: _Open, offset: int, length: int) -> None:
        url = opened.argument or "".join(self.parts[opened.part :])
        user_id = mentioned_user(url)
        if user_id is not None:
            self.entities.append(Entity("text_mention", offset, length, user_id=user_id))
            return
        link = checked_link(url)
        if link is not None:
            self.entities.append(Entity("text_link", offset, length, url=link))

    def _close_time(self, opened: _Open, offset: int, length: int) -> None:
        moment, _, shape = opened.argument.partition(" ")
        if not _TIME_FORMAT.fullmatch(shape):
            _refuse("Invalid date format used")
        if moment.isdigit() and 0 < int(moment) < 1 << 31:
            time = Entity("date_time", offset, length, unix_time=int(moment), date_time_format=shape or None)
            self.entities.append(time)


def _refuse(words: str) -> NoReturn:
    raise bad_request(f"can't parse entities: {words}")


def _over(data: bytes, place: int) -> bool:
    """Whether the text ends here: TDLib reads a zero-terminated string."""
    return place >= len(data) or data[place] == 0


def _skip(data: bytes, place: int) -> int:
    match = _SPACES.match(data, place)
    return match.end() if match else place


def _take(pattern: "re.Pattern[bytes]", data: bytes, place: int) -> tuple[str, int]:
    match = pattern.match(data, place)
    return (match[0].decode(), match.end()) if match is not None else ("", place)


def _reference(data: bytes, place: int) -> tuple[str, int]:
    """What a character reference stands for, and where it ends; an unknown one stands for its own "&"."""
    match = _REFERENCE.match(data, place)
    if match is None:
        return "&", place + 1
    if match["name"] is not None:
        known = _NAMED.get(match["name"])
        return (known, match.end()) if known is not None else ("&", place + 1)
    digits = match["hex"] if match["hex"] is not None else match["dec"]
    code = int(digits or b"0", 16 if match["hex"] is not None else 10)
    without_semicolon = match.end() - match[0].endswith(b";")
    if code == 0 or code >= _LAST_CODE_POINT or without_semicolon - place >= _LONGEST_REFERENCE:
        return "&", place + 1
    return chr(code), match.end()


def _attribute(data: bytes, place: int, tag: str, begin: int) -> tuple[str, str, int]:
    name, place = _take(_ATTRIBUTE_NAME, data, place)
    if not name:
        _refuse(f'Empty attribute name in the tag "{tag}" at byte offset {begin}')
    place = _skip(data, place)
    if _over(data, place):
        _refuse(f'Unclosed start tag "{tag}" at byte offset {begin}')
    if data[place : place + 1] != b"=":
        return name, "", place
    place = _skip(data, place + 1)
    if _over(data, place):
        _refuse(f'Unclosed start tag "{tag}" at byte offset {begin}')
    value, place = _quoted(data, place) if data[place] in b"'\"" else _name_token(data, place)
    if _over(data, place):
        _refuse(f"Unclosed start tag at byte offset {begin}")
    return name, value, place


def _quoted(data: bytes, place: int) -> tuple[str, int]:
    quote, place = data[place], place + 1
    value: list[str] = []
    begin = place
    while not _over(data, place) and data[place] != quote:
        if data[place] == ord("&"):
            value.append(data[begin:place].decode())
            text, place = _reference(data, place)
            value.append(text)
            begin = place
        else:
            place += 1
    value.append(data[begin:place].decode())
    return "".join(value), place + (0 if _over(data, place) else 1)


def _name_token(data: bytes, place: int) -> tuple[str, int]:
    value, end = _take(_NAME_TOKEN, data, place)
    if end < len(data) and data[end] not in _SPACE and data[end] != ord(">"):
        _refuse(f"Unexpected end of name token at byte offset {place}")
    return value.lower(), end


def _argument(tag: str, attribute: str, value: str, so_far: str) -> str:
    """What of an attribute matters to its tag; the last one wins."""
    if (tag, attribute) in {("a", "href"), ("tg-emoji", "emoji-id")}:
        return value
    if (tag, attribute) == ("code", "class") and value.startswith("language-"):
        return value.removeprefix("language-")
    if (tag, attribute) == ("span", "class") and value.startswith("tg-"):
        return value.removeprefix("tg-")
    if (tag, attribute) == ("blockquote", "expandable"):
        return "expandable_"
    if (tag, attribute) == ("tg-time", "unix"):
        return f"{value} {so_far.partition(' ')[2]}"
    if (tag, attribute) == ("tg-time", "format"):
        return f"{so_far.partition(' ')[0]} {value}"
    return so_far


def _emoji_id(argument: str) -> str:
    digits = argument.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()) or not 0 < int(digits) < 1 << 63:
        _refuse("Invalid custom emoji identifier specified")
    return argument
