"""Which tools a model is shown."""

import pytest

from core.engines.base import EXIT_PLAN_MODE, Frame, HostTool
from core.engines.models.streaming import parameters
from core.engines.models.toolset import FEW, SMALL_WINDOW, shown
from core.engines.scripted import host_tool
from core.events import Mode

NAMES = ("web", "read", "suggest_replies", "update_plan", EXIT_PLAN_MODE, "mail", "ask", "offer")
TOOLS = tuple(map(host_tool, NAMES))


def names(frame: Frame, window: int) -> list[str]:
    return [tool.name for tool in shown(frame, window)]


def test_a_large_window_gets_every_tool_in_the_hosts_order() -> None:
    assert names(Frame(tools=TOOLS), SMALL_WINDOW) == list(NAMES)


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        (Mode.PLAN, ["offer", "ask", EXIT_PLAN_MODE, "update_plan", "suggest_replies"]),
        (Mode.ASK, ["offer", "ask", "update_plan", "suggest_replies", "web"]),
    ],
)
def test_a_small_window_gets_the_five_most_useful_ones(mode: Mode, expected: list[str]) -> None:
    few = names(Frame(mode=mode, tools=TOOLS), SMALL_WINDOW - 1)

    assert few == expected
    assert len(few) == FEW


def test_plan_mode_hides_what_would_change_something() -> None:
    write = HostTool("write", "Writes.", {"type": "object"}, hidden_in_plan=True)

    assert names(Frame(mode=Mode.PLAN, tools=(write,)), SMALL_WINDOW) == []
    assert names(Frame(mode=Mode.ASK, tools=(write,)), SMALL_WINDOW) == ["write"]


def test_a_tool_goes_to_the_library_with_its_schema_as_it_is() -> None:
    schema = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}

    (tool,) = parameters("", (HostTool("ask", "Asks.", schema),)).function_tools

    assert (tool.name, tool.description, tool.parameters_json_schema) == ("ask", "Asks.", schema)
