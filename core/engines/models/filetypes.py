"""What a file is: text that can be read out, a picture or a PDF. Data and pure functions."""

import re
from pathlib import PurePosixPath
from typing import Final

from core.events import Attachment

_TEXT_TYPES: Final = frozenset(
    {
        "application/json",
        "application/ld+json",
        "application/x-ndjson",
        "application/xml",
        "application/yaml",
        "application/x-yaml",
        "application/toml",
        "application/sql",
        "application/javascript",
        "application/x-javascript",
        "application/typescript",
        "application/x-sh",
        "application/x-httpd-php",
        "application/x-python-code",
        "image/svg+xml",
        "message/rfc822",
    }
)
_TEXT_ENDINGS: Final = re.compile(
    r"\.(?:bat|c|cfg|conf|cpp|cs|css|csv|diff|env|go|h|hpp|html|ini|ipynb|java|js|json|jsonl|jsx|kt|log|lua|md|patch|php"
    r"|pl|properties|ps1|py|r|rb|rs|rst|scala|sh|sql|srt|svg|swift|tex|toml|ts|tsv|tsx|txt|vue|xml|yaml|yml)",
    re.IGNORECASE,
)

_PICTURES: Final = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)
"""How a picture begins. What a chat app calls it is often wrong, and a service refuses one that is not what it says."""


def is_text(attachment: Attachment) -> bool:
    """Whether it is text by its type, or, where the type says nothing, by the ending of its name."""
    mime = attachment.mime
    return (
        mime.startswith("text/")
        or mime.endswith(("+json", "+xml"))
        or mime in _TEXT_TYPES
        or _TEXT_ENDINGS.fullmatch(PurePosixPath(attachment.name).suffix) is not None
    )


def kind_of(content: bytes) -> str | None:
    """The media type by how the file begins; None for one that no model is given."""
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    if b"%PDF-" in content[:1024]:
        return "application/pdf"
    return next((kind for start, kind in _PICTURES if content.startswith(start)), None)
