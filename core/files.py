"""Files that belong to messages: kept in the data folder under names of our own, outside anything a web server shows.

A file's own name and type are outside data: they are cleaned for showing, and never become a path.
"""

import asyncio
import mimetypes
import os
import re
import unicodedata
import uuid
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Final

from core.events import Attachment

MAX_NAME: Final = 120
"""Characters of a file's name that are kept; the ending always is."""

MAX_ENDING: Final = 16
"""Characters after the last dot of a name; more are no ending."""

_NOT_IN_NAMES: Final = re.compile(r'[<>:"|?*]')
_DEVICES: Final = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])(?![^. ])", re.IGNORECASE)
"""What Windows takes for a device or does not take at all:
https://learn.microsoft.com/windows/win32/fileio/naming-a-file
"""

_MIME: Final = re.compile(r"[\w!#$&^.+-]{1,64}/[\w!#$&^.+-]{1,64}", re.ASCII)
"""A media type without its parameters: RFC 6838, section 4.2."""


def clean_name(name: str) -> str:
    """A name that is safe to show, to hand to a chat app, and to save on any system.

    No folders, no control or direction characters, none that Windows refuses.
    """
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    plain = "".join(" " if unicodedata.category(mark)[0] in "CZ" else mark for mark in last)
    shown = _NOT_IN_NAMES.sub("_", " ".join(plain.split())).strip(" .")
    if not shown:
        return "file"
    if _DEVICES.match(shown):
        shown = f"_{shown}"
    stem, dot, ending = shown.rpartition(".")
    if not dot or len(ending) > MAX_ENDING:
        return shown[:MAX_NAME].rstrip(" .")
    return f"{stem[: MAX_NAME - len(ending) - 1]}.{ending}"


def clean_mime(mime: str | None, name: str) -> str:
    """A media type without parameters; what is none is replaced by the one that the name's ending stands for."""
    base = (mime or "").partition(";")[0].strip().lower()
    if _MIME.fullmatch(base):
        return base
    return mimetypes.guess_type(name)[0] or "application/octet-stream"


class TooLarge(Exception):
    """More bytes came than were allowed; nothing is kept."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"over {limit} bytes")
        self.limit = limit


class FileStore:
    """The files of one data folder."""

    def __init__(self, root: Path) -> None:
        self._root = root

    async def save(self, name: str, mime: str | None, chunks: AsyncIterator[bytes], limit: int) -> Attachment:
        """Keep what streams in; durable when it returns. Whatever goes wrong, nothing is left behind.

        Raises:
            TooLarge: more than `limit` bytes came.
            OSError: the disk does not take it.
        """
        shown = clean_name(name)
        path, file = self._new_file(shown)
        try:
            with file:
                size = await _write(file, chunks, limit)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        return Attachment(name=shown, mime=clean_mime(mime, shown), size=size, path=self._relative(path))

    async def save_bytes(self, name: str, mime: str | None, content: bytes, caption: str | None = None) -> Attachment:
        """Keep something made here.

        Raises:
            OSError: the disk does not take it.
        """

        async def whole() -> AsyncIterator[bytes]:
            yield content

        kept = await self.save(name, mime, whole(), len(content))
        return kept.model_copy(update={"caption": caption})

    async def remove(self, attachment: Attachment) -> None:
        """Delete a file; one that is gone, or in no place of ours, is left alone."""
        with suppress(ValueError, OSError):
            await asyncio.to_thread(self.path(attachment).unlink, True)

    def path(self, attachment: Attachment) -> Path:
        """Where the file lies.

        Raises:
            ValueError: the attachment's path leads out of the folder, or to no file's place in it.
        """
        root = self._root.resolve()
        path = (root / attachment.path).resolve()
        if path == root or not path.is_relative_to(root):
            raise ValueError(f"{attachment.path!r} is not in the files folder")
        return path

    def _new_file(self, shown: str) -> tuple[Path, BinaryIO]:
        """In the loop: it takes less time than to wake a thread, and cannot be cancelled half-way."""
        name = uuid.uuid4().hex
        folder = self._root / name[:2]
        folder.mkdir(parents=True, exist_ok=True)
        ending = Path(shown).suffix
        known = ending.isascii() and ending[1:].isalnum() and len(ending) <= MAX_ENDING
        path = folder / (name + (ending if known else ""))
        return path, path.open("xb")

    def _relative(self, path: Path) -> str:
        return path.relative_to(self._root).as_posix()


async def _write(file: BinaryIO, chunks: AsyncIterator[bytes], limit: int) -> int:
    """How many bytes were written; whoever sends too many is not listened to any longer."""
    size = 0
    try:
        async for chunk in chunks:
            size += len(chunk)
            if size > limit:
                raise TooLarge(limit)
            await asyncio.to_thread(file.write, chunk)
    finally:
        if isinstance(chunks, AsyncGenerator):
            await chunks.aclose()
    await asyncio.to_thread(_flush, file)
    return size


def _flush(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())
