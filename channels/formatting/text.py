"""Plain text for a terminal or a log: no markup, so nothing to escape; addresses are spelled out."""

from channels.formatting.clean import utf16
from channels.formatting.flow import Look
from channels.formatting.lines import Box, BoxKind, Line, Piece, same
from channels.formatting.markup import Size

CODE_INDENT = 4


class Text:
    """Code is indented, quotes have a mark before each line."""

    look = Look()

    def line(self, line: Line, indent: int) -> Piece:
        """Both forms are the same."""
        is_code = line.code is not None and line.code.kind is BoxKind.CODE
        lead = "> " * line.depth + " " * (CODE_INDENT if is_code else indent) + line.marker
        return same((lead + line.text).rstrip())

    def opening(self, box: Box, line: Line) -> str:
        """Nothing."""
        return ""

    def closing(self, box: Box, line: Line) -> str:
        """Nothing."""
        return ""

    def joint(self, before: Line, after: Line) -> Piece:
        """A blank line inside a quote has its mark."""
        middle = (">" * bool(before.quote and before.quote is after.quote) + "\n") if after.gap else ""
        return same("\n" + middle)

    def length(self, text: str) -> int:
        """UTF-16 units."""
        return utf16(text)

    def size(self, piece: Piece) -> Size:
        """UTF-16 units."""
        return (utf16(piece.text),)

    def room(self, limit: int) -> Size:
        """Whatever is asked for."""
        return (limit,)

    def escape(self, text: str) -> str:
        """As it is."""
        return text
