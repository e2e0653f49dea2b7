"""Files that were sent: by people, and by bots in Slack's three steps.

Belongs here: the bytes, their addresses, uploads under way. Who may fetch belongs to `api`.
"""

import mimetypes
import secrets
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class SlackFile:
    """A file. `size` is what Slack says of it, in bytes; `data` may be less where a size was only claimed."""

    id: str
    name: str
    mime: str
    size: int
    data: bytes = field(repr=False)
    url: str
    user: str
    title: str = ""

    @property
    def json(self) -> dict[str, Any]:
        """The `file` object."""
        suffix = self.name.rpartition(".")[2] if "." in self.name else "binary"
        return {
            "id": self.id,
            "created": 1,
            "timestamp": 1,
            "name": self.name,
            "title": self.title or self.name,
            "mimetype": self.mime,
            "filetype": suffix,
            "user": self.user,
            "size": self.size,
            "mode": "hosted",
            "is_external": False,
            "is_public": False,
            "url_private": self.url,
            "url_private_download": self.url,
            "file_access": "visible",
        }


@dataclass(slots=True)
class Upload:
    """A file that a bot said it would send; its bytes come in a request of their own."""

    id: str
    ticket: str
    name: str
    length: int
    data: bytes | None = None


class FileStore:
    """All files by id. `base` is where they are fetched, known once the listener has a port."""

    def __init__(self) -> None:
        self.base = ""
        self._files: dict[str, SlackFile] = {}
        self._uploads: dict[str, Upload] = {}

    def put(self, name: str, data: bytes, user: str, *, size: int | None = None, title: str = "") -> SlackFile:
        """Keep a file; `size` claims another length than it has."""
        file_id = f"F0{secrets.token_hex(4).upper()}"
        return self._keep(file_id, name, data, user, len(data) if size is None else size, title)

    def get(self, file_id: str) -> SlackFile | None:
        """A file by its id."""
        return self._files.get(file_id)

    def begin(self, name: str, length: int) -> Upload:
        """A bot announced a file of `length` bytes."""
        upload = Upload(f"F0{secrets.token_hex(4).upper()}", secrets.token_urlsafe(12), name, length)
        self._uploads[upload.ticket] = upload
        return upload

    def receive(self, ticket: str, data: bytes) -> bool:
        """Its bytes came; False where nobody announced them, or announced another length."""
        upload = self._uploads.get(ticket)
        if upload is None or upload.data is not None or len(data) != upload.length:
            return False
        upload.data = data
        return True

    def complete(self, file_id: str, user: str, title: str) -> SlackFile | None:
        """Make a file of an upload; None where its bytes did not come."""
        for ticket, upload in self._uploads.items():
            if upload.id == file_id and upload.data is not None:
                del self._uploads[ticket]
                return self._keep(upload.id, upload.name, upload.data, user, upload.length, title)
        return None

    def _keep(self, file_id: str, name: str, data: bytes, user: str, size: int, title: str) -> SlackFile:
        mime = mimetypes.guess_type(name)[0] or "application/octet-stream"
        url = f"{self.base}/files-pri/{file_id}/{name}"
        file = self._files[file_id] = SlackFile(file_id, name, mime, size, data, url, user, title)
        return file
