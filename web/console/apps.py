"""The page of the apps that can be connected, such as a calendar."""

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from core.errors import ConchError
from web.administration import Administration
from web.console.desk import Desk


class AppPages:
    """The page. A new link to an app's sign-in is shown once, as it works once."""

    def __init__(self, desk: Desk, administration: Administration) -> None:
        self._desk = desk
        self._apps = administration.apps

    def add_to(self, app: FastAPI) -> None:
        """Register the routes."""
        app.add_api_route("/apps", self.overview, methods=["GET"], response_model=None)
        app.add_api_route(
            "/apps/{name}/connect",
            self.connect,
            methods=["POST"],
            response_model=None,
            dependencies=self._desk.fresh,
        )
        app.add_api_route("/apps/{name}/disconnect", self.disconnect, methods=["POST"], response_model=None)

    async def overview(self, request: Request) -> Response:
        """Every app that can be connected."""
        return self._desk.page(request, "console/apps.html", apps=await self._apps.list(), new=None)

    async def connect(self, request: Request, name: str) -> Response:
        """A link to its sign-in."""
        try:
            new = await self._apps.connect(name)
        except ConchError as fault:
            return self._desk.refused(request, "console/apps.html", fault, apps=await self._apps.list(), new=None)
        return self._desk.page(request, "console/apps.html", apps=await self._apps.list(), new=new)

    async def disconnect(self, request: Request, name: str) -> Response:
        """Forget its keys."""
        try:
            app = await self._apps.disconnect(name)
        except ConchError as fault:
            return self._desk.refused(request, "console/apps.html", fault, apps=await self._apps.list(), new=None)
        return self._desk.done(request, "/apps", f"{app.name} is disconnected, and its keys are forgotten.")
