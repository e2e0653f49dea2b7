"""Files on their way in and in store.

Belongs here: what an upload is and how it becomes an attachment. Its address belongs to `telling`.
"""

import mimetypes
from dataclasses import dataclass, field

from channels.emulators.discord.places import Attachment
from channels.emulators.discord.snowflakes import Snowflakes

TINY_PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010804000000b51c0c020000000b4944415478da63fcff1f0003030200efa2a75b"
    "0000000049454e44ae426082"
)
"""A picture of one dot."""


@dataclass(frozen=True, slots=True)
class Upload:
    """A file in a request."""

    name: str
    data: bytes = field(repr=False)


def stored(
    ids: Snowflakes, name: str, data: bytes, description: str | None = None, *, size: int | None = None
) -> Attachment:
    """Take a file in; `size` claims more bytes than there are."""
    mime = mimetypes.guess_type(name)[0] or "application/octet-stream"
    return Attachment(ids.next(), name, mime, size if size is not None else len(data), data, description)
