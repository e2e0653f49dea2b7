"""Files that belong to messages: kept in the data folder under names of our own, outside anything a web server shows.

A file's own name is outside data: it is cleaned for showing and never becomes a path.
"""

import asyncio
import mimetypes
import unicodedata
import uuid
from collections.abc import AsyncIterator
from pathlib import Path

from core.events import Attachment

MAX_NAME = 120
"""Characters of a file's name that are kept; the ending always is."""


def clean_name(name: str) -> str:
    """A name that is safe to show and to hand to a chat app: no folders, no control or direction characters."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    shown = "".join(" " if unicodedata.category(mark)[0] in "CZ" else mark for mark in last).strip(" .")
    if not shown:
        return "file"
    stem, dot, ending = shown.rpartition(".")
    if not dot or len(ending) > 16:
        return shown[:MAX_NAME]
    return f"{stem[: MAX_NAME - len(ending) - 1] or 'file'}.{ending}"


def guess_mime(name: str) -> str:
    """The media type that a name's ending stands for."""
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
        """Keep what streams in.

        Raises:
            TooLarge: more than `limit` bytes came.
        """
        shown = clean_name(name)
        path = self._new_path(shown)
        size = 0
        with await asyncio.to_thread(path.open, "xb") as file:
            try:
                async for chunk in chunks:
                    size += len(chunk)
                    if size > limit:
                        raise TooLarge(limit)
                    await asyncio.to_thread(file.write, chunk)
            except BaseException:
                path.unlink(missing_ok=True)
                raise
        return Attachment(name=shown, mime=mime or guess_mime(shown), size=size, path=self._relative(path))

    async def save_bytes(self, name: str, mime: str | None, content: bytes, caption: str | None = None) -> Attachment:
        """Keep something made here."""
        shown = clean_name(name)
        path = self._new_path(shown)
        await asyncio.to_thread(path.write_bytes, content)
        return Attachment(
            name=shown, mime=mime or guess_mime(shown), size=len(content), path=self._relative(path), caption=caption
        )

    def path(self, attachment: Attachment) -> Path:
        """Where the file lies.

        Raises:
            ValueError: the attachment's path leads out of the folder.
        """
        path = (self._root / attachment.path).resolve()
        if not path.is_relative_to(self._root.resolve()):
            raise ValueError(f"{attachment.path!r} is not in the files folder")
        return path

    def _new_path(self, shown: str) -> Path:
        name = uuid.uuid4().hex
        folder = self._root / name[:2]
        folder.mkdir(parents=True, exist_ok=True)
        ending = Path(shown).suffix
        return folder / (name + (ending if ending.isascii() and ending[1:].isalnum() else ""))

    def _relative(self, path: Path) -> str:
        return path.relative_to(self._root).as_posix()
