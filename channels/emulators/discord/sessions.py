"""What a bot is told over the gateway: numbered events, kept for a bot that comes back and resumes.

Belongs here: numbering, keeping and handing over. The conversation on the socket belongs to `gateway`.
"""

import asyncio
import json
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from channels.emulators.discord import limits

GUILDS = 1 << 0
GUILD_MEMBERS = 1 << 1
GUILD_PRESENCES = 1 << 8
GUILD_MESSAGES = 1 << 9
GUILD_REACTIONS = 1 << 10
GUILD_TYPING = 1 << 11
DIRECT_MESSAGES = 1 << 12
DIRECT_REACTIONS = 1 << 13
DIRECT_TYPING = 1 << 14
MESSAGE_CONTENT = 1 << 15
PRIVILEGED = GUILD_MEMBERS | GUILD_PRESENCES | MESSAGE_CONTENT
KNOWN = (1 << 17) - 1 | 1 << 20 | 1 << 21 | 1 << 24 | 1 << 25
"""Every intent that there is; other bits are refused with 4013."""


@dataclass(frozen=True, slots=True)
class Close:
    """The end of a connection; 0 is cutting it without a goodbye."""

    code: int
    reason: str = ""


Link = asyncio.Queue["str | Close"]
"""What is to go out on a connection, in order."""


@dataclass(eq=False, slots=True)
class Session:
    """One identified bot. Without a `link` its events are kept until it resumes."""

    id: str
    intents: int
    link: Link | None = None
    seq: int = 0
    _sent: deque[tuple[int, str]] = field(default_factory=lambda: deque(maxlen=limits.REPLAYED))

    def dispatch(self, event: str, data: Mapping[str, Any]) -> None:
        """Tell the bot."""
        self.seq += 1
        text = json.dumps({"op": 0, "s": self.seq, "t": event, "d": data}, separators=(",", ":"))
        self._sent.append((self.seq, text))
        if self.link is not None:
            self.link.put_nowait(text)

    def can_resume_after(self, seq: int) -> bool:
        """Whether everything after `seq` is still known."""
        oldest = self._sent[0][0] if self._sent else self.seq + 1
        return oldest - 1 <= seq <= self.seq

    def replay(self, seq: int) -> None:
        """Tell again what came after `seq`."""
        if self.link is not None:
            for number, text in self._sent:
                if number > seq:
                    self.link.put_nowait(text)
