"""Files that come with a message, in the form that a model takes: pictures and PDFs as they are, text as text.

A transcript only holds a reference to a file; its bytes are put in when a request goes out. A file that is gone, too
large or of a kind that the model cannot take becomes one line that says so: never an error.
"""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from pydantic_ai.messages import (
    BinaryContent,
    DocumentUrl,
    FileUrl,
    ImageUrl,
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    UserContent,
    UserPromptPart,
)

from core.engines.models.filetypes import is_text, kind_of
from core.events import Attachment
from core.files import FileStore

MAX_TEXT: Final = 100_000
"""Characters of a text file that a model reads."""

MAX_PICTURE: Final = 5_000_000
"""Bytes: https://docs.anthropic.com/en/docs/build-with-claude/vision has the lowest limit, 5 MB."""

MAX_DOCUMENT: Final = 20_000_000
"""Bytes of a PDF, and of all files in one request: with base64 it stays under the 32 MB of
https://docs.anthropic.com/en/api/overview. The newest go first."""

_SCHEME: Final = "attachment:"

_HARMLESS: Final = str.maketrans('"<>[]“”', "'()()''")


@dataclass(frozen=True, slots=True)
class Takes:
    """The files that a model can be given as they are."""

    pictures: bool = False
    documents: bool = False


class Attachments:
    """Reads the files of messages."""

    def __init__(self, files: FileStore) -> None:
        self._files = files

    async def message(self, words: str, attachments: Sequence[Attachment], takes: Takes) -> ModelRequest:
        """What a person sent, as it is remembered: words, text of files, and references to the others."""
        content: list[UserContent] = [words] if words.strip() or not attachments else []
        for attachment in attachments:
            content.append(await self._content(attachment, takes))
            if attachment.caption:
                content.append(attachment.caption)
        if all(isinstance(item, str) for item in content):
            return ModelRequest(parts=[UserPromptPart("\n\n".join(str(item) for item in content))])
        return ModelRequest(parts=[UserPromptPart(content)])

    async def with_files(self, messages: Sequence[ModelMessage], takes: Takes) -> list[ModelMessage]:
        """The same messages with bytes for references, from the newest on, as many as go into one request."""
        room, filled = MAX_DOCUMENT, list(messages)
        for index in range(len(filled) - 1, -1, -1):
            message = filled[index]
            if isinstance(message, ModelRequest) and any(map(_has_reference, message.parts)):
                parts: list[ModelRequestPart] = []
                for part in message.parts:
                    taken, room = await self._filled(part, takes, room)
                    parts.append(taken)
                filled[index] = replace(message, parts=parts)
        return filled

    async def _filled(self, part: ModelRequestPart, takes: Takes, room: int) -> tuple[ModelRequestPart, int]:
        if not isinstance(part, UserPromptPart) or isinstance(part.content, str):
            return part, room
        content: list[UserContent] = []
        for item in part.content:
            if not _is_reference(item):
                content.append(item)
                continue
            assert isinstance(item, FileUrl)  # noqa: S101 - for the type checker
            bytes_or_line = await self._bytes(item, takes, room)
            room -= len(bytes_or_line.data) if isinstance(bytes_or_line, BinaryContent) else 0
            content.append(bytes_or_line)
        return replace(part, content=content), room

    async def _content(self, attachment: Attachment, takes: Takes) -> UserContent:
        name, mime = attachment.name, attachment.mime
        if mime.startswith("image/") and mime != "image/svg+xml":
            return _reference(ImageUrl, attachment) if takes.pictures else _unseen(name, "you cannot look at pictures")
        if mime == "application/pdf":
            return _reference(DocumentUrl, attachment) if takes.documents else _unseen(name, "you cannot read PDFs")
        if is_text(attachment):
            return await self._text(attachment)
        return _unseen(name, f"{mime}, {attachment.size:,} bytes; what is in it is not shown to you")

    async def _text(self, attachment: Attachment) -> str:
        # A character takes at most four bytes: the rest of a larger file is not even read.
        content = await self._read(attachment, MAX_TEXT * 4)
        if content is None:
            return _unseen(attachment.name, "it is gone")
        if b"\0" in content:
            return _unseen(attachment.name, "it is not the text that it seems to be; what is in it is not shown to you")
        text = content.decode("utf-8-sig", "replace")
        shown = re.sub(r"<(?=/?file)", "‹", text[:MAX_TEXT], flags=re.IGNORECASE)
        cut = "" if len(text) <= MAX_TEXT and attachment.size <= MAX_TEXT * 4 else "\n[… the file goes on …]"
        name = _plain(attachment.name)
        return f'<file name="{name}">\n{shown}{cut}\n</file>'

    async def _bytes(self, reference: FileUrl, takes: Takes, room: int) -> BinaryContent | str:
        picture = isinstance(reference, ImageUrl)
        name = str((reference.vendor_metadata or {}).get("name", "file"))
        if not (takes.pictures if picture else takes.documents):
            return _unseen(name, "you cannot look at it")
        path = reference.url.removeprefix(_SCHEME)
        limit = MAX_PICTURE if picture else MAX_DOCUMENT
        content = await self._read(Attachment(name=name, mime="", size=0, path=path), limit + 1)
        if content is None:
            return _unseen(name, "it is gone")
        if len(content) > limit:
            return _unseen(name, "it is too large for you to look at")
        if len(content) > room:
            return _unseen(name, "you saw it earlier; ask for it again where it matters")
        kind = kind_of(content)
        if kind is None or kind.startswith("image/") is not picture:
            return _unseen(name, "it is of a kind that you cannot look at")
        return BinaryContent(content, media_type=kind)

    async def _read(self, attachment: Attachment, limit: int) -> bytes | None:
        try:
            path = self._files.path(attachment)
            return await asyncio.to_thread(_first_bytes, path, limit)
        except (OSError, ValueError):
            return None


def without_files(messages: Sequence[ModelMessage]) -> list[ModelMessage]:
    """The same messages with a line for each file: a service refused them, and would again."""
    return [_without(message) if isinstance(message, ModelRequest) else message for message in messages]


def _without(message: ModelRequest) -> ModelRequest:
    return replace(message, parts=[_lines(part) if _has_reference(part) else part for part in message.parts])


def _lines(part: ModelRequestPart) -> ModelRequestPart:
    assert isinstance(part, UserPromptPart)  # noqa: S101 - for the type checker
    content = [
        _unseen(str((item.vendor_metadata or {}).get("name", "file")), "it could not be shown to you")
        if isinstance(item, FileUrl) and _is_reference(item)
        else item
        for item in part.content
    ]
    return replace(part, content=content)


def _reference(kind: type[ImageUrl] | type[DocumentUrl], attachment: Attachment) -> UserContent:
    """The mark of a file in a transcript: no service ever sees it."""
    return kind(_SCHEME + attachment.path, media_type=attachment.mime, vendor_metadata={"name": attachment.name})


def _is_reference(item: UserContent) -> bool:
    return isinstance(item, FileUrl) and item.url.startswith(_SCHEME)


def _has_reference(part: ModelRequestPart) -> bool:
    return (
        isinstance(part, UserPromptPart)
        and not isinstance(part.content, str)
        and any(_is_reference(item) for item in part.content)
    )


def _first_bytes(path: Path, limit: int) -> bytes:
    with path.open("rb") as file:
        return file.read(limit)


def _unseen(name: str, why: str) -> str:
    return f"[file “{_plain(name)}”: {why}]"


def _plain(name: str) -> str:
    """A name that cannot pass for anything else."""
    return " ".join(name.split()).translate(_HARMLESS)[:120]
