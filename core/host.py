"""What an engine may call back while it answers. Host tools and waiting for a person come with the cards."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from core.cards import Question
from core.engines.base import Frame, Host, ToolAnswer
from core.framing import Framing
from core.turn import Opened

NOTHING = Frame()


class Hosts(Protocol):
    """Makes the host of a turn."""

    def host_of(self, opened: Opened) -> Host:
        """For a turn that was opened and has not begun."""
        ...


class NobodyToAsk:
    """The host of a turn in which nobody can be asked: every tool is unknown, every permission a no."""

    def __init__(self, frame: Frame = NOTHING) -> None:
        self._frame = frame

    def frame(self) -> Frame:
        """As at the start: nobody can change it."""
        return self._frame

    async def call_tool(self, call_id: str, name: str, args: Mapping[str, Any]) -> ToolAnswer:
        """Say that there is no such tool."""
        return ToolAnswer(f"There is no tool named {name!r} here.", failed=True)

    async def permit(self, call_id: str, title: str, args: Mapping[str, Any], options: Sequence[str]) -> str | None:
        """No."""
        return None

    async def question(self, question: Question) -> Mapping[str, Any] | None:
        """Skipped."""
        return None


class Unattended:
    """Hosts of turns in which nobody can be asked."""

    def __init__(self, framing: Framing) -> None:
        self._framing = framing

    def host_of(self, opened: Opened) -> Host:
        """One that says no."""
        return NobodyToAsk(self._framing.frame(opened, opened.state))
