"""From the log to the chats: what a turn says goes to the address that its message came from, and nowhere else.

The relay watches committed events. Each message of a turn gets a key made from the turn and its number in it, so that
telling the same turn again (after a crash) posts nothing twice. Sending is the outbox's business. Thinking and raw tool
calls are never told; what is told of other events stands in `_told`.
"""

from dataclasses import dataclass, field
from functools import partial

import structlog

from channels.abilities import Marks
from channels.actions import Offered
from channels.base import Channel, ChatRef, MessageRef
from channels.cards.dealing import CARD_EVENTS, Dealing, Dealt, DealtTo
from channels.cards.redrawing import Redrawing
from channels.cards.views import view_text
from channels.composing import MadeFile, compose
from channels.fading import Fading
from channels.outbox import Outbox
from channels.progress import Progress
from channels.second_try import SecondTry
from channels.showing import Late
from channels.summaries import Summaries, told_of
from channels.threads import how_to_go_on
from channels.under_answers import UnderAnswers
from channels.unended import Ended, Unended, goes_into
from channels.writing import Place, TurnKey
from core import problems
from core.events import (
    Address,
    AssistantMessage,
    ChatKind,
    ContextCompacted,
    Event,
    EventData,
    Notice,
    OfferResolved,
    OfferShown,
    PermissionRequested,
    PermissionResolved,
    QuestionAnswered,
    QuestionAsked,
    Replies,
    ToolFinished,
    TurnCompleted,
    TurnHeld,
    TurnRouted,
    TurnStarted,
)
from core.files import FileStore
from core.lanes import Lanes
from core.live import Delta, Dropped, Folding, LiveFeed, LiveItem, Written
from core.store.changes import Change
from core.store.log import EventLog, Relayed
from core.store.outbox import Kind, Post

_log = structlog.get_logger(__name__)


@dataclass(slots=True)
class _Told:
    """What the relay knows of one conversation's running turn. `number` counts what was said in it."""

    turn_seq: int | None = None
    address: Address | None = None
    number: int = 0
    last: tuple[str, Address] | None = None
    """The key of what was said last, and where: chips stand under it."""
    offer: Event | None = None
    """That something was offered in the turn: the card follows its last message."""
    posts: list[Post] = field(default_factory=list)
    offers: list[Change] = field(default_factory=list)
    cards: list[Dealt] = field(default_factory=list)
    late: list[Late] = field(default_factory=list)
    ended: Ended = field(default_factory=Ended)

    def begin(self, turn_seq: int, address: Address | None) -> None:
        """A turn began, and nothing was said in it."""
        self.turn_seq, self.address, self.number, self.last, self.offer = turn_seq, address, 0, None, None
        self.ended = Ended()


