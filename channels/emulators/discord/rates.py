"""Discord's rate limits: how much a bot may ask for in a moment, and how Discord says how much is left.

Belongs here: counting, and the headers. Off unless switched on, because most tests are about something else; Discord
publishes no figures for its buckets, so an adapter has to read the headers.
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256

from channels.emulators.clock import Clock
from channels.emulators.discord import limits
from channels.emulators.discord.errors import ApiError, too_many_requests, unauthorized
from channels.emulators.discord.people import Bot
from channels.emulators.faults import Fault

_VIA = {"Via": "1.1 google"}
"""What Discord's own 429 carries and Cloudflare's does not."""


@dataclass(slots=True)
class Rates:
    """A bucket for each route of each bot in each channel, and one for everything. `refused` counts since `switch`."""

    clock: Clock
    on: bool = False
    refused: int = 0
    bucket: int = limits.BUCKET
    seconds: float = limits.BUCKET_SECONDS
    _taken: dict[tuple[str, ...], deque[float]] = field(default_factory=dict)

    def switch(self, on: bool) -> None:
        """Begin or end counting; either way from nothing."""
        self.on = on
        self.refused = 0
        self._taken.clear()

    def pass_(self, bot: Bot | None, route: str, place: Mapping[str, str], *, free: bool) -> dict[str, str]:
        """Let one call through; gives the headers of its answer. `free` calls count for nothing (interactions).

        Raises:
            ApiError: 429, of the bucket or of everything.
        """
        if not self.on or bot is None or free:
            return {}
        self._take((bot.id,), limits.OVERALL_PER_SECOND, 1.0, everywhere=True)
        where = (bot.id, route, place.get("channel_id", ""), place.get("guild_id", ""))
        taken = self._take(where, self.bucket, self.seconds, everywhere=False)
        left = taken[0] + self.seconds - self.clock.monotonic()
        return {
            "X-RateLimit-Limit": str(self.bucket),
            "X-RateLimit-Remaining": str(self.bucket - len(taken)),
            "X-RateLimit-Reset": f"{self.clock.now().timestamp() + left:.3f}",
            "X-RateLimit-Reset-After": f"{left:.3f}",
            "X-RateLimit-Bucket": sha256(route.encode()).hexdigest()[:32],
        }

    def _take(self, key: tuple[str, ...], most: int, seconds: float, *, everywhere: bool) -> deque[float]:
        now, taken = self.clock.monotonic(), self._taken.setdefault(key, deque())
        while taken and now - taken[0] >= seconds:
            taken.popleft()
        if len(taken) >= most:
            self.refused += 1
            raise too_many_requests(round(taken[0] + seconds - now, 3), everywhere=everywhere)
        taken.append(now)
        return taken

    @staticmethod
    def refusal_headers(error: ApiError) -> dict[str, str]:
        """What goes with a 429."""
        everywhere, seconds = bool(error.extra["global"]), float(error.extra["retry_after"])
        headers = _VIA | {"Retry-After": str(max(1, round(seconds)))}
        headers["X-RateLimit-Scope"] = "global" if everywhere else "user"
        if everywhere:
            return headers | {"X-RateLimit-Global": "true"}
        return headers | {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset-After": f"{seconds:.3f}"}


def fault_refusal(fault: Fault) -> tuple[ApiError, dict[str, str]]:
    """How a fault refuses a call."""
    if fault.kind in ("flood", "flood_all"):
        error = too_many_requests(fault.seconds, everywhere=fault.kind == "flood_all")
        return error, Rates.refusal_headers(error)
    if fault.kind == "unauthorized":
        return unauthorized(), {}
    return ApiError(fault.status, 0, f"{fault.status}: Server Error"), {}
