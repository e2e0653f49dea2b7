"""Runs the commands of the console: those that chats have too by the same code, the others here.

Which command a name means, and in which order it is looked for, is the registry's, as everywhere.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from channels.arrivals import Arrivals, Batch
from channels.commands.call import ChatCommand, CommandCall, Reply
from channels.commands.chat import CONVERSATION_GONE
from channels.commands.compact import NOTHING_KNOWN, NOTHING_SAID, OWN_MEMORY
from channels.commands.effort import Effort
from channels.commands.elsewhere import PAGES
from channels.commands.fast import Fast
from channels.commands.goal import Goal
from channels.commands.memory import NOTHING_TO_RETRY, Clear, Undo
from channels.commands.mode import Mode
from channels.commands.model import Model
from channels.commands.options import ChatOptions
from channels.commands.plan import Plan
from channels.commands.status import StatusLines
from channels.console.calls import call_of
from channels.console.choices import Choices, Typable, choices, typables
from channels.console.seats import ConsoleSeating, ConsoleSeats, Pending, seat_in
from channels.console.told import Offered, Told
from channels.formatting.parts import literal
from channels.menu_views import View
from commands import registry
from commands.command import Command, Place
from commands.helptext import help_text
from commands.parsing import ParsedCommand, expand_custom, parse_chat_command, slash_in
from commands.resolution import Builtin, OtherNames, OwnCommand, Skill, resolve
from commands.similar import similar_commands
from commands.values import THEMES, Values, ValuesKind
from core.clock import Clock
from core.conversations import Conversations, FoldOutcome
from core.decisions import SetTitle
from core.engines.catalogue import Catalogue
from core.errors import Busy, NotFound, UsageError
from core.events import AssistantMessage
from core.options import OptionsChange
from core.own_commands import OwnCommands
from core.preferences import Preferences
from core.skills.skills import Skills
from core.store.database import Database
from core.store.log import EventLog
from core.store.seats import Seat

REVIEW: Final = (
    "Look over the latest changes in the work folder: what is wrong or risky, what is missing, what could be simpler. "
    "Begin with what matters most, and name the place of each. Change nothing."
)
INIT: Final = (
    "Get to know the work folder: what it is for, how it is built, run and tested, and which rules its people keep. "
    "Then write what you would want to know next time into AGENTS.md there, short; if it is there already, correct it."
)
NOTHING_TO_COPY: Final = "There is no answer here yet that could be copied."
NO_CHAT: Final = "Nothing was said here yet."
NO_ARRIVALS: Final = "The console hands over what is sent at once."

Run = Callable[[CommandCall], Awaitable[Told]]


@dataclass(frozen=True, slots=True)
class Parts:
    """What the commands look at and change."""

    database: Database
    conversations: Conversations
    preferences: Preferences
    catalogue: Catalogue
    own: OwnCommands
    skills: Skills
    clock: Clock


class ConsoleCommands:
    """Runs them for the owner, in any conversation."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._conversations = parts.conversations
        self._log = EventLog(parts.database)
        self._pending = Pending()
        seats = ConsoleSeats(parts.database, self._pending)
        seating = ConsoleSeating(parts.database, seats, self._pending)
        arrivals = Arrivals(_send_nothing, _no_fault, parts.preferences, parts.clock)
        conversations, catalogue, menus = parts.conversations, parts.catalogue, _Lists()
        self._options = ChatOptions(
            conversations=conversations, seating=seating, arrivals=arrivals, preferences=parts.preferences
        )
        self._status = StatusLines(
            database=parts.database,
            conversations=conversations,
            seating=seating,
            arrivals=arrivals,
            options=self._options,
            catalogue=catalogue,
        )
        self._shared: dict[str, ChatCommand] = {
            "clear": Clear(conversations, seats, arrivals),
            "undo": Undo(conversations, seats),
            "goal": Goal(conversations, seating),
            "plan": Plan(conversations, seating, self._options),
            "model": Model(self._options, catalogue, menus),
            "effort": Effort(self._options, catalogue, menus),
            "fast": Fast(self._options, catalogue, menus),
            "mode": Mode(self._options, menus),
        }
        self._own: dict[str, Run] = {
            "compact": self._compact,
            "retry": self._retry,
            "rename": self._rename,
            "copy": self._copy,
            "export": self._export,
            "status": self._say_status,
            "review": self._review,
            "init": self._init,
            "help": self._help,
        }

    # ---- what is typed ---------------------------------------------------------------------------------------------

    async def run(
        self, conversation_id: str, words: str, *, client_id: str | None = None, theme: str = "system"
    ) -> Told | None:
        """Do what was typed, or say why not; None where it is no command.

        Raises:
            StoreUnavailable: nothing was done.
        """
        command = parse_chat_command(words)
        if command is None:
            return None
        call = call_of(command, conversation_id, self._now(), client_id)
        try:
            return await self._run(call, theme)
        except Busy:
            return Told(f"Something goes on here. Wait until it is done, or stop it, then {call.written()} again.")
        except NotFound:
            return Told(CONVERSATION_GONE)

    async def typables(self, conversation_id: str, theme: str = "system") -> Sequence[Typable]:
        """Everything that can be typed there, in the order in which it is shown."""
        return typables(await self._choices(conversation_id, theme), await self._others())

    def take_pending(self, conversation_id: str) -> tuple[str | None, bool, OptionsChange | None]:
        """The goal, plan mode and options that were chosen before anything was said there."""
        return self._pending.take(seat_in(conversation_id))

    async def _run(self, call: CommandCall, theme: str) -> Told:
        others = await self._others()
        match resolve(call.command.name, others):
            case Builtin(command):
                return await self._builtin(call, command, theme)
            case OwnCommand(name):
                return await self._saved(call, name)
            case Skill(name):
                return Told(say=slash_in("console", name, call.command.arguments))
            case _:
                return _unknown(call, others)

    async def _builtin(self, call: CommandCall, command: Command, theme: str) -> Told:
        if not command.works_at(Place.CONSOLE):
            return _only_in_chats(call, command)
        if registry.is_pending(command):
            return Told(f"{call.written()} is not there yet; it comes with a later release.")
        if command.name in PAGES:
            return Told(go=PAGES[command.name])
        values = command.values
        if values is not None and values.kind is ValuesKind.CHOOSE and not call.command.arguments:
            return await self._list(call, command.name, values, theme)
        if command.name == "theme":
            return _themed(call)
        if command.name in self._own:
            return await self._own[command.name](call)
        return Told.of(await self._shared[command.name].run(call))

    # ---- lists -----------------------------------------------------------------------------------------------------

    async def _choices(self, conversation_id: str, theme: str) -> Choices:
        answering = await self._options.look(seat_in(conversation_id))
        return await choices(answering, self._parts.catalogue, theme)

    async def _list(self, call: CommandCall, name: str, values: Values, theme: str) -> Told:
        """The values of a command as buttons, the one in use said in words."""
        made = await self._choices(call.seat.chat_id, theme)
        values = made.of(name, values)
        if not values.items:
            return Told(f"{values.heading}: there is nothing to choose for what answers here.")
        current = next((item.title for item in values.items if item.current), None)
        words = f"**{values.heading}**: {literal(current)} now." if current else f"**{values.heading}**"
        others = (item for item in values.items if not item.current)
        return Told(words, tuple(Offered(item.title, slash_in("console", name, item.word)) for item in others))

    async def _others(self) -> OtherNames:
        await self._parts.skills.keep_up()
        origin = call_of(ParsedCommand("help"), "", self._now()).origin
        return OtherNames(own=await self._parts.own.names(), skills=self._parts.skills.names(origin))

    # ---- commands of the console's own -----------------------------------------------------------------------------

    async def _compact(self, call: CommandCall) -> Told:
        conversation_id = call.seat.chat_id
        if not await self._log.exists(conversation_id):
            return Told(NOTHING_SAID)
        focus = call.command.arguments.strip() or None
        match await self._conversations.compact(conversation_id, focus, call.origin):
            case FoldOutcome.STARTED:
                return Told("Summing up what was said. The result comes here.")
            case FoldOutcome.OWN_MEMORY:
                overview = await self._conversations.overview(conversation_id)
                return Told(OWN_MEMORY.format(engine=literal(overview.engine.title)))
            case FoldOutcome.NOTHING:
                return Told(NOTHING_KNOWN)

    async def _retry(self, call: CommandCall) -> Told:
        sent = await self._conversations.retry(call.seat.chat_id, call.origin, call.client_id)
        return Told(NOTHING_TO_RETRY) if sent is None else Told()

    async def _rename(self, call: CommandCall) -> Told:
        if not call.command.arguments:
            return Told(f"Write the new name after it: {call.written('My plans')}.")
        try:
            decided = await self._conversations.decide(call.seat.chat_id, SetTitle(call.command.arguments))
        except UsageError as fault:
            return Told(str(fault))
        return Told(f"This chat is called **{literal(decided.after.title or '')}** now.")

    async def _copy(self, call: CommandCall) -> Told:
        newest = await self._log.newest(call.seat.chat_id, "assistant.message", 1)
        for event in newest:
            if isinstance(event.data, AssistantMessage) and event.data.text:
                return Told("The last answer:", copy=event.data.text)
        return Told(NOTHING_TO_COPY)

    async def _export(self, call: CommandCall) -> Told:
        if not await self._log.exists(call.seat.chat_id):
            return Told(NO_CHAT)
        as_json = call.command.arguments.strip().lower() == "json"
        return Told(go=f"/chats/{call.seat.chat_id}/export?as={'json' if as_json else 'markdown'}")

    async def _say_status(self, call: CommandCall) -> Told:
        return Told(await self._status.of(call))

    async def _review(self, call: CommandCall) -> Told:
        focus = call.command.arguments.strip()
        return Told(say=f"{REVIEW}\n\nLook at this above all: {focus}" if focus else REVIEW)

    async def _init(self, call: CommandCall) -> Told:
        return Told(say=INIT)

    async def _help(self, call: CommandCall) -> Told:
        return Told(help_text(call.kind, call.place, await self._others()))

    async def _saved(self, call: CommandCall, name: str) -> Told:
        try:
            body = await self._parts.own.body(name)
        except UsageError as fault:
            return Told(str(fault))
        words = expand_custom(body, call.command.arguments).strip()
        return Told(say=words) if words else Told(f"The saved command {call.written()} is empty.")

    def _now(self) -> datetime:
        return self._parts.clock.now()


