"""What a command came to, kept until the next look at its chat by the browser that gave it. In memory."""

import hashlib
from collections import OrderedDict
from typing import Final

from channels.console.told import Told

MOST: Final = 64
"""Answers that wait; one more pushes out the oldest."""


class Telling:
    """The answer for each session and chat, by a hash: the session itself is a secret."""

    def __init__(self) -> None:
        self._kept: OrderedDict[bytes, Told] = OrderedDict()

    def keep(self, session: str, chat: str, told: Told) -> None:
        """Show it with this browser's next look at the chat, in place of an earlier one."""
        self._kept.pop(key := _key(session, chat), None)
        self._kept[key] = told
        while len(self._kept) > MOST:
            self._kept.popitem(last=False)

    def take(self, session: str, chat: str) -> Told | None:
        """What there is to show, once."""
        return self._kept.pop(_key(session, chat), None)


def _key(session: str, chat: str) -> bytes:
    return hashlib.sha256(f"{session}\n{chat}".encode("utf-8", "surrogatepass")).digest()
