"""A message that is sent once more: which one, and as what. Pure."""

from core.conversation_state import ConversationState
from core.events import Origin, Trigger, UserMessage
from core.store.queue import QueuedMessage


def seq_to_repeat(state: ConversationState, of_turn: int | None = None) -> int | None:
    """The newest message since the newest clear; None where there is none, or anything was said after `of_turn`."""
    seq = state.last_user_seq
    if seq is None or seq <= state.memory_start or of_turn not in (None, state.last_said_seq):
        return None
    return seq


def repeated(message: UserMessage, state: ConversationState, origin: Origin, client_id: str) -> QueuedMessage:
    """The same words and files, as a new message from `origin`. Someone else's words stay theirs."""
    read = (mark.label for mark in reversed(state.taint) if mark.source == "person")
    return QueuedMessage(
        text=message.text,
        origin=origin,
        attachments=message.attachments,
        client_ids=(client_id,),
        others_words=message.others_words or origin.role != "owner",
        words_of=next(read, None),
        trigger=Trigger.RETRY,
    )
