"""What the API is made of, and what its routes have in common: who asks, which ids can be, what went wrong."""

from dataclasses import dataclass
from typing import Annotated, Any, Final

from fastapi import Depends, Request

from core.clock import Clock
from core.conversations import Conversations
from core.engines.catalogue import Catalogue
from core.engines.registry import Engines
from core.errors import NotFound
from core.live import LiveFeed
from core.preferences import Preferences
from core.store.audit import Audit
from core.store.log import EventLog
from web.administration import Administration
from web.callers import Caller, caller_of

LONGEST_ID: Final = 200
"""Characters; a longer one is nothing's id."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What the routes use."""

    conversations: Conversations
    log: EventLog
    feed: LiveFeed
    preferences: Preferences
    engines: Engines
    catalogue: Catalogue
    administration: Administration
    clock: Clock
    audit: Audit

    async def expect(self, conversation_id: str) -> None:
        """Raises NotFound where there is no such conversation, or nothing was said in it yet."""
        if not await self.log.exists(conversation_id):
            raise NotFound("There is no such conversation.")


class Unmet(Exception):
    """What was asked for was not done. `code` is one of `web.problems`, `more` goes into the problem as it is."""

    def __init__(self, status: int, code: str, detail: str | None = None, **more: Any) -> None:  # noqa: ANN401 - JSON
        super().__init__(code)
        self.status = status
        self.code = code
        self.detail = detail
        self.more = more


async def asking(request: Request) -> Caller:
    """Who asks."""
    return caller_of(request.scope)


By = Annotated[Caller, Depends(asking)]


async def expect_possible_ids(request: Request) -> None:
    """An id that nothing can have is not there; no database is asked about it."""
    for given in request.path_params.values():
        if not (0 < len(given) <= LONGEST_ID and given.isascii() and given.isprintable()):
            raise NotFound("There is no such thing.")
