"""Who may see the web side: one-time links, and the browsers that came by one. Kept in memory, as hashes only.

A restart signs every browser out; the new start prints a new link.
"""

import hashlib
import hmac
import secrets
from collections import OrderedDict
from datetime import datetime, timedelta

from core.clock import Clock

LINK_LIFE = timedelta(hours=24)
SESSION_LIFE = timedelta(days=30)

RECENT = timedelta(minutes=10)
"""So long after a browser came in it may do what is sensitive."""

MOST_LINKS = 8
"""Unused links that are remembered; a ninth pushes out the oldest."""

MOST_SESSIONS = 64
"""Browsers that are remembered; one more pushes out the one that came first."""


class Sessions:
    """Hands out links, takes each once, and knows the sessions that came of them."""

    def __init__(self, clock: Clock) -> None:
        self._links = _Tokens(clock, LINK_LIFE, MOST_LINKS)
        self._sessions = _Tokens(clock, SESSION_LIFE, MOST_SESSIONS)

    def new_link_token(self) -> str:
        """What `/?token=` takes, once."""
        return self._links.new()

    def exchange(self, link_token: str) -> str | None:
        """A session for a link that was not used before, else None."""
        return self._sessions.new() if self._links.take(link_token) else None

    def end(self, session: str) -> None:
        """The session is good for nothing from here on."""
        self._sessions.take(session)

    def knows(self, session: str) -> bool:
        """Whether the session is one of ours and still good."""
        return self._sessions.has(session)

    def is_recent(self, session: str) -> bool:
        """Whether the session is good and began a moment ago."""
        return self._sessions.has(session, within=RECENT)


class _Tokens:
    """Random tokens of 256 bits, of which only the hashes are kept, each with the time of its end."""

    def __init__(self, clock: Clock, life: timedelta, most: int) -> None:
        self._clock = clock
        self._life = life
        self._most = most
        self._ends: OrderedDict[bytes, datetime] = OrderedDict()

    def new(self) -> str:
        token = secrets.token_urlsafe(32)
        self._ends[_hash(token)] = self._clock.now() + self._life
        while len(self._ends) > self._most:
            self._ends.popitem(last=False)
        return token

    def has(self, token: str, within: timedelta | None = None) -> bool:
        """Whether it is one of ours and still good; `within` so long of its beginning, where that is given."""
        found = self._find(token)
        if found is None:
            return False
        return within is None or self._clock.now() < self._ends[found] - self._life + within

    def take(self, token: str) -> bool:
        found = self._find(token)
        if found is None:
            return False
        del self._ends[found]
        return True

    def _find(self, token: str) -> bytes | None:
        """Compares with every one, each in constant time, so that the time taken says nothing."""
        given, now, found = _hash(token), self._clock.now(), None
        for known, end in self._ends.items():
            if hmac.compare_digest(known, given) and now < end:
                found = known
        return found


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
