"""Which apps are connected, with their keys, and the tools that they bring along.

Keys are opened for the moment in which they are used. One that ran out is renewed before it is handed on.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import Final

from core.apps.app import App, Tokens
from core.apps.reading import AppTool
from core.clock import Clock
from core.errors import NotAllowed, NotFound, UsageError
from core.safety.secrets import SecretBox
from core.store.apps import AppConnection, AppConnections
from core.tools.tool import Tool

EARLY: Final = timedelta(minutes=1)
"""So long before it runs out a key is renewed."""


class Apps:
    """The apps that can be connected, and those that are.

    `remember` takes every key that is used, so that no log ever shows one. `connected` and `tools` are what was so at
    the last look or change: one server keeps the connections of a data folder.
    """

    def __init__(
        self,
        apps: Sequence[App],
        rows: AppConnections,
        secrets: SecretBox,
        clock: Clock,
        remember: Callable[[str], object] = lambda _secret: None,
    ) -> None:
        self._apps: Mapping[str, App] = {app.id: app for app in apps}
        self._rows = rows
        self._secrets = secrets
        self._clock = clock
        self._remember = remember
        self._connected: frozenset[str] = frozenset()
        self._hidden: dict[str, Tokens] = {}
        self._renewing = {app.id: asyncio.Lock() for app in apps}

    async def open(self) -> None:
        """Look which are connected."""
        self._connected = frozenset(each.app_id for each in await self._rows.list() if each.app_id in self._apps)

    @property
    def ids(self) -> frozenset[str]:
        """Those that can be connected."""
        return frozenset(self._apps)

    def connected(self) -> frozenset[str]:
        """The ids of those that are."""
        return self._connected

    def find(self, app_id: str) -> App:
        """One that can be connected.

        Raises:
            NotFound: there is none, with what there is.
        """
        if app_id not in self._apps:
            there = ", ".join(self._apps)
            raise NotFound(f"There is no app “{app_id}” that can be connected. There is: {there}.")
        return self._apps[app_id]

    def tools(self) -> tuple[Tool, ...]:
        """What the connected apps bring along, in a fixed order."""
        apps = [app for app in self._apps.values() if app.id in self._connected]
        return tuple(AppTool(app.name, tool) for app in apps for tool in app.tools(partial(self._key, app)))

    async def connections(self) -> tuple[AppConnection, ...]:
        """The connected apps that are known here, the oldest first."""
        return tuple(each for each in await self._rows.list() if each.app_id in self._apps)

    async def check(self, app_id: str) -> None:
        """Whether an app can be used now; a key that ran out is renewed for it.

        Raises:
            NotAllowed: the app has to be connected again.
            TryLater: it cannot be asked now.
        """
        await self._key(self.find(app_id))

    async def connect(self, app: App, tokens: Tokens) -> None:
        """Keep what a sign-in brought; an app that was connected before has new keys now.

        Raises:
            StoreUnavailable: nothing was kept.
        """
        self._hide(app, tokens)
        await self._rows.put(app.id, app.account, self._secrets.seal(tokens.named()))
        self._connected |= {app.id}

    async def disconnect(self, app_id: str) -> bool:
        """Forget an app's keys; its tools are gone from the next call on. False: it was not connected."""
        self.find(app_id)
        gone = await self._rows.remove(app_id)
        self._connected -= {app_id}
        return gone

    async def _key(self, app: App) -> str:
        async with self._renewing[app.id]:
            kept = await self._rows.find(app.id)
            if kept is None:
                raise NotAllowed(f"{app.name} is not connected any more.")
            tokens = self._opened(app, kept)
            if tokens.expires_at is not None and tokens.expires_at - EARLY <= self._clock.now():
                tokens = await self._renew(app, kept, tokens)
            self._hide(app, tokens)
            return tokens.access

    def _opened(self, app: App, kept: AppConnection) -> Tokens:
        try:
            return Tokens.of(self._secrets.open(kept.credentials))
        except UsageError as fault:  # another secret key: for the model it is as good as gone
            raise NotAllowed(f"The keys of {app.name} cannot be read.") from fault

    async def _renew(self, app: App, kept: AppConnection, old: Tokens) -> Tokens:
        # Imported when it is first needed: Authlib and what it stands on take long, and most Conches connect no app.
        from core.apps import oauth  # noqa: PLC0415

        new = await oauth.renewed(app.sign_in, self._clock, old)
        await self._rows.renew(kept, self._secrets.seal(new.named()))
        return new

    def _hide(self, app: App, tokens: Tokens) -> None:
        """Have logs leave them out; told once, as whoever remembers them looks for each in every line."""
        if self._hidden.get(app.id) != tokens:
            self._hidden[app.id] = tokens
            for secret in (tokens.access, tokens.refresh):
                if secret is not None:
                    self._remember(secret)
