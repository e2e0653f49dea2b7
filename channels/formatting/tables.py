"""Tables as lines, aligned by the width that the cells take on a screen.

Slack draws tables, but one in a message, of 20 columns and 100 rows, and refuses the message with any other
(docs.slack.dev/reference/block-kit/blocks/table-block); aligned text is shown everywhere.
"""

from collections.abc import Sequence

from rich.cells import cell_len

from channels.formatting.lines import Run, Runs

WIDEST = 40
"""Columns on a screen that a column is padded to; one long cell must not push all others off a phone."""

Row = Sequence[Runs]


def aligned(rows: Sequence[Row], sides: Sequence[str]) -> list[Runs]:
    """Rows in even columns, a rule under the first. `sides`: `right`, `center` or anything else for left."""
    words = [[("".join(run.text for run in cell)) for cell in row] for row in rows]
    widths = [min(WIDEST, max(map(cell_len, column))) for column in zip(*words, strict=True)]
    lines = ["  ".join(map(padded, row, widths, sides)).rstrip() for row in words]
    lines.insert(1, "  ".join("─" * width for width in widths))
    return [(Run(line, code=True),) for line in lines]


def padded(words: str, width: int, side: str) -> str:
    """The words with spaces around them until they take `width`."""
    space = max(0, width - cell_len(words))
    left = {"right": space, "center": space // 2}.get(side, 0)
    return " " * left + words + " " * (space - left)
