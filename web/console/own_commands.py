"""The page of the owner's own commands: words that are sent when somebody types a name after a slash."""

from collections.abc import Mapping
from typing import Final

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from commands.resolution import OtherNames, reachable
from core.errors import ConchError, UsageError
from core.own_commands import OwnCommands
from web.console.desk import Desk, fields

LONGEST_SHOWN: Final = 64_000


class OwnCommandPages:
    """The page. They are files in the data folder, which can be written there too."""

    def __init__(self, desk: Desk, own: OwnCommands) -> None:
        self._desk = desk
        self._own = own

    def add_to(self, app: FastAPI) -> None:
        """Register the routes."""
        app.add_api_route("/commands", self.overview, methods=["GET"], response_model=None)
        app.add_api_route("/commands", self.save, methods=["POST"], response_model=None)
        app.add_api_route("/commands/remove", self.remove, methods=["POST"], response_model=None)

    async def overview(self, request: Request) -> Response:
        """Every one."""
        return self._desk.page(request, "console/own_commands.html", **await self._all())

    async def save(self, request: Request) -> Response:
        """Write one."""
        given = await fields(request)
        name, words = given.get("name", ""), given.get("words", "")
        try:
            if not given.get("known") and name.strip() in await self._own.names():
                raise UsageError(
                    f"There is a command “{name.strip()}” already. Change it below, or choose another name."
                )
            kept = await self._own.save(name, words)
        except ConchError as fault:
            values = await self._all()
            return self._desk.refused(
                request, "console/own_commands.html", fault, **{**values, "typed_name": name, "words": words}
            )
        taken = kept not in reachable(OtherNames(own=(kept,))).own
        more = " Conch has a command of that name, which goes first." if taken else ""
        return self._desk.done(request, "/commands", f"`/{kept}` is saved.{more}")

    async def remove(self, request: Request) -> Response:
        """Forget one."""
        name = (await fields(request)).get("name", "")
        try:
            if not await self._own.remove(name):
                raise UsageError("That command is not there any more.")
        except ConchError as fault:
            return self._desk.refused(request, "console/own_commands.html", fault, **await self._all())
        return self._desk.done(request, "/commands", f"`/{name}` is gone.")

    async def _all(self) -> Mapping[str, object]:
        names = await self._own.names()
        reached = set(reachable(OtherNames(own=names)).own)
        shown = [(name, await self._words(name), name in reached) for name in names]
        return {"own": shown, "typed_name": "", "words": ""}

    async def _words(self, name: str) -> str | None:
        """What it stands for; None where its file cannot be read."""
        try:
            return (await self._own.body(name))[:LONGEST_SHOWN]
        except UsageError:
            return None
