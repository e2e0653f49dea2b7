"""What the owner's commands can ask about apps: the protocol and its data. A new link is told to the command alone."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from web.views import View


class AppView(View):
    """An app that can be connected; `account` and `connected_at` where it is."""

    id: str
    name: str
    account: str | None = None
    connected_at: datetime | None = None


class AppLinkView(View):
    """A new link to an app's sign-in: it works once. `local`: on the machine where Conch runs, and nowhere else."""

    app: AppView
    link: str
    local: bool


class AppCommands(Protocol):
    """Connecting apps and taking that back.

    Raises:
        NotFound: there is no such app.
        StoreUnavailable: nothing was changed.
    """

    async def list(self) -> Sequence[AppView]:
        """Every app that can be connected."""
        ...

    async def connect(self, app_id: str) -> AppLinkView:
        """A link to its sign-in.

        Raises:
            UsageError: no server runs that the link could lead to.
        """
        ...

    async def disconnect(self, app_id: str) -> AppView:
        """Forget its keys.

        Raises:
            NotFound: it is not connected.
        """
        ...
