"""What the owner's commands about apps do, in the running server or without one."""

from collections.abc import Sequence

from conch.apps import AppSide
from core.apps.app import App
from core.errors import NotFound, UsageError
from core.store.apps import AppConnection
from core.store.audit import Deed, Doer
from web.apps import AppLinkView, AppView


class AppAdmin:
    """Does the commands about apps. Tools come and go with the connection, also in chats that are open."""

    def __init__(self, side: AppSide, doer: Doer) -> None:
        self._side = side
        self._doer = doer

    async def list(self) -> Sequence[AppView]:
        """Every app that can be connected."""
        connected = {each.app_id: each for each in await self._side.apps.connections()}
        apps = [self._side.apps.find(app_id) for app_id in sorted(self._side.apps.ids)]
        return tuple(_view(app, connected.get(app.id)) for app in apps)

    async def connect(self, app_id: str) -> AppLinkView:
        """A link to its sign-in, which carries nothing on."""
        app = self._side.apps.find(app_id)
        link = await self._side.links.link(None, None, app.id)
        if link is None:
            raise UsageError(
                "The sign-in is a page of the running server. Start it with `conch serve`, then try again."
            )
        return AppLinkView(app=_view(app), link=link, local=self._side.links.local)

    async def disconnect(self, app_id: str) -> AppView:
        """Forget its keys."""
        app = self._side.apps.find(app_id)
        if not await self._side.apps.disconnect(app.id):
            raise NotFound(f"{app.name} is not connected.")
        await self._doer.did(Deed.APP_DISCONNECTED, app.name)
        return _view(app)


def _view(app: App, connection: AppConnection | None = None) -> AppView:
    if connection is None:
        return AppView(id=app.id, name=app.name)
    return AppView(id=app.id, name=app.name, account=connection.account, connected_at=connection.connected_at)
