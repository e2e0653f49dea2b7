"""Deleting a conversation: its log and everything that hangs on it. What was sent to a chat app stays there."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from sqlalchemy import Table, delete

from core.store import preview_tables, tables
from core.store.changes import Change, Step, Transaction

_HANGS_ON_IT: Final[Sequence[Table]] = (
    tables.event,
    tables.client_id,
    tables.queued,
    tables.engine_session,
    tables.seat,
    tables.card,
    preview_tables.preview,
)


@dataclass(frozen=True, slots=True)
class DeleteConversation(Change[bool]):
    """Have it be gone, as long as its log ends at `last_seq`; False where it is gone, or more was said since.

    A seat that it was reached from is free: whoever writes there begins another conversation.
    """

    step: ClassVar[Step] = Step.DELETE_CONVERSATION

    conversation_id: str
    last_seq: int

    @classmethod
    def apply_many(cls, tx: Transaction, changes: Sequence["DeleteConversation"]) -> Sequence[bool]:
        """One after the other; people delete rarely."""
        return [_delete(tx, change) for change in changes]


def _delete(tx: Transaction, change: DeleteConversation) -> bool:
    conversation = tables.conversation
    is_it = (conversation.c.id == change.conversation_id, conversation.c.last_seq == change.last_seq)
    if tx.connection.execute(delete(conversation).where(*is_it)).rowcount != 1:
        return False
    for table in _HANGS_ON_IT:
        tx.connection.execute(delete(table).where(table.c.conversation_id == change.conversation_id))
    tx.states.forget(change.conversation_id)
    return True
