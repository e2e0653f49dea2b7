"""Lines to parts that an app takes: as few as sensible, broken where a reader would, measured as markup. Pure.

Preferred: a blank line, a line, the end of a sentence, a space, and at the last between two characters; the first two
only where they leave a part at least half full.
"""

from collections import deque
from collections.abc import Callable, Sequence

from channels.formatting import cuts
from channels.formatting.clean import shows
from channels.formatting.draft import Draft
from channels.formatting.lines import Line, Piece, Run, after, first, same
from channels.formatting.markup import Markup
from channels.formatting.spans import trimmed

HALF = 0.5
SHARES = (1, 0.9, 0.8, 0.65, 0.5, 0.35, 0.2, 0.1)
"""How much of the limit is tried as plain text when markup makes a preview too long."""


def parts_of(lines: Sequence[Line], markup: Markup, limit: int) -> list[Piece]:
    """All lines, in order; a part that would show nothing is left out."""
    parts = []
    waiting = deque(lines)
    while waiting:
        draft = Draft(markup, limit)
        count = fill(draft, waiting, limit)
        parts.append(finished(draft, count))
    return [part for part in parts if shows(part.plain)]


def fill(draft: Draft, waiting: deque[Line], limit: int) -> int:
    """Move waiting lines into an empty draft until one does not fit; how many of the draft's lines the part has."""
    while waiting:
        line = waiting.popleft()
        if line.length <= limit and draft.take(line):
            continue
        count = best_end(draft, line, HALF)
        if not count and (at := place_to_cut(draft, line, limit)):
            draft.add(front(line, at))
            if (rest := back(line, at)).runs:
                waiting.appendleft(rest)
            return len(draft.lines)
        count = count or best_end(draft, line, 0)
        waiting.appendleft(line)
        waiting.extendleft(reversed(draft.lines[count:]))
        return count
    return len(draft.lines)


def finished(draft: Draft, count: int) -> Piece:
    """The part. Its plain form has the addresses of links where there is room for them."""
    part = draft.part(count)
    return part._replace(plain=part.spelled) if draft.has_room_for(part.spelled) else part


# ---- between lines ---------------------------------------------------------------------------------------------------


def best_end(draft: Draft, following: Line, least: float) -> int:
    """After how many of its lines the draft had best end when `following` comes next; 0 if none fill it enough."""
    best, best_rank = 0, -1
    for count in range(len(draft.lines), 0, -1):
        if draft.fullness(count) < least:
            break
        rank = rank_between(draft.lines[count - 1], draft.lines[count] if count < len(draft.lines) else following)
        if rank > best_rank:
            best, best_rank = count, rank
    return best


def rank_between(before: Line, following: Line) -> int:
    """How well two lines may be parted: a heading stays with what it announces, code stays together if it can."""
    if before.heading:
        return 0
    if before.code and before.code is following.code:
        return 1
    return 3 if following.gap else 2


# ---- inside a line ---------------------------------------------------------------------------------------------------


def place_to_cut(draft: Draft, line: Line, limit: int) -> int:
    """How many characters of the line go into the draft; 0 if it had better wait for an empty one."""
    most = largest(min(line.length, limit), lambda count: draft.fits(front(line, count)))
    if not most:
        return 0 if draft.lines else 1
    text = "".join(run.text for run in first(line.runs, most + 1))
    at = cuts.cut_at(text, most, code=line.code is not None)
    while at and not draft.fits(front(line, at)):
        at -= 1
    return at or (0 if draft.lines else 1)


def largest(most: int, fits: Callable[[int], bool]) -> int:
    """The largest number from 0 to `most` that fits, 0 always does. Where larger ones fit again, any that does."""
    least = 0
    while least < most:
        middle = (least + most + 1) // 2
        least, most = (middle, most) if fits(middle) else (least, middle - 1)
    return least


def front(line: Line, count: int) -> Line:
    """Its first `count` characters."""
    runs = first(line.runs, count)
    return line._replace(runs=runs if line.code else trimmed(runs))


def back(line: Line, count: int) -> Line:
    """All but its first `count` characters, where the words of the line stood."""
    runs = after(line.runs, count)
    indent = line.indent + len(line.marker)
    return line._replace(runs=runs if line.code else trimmed(runs), indent=indent, marker="", gap=False, soft=True)


# ---- the newest ------------------------------------------------------------------------------------------------------


def newest(lines: Sequence[Line], markup: Markup, limit: int) -> Piece:
    """The end of a message in one part: nearly as much as there is room for, found in a few tries."""
    draft = Draft(markup, limit)
    for share in SHARES:
        draft = Draft(markup, limit)
        if all(draft.take(line) for line in last_lines(lines, int(limit * share))):
            break
    return finished(draft, len(draft.lines)) if draft.lines else same("")


def last_lines(lines: Sequence[Line], count: int) -> list[Line]:
    """The newest lines with about `count` characters, the first of them cut if need be."""
    kept: list[Line] = []
    for line in reversed(lines):
        taken = line.indent + len(line.marker) + line.length + 1
        if taken > count:
            kept += [] if kept and line.code else end_of(line, count)
            break
        kept.append(line)
        count -= taken
    return kept[::-1]


def end_of(line: Line, count: int) -> list[Line]:
    """The last words of a line, up to `count` characters of them; none if that is no more than the end of one."""
    start = cuts.next_word(line.text, line.length - max(0, count))
    rest = back(line, start)
    if not rest.runs or line.code:
        return [rest] if rest.runs else []
    return [rest._replace(runs=(Run("…"), *rest.runs))]