class Relay:
    """Turns events into messages of the chat apps."""

    def __init__(
        self,
        *,
        log: EventLog,
        outbox: Outbox,
        second_try: SecondTry,
        under: UnderAnswers,
        dealing: Dealing,
        summaries: Summaries,
        fading: Fading,
        redrawing: Redrawing,
        progress: Progress,
        unended: Unended,
        feed: LiveFeed,
        files: FileStore,
    ) -> None:
        self._log = log
        self._outbox = outbox
        self._second_try = second_try
        self._under = under
        self._dealing = dealing
        self._summaries = summaries
        self._fading = fading
        self._redrawing = redrawing
        self._progress = progress
        self._unended = unended
        self._files = files
        self._feed = feed
        self._channels: dict[str, Channel] = {}
        self._turns: dict[str, _Told] = {}
        self._lanes: Lanes[str, Event] = Lanes(self._tell, self._fault, at_once=100)
        self._leave = feed.listen(self._hear)

    def connect(self, channel: Channel) -> None:
        """Tell turns that came through this channel."""
        self._channels[channel.id] = channel

    def disconnect(self, channel_id: str) -> None:
        """Its turns are not told any more."""
        self._channels.pop(channel_id, None)

    async def recover(self) -> None:
        """Tell what an earlier life of the program logged and did not get to tell."""
        await self._under.recover()
        for conversation_id, relayed in await self._log.unrelayed():
            for event in await self._log.read(conversation_id, after=relayed):
                self._lanes.put(conversation_id, event)

    async def settled(self) -> None:
        """Come back when everything that happened so far is posted."""
        await self._lanes.settled()
        await self._progress.unmarked()

    async def close(self) -> None:
        """Listen no more."""
        self._leave()
        await self._lanes.close()
        await self._progress.close()

    def _hear(self, item: LiveItem) -> None:
        if isinstance(item, Delta):
            self._progress.add((item.conversation_id, item.turn_seq), item.message_id, item.text)
        elif isinstance(item, Written | Dropped):
            key, dropped = (item.conversation_id, item.turn_seq), isinstance(item, Dropped)
            self._progress.complete(key, item.message_id, dropped=dropped)
        elif isinstance(item, Folding):
            self._see_folding(item)
        elif isinstance(item.data, TELLING) or _shows(item.data):
            if isinstance(item.data, TurnStarted):
                # at once: its first words may come before its lane is free
                self._begin((item.conversation_id, item.seq), item.data.address, draft_id=item.seq + 1)
            self._lanes.put(item.conversation_id, item)
            if isinstance(item.data, AssistantMessage):
                self._progress.logged(item.conversation_id, item.data.message_id)
        elif isinstance(item, Event) and self._under.taken_by(item):
            self._lanes.put(item.conversation_id, item)

    async def _tell(self, conversation_id: str, events: list[Event]) -> None:
        """Post what these events say, and mark how far the conversation is told."""
        told = self._turns.setdefault(conversation_id, _Told())
        ended: int | None = None
        for event in events:
            await self._take(told, event)
            # A card's event belongs to a turn, which another process may run.
            outside = told.turn_seq is None and not isinstance(event.data, CARD_EVENTS)
            if isinstance(event.data, TurnCompleted) or outside:
                ended = event.seq
        await self._post(told, *((Relayed(conversation_id, ended),) if ended is not None else ()))
        if told.turn_seq is None:
            self._turns.pop(conversation_id, None)

    async def _post(self, told: _Told, *also: Change) -> None:
        posts, offers, cards, late = told.posts, told.offers, told.cards, told.late
        told.posts, told.offers, told.cards, told.late = [], [], [], []
        changes = [*offers, *(change for dealt in cards for change in dealt.changes), *told.ended.changed(), *also]
        if posts or changes:
            await self._outbox.post(posts, *changes)
        for one in late:
            self._fading.show(one)
        if offers:
            self._fading.wake()
        if cards:
            self._redrawing.wake()
        for dealt in cards:
            if dealt.then is not None:
                await dealt.then()

    async def _take(self, told: _Told, event: Event) -> None:
        data = event.data
        told.offers += self._under.over(event)
        if isinstance(data, TurnStarted):
            told.begin(event.seq, data.address)
            return
        if isinstance(data, Replies):
            await self._put_under(told, event)
            return
        if isinstance(data, OfferShown):
            told.offer = event
        address = told.address if told.turn_seq is not None else getattr(data, "address", None)
        writing = (event.conversation_id, told.turn_seq)
        self._look_whether_it_waits(writing, data)
        if isinstance(data, AssistantMessage | QuestionAsked | PermissionRequested):
            await self._progress.settled(writing)
        if isinstance(data, TurnCompleted) or told.turn_seq is None:
            await self._end_signs(writing, address if isinstance(data, TurnCompleted) else None)
        if address is not None and (words := _words(data, address)) is not None:
            await self._say(told, event, address, words)
        if isinstance(data, DEALT):
            await self._deal(told, event, address)
        if isinstance(data, TurnCompleted):
            await self._close_turn(told, event.conversation_id, data)
            await self._put_under(told, event)
            told.turn_seq = told.address = told.offer = None

    async def _end_signs(self, writing: TurnKey, address: Address | None) -> None:
        """Nothing is being written any more; of a turn that an earlier life began, its sign may be left."""
        known = await self._progress.end(writing)
        if known or address is None or address.reply_to is None:
            return
        channel = self._channels.get(address.channel_id)
        if channel is not None and isinstance(channel, Marks):
            self._progress.forget_mark(MessageRef(chat_of(address), address.reply_to))

    async def _close_turn(self, told: _Told, conversation_id: str, end: TurnCompleted) -> None:
        """What a chat is told at the end of a turn besides how it went."""
        channel = self._channels.get(told.address.channel_id) if told.address is not None else None
        if told.address is None or told.turn_seq is None or channel is None:
            return
        chat = chat_of(told.address)
        told.posts += await self._unended.stopped(channel, chat, conversation_id, told.turn_seq, told.ended)
        if end.outcome == "success":
            told.posts += how_to_go_on(channel, chat)

    async def _put_under(self, told: _Told, event: Event) -> None:
        """The turn's offer as a card of its own once it has ended, or chips under what it said last."""
        key, address = told.last if told.last is not None else ("", told.address)
        channel = self._channels.get(address.channel_id) if address is not None else None
        if address is None or channel is None:
            return
        if isinstance(event.data, Replies):
            placed = await self._under.chips(told.posts, key, chat_of(address), channel, event, event.data)
            told.posts = list(placed.posts)
            told.offers += placed.changes
            told.late += placed.late
        elif told.offer is not None and told.turn_seq is not None:
            dealt = await self._under.offer(told.offer, DealtTo(told.turn_seq, channel, address))
            told.posts += dealt.posts
            told.cards.append(dealt)

    async def _deal(self, told: _Told, event: Event, address: Address | None) -> None:
        """Cards are posted in the order of what is said; they may stand in another chat."""
        channel = self._channels.get(address.channel_id) if address is not None else None
        if address is not None and channel is None:
            dealt = self._dealing.give_up(event)
        elif address is None or channel is None or told.turn_seq is None:
            dealt = await self._dealing.deal(event, None)
        else:
            dealt = await self._dealing.deal(event, DealtTo(told.turn_seq, channel, address))
        told.posts += dealt.posts
        told.cards.append(dealt)

    def _look_whether_it_waits(self, writing: TurnKey, data: EventData) -> None:
        """While a person is asked, nothing is being written."""
        match data:
            case QuestionAsked(question=question):
                self._progress.wait_for(writing, question.question_id)
            case PermissionRequested(permission_id=ref):
                self._progress.wait_for(writing, ref)
            case QuestionAnswered(question_id=ref) | PermissionResolved(permission_id=ref):
                self._progress.go_on(writing, ref)

    def _see_folding(self, item: Folding) -> None:
        """Show typing meanwhile: a fold is what goes on in a conversation while no turn does."""
        if item.goes_on:
            self._begin((item.conversation_id, None), item.address, draft_id=1)
        else:
            self._progress.drop((item.conversation_id, None))

    def _begin(self, writing: TurnKey, address: Address | None, draft_id: int) -> None:
        channel = self._channels.get(address.channel_id) if address else None
        rates = self._outbox.rates(channel.id) if channel else None
        if channel and rates and address:
            chat = chat_of(address)
            in_order = partial(self._is_told, writing[0], chat)
            self._progress.begin(writing, Place(chat, channel, rates, address.reply_to, in_order), draft_id)

    def _is_told(self, conversation_id: str, chat: ChatRef) -> bool:
        """Whether all that was said in a conversation is in its chat."""
        return not self._lanes.busy(conversation_id) and self._outbox.quiet(chat)

    async def _say(self, told: _Told, event: Event, address: Address, words: str) -> None:
        turn = told.turn_seq if told.turn_seq is not None else f"at {event.seq}"
        key = f"{event.conversation_id}:{turn}:{told.number}"
        told.number, told.last = told.number + 1, (key, address)
        channel, data = self._channels.get(address.channel_id), event.data
        if channel is None:
            _log.warning("a turn's channel is not connected any more", channel=address.channel_id, key=key)
            return
        offered: Offered | None = None
        if isinstance(data, TurnCompleted) and told.turn_seq is not None:
            conversation_id, chat = event.conversation_id, chat_of(address)
            offered = await self._second_try.offer(channel, chat, key, conversation_id, told.turn_seq, data)
        if isinstance(data, ContextCompacted):
            words, offered = await self._summaries.told(channel, chat_of(address), key, event, data)
        files = self._made(data) if isinstance(data, AssistantMessage) else ()
        if len(words) > AS_FILE:
            words, files = TOO_LONG, (await self._as_file(words), *files)
        preview = await self._unended.next_of(channel, event.conversation_id, told.turn_seq, data, told.ended)
        posts = compose(
            channel.capabilities,
            chat_of(address),
            key,
            words,
            files=files,
            reply_to=address.reply_to,
            kind=Kind.ANSWER if isinstance(data, AssistantMessage) else Kind.NOTICE,
            buttons=offered.buttons if offered else (),
            into=preview.message_id if preview is not None else None,
        )
        told.posts += posts
        if preview is not None and goes_into(posts):
            told.ended.take(preview)
        if offered:
            told.offers.append(offered.change)

    def _made(self, message: AssistantMessage) -> tuple[MadeFile, ...]:
        return tuple(
            MadeFile(self._files.path(file), file.name, file.mime, file.size, file.caption)
            for file in message.attachments
        )

    async def _as_file(self, words: str) -> MadeFile:
        kept = await self._files.save_bytes("answer.md", "text/markdown", words.encode())
        return MadeFile(self._files.path(kept), kept.name, kept.mime, kept.size)

    def _fault(self, conversation_id: str, fault: BaseException) -> None:
        _log.error("telling a chat failed", conversation=conversation_id, exc_info=fault)


