"""One line about what came of a form, kept until the next page shows it. In memory: a restart forgets it."""

import hashlib
from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

MOST: Final = 64
"""Browsers that have a note waiting; one more pushes out the oldest."""


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence for the owner. `trouble`: it tells of something that did not work."""

    words: str
    trouble: bool = False


class Notes:
    """The note of each session, by a hash of it: the session itself is a secret."""

    def __init__(self) -> None:
        self._kept: OrderedDict[bytes, Note] = OrderedDict()

    def keep(self, session: str, note: Note) -> None:
        """Show it on the next page of this browser. A newer one takes the place of one that nobody saw."""
        self._kept.pop(key := _hash(session), None)
        self._kept[key] = note
        while len(self._kept) > MOST:
            self._kept.popitem(last=False)

    def take(self, session: str) -> Note | None:
        """What there is to show, once."""
        return self._kept.pop(_hash(session), None)


def _hash(session: str) -> bytes:
    return hashlib.sha256(session.encode("utf-8", "surrogatepass")).digest()
