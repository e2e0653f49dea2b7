"""Who may see the web side: one-time links, and the browsers that came by one or proved who they are in another way.

Links are in memory, so a new start wants a new one. Sessions are asked at every request, so they are in memory too, and
written down beside it: a restart signs nobody out. Of both only hashes are kept.
"""

import hashlib
import hmac
import secrets
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

import structlog

from core.clock import Clock
from core.errors import StoreUnavailable
from core.store.web_sessions import WebSession, WebSessionRows

_log = structlog.get_logger(__name__)

LINK_LIFE: Final = timedelta(hours=24)
SESSION_LIFE: Final = timedelta(days=30)

RECENT: Final = timedelta(minutes=10)
"""So long after a browser came in it may do what is sensitive."""

SEEN_EVERY: Final = timedelta(minutes=5)
"""How exact `last_seen` is: one write in so long, not one a request."""

MOST_LINKS: Final = 8
"""Unused links that are remembered; a ninth pushes out the oldest."""

MOST_SESSIONS: Final = 64
"""Browsers that are remembered; one more pushes out the one that came first."""


@dataclass(frozen=True, slots=True)
class Device:
    """A browser as far as it can be told apart: where it asks from, and what it calls itself."""

    address: str = ""
    user_agent: str = ""


class Sessions:
    """Hands out links, takes each once, and knows the sessions. Without `rows` a restart signs everybody out.

    What changes is written down by `store`, for which whoever changed something waits before it answers.
    """

    def __init__(self, clock: Clock, rows: WebSessionRows | None = None) -> None:
        self._clock = clock
        self._rows = rows
        self._links = _Links(clock)
        self._known: OrderedDict[str, WebSession] = OrderedDict()
        self._changed: set[str] = set()
        self._gone: set[str] = set()

    # ---- coming in and going out -----------------------------------------------------------------------------------

    def new_link_token(self) -> str:
        """What `/?token=` takes, once."""
        return self._links.new()

    def exchange(self, link_token: str, device: Device | None = None) -> str | None:
        """A session for a link that was not used before, else None."""
        return self.begin(device) if self._links.take(link_token) else None

    def begin(self, device: Device | None = None) -> str:
        """A new session, for somebody who proved who they are just now."""
        session, now, told = secrets.token_urlsafe(32), self._clock.now(), device or Device()
        known = WebSession(
            id=secrets.token_hex(8),
            session_hash=_hash(session),
            created_at=now,
            signed_in_at=now,
            last_seen=now,
            ends_at=now + SESSION_LIFE,
            address=told.address,
            user_agent=told.user_agent,
        )
        self._known[known.id] = known
        self._changed.add(known.id)
        while len(self._known) > MOST_SESSIONS:
            self._forget(next(iter(self._known)))
        return session

    def end(self, session: str) -> None:
        """The session is good for nothing from here on."""
        if (found := self.find(session)) is not None:
            self._forget(found.id)

    def end_by_id(self, session_id: str) -> bool:
        """End the one that pages call so; False where it is not there (any more)."""
        known = session_id in self._known
        if known:
            self._forget(session_id)
        return known

    def end_others(self, session: str) -> int:
        """End all but this one; how many that were."""
        mine = self.find(session)
        others = [known for known in self._known if mine is None or known != mine.id]
        for other in others:
            self._forget(other)
        return len(others)

    def _forget(self, session_id: str) -> None:
        del self._known[session_id]
        self._changed.discard(session_id)
        self._gone.add(session_id)

    # ---- asking ----------------------------------------------------------------------------------------------------

    def find(self, session: str) -> WebSession | None:
        """The session, where it is one of ours and still good.

        Compares with every one, each in constant time, so that the time taken says nothing.
        """
        given, now, found = _hash(session), self._clock.now(), None
        for known in self._known.values():
            if hmac.compare_digest(known.session_hash, given) and now < known.ends_at:
                found = known
        return found

    def knows(self, session: str) -> bool:
        """Whether the session is one of ours and still good."""
        return self.find(session) is not None

    def is_recent(self, session: str) -> bool:
        """Whether the session is good, and the owner proved who they are a moment ago."""
        found = self.find(session)
        return found is not None and self._clock.now() < found.signed_in_at + RECENT

    def all(self) -> Sequence[WebSession]:
        """Every browser that is signed in, the one seen last first."""
        now = self._clock.now()
        standing = [known for known in self._known.values() if now < known.ends_at]
        return sorted(standing, key=lambda known: known.last_seen, reverse=True)

    # ---- what outlives the process ---------------------------------------------------------------------------------

    async def load(self) -> None:
        """Take up those of earlier lives. A store that is away signs everybody out, and is said in the log."""
        if self._rows is None:
            return
        try:
            standing = await self._rows.standing()
        except StoreUnavailable as reason:
            _log.warning("who was signed in is not known", reason=str(reason))
            return
        self._known.update((known.id, known) for known in standing)

    async def seen(self, session: str) -> None:
        """Remember that the browser was here now."""
        found, now = self.find(session), self._clock.now()
        if found is None or now - found.last_seen < SEEN_EVERY:
            return
        self._known[found.id] = replace(found, last_seen=now)
        self._changed.add(found.id)
        await self.store()

    async def store(self) -> None:
        """Write down what changed. Where that cannot be, it counts all the same, and is written with the next."""
        if self._rows is None:
            return
        changed, gone = [self._known[known] for known in self._changed if known in self._known], frozenset(self._gone)
        if not (changed or gone):
            return
        try:
            await self._rows.keep(changed, gone)
        except StoreUnavailable as reason:
            _log.warning("who is signed in could not be written down", reason=str(reason))
            return
        self._changed -= {known.id for known in changed}
        self._gone -= gone


class _Links:
    """Random tokens of 256 bits, of which only the hashes are kept, each with the time of its end."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._ends: OrderedDict[str, datetime] = OrderedDict()

    def new(self) -> str:
        token = secrets.token_urlsafe(32)
        self._ends[_hash(token)] = self._clock.now() + LINK_LIFE
        while len(self._ends) > MOST_LINKS:
            self._ends.popitem(last=False)
        return token

    def take(self, token: str) -> bool:
        """Whether it is one of ours, unused and in time; compared as sessions are."""
        given, now, found = _hash(token), self._clock.now(), None
        for known, end in self._ends.items():
            if hmac.compare_digest(known, given) and now < end:
                found = known
        if found is None:
            return False
        del self._ends[found]
        return True


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
