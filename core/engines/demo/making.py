"""Files that the demo makes on the fly, as bytes. Which sentence asks for one is the journeys' to say."""

import csv
import io
import math
import struct
import zlib
from collections.abc import Iterable, Sequence
from functools import cache

PICTURE_SIZE = 160
"""Pixels a side."""

_TURNS = 3.2
_PAPER = (250, 246, 238)
_INK = (196, 92, 62)


def csv_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    """A table as a spreadsheet reads it: UTF-8, commas, CRLF."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue().encode()


@cache
def shell_picture() -> bytes:
    """A spiral shell as a PNG; drawn once, as it takes some milliseconds."""
    rows = (b"\0" + b"".join(bytes(_pixel(x, y)) for x in range(PICTURE_SIZE)) for y in range(PICTURE_SIZE))
    header = struct.pack(">IIBBBBB", PICTURE_SIZE, PICTURE_SIZE, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        (_chunk(b"IHDR", header), _chunk(b"IDAT", zlib.compress(b"".join(rows))), _chunk(b"IEND", b""))
    )


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _pixel(x: int, y: int) -> tuple[int, int, int]:
    """Paper, or ink where the point lies on a spiral that widens outwards."""
    half = PICTURE_SIZE / 2
    across, down = (x - half) / half, (y - half) / half
    radius = math.hypot(across, down)
    if not 0.02 < radius < 0.95:
        return _PAPER
    turn = (math.atan2(down, across) / math.tau + math.log(radius) * -_TURNS / 2) % 1
    shade = 1 - abs(2 * turn - 1)
    red, green, blue = (round(paper + (ink - paper) * shade) for paper, ink in zip(_PAPER, _INK, strict=True))
    return red, green, blue
