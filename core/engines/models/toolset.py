"""Which tools a model is shown with a request. What a tool does and who may is the host's."""

from typing import Final

from core.engines.base import EXIT_PLAN_MODE, Frame, HostTool
from core.engines.models.estimating import text_tokens
from core.events import Mode

SMALL_WINDOW: Final = 16_000
"""Tokens; a model with less is shown `FEW` tools, the most useful ones."""

FEW: Final = 5

_MOST_USEFUL: Final = ("offer", "ask", EXIT_PLAN_MODE, "update_plan", "suggest_replies")
"""Any other tool comes after these, in the order in which the host names them."""


def shown(frame: Frame, window: int) -> tuple[HostTool, ...]:
    """The tools of a request: without those that plan mode hides, and only a few where the window is small."""
    planning = frame.mode is Mode.PLAN
    tools = [tool for tool in frame.tools if not (planning and tool.hidden_in_plan)]
    if window >= SMALL_WINDOW:
        return tuple(tools)
    return tuple(sorted(tools, key=lambda tool: _rank(tool.name, planning))[:FEW])


def tokens(instructions: str, tools: tuple[HostTool, ...]) -> int:
    """What of a request is not conversation, estimated."""
    return text_tokens(instructions) + sum(
        text_tokens(tool.name) + text_tokens(tool.description) + text_tokens(str(tool.schema)) for tool in tools
    )


def _rank(name: str, planning: bool) -> int:
    if name == EXIT_PLAN_MODE and not planning:
        return len(_MOST_USEFUL)
    return _MOST_USEFUL.index(name) if name in _MOST_USEFUL else len(_MOST_USEFUL)
