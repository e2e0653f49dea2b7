"""A tool of an app: what it brings in is outside data, and the log says so before the model sees it."""

from collections.abc import Mapping
from typing import Any

from core.engines.base import HostTool, ToolAnswer
from core.errors import NotAllowed, TryLater
from core.projections import taint_of
from core.safety.permissions import ToolKind
from core.tools.tool import Desk, Tool


class AppTool:
    """Another tool, run for an app."""

    def __init__(self, app_name: str, tool: Tool) -> None:
        self._app_name = app_name
        self._tool = tool

    @property
    def spec(self) -> HostTool:
        """The tool's own."""
        return self._tool.spec

    @property
    def kind(self) -> ToolKind:
        """The tool's own."""
        return self._tool.kind

    async def run(self, desk: Desk, args: Mapping[str, Any]) -> ToolAnswer:
        """Do it. A failure is told in our own words, so it marks nothing."""
        try:
            answer = await self._tool.run(desk, args)
        except NotAllowed:
            return ToolAnswer(
                f"{self._app_name} does not take the connection any more. Tell the person to connect it again.",
                failed=True,
            )
        except TryLater as reason:
            return ToolAnswer(f"{self._app_name} cannot be asked now: {reason}", failed=True)
        if not answer.failed:
            await self._mark(desk)
        return answer

    async def _mark(self, desk: Desk) -> None:
        """Once in every turn that reads something, also where the chat is marked already: it counts for the turn."""
        mark = taint_of(await desk.state(), self._app_name, "app")
        if mark is not None:
            await desk.record(mark)
