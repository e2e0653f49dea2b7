"""What a command does when it is typed in a chat app: the check order, and one method per command.

What a command *is* stands in `commands.registry`; who the sender is, was decided by the gate before.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from channels.actions import LabelledAction, UndoClear
from channels.arrivals import Arrivals
from channels.base import InboundMessage
from channels.gate import Standing
from commands import registry
from commands.command import Command, Place, Who
from commands.helptext import help_text
from commands.parsing import ParsedCommand, slash_in
from commands.resolution import Builtin, resolve
from commands.similar import similar_commands
from core.conversations import Conversations, Stopped
from core.decisions import RestoreContext
from core.events import ChatKind
from core.store.changes import Change
from core.store.inbox import Done
from core.store.seats import LeaveSeat, Seat, Seats


@dataclass(frozen=True, slots=True)
class CommandCall:
    """A command that somebody who was let in typed in a chat app of this `kind`."""

    command: ParsedCommand
    kind: str
    seat: Seat
    standing: Standing
    message: InboundMessage

    @property
    def place(self) -> Place:
        """Where it was typed, as the registry sees it."""
        if self.message.chat.kind is ChatKind.GROUP:
            return Place.GROUP
        return Place.OWNER_CHAT if self.standing is Standing.OWNER else Place.PERSON_CHAT


@dataclass(frozen=True, slots=True)
class Reply:
    """What is said back (Markdown), and what is stored together with it.

    `actions` become buttons under it, for ten minutes. Groups and apps without buttons do not show them, so the words
    must say what to type.
    """

    words: str
    also: tuple[Change, ...] = ()
    actions: tuple[LabelledAction, ...] = ()


class ChatCommands:
    """Runs commands for chat apps."""

    def __init__(
        self, *, conversations: Conversations, seats: Seats, arrivals: Arrivals, console: str | None = None
    ) -> None:
        self._conversations = conversations
        self._seats = seats
        self._arrivals = arrivals
        self._console = console
        self._run: dict[str, Callable[[CommandCall], Awaitable[Reply]]] = {
            "new": self._new,
            "stop": self._stop,
            "help": self._help,
            "start": self._help,
        }

    async def run(self, call: CommandCall) -> Reply:
        """Do what was typed, or say why not."""
        found = resolve(call.command.name)
        if not isinstance(found, Builtin):
            return Reply(self._unknown(call))
        why_not = self._why_not(call, found.command)
        if why_not is not None:
            return Reply(why_not)
        return await self._run[found.command.name](call)

    def _why_not(self, call: CommandCall, command: Command) -> str | None:
        """The check order; None when the command may run."""
        typed = slash_in(call.kind, command.name)
        message = call.message
        if message.forwarded_from is not None or message.attachments or _quotes_someone_else(message):
            return f"I only run a command that you type yourself, without a file or a quote. Send `{typed}` on its own."
        if command.chat is None:
            return self._in_console(typed)
        if registry.is_pending(command):
            return f"`{typed}` is not there yet; it comes with a later release."
        if command.chat.who is Who.OWNER and call.place is not Place.OWNER_CHAT:
            return f"`{typed}` changes how Conch works, so only its owner can use it, in their private chat with me."
        if call.place is Place.GROUP and not command.chat.groups:
            return f"`{typed}` works in our private chat, not in a group."
        return None

    def _in_console(self, typed: str) -> str:
        where = f" at {self._console}" if self._console else ", which comes with a later release"
        return f"`{typed}` works in the console{where}."

    def _unknown(self, call: CommandCall) -> str:
        typed = slash_in(call.kind, call.command.name)
        likely = similar_commands(call.command.name, call.place)
        if not likely:
            return f"There is no command `{typed}`. `{slash_in(call.kind, 'help')}` shows what there is."
        meant = " or ".join(f"`{slash_in(call.kind, name, call.command.arguments)}`" for name in likely)
        return f"There is no command `{typed}`. Did you mean {meant}?"

    # ---- one method per command ------------------------------------------------------------------------------------

    async def _new(self, call: CommandCall) -> Reply:
        """Forget the seat's conversation; a running turn goes on and its answer still arrives."""
        conversation_id = await self._seats.conversation(call.seat)
        running = conversation_id is not None and self._conversations.running(conversation_id) is not None
        words = "Your next message starts a fresh conversation."
        if running:
            words += " The answer that I am still writing will arrive here."
        return Reply(words, (LeaveSeat(call.seat),))

    async def _stop(self, call: CommandCall) -> Reply:
        """End what is going on for this seat, whatever stage it is in."""
        dropped = self._arrivals.drop(call.seat)
        conversation_id = await self._seats.conversation(call.seat)
        stopped = Stopped(turn=False, waiting=0)
        if conversation_id is not None:
            stopped = await self._conversations.stop(conversation_id)
        done = tuple(Done(message.chat.channel_id, message.update_id) for message in dropped)
        return Reply(_stopped_words(stopped, len(dropped)), done)

    async def undo_clear(self, call: CommandCall, clear: UndoClear) -> Reply:
        """Take back just that clear, while nothing was said since and it is still this chat's conversation."""
        conversation_id = await self._seats.conversation(call.seat)
        if conversation_id != clear.conversation_id:
            return Reply("That was another conversation, which this chat has left.")
        client_id = f"{call.message.chat.channel_id}:{call.message.update_id}"
        decided = await self._conversations.decide(conversation_id, RestoreContext(clear.seq), client_id)
        if not decided.events and not decided.again:
            return Reply("Something was said since, so the clear stays.")
        return Reply("I remember again what was said before the clear.")

    async def _help(self, call: CommandCall) -> Reply:
        console = self._console if call.place is Place.OWNER_CHAT else None
        return Reply(help_text(call.kind, call.place, console=console))


def _stopped_words(stopped: Stopped, gathered: int) -> str:
    """What a stop ended, in words."""
    waiting = stopped.waiting + gathered
    waited = "the message that was waiting" if waiting == 1 else f"{waiting} waiting messages"
    if stopped.turn:
        return f"Stopped, and dropped {waited}." if waiting else "Stopped."
    return f"Dropped {waited}; nothing was running." if waiting else "Nothing was going on."


def _quotes_someone_else(message: InboundMessage) -> bool:
    return message.reply_to is not None and not message.reply_to.from_bot
