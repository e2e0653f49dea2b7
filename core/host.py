"""What an engine may call back while it answers. Host tools and waiting for a person come with the cards."""

from collections.abc import Mapping, Sequence
from typing import Any

from core.cards import Question
from core.engines.base import ToolAnswer


class NobodyToAsk:
    """The host of a turn in which nobody can be asked: every tool is unknown, every permission a no."""

    async def call_tool(self, call_id: str, name: str, args: Mapping[str, Any]) -> ToolAnswer:
        """Say that there is no such tool."""
        return ToolAnswer(f"There is no tool named {name!r} here.", failed=True)

    async def permit(self, call_id: str, title: str, args: Mapping[str, Any], options: Sequence[str]) -> str | None:
        """No."""
        return None

    async def question(self, question: Question) -> Mapping[str, Any] | None:
        """Skipped."""
        return None
