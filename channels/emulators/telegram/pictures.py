"""Just enough of picture files to be as choosy as Telegram: what it is, how wide, how high.

Belongs here: reading headers. Nothing is decoded.
"""

import struct
from dataclasses import dataclass

TINY_PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c4944415408d763f8ffff3f0005fe02fea7"
    "35814f0000000049454e44ae426082"
)
"""One pixel. What Telegram would make a thumbnail of is this here, so that taking the wrong size shows."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture's kind (`png`, `jpg`, `gif`, `webp`) and its sides in pixels."""

    kind: str
    width: int
    height: int


def picture(data: bytes) -> Picture | None:
    """What `data` shows, by its header; None where it is no picture that Telegram takes as a photo."""
    if data.startswith(b"\x89PNG\r\n\x1a\n") and len(data) >= 24:
        width, height = struct.unpack(">II", data[16:24])
        return Picture("png", width, height)
    if data[:6] in (b"GIF87a", b"GIF89a") and len(data) >= 10:
        width, height = struct.unpack("<HH", data[6:10])
        return Picture("gif", width, height)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP" and len(data) >= 30:
        return _webp(data)
    if data.startswith(b"\xff\xd8"):
        return _jpeg(data)
    return None


def _webp(data: bytes) -> Picture | None:
    if data[12:16] == b"VP8 ":
        width, height = struct.unpack("<HH", data[26:30])
        return Picture("webp", width & 0x3FFF, height & 0x3FFF)
    if data[12:16] == b"VP8L":
        bits = int.from_bytes(data[21:25], "little")
        return Picture("webp", (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
    if data[12:16] == b"VP8X":
        return Picture("webp", int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1)
    return None


def _jpeg(data: bytes) -> Picture | None:
    """Walk the segments to the frame header (SOF0 to SOF15 without DHT, JPG and DAC)."""
    place = 2
    while place + 9 <= len(data) and data[place] == 0xFF:
        marker = data[place + 1]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[place + 5 : place + 9])
            return Picture("jpg", width, height)
        place += 2 + int.from_bytes(data[place + 2 : place + 4], "big")
    return None
