"""Which messages wait a moment because more is likely, and how several become one. Pure: times in, decisions out.

A message is held only when it is part of an album, was split by the app, was forwarded, or follows another one closely;
any other goes at once. People who send too fast wait as well.
"""

import unicodedata
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from channels.base import InboundMessage

SPLIT_BY_APP = 3_500
"""Characters from which a message was probably split by the app (Telegram cuts at 4,096)."""

CLOSE = 2.0
"""Seconds within which a second message of the same seat belongs to the first."""

LONGEST = 3.0
"""Seconds that the first of the held messages waits at most."""

MINUTE = 60.0

_UNSEEN: Final = frozenset({"Cc", "Cf", "Zl", "Zp", "Zs"})
_BLANK_LETTERS: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and signs, as Unicode sorts them, that nobody sees."""


@dataclass(slots=True)
class Intake:
    """One seat's messages on their way in. Times are of a monotonic clock, in seconds.

    `gather` is how long to wait for more; `per_minute` how many messages a person may send in a minute (0: any number).
    """

    gather: float
    per_minute: int
    held: list[InboundMessage] = field(default_factory=list)
    release_at: float = 0.0
    first_at: float = 0.0
    previous_at: float | None = None
    recent: deque[float] = field(default_factory=deque)
    told_to_slow_down: bool = False

    def take(self, message: InboundMessage, now: float) -> "Taken":
        """Add a message; says whether it goes now or when to look again."""
        close = self.previous_at is not None and now - self.previous_at <= CLOSE
        self.previous_at = now
        first = not self.held
        self.held.append(message)
        if first:
            self.first_at = now
        slow = self._too_fast(now)
        if first and slow == 0 and not (close or more_is_likely(message)):
            self.release_at = now
        else:
            self.release_at = max(min(now + self.gather, self.first_at + LONGEST), now + slow)
        tell = slow > 0 and not self.told_to_slow_down
        self.told_to_slow_down = slow > 0
        return Taken(self.release_at, tell_to_slow_down=tell)

    def replace(self, message: InboundMessage) -> bool:
        """A held message was edited: it says this now. False when it is not held (any more)."""
        for place, held in enumerate(self.held):
            if held.message_id == message.message_id:
                self.held[place] = message
                return True
        return False

    def release(self) -> list[InboundMessage]:
        """Everything that is held, in order; nothing is held afterwards."""
        held, self.held = self.held, []
        return held

    def idle(self, now: float) -> bool:
        """Whether a new intake would behave the same: then this one can be forgotten."""
        quiet = self.previous_at is None or now - self.previous_at > CLOSE
        return quiet and not self.held and not (self.recent and now - self.recent[-1] <= MINUTE)

    def _too_fast(self, now: float) -> float:
        """Count a message; seconds to wait when it is one too many within a minute."""
        if self.per_minute == 0:
            return 0.0
        while self.recent and now - self.recent[0] >= MINUTE:
            self.recent.popleft()
        self.recent.append(now)
        if len(self.recent) <= self.per_minute:
            return 0.0
        return self.recent[len(self.recent) - 1 - self.per_minute] + MINUTE - now


@dataclass(frozen=True, slots=True)
class Taken:
    """When what is held goes. `tell_to_slow_down`: say once that messages wait."""

    release_at: float
    tell_to_slow_down: bool = False


def more_is_likely(message: InboundMessage) -> bool:
    """Whether a message probably is not all that its sender means to say."""
    return bool(message.album or message.forwarded_from) or len(message.text) > SPLIT_BY_APP


def joined_text(messages: Sequence[InboundMessage]) -> str:
    """Several messages as one text, joined by blank lines; other people's words marked as theirs."""
    return "\n\n".join(text for message in messages if (text := _marked(message)))


def says_anything(text: str) -> bool:
    """Whether there is anything to see in it: characters without width or ink alone are no message."""
    return any(unicodedata.category(one) not in _UNSEEN and one not in _BLANK_LETTERS for one in text)


def others_words(messages: Sequence[InboundMessage]) -> bool:
    """Whether somebody else's words are among them: forwarded, or quoted from anyone but the bot."""
    return any(
        message.forwarded_from is not None or (message.reply_to is not None and not message.reply_to.from_bot)
        for message in messages
    )


def words_of(messages: Sequence[InboundMessage]) -> str | None:
    """Whose words `others_words` found, by name: the first of them, where there are several."""
    for message in messages:
        if message.forwarded_from is not None:
            return _plain(message.forwarded_from)
        if message.reply_to is not None and not message.reply_to.from_bot:
            return _plain(message.reply_to.author)
    return None


def _marked(message: InboundMessage) -> str:
    if message.forwarded_from is not None:
        return f"Forwarded from {_plain(message.forwarded_from)}:\n{_quoted(message.text)}" if message.text else ""
    if message.reply_to is not None and message.reply_to.text.strip():
        whose = "you" if message.reply_to.from_bot else _plain(message.reply_to.author)
        return f"In reply to what {whose} wrote:\n{_quoted(message.reply_to.text)}\n\n{message.text}".rstrip()
    return message.text


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.splitlines())


def _plain(name: str) -> str:
    """A name on one line: it is outside data."""
    return " ".join(name.split())[:80] or "someone"
