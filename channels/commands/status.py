"""What a chat runs on and what is going on in it, in words; the command shows it as a menu."""

from dataclasses import replace
from typing import Protocol

from channels.arrivals import Arrivals
from channels.commands.call import CommandCall, Reply
from channels.commands.goal import quoted
from channels.commands.menus import Menus
from channels.commands.options import Answering, ChatOptions, efforts_of
from channels.commands.usage import day_left
from channels.formatting.parts import literal
from channels.menu_views import Name, View
from channels.seating import Seating
from channels.summaries import folded
from commands.command import Place
from commands.values import EFFORTS, MODES
from core.conversation_state import ConversationState, TaintMark
from core.conversations import Conversations, Overview
from core.engines.base import Engine, ModelInfo
from core.engines.catalogue import Catalogue
from core.events import ContextCompacted, Effort, Status, TurnCompleted
from core.store.changes import Change
from core.store.database import Database
from core.store.log import EventLog
from core.store.outbox import Post
from core.store.seats import Seat, SeatRecord
from core.store.usage import UsageRows

SUMMARY_SHOWN = 300
"""Characters of a summary."""

_SOURCES = {
    "web": "the page {}",
    "download": "the file {}",
    "app": "content from {}",
    "person": "words of {}",
}

LATELY = 100
"""Newest events among which the last answer is looked for, which says how full the model's window is."""


class OffersAnew(Protocol):
    """Whoever can show again what is on offer."""

    async def renew(self, seat: Seat, update_id: str) -> tuple[tuple[Post, ...], tuple[Change, ...]]:
        """The open offers of the owner's private chat: their messages, and what is stored with them."""
        ...


class ChatStatus:
    """Opens the menu that shows how this chat is; what is on offer stands anew below it."""

    def __init__(self, menus: Menus, offers: OffersAnew) -> None:
        self._menus = menus
        self._offers = offers

    async def run(self, call: CommandCall) -> Reply:
        """Everything in one message."""
        shown = await self._menus.open(call, View(name=Name.STATUS))
        if call.place is not Place.OWNER_CHAT:
            return shown
        below, changes = await self._offers.renew(call.seat, call.message.update_id)
        return replace(shown, below=below, also=(*shown.also, *changes))


class StatusLines:
    """The model, its room, effort, speed, mode and goal; what goes on, what waits, and what came in from outside."""

    def __init__(
        self,
        *,
        database: Database,
        conversations: Conversations,
        seating: Seating,
        arrivals: Arrivals,
        options: ChatOptions,
        catalogue: Catalogue,
    ) -> None:
        self._conversations = conversations
        self._seating = seating
        self._arrivals = arrivals
        self._options = options
        self._catalogue = catalogue
        self._log = EventLog(database)
        self._usage = UsageRows(database)

    async def of(self, call: CommandCall) -> str:
        """As Markdown, a line each.

        Raises:
            NotFound: the conversation is not there any more.
        """
        async with self._seating.alone(call.seat) as record:
            pass
        answering = await self._options.look(call.seat)
        conversation_id = record.conversation_id if record else None
        overview = await self._conversations.overview(conversation_id) if conversation_id else None
        engine = overview.engine if overview else self._engine(answering)
        model = answering.model((await self._catalogue.of(engine),))
        lines = [_model(answering, model)]
        if conversation_id and overview and (room := await self._room(conversation_id, overview, model)):
            lines.append(room)
        lines += _how(answering, model)
        lines += _of_the_conversation(call, overview) if overview else _of_the_seat(record)
        if self._arrivals.busy(call.seat):
            lines.append("- **On its way**: what you just sent")
        lines += [f"- **{title}**: {left}" for title, left in day_left(answering.settings, await self._usage.today())]
        return "\n".join(lines)

    def _engine(self, answering: Answering) -> Engine:
        return self._conversations.engine_for(ConversationState(options=answering.chosen))

    async def _room(self, conversation_id: str, overview: Overview, model: ModelInfo | None) -> str | None:
        """How much of the model's window the last answer left, where it said so."""
        for event in reversed(await self._log.last_page(conversation_id, LATELY)):
            done = event.data
            if event.seq <= overview.state.memory_start:
                return None
            if isinstance(done, TurnCompleted) and done.engine == overview.engine.id and done.usage:
                used = done.usage.context_used
                size = done.usage.context_size or (model.window if model else None)
                return _window(used, size) if used is not None and size else None
        return None


def _model(answering: Answering, model: ModelInfo | None) -> str:
    engine = literal(answering.engine_title)
    return f"- **Model**: {literal(model.title)} ({engine})" if model else f"- **Model**: {engine}"


def _window(used: int, size: int) -> str:
    left = max(0, size - used)
    return f"- **Room**: {left:,} of {size:,} tokens left ({left * 100 // size} %)"


def _how(answering: Answering, model: ModelInfo | None) -> list[str]:
    lines = []
    effort = answering.effort
    if effort is not None or efforts_of(model):
        lines.append(f"- **Effort**: {EFFORTS.title((effort or Effort.AUTO).value)}")
    if answering.fast:
        lines.append("- **Fast answers**: on")
    return [*lines, f"- **Mode**: {MODES.title(answering.mode.value)}"]


def _of_the_seat(record: SeatRecord | None) -> list[str]:
    goal = record.pending_goal if record else None
    return [_goal(goal), "- **Now**: your next message starts a fresh conversation"]


def _of_the_conversation(call: CommandCall, overview: Overview) -> list[str]:
    state = overview.state
    lines = [_goal(state.goal), _now(overview)]
    if overview.summary:
        lines.append(_summary(overview.summary))
    if overview.waiting:
        lines.append(f"- **Waiting**: {_messages(overview.waiting)}")
    if state.holds:
        titles = ", ".join(f"“{literal(' '.join(hold.title.split()))}”" for hold in state.holds)
        lines.append(f"- **Asks first**: because of {titles}, in every mode, until you end it")
    if state.taint:
        read = ", ".join(map(_mark, state.taint))
        lines.append(f"- **Read from outside**: {read}. {call.written(name='new')} starts clean.")
    return lines


def _goal(goal: str | None) -> str:
    return f"- **Goal**: {quoted(goal)}" if goal else "- **Goal**: none"


def _summary(fold: ContextCompacted) -> str:
    beginning = " ".join(fold.summary[: 2 * SUMMARY_SHOWN].split())
    if len(beginning) > SUMMARY_SHOWN:
        beginning = beginning[: SUMMARY_SHOWN - 1].rstrip() + "…"
    return f"- **Summed up**: {folded(fold)}. The summary begins: {literal(beginning)}"


def _now(overview: Overview) -> str:
    match overview.state.status:
        case Status.RUNNING:
            return "- **Now**: answering"
        case Status.WAITING:
            return "- **Now**: waiting for your answer"
        case Status.IDLE:
            if overview.folding:
                return "- **Now**: summing up what was said"
            return "- **Now**: " + ("waiting for an engine that can answer" if overview.held else "nothing going on")


def _messages(count: int) -> str:
    return "1 message" if count == 1 else f"{count} messages"


def _mark(mark: TaintMark) -> str:
    return _SOURCES[mark.source].format(literal(mark.label))
