"""Which command is meant, whether it may run here, and what is said when not: the check order of every chat app.

What a command *is* stands in `commands.registry`; who the sender is, was decided by the gate before.
"""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import Final

from channels.actions import LabelledAction, RunCommand, ShowSummary, TryAgain, UndoClear
from channels.arrivals import Arrivals
from channels.base import Channel, InboundMessage
from channels.commands.answers import Answers, about_answers
from channels.commands.basics import Cancel, New, Stop
from channels.commands.call import ChatCommand, CommandCall, Reply
from channels.commands.compact import Compact
from channels.commands.elsewhere import PAGES, SkillList, at_the_terminal
from channels.commands.goal import Goal
from channels.commands.memory import Clear, Retry, Undo
from channels.commands.plan import Plan
from channels.gate import Standing
from channels.seating import Seating
from commands import registry
from commands.command import Command, Place, Who
from commands.helptext import help_text
from commands.naming import fold_name
from commands.parsing import ParsedCommand, expand_custom, parse_chat_command, slash_in
from commands.resolution import NO_OTHERS, Builtin, OtherNames, OwnCommand, Skill, resolve
from commands.similar import similar_commands
from commands.slackwords import parse_slack_words
from core.conversations import Conversations
from core.errors import Busy, NotFound, UsageError
from core.own_commands import OwnCommands
from core.preferences import Preferences
from core.skills.skills import Skills
from core.store.seats import LeaveSeat, Seats

CONVERSATION_GONE: Final = "This conversation was deleted meanwhile. Your next message starts a new one."

Run = Callable[[CommandCall], Awaitable[Reply]]


