"""How a message speaks of its file: the fields of PhotoSize, Document, Voice, Audio and Video.

Belongs here: the JSON of a file, and what Telegram says to a bad photo. Storing files belongs to `files`.
"""

from collections.abc import Mapping
from typing import Any

from channels.emulators.telegram import limits
from channels.emulators.telegram.content import Media
from channels.emulators.telegram.files import FileStore, StoredFile
from channels.emulators.telegram.pictures import TINY_PNG, picture

_UNREADABLE_SIDES = (1280, 960)
"""What a person's photo measures where a test sends any bytes as one."""

_THUMBNAIL_SIDE = 90


def media_of(files: FileStore, stored: StoredFile, about: Mapping[str, Any]) -> Media:
    """A stored file as part of a message; `about` may tell duration, sides, performer and title."""
    common = {"file_id": stored.id, "file_unique_id": stored.unique_id, "file_size": stored.size}
    if stored.kind == "photo":
        return Media("photo", stored, _sizes(files, stored, common))
    told = {name: about[name] for name in ("performer", "title") if name in about and stored.kind == "audio"}
    if stored.kind in ("voice", "audio", "video"):
        told["duration"] = about.get("duration", 0)
    if stored.kind == "video":
        told |= {"width": about.get("width", 0), "height": about.get("height", 0)}
    named = {} if stored.kind == "voice" else {"file_name": stored.name}
    return Media(stored.kind, stored, common | named | {"mime_type": stored.mime} | told)


def _sizes(files: FileStore, stored: StoredFile, common: dict[str, Any]) -> list[dict[str, Any]]:
    """A small and the full size, as Telegram gives several, smallest first. The small one is a picture of its own."""
    shown = picture(stored.data)
    width, height = (shown.width, shown.height) if shown is not None else _UNREADABLE_SIDES
    scale = _THUMBNAIL_SIDE / max(width, height, 1)
    small = files.put("photo", "thumbnail.png", TINY_PNG)
    thumbnail = {
        "file_id": small.id,
        "file_unique_id": small.unique_id,
        "file_size": small.size,
        "width": max(1, round(width * min(1.0, scale))),
        "height": max(1, round(height * min(1.0, scale))),
    }
    return [thumbnail, common | {"width": width, "height": height}]


def photo_problem(data: bytes) -> str | None:
    """What Telegram says to an upload that it does not take as a photo; None where it does."""
    if len(data) > limits.PHOTO_BYTES:
        return f"file of size {len(data)} bytes is too big for a photo; the maximum size is {limits.PHOTO_BYTES} bytes"
    shown = picture(data)
    if shown is None:
        return "IMAGE_PROCESS_FAILED"
    short, long = sorted((shown.width, shown.height))
    if short < 1 or short + long > limits.PHOTO_SIDES or long > limits.PHOTO_RATIO * short:
        return "PHOTO_INVALID_DIMENSIONS"
    return None
