"""Which waiting messages go to an engine together, and as what. Pure."""

from collections.abc import Sequence
from itertools import takewhile

from core.conversation_state import ConversationState
from core.events import Address, Origin
from core.store.queue import QueuedItem, QueuedMessage


def together(waiting: Sequence[QueuedItem]) -> list[QueuedItem]:
    """The oldest, and those right after it from the same person and place. `waiting` is not empty."""
    if waiting[0].message.carries:
        return [waiting[0]]
    first = _seat(waiting[0].message.origin)
    return list(takewhile(lambda item: _seat(item.message.origin) == first, waiting))


def carried_first(waiting: Sequence[QueuedItem]) -> Sequence[QueuedItem]:
    """What waits in the order in which it goes: what carries on with an offer before everything else."""
    return sorted(waiting, key=lambda item: item.message.carries is None)


def joined(items: Sequence[QueuedItem]) -> QueuedMessage:
    """Several messages as one: their texts with blank lines between. It answers the newest; the newest goal counts."""
    messages = [item.message for item in items]
    return messages[-1].model_copy(
        update={
            "text": "\n\n".join(message.text for message in messages if message.text),
            "attachments": tuple(file for message in messages for file in message.attachments),
            "client_ids": tuple(client_id for message in messages for client_id in message.client_ids),
            "others_words": any(message.others_words for message in messages),
            "words_of": next((message.words_of for message in messages if message.words_of), None),
            "goal": next((message.goal for message in reversed(messages) if message.goal is not None), None),
            "options": next((message.options for message in reversed(messages) if message.options), None),
            "plan": any(message.plan for message in messages),
        }
    )


def as_chosen(state: ConversationState, message: QueuedMessage) -> ConversationState:
    """A conversation with the options that a message brings: they hold for its own answer already."""
    if message.options is None:
        return state
    return state.model_copy(update={"options": message.options.applied_to(state.options)})


def _seat(origin: Origin) -> tuple[str, str | None, str | None, tuple[str, str, str | None] | None]:
    """Who says it, as what and where; `reply_to` differs with every message."""
    return (origin.kind, origin.person_id, origin.role, _room(origin.address))


def _room(address: Address | None) -> tuple[str, str, str | None] | None:
    return (address.channel_id, address.chat_id, address.thread) if address else None
