"""The command's side of the local socket for apps."""

from collections.abc import Sequence

from pydantic import TypeAdapter

from conch.control_line import ControlLine
from web.apps import AppLinkView, AppView

_APPS = TypeAdapter(tuple[AppView, ...])


class RemoteApps:
    """Asks the running server about apps."""

    def __init__(self, line: ControlLine) -> None:
        self._line = line

    async def list(self) -> Sequence[AppView]:
        """Every app that can be connected."""
        return _APPS.validate_json(await self._line.get("/apps"))

    async def connect(self, app_id: str) -> AppLinkView:
        """A link to its sign-in."""
        return AppLinkView.model_validate_json(await self._line.post("/apps/connect", app_id=app_id))

    async def disconnect(self, app_id: str) -> AppView:
        """Forget its keys."""
        return AppView.model_validate_json(await self._line.post("/apps/disconnect", app_id=app_id))
