"""Files that went through Telegram, in either direction, and the addresses under which a bot can fetch them.

Belongs here: storing, ids, paths. How a message speaks of its file belongs to `media`.
"""

import mimetypes
import secrets
from dataclasses import dataclass, field
from pathlib import PurePath

from channels.emulators.clock import Clock
from channels.emulators.telegram import limits

FOLDERS = {
    "photo": "photos",
    "document": "documents",
    "voice": "voice",
    "audio": "music",
    "video": "videos",
}
"""Where a kind of file lies, as the real paths have it."""


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file with Telegram's two ids. `size` is in bytes and may be claimed: a huge file need not be in memory."""

    id: str
    unique_id: str
    kind: str
    name: str
    mime: str
    size: int
    data: bytes = field(repr=False)

    @property
    def path(self) -> str:
        """Below the file address of a bot; the name in it says nothing but the ending."""
        return f"{FOLDERS[self.kind]}/file_{self.unique_id}{PurePath(self.name).suffix.lower()}"


class FileStore:
    """Every file by its id; a path works for an hour once it was asked for."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._files: dict[str, StoredFile] = {}
        self._paths: dict[str, tuple[StoredFile, float]] = {}

    def put(self, kind: str, name: str, data: bytes, *, mime: str | None = None, size: int | None = None) -> StoredFile:
        """Take a file in. `size` claims more bytes than `data` has."""
        guessed = mime or mimetypes.guess_type(name)[0] or "application/octet-stream"
        unique_id = f"{len(self._files) + 1}"
        file_id = f"{kind}-{unique_id}-{secrets.token_urlsafe(12)}"
        stored = StoredFile(file_id, unique_id, kind, name, guessed, size if size is not None else len(data), data)
        self._files[file_id] = stored
        return stored

    def get(self, file_id: str) -> StoredFile | None:
        """The file that has this id."""
        return self._files.get(file_id)

    def open_path(self, stored: StoredFile) -> str:
        """A path under which the file can be fetched for the next hour."""
        self._paths[stored.path] = (stored, self._clock.monotonic() + limits.FILE_PATH_SECONDS)
        return stored.path

    def at_path(self, path: str) -> StoredFile | None:
        """The file at a path that was asked for within the hour."""
        stored, until = self._paths.get(path, (None, 0.0))
        return stored if self._clock.monotonic() < until else None
