"""The page of what was done: by whom, when and from where, the newest first."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import Annotated, Final

from fastapi import FastAPI, Query
from starlette.requests import Request
from starlette.responses import Response

from core.store.audit import AuditLine
from web.console.backing import Activity
from web.console.deeds import KINDS, Piece, said
from web.console.desk import Desk

MOST: Final = 50
"""Lines on a page."""

Place = Annotated[int | None, Query(ge=0, lt=1 << 63)]
"""What a database can count up to; a larger number is nothing's."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line, to be read."""

    line: AuditLine
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Day:
    """What was done on a day, as days are where Conch runs."""

    day: date
    lines: tuple[Line, ...]


class ActivityPages:
    """The page."""

    def __init__(self, desk: Desk, activity: Activity) -> None:
        self._desk = desk
        self._activity = activity

    def add_to(self, app: FastAPI) -> None:
        """Register the route."""
        app.add_api_route("/activity", self.overview, methods=["GET"], response_model=None)

    async def overview(self, request: Request, kind: str = "", before: Place = None) -> Response:
        """Everything, or one kind; before a line, or the newest."""
        chosen = next((each for each in KINDS if each.id == kind), None)
        deeds = tuple(sorted(chosen.deeds)) if chosen else ()
        found = await self._activity.page(MOST + 1, before, deeds)
        page = found[:MOST]
        return self._desk.page(
            request,
            "console/activity.html",
            days=_days(page),
            kinds=KINDS,
            chosen=chosen,
            is_first=before is None,
            following=page[-1].id if len(found) > MOST else None,
        )


def _days(lines: Sequence[AuditLine]) -> tuple[Day, ...]:
    days = groupby(lines, key=lambda line: line.at.astimezone().date())
    return tuple(Day(day, tuple(Line(line, said(line)) for line in found)) for day, found in days)
