"""The page of what was used of models, and what may be used."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import Final

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from web.administration import Administration
from web.console.desk import Desk
from web.preferences import UsageView, UsedView

SPANS: Final = (7, 30, 90)
"""Days that can be looked at."""


@dataclass(frozen=True, slots=True)
class Day:
    """What was used on a day (UTC), in all and of each model."""

    day: date
    used: tuple[UsedView, ...]
    tokens: int
    cost: float


@dataclass(frozen=True, slots=True)
class Bar:
    """How much of a day's budget is used: `now` of `most`, both also as words."""

    title: str
    now: float
    most: float
    words: str


class UsagePages:
    """The page."""

    def __init__(self, desk: Desk, administration: Administration) -> None:
        self._desk = desk
        self._administration = administration

    def add_to(self, app: FastAPI) -> None:
        """Register the route."""
        app.add_api_route("/usage", self.overview, methods=["GET"], response_model=None)

    async def overview(self, request: Request, days: int = SPANS[0]) -> Response:
        """The last days, the newest first."""
        span = days if days in SPANS else SPANS[0]
        usage = await self._administration.usage(span)
        return self._desk.page(
            request,
            "console/usage.html",
            days=_days(usage.used),
            bars=_bars(usage),
            span=span,
            spans=SPANS,
            usage=usage,
        )


def _days(used: Sequence[UsedView]) -> tuple[Day, ...]:
    days = groupby(sorted(used, key=lambda each: each.day, reverse=True), key=lambda each: each.day)
    return tuple(_day(day, tuple(found)) for day, found in days)


def _day(day: date, used: tuple[UsedView, ...]) -> Day:
    return Day(day, used, sum(each.input + each.output for each in used), sum(each.cost for each in used))


def _bars(usage: UsageView) -> tuple[Bar, ...]:
    today = _day(usage.today, tuple(each for each in usage.used if each.day == usage.today))
    bars = []
    if (most := usage.budget.day_tokens) is not None:
        bars.append(Bar("Tokens today", today.tokens, most, f"{today.tokens:,} of {most:,}"))
    if (cost := usage.budget.day_cost) is not None:
        bars.append(Bar("Cost today", today.cost, cost, f"${today.cost:,.2f} of ${cost:,.2f}"))
    return tuple(bars)
