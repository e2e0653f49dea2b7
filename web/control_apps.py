"""The local socket's side of the commands about apps."""

from collections.abc import Sequence

from fastapi import FastAPI

from web.apps import AppCommands, AppLinkView, AppView
from web.control_engines import Ask


class ForApp(Ask):
    """Which app."""

    app_id: str


class AppRoutes:
    """One route for each thing that a command can ask about apps."""

    def __init__(self, apps: AppCommands) -> None:
        self._apps = apps

    def add_to(self, app: FastAPI) -> None:
        """Register the routes."""
        app.add_api_route("/apps", self.apps)
        app.add_api_route("/apps/connect", self.connect, methods=["POST"])
        app.add_api_route("/apps/disconnect", self.disconnect, methods=["POST"])

    async def apps(self) -> Sequence[AppView]:
        """Every app that can be connected."""
        return await self._apps.list()

    async def connect(self, ask: ForApp) -> AppLinkView:
        """A link to its sign-in."""
        return await self._apps.connect(ask.app_id)

    async def disconnect(self, ask: ForApp) -> AppView:
        """Forget its keys."""
        return await self._apps.disconnect(ask.app_id)