AS_FILE = 60_000
"""Characters from which an answer goes as a file: it would be more than fifteen messages, and formatting it would hold
every chat for a while."""

TOO_LONG = "This answer is very long, so here it is as a file."

DEALT = (*CARD_EVENTS, OfferResolved, TurnCompleted)
"""The events that cards come, change and end with."""

TELLING = (
    *(*CARD_EVENTS, AssistantMessage, TurnStarted, TurnCompleted, Replies),
    *(Notice, TurnHeld, TurnRouted, ContextCompacted, OfferShown, OfferResolved),
)
"""The events that the relay looks at."""


def _words(data: EventData, address: Address) -> str | None:
    """What a chat is told of an event; None for nothing. What a tool shows is for a private chat."""
    match data:
        case ToolFinished(view=view) if view is not None and address.chat_kind is ChatKind.PRIVATE:
            return view_text(view)
        case AssistantMessage(text=text):
            return text
        case TurnCompleted(outcome="error", error=error):
            return error
        case TurnCompleted(outcome="interrupted", cut_off_by="restart"):
            return problems.CUT_OFF
        case Notice(message=message):
            return message
        case TurnHeld():
            return "I can't answer right now. I keep your message and answer it as soon as I can."
        case TurnRouted():
            return problems.took_over(data)
        case ContextCompacted():
            return told_of(data)
    return None


def _shows(data: EventData) -> bool:
    """Whether a tool shows the person something."""
    return isinstance(data, ToolFinished) and data.view is not None


def chat_of(address: Address) -> ChatRef:
    """The room of an address."""
    return ChatRef(address.channel_id, address.chat_id, address.chat_kind, address.thread)
