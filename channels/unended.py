"""How a message ends that an answer was being written into: with the next words of its turn, at the latest at its end.

What is open stands in the store, so it is the same whether the program went on or was started again meanwhile.
"""

from dataclasses import dataclass, field

from channels.abilities import Streams
from channels.base import Channel, ChatRef, OutboundMessage
from channels.outbox import message_of, post_of
from channels.progress import Progress
from core.events import AssistantMessage, EventData
from core.store.changes import Change
from core.store.database import Database
from core.store.outbox import Kind, Post
from core.store.previews import EndPreview, Preview, Previews

STOPPED = "I stopped writing this."


@dataclass(slots=True)
class Ended:
    """What ends previews of one turn: to be stored together with what stands in them. Kept until the turn is told."""

    previews: set[Preview] = field(default_factory=set)
    changes: list[Change] = field(default_factory=list)

    def take(self, preview: Preview) -> None:
        """Something is to stand in it."""
        self.previews.add(preview)
        self.changes.append(EndPreview(preview))

    def changed(self) -> list[Change]:
        """What was not asked for before."""
        changes, self.changes = self.changes, []
        return changes


class Unended:
    """Finds the open previews of turns that are told."""

    def __init__(self, database: Database, progress: Progress) -> None:
        self._previews = Previews(database)
        self._progress = progress

    async def next_of(
        self, channel: Channel, conversation_id: str, turn_seq: int | None, data: EventData, ended: Ended
    ) -> Preview | None:
        """The message that these words of the turn go into: their own, else one that was begun for words taken back."""
        if turn_seq is None or not isinstance(channel, Streams):
            return None
        left = await self._left(conversation_id, turn_seq, ended)
        if isinstance(data, AssistantMessage):
            own = next((preview for preview in left if preview.words_id == data.message_id), None)
            if own is not None:
                return own
        return next((one for one in left if not self._progress.writes((conversation_id, turn_seq), one.words_id)), None)

    async def stopped(
        self, channel: Channel, chat: ChatRef, conversation_id: str, turn_seq: int, ended: Ended
    ) -> tuple[Post, ...]:
        """What stands in the messages that got no words by the end of the turn: nothing is left half-written."""
        if not isinstance(channel, Streams):
            return ()
        posts = []
        for preview in await self._left(conversation_id, turn_seq, ended):
            ended.take(preview)
            key = f"{conversation_id}:{turn_seq}:{preview.message_id}:stopped"
            words = OutboundMessage(text=STOPPED, fallback=STOPPED, key=key, into=preview.message_id)
            posts.append(post_of(key, 0, 1, chat, words, Kind.NOTICE))
        return tuple(posts)

    async def _left(self, conversation_id: str, turn_seq: int, ended: Ended) -> list[Preview]:
        of_turn = await self._previews.of_turn(conversation_id, turn_seq)
        return [preview for preview in of_turn if preview not in ended.previews]


def goes_into(posts: tuple[Post, ...]) -> bool:
    """Whether a reply ends a message that was begun before."""
    return bool(posts) and message_of(posts[0]).into is not None
