"""What a Discord message holds: its words, its files, and words for what is neither.

A message of a kind that is not read becomes a marker such as `[sticker: Wave]`, so that nothing a person sent vanishes
without a word. Who said it and to whom is `parse`'s business.
"""

import re
from collections.abc import Mapping

from channels.base import AttachmentKind, InboundAttachment
from channels.discord.fields import Json, need_id, need_text, number, text, thing, things

FORWARD = 1
"""Of a message's reference: it was passed on [discord.com/developers/docs/resources/message, reference types]."""

NOTHING_TO_READ = "[a message without words]"
"""What was passed on and holds nothing that is read."""

_PERSON = re.compile(r"<@!?(\d{1,20})>")
_EMOJI = re.compile(r"<a?(:\w{1,64}:)\d{1,20}>")
_SEPARATOR = re.compile(r"[\s,:;]*")


def read_words(message: Json, bot_id: str) -> tuple[str, bool]:
    """The words of a message without the bot's name at their edges, and whether the bot is named in them."""
    passed_on = _passed_on(message)
    source = message if passed_on is None else passed_on
    words = text(source, "content") or ""
    named = any(found.group(1) == bot_id for found in _PERSON.finditer(words))
    words = _without_name_at_the_edges(words, bot_id) if named else words
    words = _EMOJI.sub(r"\1", _PERSON.sub(lambda found: f"@{_names(source).get(found.group(1), 'somebody')}", words))
    said = words.strip() or _markers(source)
    if not said and passed_on is not None and not read_files(message):
        said = _embedded(passed_on) or NOTHING_TO_READ
    return said, named


def describe(message: Json, bot_id: str) -> str:
    """The words of a message for somebody who quotes it: files are named."""
    words, _ = read_words(message, bot_id)
    return words or " ".join(f"[{file.kind}: {file.name}]" for file in read_files(message))


def read_files(message: Json) -> tuple[InboundAttachment, ...]:
    """The files of a message, or of the one that was passed on; their handle is where they lie."""
    passed_on = _passed_on(message)
    return tuple(_file(found) for found in things(message if passed_on is None else passed_on, "attachments"))


def is_passed_on(message: Json) -> bool:
    """Whether these are somebody else's words."""
    return _passed_on(message) is not None


def person_name(user: Json, member: Json | None = None) -> str:
    """As people see it in this place."""
    nick = text(member, "nick") if member else None
    return nick or text(user, "global_name") or need_text(user, "username")


def _passed_on(message: Json) -> Json | None:
    reference = thing(message, "message_reference")
    if reference is None or number(reference, "type") != FORWARD:
        return None
    snapshots = things(message, "message_snapshots")
    return (thing(snapshots[0], "message") or {}) if snapshots else {}


def _names(message: Json) -> Mapping[str, str]:
    return {need_id(user): person_name(user, thing(user, "member")) for user in things(message, "mentions")}


def _without_name_at_the_edges(words: str, bot_id: str) -> str:
    """In the middle a name is part of the sentence."""
    name = rf"<@!?{bot_id}>"
    words = re.sub(rf"\A(?:\s*{name}{_SEPARATOR.pattern})+", "", words)
    return re.sub(rf"(?:\s*{name})+\s*\Z", "", words)


def _file(found: Json) -> InboundAttachment:
    mime = (text(found, "content_type") or "").partition(";")[0].strip() or None
    family = (mime or "").partition("/")[0]
    return InboundAttachment(
        handle=need_text(found, "url"),
        name=text(found, "filename") or "file",
        kind=AttachmentKind(family) if family in ("image", "audio", "video") else AttachmentKind.FILE,
        mime=mime,
        size=number(found, "size"),
    )


def _embedded(message: Json) -> str:
    """What stands in the frames under a message: a bot's or a link's, often all that it says."""
    frames = ((text(embed, "title"), text(embed, "description")) for embed in things(message, "embeds"))
    return "\n".join(words for frame in frames for words in frame if words)


def _markers(message: Json) -> str:
    said = [f"[sticker: {need_text(sticker, 'name')}]" for sticker in things(message, "sticker_items")]
    if poll := thing(message, "poll"):
        options = (text(thing(answer, "poll_media") or {}, "text") for answer in things(poll, "answers"))
        question = text(thing(poll, "question") or {}, "text") or ""
        said.append(f"[poll: {question} {' / '.join(option for option in options if option)}]")
    return " ".join(said)
