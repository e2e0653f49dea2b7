"""Slack's rate limits: how often each method may be called, and how often something may be said in one room.

Belongs here: counting, and how long to wait. Off unless it is switched on. Sources: docs.slack.dev/apis/web-api/
rate-limits, and the tier that each method's page names.
"""

from channels.emulators.clock import Clock

TIERS = {1: 1, 2: 20, 3: 50, 4: 100}
"""Calls a minute."""

METHOD_TIERS = {
    "apps.connections.open": 3,
    "chat.appendStream": 4,
    "chat.delete": 3,
    "chat.postEphemeral": 4,
    "chat.startStream": 2,
    "chat.stopStream": 2,
    "chat.update": 3,
    "conversations.history": 3,
    "conversations.info": 3,
    "conversations.members": 4,
    "conversations.open": 3,
    "conversations.replies": 3,
    "files.completeUploadExternal": 4,
    "files.getUploadURLExternal": 4,
    "files.info": 4,
    "reactions.add": 3,
    "reactions.remove": 2,
    "users.conversations": 3,
    "users.info": 4,
    "users.list": 2,
    "views.open": 4,
    "views.publish": 4,
    "views.push": 4,
    "views.update": 4,
}
MINUTE = 60.0

IN_ONE_ROOM = 1.0
"""Seconds between two messages in one room; short bursts are let pass."""

BURST = 3
"""Messages in one room that may come at once; Slack names no number."""


class Rates:
    """Counts calls by app. `on` is whether it refuses any."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._made: dict[tuple[str, str], list[float]] = {}
        self.on = False

    def switch(self, on: bool) -> None:
        """Begin to count, from nothing, or stop."""
        self.on = on
        self._made.clear()

    def wait_for(self, bot_id: str, method: str, chat: str) -> int:
        """Whole seconds to wait before this call; 0 lets it pass and counts it."""
        if not self.on:
            return 0
        if method == "chat.postMessage":
            return self._take((bot_id, f"room {chat}"), BURST, BURST * IN_ONE_ROOM)
        tier = METHOD_TIERS.get(method)
        return self._take((bot_id, method), TIERS[tier], MINUTE) if tier is not None else 0

    def _take(self, key: tuple[str, str], most: int, seconds: float) -> int:
        now = self._clock.monotonic()
        recent = [at for at in self._made.get(key, []) if now - at < seconds]
        self._made[key] = recent
        if len(recent) >= most:
            return max(1, round(recent[0] + seconds - now))
        recent.append(now)
        return 0
