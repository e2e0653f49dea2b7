"""The app's package: what an admin uploads to Teams so that people can find the bot and write to it.

Pure, made from `limits` and the registry of commands: a manifest and two icons in a ZIP file. The bot is for private
chats only, so it cannot be put into a team. Source:
learn.microsoft.com/microsoft-365/extensibility/schema (manifest 1.19),
learn.microsoft.com/microsoftteams/platform/concepts/build-and-test/apps-package.
"""

import io
import json
import struct
import zipfile
import zlib
from typing import Any, Final
from urllib.parse import urlsplit

from channels.teams import limits
from commands.menus import native_menu

NAME: Final = "Conch"
DESCRIPTION: Final = "Your assistant, in Teams"
ABOUT: Final = (
    "Write to Conch in a private chat, as you would to a person. It asks before it does anything that matters, and "
    "says what it can do when you ask for help."
)
VERSION: Final = "1.19"
ACCENT: Final = "#1F6F78"

_COLOR, _OUTLINE = 192, 32
"""Sides of the two icons, in pixels."""


def manifest(app_id: str, address: str) -> dict[str, Any]:
    """The manifest of the bot with this id; `address` is where Conch is, as seen from outside."""
    commands = [
        {"title": f"/{entry.name}", "description": entry.description}
        for entry in native_menu(limits.CAPABILITIES.kind).default
    ]
    site = address.rstrip("/")
    return {
        "$schema": f"https://developer.microsoft.com/json-schemas/teams/v{VERSION}/MicrosoftTeams.schema.json",
        "manifestVersion": VERSION,
        "version": "1.0.0",
        "id": app_id,
        "developer": {"name": NAME, "websiteUrl": site, "privacyUrl": site, "termsOfUseUrl": site},
        "name": {"short": NAME, "full": f"{NAME}, {DESCRIPTION[0].lower()}{DESCRIPTION[1:]}"},
        "description": {"short": DESCRIPTION, "full": ABOUT},
        "icons": {"color": "color.png", "outline": "outline.png"},
        "accentColor": ACCENT,
        "bots": [
            {
                "botId": app_id,
                "scopes": ["personal"],
                "supportsFiles": True,
                "isNotificationOnly": False,
                "commandLists": [{"scopes": ["personal"], "commands": commands}],
            }
        ],
        "permissions": ["identity", "messageTeamMembers"],
        "validDomains": [urlsplit(site).netloc],
    }


def package(app_id: str, address: str) -> bytes:
    """The ZIP file; the same each time."""
    written = io.BytesIO()
    files = {
        "manifest.json": json.dumps(manifest(app_id, address), indent=2, ensure_ascii=False).encode(),
        "color.png": icon(_COLOR, (0xFF, 0xFF, 0xFF, 0xFF), (*bytes.fromhex(ACCENT[1:]), 0xFF)),
        "outline.png": icon(_OUTLINE, (0xFF, 0xFF, 0xFF, 0xFF), (0, 0, 0, 0)),
    }
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
    return written.getvalue()


def icon(side: int, ink: tuple[int, ...], ground: tuple[int, ...]) -> bytes:
    """A shell's ribs as a PNG: arcs of `ink` around a point at the bottom, on `ground`; colours are RGBA."""
    rows = b"".join(
        b"\0" + b"".join(bytes(ink if _is_rib(x, y, side) else ground) for x in range(side)) for y in range(side)
    )
    header = struct.pack(">IIBBBBB", side, side, 8, 6, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in parts)


def _is_rib(x: int, y: int, side: int) -> bool:
    across, up = (x + 0.5) / side - 0.5, 0.84 - (y + 0.5) / side
    distance = (across**2 + up**2) ** 0.5
    if up < 0 or distance > 0.68 or abs(across) > 0.12 + 0.62 * up:
        return False
    return distance < 0.10 or int((distance - 0.10) / 0.058) % 2 == 1


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
