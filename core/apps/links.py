"""The link of an offer that leads to an app's sign-in. What is behind it is the web side's.

A link works once, for ten minutes, and opens that one sign-in and nothing else. So one is made whenever a card is drawn
anew: with the answer, and again at `/status`.
"""

from collections.abc import Collection
from typing import Final

from core.store.apps import Step, Ticket, Tickets

PATH: Final = "/connect/"

ON_THIS_MACHINE: Final = "Open it on the machine where Conch runs."
"""What a person has to be told where a link leads to this machine only."""


class ConnectLinks:
    """Makes links, at the public address or else at the one that only this machine reaches.

    `apps` are the ids of those that can be connected. `local`: the links work on the machine where Conch runs, and
    nowhere else.
    """

    def __init__(
        self, tickets: Tickets, apps: Collection[str], *, public_url: str | None = None, local_url: str | None = None
    ) -> None:
        self._tickets = tickets
        self._apps = apps
        self.base = (public_url or local_url or "").rstrip("/")
        self.local = public_url is None

    async def link(self, conversation_id: str | None, offer_id: str | None, app_id: str) -> str | None:
        """A new link; None where the app cannot be connected, or no web side runs that a link could lead to.

        Without an offer the app is connected, and nothing is carried on.

        Raises:
            StoreUnavailable: there is no link now.
        """
        if app_id not in self._apps or not self.base:
            return None
        ticket = Ticket(Step.LINK, app_id, conversation_id, offer_id)
        return f"{self.base}{PATH}{await self._tickets.make(ticket)}"
