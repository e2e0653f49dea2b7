"""Messages of one seat on their last step into the core: files fetched, standing looked at once more, sent once.

Their inbox rows are marked done in the transaction of what they cause. What was gathered, and in which order batches
come, is `channels.arrivals`' business.
"""

import uuid

from channels.arrivals import Batch
from channels.base import Channel, InboundMessage
from channels.files import fetch
from channels.gate import Gate, Standing
from channels.gathering import joined_text, others_words, says_anything, words_of
from channels.notices import Notices
from channels.provenance import client_id_of, origin_of
from channels.seating import Seating
from core.clock import Clock
from core.conversations import Conversations, SendOutcome, Sent
from core.errors import NotAllowed
from core.events import Attachment, ChatKind
from core.files import FileStore
from core.patience import patiently
from core.store.changes import Change
from core.store.database import Database
from core.store.inbox import Done
from core.store.log import EventLog
from core.store.queue import QueuedMessage
from core.store.seats import Seat, TakeSeat

COMES_NEXT = "I'm still answering. Your message comes right after that."
WAITS_FIRST = "I'm waiting for an answer to what I asked. Your message comes right after that."


class Handover:
    """Hands batches to the core."""

    def __init__(
        self,
        *,
        database: Database,
        conversations: Conversations,
        gate: Gate,
        notices: Notices,
        seating: Seating,
        files: FileStore,
        clock: Clock,
    ) -> None:
        self._database = database
        self._log = EventLog(database)
        self._conversations = conversations
        self._gate = gate
        self._notices = notices
        self._seating = seating
        self._files = files
        self._clock = clock

    async def take(self, channel: Channel, batch: Batch) -> None:
        """See a batch into the core, however long the database cannot take anything."""
        last = batch.messages[-1]
        attachments = [file for message in batch.messages for file in message.attachments]
        fetched = await fetch(channel, attachments, self._files, self._clock)
        for number, line in enumerate(fetched.failures):
            await self._notices.remark(channel, last, f"file{number}", line)
        if not batch.dropped:
            await patiently(lambda: self._send(channel, batch, fetched.files), self._clock)

    async def _send(self, channel: Channel, batch: Batch, files: tuple[Attachment, ...]) -> None:
        last = batch.messages[-1]
        done = tuple(Done(channel.id, message.update_id) for message in batch.messages)
        standing = await self._gate.arrives(last.chat, last.sender)
        text = joined_text(batch.messages)
        if not standing.answered or not (says_anything(text) or files):
            await self._database.commit(*done)
            return
        message = QueuedMessage(
            text=text,
            origin=origin_of(channel, last, standing),
            attachments=files,
            client_ids=tuple(map(client_id_of, batch.messages)),
            others_words=others_words(batch.messages) or standing is not Standing.OWNER,
            words_of=words_of(batch.messages),
        )
        try:
            conversation_id, sent = await self._into_the_core(batch.seat, last.chat.kind, message, *done)
        except NotAllowed as reason:
            await self._notices.reply(channel, last, str(reason), *done)
            return
        if batch.dropped:
            await self._take_back(batch, conversation_id, standing)
        else:
            await self._tell(channel, last, conversation_id, sent)

    async def _into_the_core(
        self, seat: Seat, chat_kind: ChatKind, message: QueuedMessage, *done: Change
    ) -> tuple[str, Sent]:
        """Send it in the seat's conversation; where there is none, begin one with what the owner let wait for it."""
        async with self._seating.alone(seat) as record:
            if record is not None and record.conversation_id is not None:
                return record.conversation_id, await self._conversations.send(record.conversation_id, message, *done)
            if record is not None and message.origin.role == "owner":
                waited = {"goal": record.pending_goal, "plan": record.pending_plan, "options": record.pending_options}
                message = message.model_copy(update=waited)
            conversation_id = uuid.uuid4().hex
            take = TakeSeat(seat, conversation_id, chat_kind.value)
            return conversation_id, await self._conversations.send(conversation_id, message, *done, take)

    async def _take_back(self, batch: Batch, conversation_id: str, standing: Standing) -> None:
        """A stop or a removal came while the core took it, and may not have found the conversation yet."""
        last = batch.messages[-1]
        if await self._gate.standing_in(last.chat, last.sender.id) is not standing:
            await self._seating.leave(batch.seat)
        await self._conversations.stop(conversation_id)

    async def _tell(self, channel: Channel, message: InboundMessage, conversation_id: str, sent: Sent) -> None:
        """What the sender hears when the answer does not begin now."""
        if sent.outcome is SendOutcome.QUEUED and sent.first_in_turn:
            state = await self._log.state(conversation_id)
            asked = state.waiting_question is not None or bool(state.waiting_permissions)
            await self._notices.remark(channel, message, "sent", WAITS_FIRST if asked else COMES_NEXT)
        elif sent.outcome is SendOutcome.FULL:
            words = f"{sent.waiting} messages are waiting already, so I did not keep this one. Send it again later."
            await self._notices.remark(channel, message, "sent", words)
