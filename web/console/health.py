"""The page of how everything is: what the doctor finds with what to do, what waits, what could not be delivered."""

import asyncio
from collections.abc import Sequence
from typing import Annotated, Final

from fastapi import FastAPI, Path
from starlette.requests import Request
from starlette.responses import Response

from core.errors import ConchError, StoreUnavailable
from web.console.backing import Checkup, FindingView
from web.console.desk import Desk

PATIENCE: Final = 4.0
"""Seconds that the page waits for a look at everything; a slow app is shown on the next visit."""

MOST_SHOWN: Final = 50

Delivery = Annotated[int, Path(ge=0, lt=1 << 63)]
"""What a database can count up to; a larger number is nothing's."""

ORDER: Final = ("fail", "warn", "ok")


class HealthPages:
    """The page. One look at everything goes on at a time, whoever asks."""

    def __init__(self, desk: Desk, checkup: Checkup) -> None:
        self._desk = desk
        self._checkup = checkup
        self._looking: asyncio.Task[Sequence[FindingView]] | None = None

    def add_to(self, app: FastAPI) -> None:
        """Register the routes."""
        where = "/health/deliveries/{delivery}"
        app.add_api_route("/health", self.overview, methods=["GET"], response_model=None)
        app.add_api_route(f"{where}/resend", self.resend, methods=["POST"], response_model=None)
        app.add_api_route(f"{where}/drop", self.drop, methods=["POST"], response_model=None)

    async def overview(self, request: Request) -> Response:
        """Everything there is to know now."""
        return self._desk.page(request, "console/health.html", **await self._all())

    async def resend(self, request: Request, delivery: Delivery) -> Response:
        """Send it again."""
        try:
            done = await self._checkup.resend(delivery)
        except ConchError as fault:
            return self._desk.refused(request, "console/health.html", fault, **await self._all())
        return self._desk.done(request, "/health", "It is sent again." if done else "It is not here any more.")

    async def drop(self, request: Request, delivery: Delivery) -> Response:
        """Leave it unsent."""
        try:
            done = await self._checkup.drop(delivery)
        except ConchError as fault:
            return self._desk.refused(request, "console/health.html", fault, **await self._all())
        return self._desk.done(request, "/health", "It stays unsent." if done else "It is not here any more.")

    async def _all(self) -> dict[str, object]:
        findings = await self._findings()
        try:
            levels, deliveries = await self._checkup.levels(), await self._checkup.deliveries(MOST_SHOWN)
        except StoreUnavailable:
            levels, deliveries = (), ()
        counts = {verdict: sum(each.verdict == verdict for each in findings or ()) for verdict in ORDER}
        return {
            "findings": None if findings is None else sorted(findings, key=lambda each: ORDER.index(each.verdict)),
            "counts": counts,
            "levels": levels,
            "deliveries": deliveries,
            "most": MOST_SHOWN,
        }

    async def _findings(self) -> Sequence[FindingView] | None:
        """What a look found; None while it takes long. It goes on meanwhile, and the next visit has it."""
        if self._looking is None:
            self._looking = asyncio.create_task(self._look())
        task = self._looking
        done, _ = await asyncio.wait({task}, timeout=PATIENCE)
        if not done:
            return None
        if self._looking is task:
            self._looking = None
        return task.result()

    async def _look(self) -> Sequence[FindingView]:
        try:
            return await self._checkup.findings()
        except ConchError as fault:
            return (FindingView(subject="Store", verdict="fail", said=str(fault), todo="Look into Conch's log."),)
