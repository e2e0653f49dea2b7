"""The command that says what a chat runs on and what is going on in it, in words."""

from channels.arrivals import Arrivals
from channels.commands.call import CommandCall, Reply
from channels.commands.goal import quoted
from channels.commands.plan import title_of
from channels.formatting.parts import literal
from channels.seating import Seating
from channels.summaries import folded
from core.conversation_state import ConversationState, TaintMark
from core.conversations import Conversations, Overview
from core.engines.base import Engine
from core.events import ContextCompacted, Mode, OptionsSet, Status
from core.store.seats import SeatRecord

SUMMARY_SHOWN = 300
"""Characters of a summary."""

_SOURCES = {
    "web": "the page {}",
    "download": "the file {}",
    "app": "content from {}",
    "person": "words of {}",
}


class ChatStatus:
    """Shows the engine, the mode, the goal, what goes on, what waits, and what came in from outside."""

    def __init__(self, conversations: Conversations, seating: Seating, arrivals: Arrivals) -> None:
        self._conversations = conversations
        self._seating = seating
        self._arrivals = arrivals

    async def run(self, call: CommandCall) -> Reply:
        """Everything in one message."""
        async with self._seating.alone(call.seat) as record:
            pass
        if record is None or record.conversation_id is None:
            engine = self._conversations.engine_for(ConversationState())
            lines = _of_the_seat(engine, record)
        else:
            overview = await self._conversations.overview(record.conversation_id)
            lines = _of_the_conversation(call, overview)
        if self._arrivals.busy(call.seat):
            lines.append("- **On its way**: what you just sent")
        return Reply("\n".join(lines))


def _of_the_seat(engine: Engine, record: SeatRecord | None) -> list[str]:
    planning = record is not None and record.pending_plan
    return [
        _engine(engine, OptionsSet()),
        _mode(Mode.PLAN if planning else None),
        _goal(record.pending_goal if record else None),
        "- **Now**: your next message starts a fresh conversation",
    ]


def _of_the_conversation(call: CommandCall, overview: Overview) -> list[str]:
    state = overview.state
    lines = [_engine(overview.engine, state.options), _mode(state.options.mode), _goal(state.goal), _now(overview)]
    if overview.summary:
        lines.append(_summary(overview.summary))
    if overview.waiting:
        lines.append(f"- **Waiting**: {_messages(overview.waiting)}")
    if state.taint:
        read = ", ".join(map(_mark, state.taint))
        lines.append(f"- **Read from outside**: {read}. {call.written(name='new')} starts clean.")
    return lines


def _engine(engine: Engine, options: OptionsSet) -> str:
    effort, fast = options.effort and f"effort {options.effort.value}", "fast" if options.fast else None
    chosen = (options.model, effort, fast)
    more = ", ".join(literal(word) for word in chosen if word)
    return f"- **Engine**: {literal(engine.title)}" + (f" ({more})" if more else "")


def _mode(mode: Mode | None) -> str:
    return f"- **Mode**: {title_of(mode or Mode.ASK)}"


def _goal(goal: str | None) -> str:
    return f"- **Goal**: {quoted(goal)}" if goal else "- **Goal**: none"


def _summary(fold: ContextCompacted) -> str:
    beginning = " ".join(fold.summary[: 2 * SUMMARY_SHOWN].split())
    if len(beginning) > SUMMARY_SHOWN:
        beginning = beginning[: SUMMARY_SHOWN - 1].rstrip() + "…"
    return f"- **Summed up**: {folded(fold)}: {literal(beginning)}"


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
