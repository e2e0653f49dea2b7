"""What someone probably meant by a name that is none. How a suggestion is worded and tapped is not decided here."""

from collections.abc import Iterator
from itertools import chain

from commands import registry
from commands.command import Place
from commands.naming import fold_name
from commands.resolution import NO_OTHERS, OtherNames, reachable

MOST_SUGGESTIONS = 2
_SHORTEST_PREFIX = 2
_PREFIX_SCORE = 0.5
"""Ahead of any slip: whoever stops typing early has typed nothing wrong."""
_SHORT_NAME = 4
"""Names up to this length allow one slip of the finger, longer ones two."""


def similar_commands(
    typed: str,
    place: Place,
    others: OtherNames = NO_OTHERS,
    *,
    pending: tuple[str, ...] = registry.PENDING,
) -> tuple[str, ...]:
    """At most two names to suggest, the likeliest first; an alias suggests the command it stands for.

    Only what may be run at `place` is suggested, and nothing hidden or pending.
    """
    folded = fold_name(typed)
    best: dict[str, tuple[float, int]] = {}
    for word, name in _candidates(place, others, pending):
        score = _score(folded, word)
        if score is not None:
            rank = score, abs(len(folded) - len(word))
            best[name] = min(rank, best.get(name, rank))
    return tuple(sorted(best, key=lambda name: (*best[name], name))[:MOST_SUGGESTIONS])


def _candidates(place: Place, others: OtherNames, pending: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Every folded word to compare with, and the name that it suggests."""
    mine = reachable(others)
    taken = {fold_name(name) for name in chain(mine.own, mine.skills)}
    for command in registry.listed_at(place, pending=pending):
        # What the person has under the same name would run instead, and is compared by itself below.
        if command.name not in taken:
            words = {command.name, *command.aliases} - taken
            yield from ((word, command.name) for word in words)
    yield from ((fold_name(name), name) for name in chain(mine.own, mine.skills))


def _score(typed: str, word: str) -> float | None:
    """How far apart they are, or None when too far to have been meant."""
    allowed = 1 if len(word) <= _SHORT_NAME else 2
    if typed != word and len(typed) >= _SHORTEST_PREFIX and word.startswith(typed):
        return _PREFIX_SCORE
    if abs(len(typed) - len(word)) > allowed:
        return None
    distance = edit_distance(typed, word)
    # With nothing in common it is no slip: every single letter would be one away from the alias `?`.
    return distance if distance <= allowed and distance < max(len(typed), len(word)) else None


def edit_distance(one: str, other: str) -> int:
    """Fewest inserts, deletes, replacements and swaps of neighbours that turn one into the other.

    A swapped pair is not edited again (optimal string alignment), as nobody mistypes in that way.
    """
    before_last: list[int] = []
    last = list(range(len(other) + 1))
    for i, left in enumerate(one, start=1):
        row = [i]
        for j, right in enumerate(other, start=1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (left != right))
            if i > 1 and j > 1 and left == other[j - 2] and right == one[i - 2]:
                cost = min(cost, before_last[j - 2] + 1)
            row.append(cost)
        before_last, last = last, row
    return last[-1]
