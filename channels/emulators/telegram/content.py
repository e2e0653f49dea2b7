"""What a message says: text, file, buttons. Never changed in place, so that an edit leaves the old one as it was.

Belongs here: the parts of a message that an edit may change. The message itself belongs to `chats`.
"""

from dataclasses import dataclass
from typing import Any

from channels.emulators.telegram.files import StoredFile
from channels.emulators.telegram.text import NOTHING_SAID, Formatted


@dataclass(frozen=True, slots=True)
class Media:
    """The file of a message. `json` is the field named by `kind`; `file` the one that a person would open."""

    kind: str
    file: StoredFile
    json: Any


@dataclass(frozen=True, slots=True)
class Content:
    """What an edit can change. `text` is the caption of a file; `service` what happened rather than was said."""

    text: Formatted = NOTHING_SAID
    media: Media | None = None
    keyboard: dict[str, Any] | None = None
    link_preview: dict[str, Any] | None = None
    service: dict[str, Any] | None = None
