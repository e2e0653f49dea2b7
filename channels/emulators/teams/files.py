"""Files: what people send, what bots offer by a consent card, what stands in a message itself.

Belongs here: the bytes by their addresses, and how an attachment looks. Agreeing to one is `acting`.
"""

import mimetypes
import secrets
from base64 import b64decode
from binascii import Error
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from channels.emulators.teams.cards import SeenButton, SeenElement

DOWNLOAD = "application/vnd.microsoft.teams.file.download.info"
CONSENT = "application/vnd.microsoft.teams.card.file.consent"
INFO = "application/vnd.microsoft.teams.card.file.info"
ACCEPT, DECLINE = "Allow", "Decline"

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SeenFile:
    """A file in a message; `size` is in bytes, -1 where it is not said; `id` fetches it."""

    name: str
    mime: str
    size: int
    id: str


@dataclass(slots=True)
class Stored:
    """A file. `size` may claim more than there is."""

    id: str
    name: str
    mime: str
    size: int
    data: bytes = field(repr=False)


@dataclass(slots=True)
class Upload:
    """A place where a bot may put a file's bytes, once the person agreed."""

    id: str
    name: str
    length: int
    data: bytes = b""
    done: bool = False


class FileStore:
    """All files by id. `base` and `connector` are where they are, known once the listener has a port."""

    def __init__(self) -> None:
        self.base = ""
        self.connector = ""
        self._files: dict[str, Stored] = {}
        self._uploads: dict[str, Upload] = {}

    def put(self, name: str, data: bytes, *, size: int | None = None, mime: str = "") -> Stored:
        """Keep a file; `size` claims another length than it has."""
        mime = mime or mimetypes.guess_type(name)[0] or "application/octet-stream"
        stored = Stored(secrets.token_hex(8), name, mime, len(data) if size is None else size, data)
        self._files[stored.id] = stored
        return stored

    def get(self, file_id: str) -> Stored | None:
        """A file by its id."""
        return self._files.get(file_id)

    def url(self, stored: Stored) -> str:
        """Where anyone who knows the address can fetch it, for some minutes in truth."""
        return f"{self.base}/files/{stored.id}/download"

    def sent(self, stored: Stored) -> dict[str, Any]:
        """The attachment of a file that a person sent from their computer."""
        kind = stored.name.rpartition(".")[2] if "." in stored.name else ""
        content = {"downloadUrl": self.url(stored), "uniqueId": stored.id, "fileType": kind}
        return {
            "contentType": DOWNLOAD,
            "contentUrl": f"https://pretend-my.sharepoint.com/personal/files/{stored.name}",
            "name": stored.name,
            "content": content,
        }

    def picture(self, stored: Stored) -> dict[str, Any]:
        """The attachment of a picture that a person pasted; fetching it takes the bot's token."""
        return {"contentType": "image/*", "contentUrl": f"{self.connector}v3/attachments/{stored.id}/views/original"}

    def begin(self, name: str, length: int) -> Upload:
        """A person agreed to a file of about `length` bytes."""
        upload = Upload(secrets.token_hex(12), name, length)
        self._uploads[upload.id] = upload
        return upload

    def upload(self, upload_id: str) -> Upload | None:
        """A place for bytes by its id."""
        return self._uploads.get(upload_id)

    def finish(self, upload: Upload) -> Stored:
        """All its bytes are there; keep it under the same id."""
        stored = self.put(upload.name, upload.data)
        del self._files[stored.id]
        upload.done, stored.id = True, upload.id
        self._files[stored.id] = stored
        return stored

    def upload_url(self, upload: Upload) -> str:
        """Where its bytes go."""
        return f"{self.base}/upload/{upload.id}"


def seen(attachments: Sequence[Json]) -> tuple[SeenFile, ...]:
    """The files among attachments, as they stand on the screen."""
    found = []
    for attachment in attachments:
        kind, name = str(attachment.get("contentType", "")), str(attachment.get("name") or "")
        url = str(attachment.get("contentUrl") or "")
        if kind in (DOWNLOAD, INFO):
            found.append(SeenFile(name, _mime(name), -1, str(attachment["content"]["uniqueId"])))
        elif kind.startswith("image/"):
            found.append(SeenFile(name or "picture", kind, picture_size(url), _file_id(url)))
    return tuple(found)


def words(attachments: Sequence[Json]) -> list[str]:
    """What stands on the cards about files."""
    said = []
    for attachment in attachments:
        if attachment.get("contentType") == CONSENT:
            about = str(attachment["content"].get("description", ""))
            said.append("\n".join(line for line in (str(attachment.get("name", "")), about) if line))
        elif attachment.get("contentType") == INFO:
            said.append(str(attachment.get("name", "")))
    return said


def drawn(attachments: Sequence[Json]) -> tuple[SeenElement, ...]:
    """What stands on consent cards."""
    asked = [attachment for attachment in attachments if attachment.get("contentType") == CONSENT]
    lines = ((at, line) for one in asked for said in words([one]) for at, line in enumerate(said.split("\n")))
    return tuple(SeenElement(line, "" if at else "title") for at, line in lines)


def buttons(attachments: Sequence[Json]) -> list[tuple[SeenButton, ...]]:
    """The two buttons of each consent card."""
    asked = [a for a in attachments if a.get("contentType") == CONSENT]
    return [(SeenButton(ACCEPT), SeenButton(DECLINE)) for _ in asked]


def picture_size(url: str) -> int:
    """The bytes of a picture that is in its own address; -1 where it is elsewhere or broken."""
    data = picture_data(url)
    return len(data) if data is not None else -1


def picture_data(url: str) -> bytes | None:
    """Those bytes."""
    if not url.startswith("data:") or ";base64," not in url:
        return None
    try:
        return b64decode(url.partition(";base64,")[2], validate=True)
    except Error:
        return None


def _file_id(url: str) -> str:
    return url.split("/attachments/")[1].split("/")[0] if "/attachments/" in url else ""


def _mime(name: str) -> str:
    return mimetypes.guess_type(name)[0] or "application/octet-stream"
