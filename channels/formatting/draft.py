"""One part while it is made: lines go in as long as there is room. What stands in the text is what was measured."""

from channels.formatting.lines import Box, Line, Piece, joined, same
from channels.formatting.markup import Markup, Size, exceeds, shared, together


class Draft:
    """Adds lines and keeps the size after each, so that the part can still end at any of them."""

    def __init__(self, markup: Markup, limit: int) -> None:
        self.lines: list[Line] = []
        self._markup = markup
        self._room = markup.room(limit)
        self._pieces: list[Piece] = []
        self._sizes: list[Size] = []
        self._base = 0

    def take(self, line: Line) -> bool:
        """Add the line if there is room for it."""
        piece = self._piece(line)
        size = self._size_with(piece)
        if not self._has_room(size, line):
            return False
        self._add(line, piece, size)
        return True

    def fits(self, line: Line) -> bool:
        """Whether there is room for the line and for closing what it is in."""
        return self._has_room(self._size_with(self._piece(line)), line)

    def add(self, line: Line) -> None:
        """Add the line, room or not."""
        piece = self._piece(line)
        self._add(line, piece, self._size_with(piece))

    def fullness(self, count: int) -> float:
        """How full the first `count` lines make it, by the limit that is nearest."""
        return max(used / most for used, most in zip(self._sizes[count - 1], self._room, strict=True))

    def part(self, count: int) -> Piece:
        """The first `count` lines."""
        return joined([*self._pieces[:count], self._closing(self.lines[count - 1])])

    def has_room_for(self, plain: str) -> bool:
        """Whether plain text could be sent instead."""
        return self._markup.length(plain) <= self._room[0]

    def _add(self, line: Line, piece: Piece, size: Size) -> None:
        self._base = self._base_with(line)
        self.lines.append(line)
        self._pieces.append(piece)
        self._sizes.append(size)

    def _size_with(self, piece: Piece) -> Size:
        size = self._markup.size(piece)
        return together(self._sizes[-1], size) if self._sizes else size

    def _has_room(self, size: Size, line: Line) -> bool:
        if line.boxes:
            size = together(size, self._markup.size(self._closing(line)))
        return not exceeds(size, self._room)

    def _base_with(self, line: Line) -> int:
        """What is taken off indents: a part that starts indented would be code in Markdown, and trimmed elsewhere."""
        return min(self._base, line.indent) if self.lines else line.indent

    def _piece(self, line: Line) -> Piece:
        """The line with all that stands between it and the last one."""
        said = self._markup.line(line, line.indent - self._base_with(line))
        if not self.lines:
            return joined([*self._opening(line.boxes, line), said]) if line.boxes else said
        last = self.lines[-1]
        joint = self._markup.joint(last, line)
        if not last.boxes and not line.boxes:
            return Piece(joint.text + said.text, joint.plain + said.plain, joint.spelled + said.spelled)
        kept = shared(last.boxes, line.boxes)
        closing = self._close(last.boxes[kept:], last)
        return joined([closing, joint, *self._opening(line.boxes[kept:], line), said])

    def _opening(self, boxes: tuple[Box, ...], line: Line) -> list[Piece]:
        """What opens the boxes, with the header of a table that goes on here."""
        pieces = []
        for box in boxes:
            pieces.append(Piece(self._markup.opening(box, line), "", ""))
            if not line.header:
                for runs in box.header:
                    row = Line(runs, quote=line.quote, depth=line.depth, code=box, header=True)
                    pieces += self._markup.line(row, 0), same("\n")
        return pieces

    def _closing(self, line: Line) -> Piece:
        return self._close(line.boxes, line)

    def _close(self, boxes: tuple[Box, ...], line: Line) -> Piece:
        return Piece("".join([self._markup.closing(box, line) for box in reversed(boxes)]), "", "")
