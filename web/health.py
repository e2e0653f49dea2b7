"""`/healthz`: whether Conch can do its work, for machines that look after it. It says nothing private to anyone."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from fastapi import FastAPI
from fastapi.responses import JSONResponse

ONLINE = "online"


@dataclass(frozen=True, slots=True)
class HealthReport:
    """`channels` counts the bots that are on by their state, a `HealthState`."""

    can_store: bool
    channels: Mapping[str, int]

    @property
    def status(self) -> str:
        """`ok`, or `degraded` when anything is not as it should be."""
        all_online = set(self.channels) <= {ONLINE}
        return "ok" if self.can_store and all_online else "degraded"


class HealthRoute:
    """Answers 200 while messages can be stored, else 503; a bot that is away degrades the status only."""

    def __init__(self, look: Callable[[], Awaitable[HealthReport]]) -> None:
        self._look = look

    def add_to(self, app: FastAPI) -> None:
        """Register the route."""
        app.add_api_route("/healthz", self.healthz, methods=["GET", "HEAD"])

    async def healthz(self) -> JSONResponse:
        """Look and say."""
        report = await self._look()
        body = {"status": report.status, "channels": dict(report.channels)}
        return JSONResponse(body, 200 if report.can_store else 503)
