"""`suggest_replies`: up to three messages that the person may send next with one tap."""

from collections.abc import Mapping
from typing import Any, Final

from core.engines.base import HostTool, ToolAnswer
from core.replies import MAX_REPLIES, MAX_REPLY, REPLIES_SCHEMA, replies_from
from core.safety.permissions import ToolKind
from core.tools.tool import Desk

NONE_LEFT: Final = (
    f"No suggestions are shown. A suggestion is a concrete next message of at most {MAX_REPLY} characters."
)


class SuggestReplies:
    """Keeps what is suggested until the turn ends: only an answer that went well has chips under it."""

    kind = ToolKind.READ
    spec = HostTool(
        "suggest_replies",
        f"Suggest up to {MAX_REPLIES} messages that the person is likely to send next; they stand under your answer as"
        " buttons. Call it last. A later call replaces an earlier one.",
        REPLIES_SCHEMA,
    )

    async def run(self, desk: Desk, args: Mapping[str, Any]) -> ToolAnswer:
        """Keep them."""
        replies = replies_from(args)
        if isinstance(replies, str):
            return ToolAnswer(replies, failed=True)
        desk.suggest(replies)
        if not replies:
            return ToolAnswer(NONE_LEFT)
        return ToolAnswer("They stand under your answer when it ends. Do not repeat them in words.")
