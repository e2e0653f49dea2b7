"""What a conversation holds back by itself, in whatever mode: a used skill's holds, and what it read from outside.

Pure. A hold names a kind of call (`core.safety.permissions.ToolKind`) or a tool. What is read from outside may carry
orders of somebody else's, so after it nothing is sent or changed without a yes; reading goes on.
"""

from typing import Final

from core.conversation_state import ConversationState
from core.events import Mode
from core.safety.permissions import Guarded, ToolCall, ToolKind

_NAMED: Final = 3
"""So many of the things that were read are named."""
_LABEL: Final = 60


def guarded(state: ConversationState, call: ToolCall, *, mode: Mode, own_words: bool) -> Guarded | None:
    """Why this call is held back in a conversation that is so; None where it is not.

    `own_words`: somebody is there, it is the owner, and what is answered are their own words. In Full trust they are
    taken at their word, and what was read is only noted.
    """
    for hold in state.holds:
        if call.kind.value in hold.holds or call.name in hold.holds:
            return Guarded(f"The skill “{hold.title[:_LABEL]}” asks before anything like this.")
    if state.tainted and call.kind is not ToolKind.READ:
        return Guarded(_what_was_read(state), asks=not (mode is Mode.FULL and own_words))
    return None


def _what_was_read(state: ConversationState) -> str:
    labels = [f"“{' '.join(mark.label.split())[:_LABEL]}”" for mark in state.taint]
    more = f" and {len(labels) - _NAMED} more" if len(labels) > _NAMED else ""
    return f"This chat has taken in something from outside: {', '.join(labels[:_NAMED])}{more}."