class _Lists:
    """In the console lists are shown before a command is asked, so none is opened by one."""

    async def open(self, call: CommandCall, view: View) -> Reply:
        raise AssertionError(f"no list of {view.name} here")

    async def leave(self, call: CommandCall) -> bool:
        return False


async def _send_nothing(batch: Batch) -> None:
    raise AssertionError(NO_ARRIVALS)


def _no_fault(seat: Seat, fault: BaseException) -> None:
    raise AssertionError(NO_ARRIVALS) from fault


def _themed(call: CommandCall) -> Told:
    word = THEMES.word(call.command.arguments)
    if word is None:
        return Told(f"There is no such theme. There is: {', '.join(item.word for item in THEMES.items)}.")
    return Told(f"Theme: **{THEMES.title(word)}**, in this browser.", theme=word)


def _only_in_chats(call: CommandCall, command: Command) -> Told:
    if command.name == "stop":
        return Told("The button Stop beside the field ends an answer.")
    return Told(f"{call.written()} is for chat apps only.")


def _unknown(call: CommandCall, others: OtherNames) -> Told:
    typed, arguments = call.written(), call.command.arguments
    likely = similar_commands(call.command.name, Place.CONSOLE, others)
    if not likely:
        return Told(f"There is no command {typed}. {call.written(name='help')} shows what there is.")
    meant = " or ".join(call.written(arguments, name) for name in likely)
    written = (slash_in("console", name, arguments) for name in likely)
    return Told(f"There is no command {typed}. Did you mean {meant}?", tuple(Offered(one, one) for one in written))
