"""What was done with Conch: by whom, when and from where."""

from typing import Annotated, Final

from fastapi import Query

from core.store.audit import Audit, Deed
from web.api import schemas
from web.api.conversations import Limit
from web.api.document import Section, refusals

Before = Annotated[
    int | None, Query(ge=0, lt=1 << 63, description="`next` of the page before; without it, the newest are told")
]
MOST_KINDS: Final = len(Deed)

What = Annotated[list[Deed] | None, Query(max_length=MOST_KINDS, description="Only these; can be given several times")]


class ActivityRoutes:
    """The route."""

    def __init__(self, audit: Audit) -> None:
        self._audit = audit

    def add_to(self, api: Section) -> None:
        """Register it."""
        api.add_api_route("/activity", self.list_activity, responses=refusals(), summary="What was done")

    async def list_activity(self, limit: Limit = 50, before: Before = None, what: What = None) -> schemas.ActivityPage:
        """The newest first. Kept as long as `retention_days` says, 90 days at least."""
        found = await self._audit.page(limit + 1, before, [each.value for each in what or ()])
        page = found[:limit]
        following = page[-1].id if len(found) > limit else None
        lines = [
            schemas.ActivityLine(
                id=each.id, at=each.at, what=each.what, by=each.by, about=each.about, address=each.address
            )
            for each in page
        ]
        return schemas.ActivityPage(lines=tuple(lines), next=following)