class ChatCommands:
    """Runs commands for chat apps."""

    def __init__(
        self,
        *,
        conversations: Conversations,
        seats: Seats,
        seating: Seating,
        arrivals: Arrivals,
        own: OwnCommands,
        skills: Skills,
        preferences: Preferences,
        answers: Answers,
        console: str | None = None,
    ) -> None:
        self._own = own
        self._seats = seats
        self._conversations = conversations
        self._skills = skills
        self._menus = answers.menus
        self._preferences = preferences
        self._console = console
        self._skill_list = SkillList(skills)
        self._undo = Undo(conversations, seats)
        self._retry = Retry(conversations, seats, arrivals)
        self._compact = Compact(conversations, seats, arrivals)
        self._commands: dict[str, ChatCommand] = {
            "new": New(conversations, seats),
            "clear": Clear(conversations, seats, arrivals),
            "compact": self._compact,
            "goal": Goal(conversations, seating),
            "plan": Plan(conversations, seating, answers.options),
            "retry": self._retry,
            "undo": self._undo,
            "stop": Stop(conversations, seats, arrivals),
            "cancel": Cancel(answers.menus),
            **about_answers(answers),
        }

    # ---- what is typed or tapped -----------------------------------------------------------------------------------

    async def run(self, call: CommandCall) -> Reply:
        """Do what was typed, or say why not.

        Raises:
            StoreUnavailable: nothing was done.
        """
        if _is_not_their_own(call.message):
            return Reply(
                "I only run a command that you type yourself, without a file or a quote. "
                f"Send {call.written(call.command.arguments)} on its own."
            )
        command = registry.find(call.command.name)
        if call.place is Place.OWNER_CHAT and (command is None or command.name != "cancel"):
            await self._menus.leave(call)
        if command is not None and not command.yields:
            # nothing of the person's can take its place: a stop does not wait for a look at files
            return await self._run(call, command, partial(self._carry_out, command))
        others = await self._others(call)
        match resolve(call.command.name, others):
            case Builtin(command):
                return await self._run(call, command, partial(self._carry_out, command))
            case OwnCommand(name):
                return await self._run_own(call, name)
            case Skill(name):
                return _call_skill(call, name)
            case _:
                return self._unknown(call, NO_OTHERS if call.place is Place.GROUP else others)

    async def as_meant(
        self, channel: Channel, message: InboundMessage, standing: Standing
    ) -> tuple[InboundMessage, ParsedCommand | None]:
        """The message as its person means it, and the command that it is.

        Behind the one command of an app that keeps all others, words that are no command are an ordinary message.
        """
        word, *more = message.text.split(maxsplit=1) or [""]
        if word.lower() != channel.capabilities.command:
            return message, parse_chat_command(message.text)
        words = more[0].strip() if more else ""
        call = CommandCall.of(channel, message, ParsedCommand("help"), standing)
        command = parse_slack_words(words, call.place, await self._others(call))
        return replace(message, text=words), command

    async def undo_clear(self, call: CommandCall, clear: UndoClear) -> Reply:
        """As `run`, for the Undo under a clear."""
        return await self._run(call, registry.named("undo"), lambda call: self._undo.take_back(call, clear))

    async def try_again(self, call: CommandCall, action: TryAgain) -> Reply:
        """As `run`, for the Try again under an answer that was cut off."""
        return await self._run(call, registry.named("retry"), lambda call: self._retry.try_again(call, action))

    async def show_summary(self, call: CommandCall, action: ShowSummary) -> Reply:
        """As `run`, for the button under the word that something was summed up."""
        return await self._run(call, registry.named("compact"), lambda call: self._compact.show(call, action))

    # ---- whether it may run ----------------------------------------------------------------------------------------

    async def _run(self, call: CommandCall, command: Command, run: Run) -> Reply:
        if command.name == "skills" and call.place is not Place.GROUP:
            return await self._skill_list.run(call)
        why_not = self._why_not(call, command)
        if why_not is not None:
            return Reply(why_not)
        try:
            return await run(call)
        except Busy:
            return Reply(await self._busy(call))
        except NotFound:
            return Reply(CONVERSATION_GONE, (LeaveSeat(call.seat),))

    async def _busy(self, call: CommandCall) -> str:
        """What has to end first, and how."""
        stop, again = call.written(name="stop"), call.written()
        conversation_id = await self._seats.conversation(call.seat)
        if conversation_id and await self._conversations.waits_for_a_person(conversation_id):
            return f"I'm waiting for an answer here. Give it, or send {stop}, then {again} again."
        return f"I'm still at it here. Wait until I'm done, or send {stop}, then {again} again."

    def _why_not(self, call: CommandCall, command: Command) -> str | None:
        """What the registry says about this place; None when the command may run."""
        typed = call.written()
        if registry.is_pending(command):
            return f"{typed} is not there yet; it comes with a later release."
        if command.chat is None:
            return self._in_console(call, command)
        if command.chat.who is Who.OWNER and call.place is not Place.OWNER_CHAT:
            return f"{typed} is about how Conch works, so only its owner can use it, in their private chat with me."
        if call.place is Place.GROUP and not command.chat.groups:
            return _in_private(typed)
        return None

    def _in_console(self, call: CommandCall, command: Command) -> str:
        """Where else it works; the address is for the owner alone."""
        if self._console and call.place is Place.OWNER_CHAT:
            return f"{call.written()} works in the console: {self._console}{PAGES.get(command.name, '/chats')}"
        return at_the_terminal(call, command.name) or f"{call.written()} works in the console only."

    # ---- commands of ours ------------------------------------------------------------------------------------------

    async def _carry_out(self, command: Command, call: CommandCall) -> Reply:
        if command.name in ("help", "start"):
            return await self._help(call)
        return await self._commands[command.name].run(call)

    async def _help(self, call: CommandCall) -> Reply:
        console = self._console if call.place is Place.OWNER_CHAT else None
        mine = NO_OTHERS if call.place is Place.GROUP else await self._others(call)
        return Reply(help_text(call.kind, call.place, mine, console=console))

    # ---- commands of their own, and none at all --------------------------------------------------------------------

    async def _others(self, call: CommandCall) -> OtherNames:
        """The names that this person has besides ours: the owner all, people those that are switched on for them."""
        if not call.standing.let_in:
            return NO_OTHERS
        names = await self._own.names()
        await self._skills.keep_up()
        skills = self._skills.names(call.origin)
        if call.standing is Standing.OWNER:
            return OtherNames(own=names, skills=skills)
        for_people = frozenset(map(fold_name, self._preferences.current.commands_for_people))
        own = tuple(name for name in names if fold_name(name) in for_people)
        return OtherNames(own=own, skills=skills)

    async def _run_own(self, call: CommandCall, name: str) -> Reply:
        """Have the core answer what a saved command stands for."""
        if call.place is Place.GROUP:
            return Reply(_in_private(call.written()))
        try:
            body = await self._own.body(name)
        except UsageError as fault:
            return Reply(str(fault))
        words = expand_custom(body, call.command.arguments).strip()
        return Reply("", say=words) if words else Reply(f"The saved command {call.written()} is empty.")

    def _unknown(self, call: CommandCall, others: OtherNames) -> Reply:
        typed, arguments = call.written(), call.command.arguments
        likely = similar_commands(call.command.name, call.place, others)
        if not likely:
            return Reply(f"There is no command {typed}. {call.written(name='help')} shows what there is.")
        meant = " or ".join(call.written(arguments, name) for name in likely)
        actions = tuple(
            LabelledAction(slash_in(call.kind, name, arguments), RunCommand(name=name, arguments=arguments))
            for name in likely
        )
        return Reply(f"There is no command {typed}. Did you mean {meant}?", actions=actions)


def _is_not_their_own(message: InboundMessage) -> bool:
    """Whether words of someone else, or files, are in it: those never run a command of any kind."""
    quotes_someone_else = message.reply_to is not None and not message.reply_to.from_bot
    return message.forwarded_from is not None or bool(message.attachments) or quotes_someone_else


def _call_skill(call: CommandCall, name: str) -> Reply:
    """Have the core hear it as it was typed: what a skill says is filled in there."""
    if call.place is Place.GROUP:
        return Reply(_in_private(call.written()))
    return Reply("", say=f"/{name} {call.command.arguments}".strip())


def _in_private(typed: str) -> str:
    return f"{typed} works in our private chat, not in a group."
