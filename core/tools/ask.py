"""`ask`: a question to the person, on a card."""

from collections.abc import Mapping
from typing import Any, Final

from core.engines.base import HostTool, ToolAnswer
from core.questions import SCHEMA, for_model, question_from
from core.safety.permissions import ToolKind
from core.tools.tool import Desk

NOBODY: Final = "Nobody is there to answer. Choose the sensible default, go on, and say what you assumed."


class Ask:
    """Waits for the answer; where nobody is there it says so at once."""

    kind = ToolKind.READ
    spec = HostTool(
        "ask",
        "Ask the person one to four things on one card and wait for the answer. Only when it changes what you do next.",
        SCHEMA,
    )

    async def run(self, desk: Desk, args: Mapping[str, Any]) -> ToolAnswer:
        """The answer in a sentence and as exact values."""
        if not desk.attended:
            return ToolAnswer(NOBODY)
        question = question_from(args, question_id="new")
        if isinstance(question, str):
            return ToolAnswer(question, failed=True)
        answered = await desk.ask(question)
        return ToolAnswer(for_model(question, answered.words if answered.answer is None else answered.answer))
