"""Conch's commands, in the order they are shown. What a place shows of them is derived from here, never written again.

How typed text becomes a command is `parsing`; what a name means for a person with names of their own is `resolution`.
"""

from collections.abc import Sequence

from commands import values
from commands.command import ChatUse, Command, Place, Section, Who
from commands.naming import fold_name

_OWNER = ChatUse(who=Who.OWNER)
_PEOPLE = ChatUse(who=Who.PEOPLE)

COMMANDS: tuple[Command, ...] = (
    Command(
        name="new",
        section=Section.CHAT,
        description="Start a new chat",
        chat=ChatUse(who=Who.PEOPLE, groups=True, description="Start a new conversation with your next message"),
    ),
    Command(
        name="clear",
        section=Section.CHAT,
        description="Start over in this chat: what was said stays on screen, but is no longer remembered",
        aliases=("reset",),
        chat=ChatUse(who=Who.PEOPLE, description="Forget what was said here so far; can be undone"),
    ),
    Command(
        name="compact",
        section=Section.CHAT,
        description="Sum up what was said so far, to make room for more",
        argument_hint="what to keep",
        aliases=("summarise", "summarize", "compress"),
        chat=_PEOPLE,
    ),
    Command(
        name="goal",
        section=Section.CHAT,
        description="Show, set or clear the goal this chat works towards",
        argument_hint="the goal, or clear",
        aliases=("objective",),
        values=values.GOALS,
        yields=True,
        chat=_OWNER,
    ),
    Command(
        name="plan",
        section=Section.CHAT,
        description="Make a plan first and change nothing until you agree",
        argument_hint="on, off, or what to plan",
        values=values.PLANS,
        yields=True,
        chat=_OWNER,
    ),
    Command(
        name="retry",
        section=Section.CHAT,
        description="Send your last message again for another answer",
        aliases=("again", "regenerate"),
        yields=True,
        chat=_PEOPLE,
    ),
    Command(
        name="undo",
        section=Section.CHAT,
        description="Take back the last thing you did in this chat, such as clearing it",
        aliases=("rewind", "revert"),
        yields=True,
        chat=ChatUse(who=Who.PEOPLE, description="Take back the last clear, as long as nothing was said since"),
    ),
    Command(
        name="stop",
        section=Section.CHAT,
        description="Stop the answer and drop what is waiting behind it",
        web=False,
        chat=ChatUse(who=Who.PEOPLE, groups=True),
    ),
    Command(
        name="background",
        section=Section.CHAT,
        description="Hand over a task and go on here while it runs",
        argument_hint="the task",
        aliases=("task", "bg", "delegate"),
        needs_args=True,
        yields=True,
    ),
    Command(
        name="rename",
        section=Section.CHAT,
        description="Give this chat another name",
        argument_hint="the new name",
        aliases=("title",),
        needs_args=True,
        yields=True,
    ),
    Command(name="copy", section=Section.CHAT, description="Copy the last answer", yields=True),
    Command(
        name="export",
        section=Section.CHAT,
        description="Save this chat as a file",
        aliases=("save", "download"),
        yields=True,
    ),
    Command(
        name="resume",
        section=Section.CHAT,
        description="Go back to an earlier chat",
        aliases=("chats", "history", "continue"),
        yields=True,
    ),
    Command(
        name="model",
        section=Section.ANSWERS,
        description="Show or change the model that answers",
        argument_hint="name of the model",
        values=values.MODELS,
        chat=_OWNER,
    ),
    Command(
        name="effort",
        section=Section.ANSWERS,
        description="Choose how long it thinks before it answers",
        argument_hint="auto, low, medium, high, xhigh or max",
        aliases=("think", "thinking"),
        values=values.EFFORTS,
        chat=_OWNER,
    ),
    Command(
        name="fast",
        section=Section.ANSWERS,
        description="Prefer quick answers, where the model can give them",
        argument_hint="on or off",
        values=values.SPEEDS,
        chat=_OWNER,
    ),
    Command(
        name="mode",
        section=Section.ANSWERS,
        description="Choose what it may do without asking you",
        argument_hint="plan, ask, edit, auto or full",
        aliases=("trust", "permissions", "approvals"),
        values=values.MODES,
        chat=_OWNER,
    ),
    Command(
        name="status",
        section=Section.ANSWERS,
        description="Show what this chat runs on: model, mode, room left and what it has read",
        aliases=("info", "context"),
        yields=True,
        chat=ChatUse(who=Who.OWNER, description="Show which model answers here, in which mode, and what is open"),
    ),
    Command(
        name="review",
        section=Section.ANSWERS,
        description="Have the latest changes in the work folder looked over",
        argument_hint="what to look at",
        yields=True,
    ),
    Command(
        name="init",
        section=Section.ANSWERS,
        description="Have it learn the work folder and write down what it should remember",
        yields=True,
    ),
    Command(
        name="routines",
        section=Section.CONCH,
        description="See and change what it does by itself at set times",
        aliases=("schedule", "cron"),
    ),
    Command(name="skills", section=Section.CONCH, description="See which skills it has and when it may use them"),
    Command(name="commands", section=Section.CONCH, description="Write and change commands of your own"),
    Command(
        name="apps",
        section=Section.CONCH,
        description="Connect the apps it may work with",
        aliases=("mcp", "integrations", "connect", "tools"),
        yields=True,
    ),
    Command(
        name="channels",
        section=Section.CONCH,
        description="Connect bots, and choose who may talk to them",
        aliases=("bots",),
        yields=True,
    ),
    Command(
        name="providers",
        section=Section.CONCH,
        description="Sign in to the services whose models answer, or out of them",
        aliases=("login", "auth", "logout", "keys"),
        yields=True,
    ),
    Command(
        name="usage",
        section=Section.CONCH,
        description="See what was used, what it cost and which limits are set",
        aliases=("cost", "limits", "stats"),
        chat=_OWNER,
    ),
    Command(
        name="doctor",
        section=Section.CONCH,
        description="Find what is not working and put it right",
        aliases=("health", "repair", "fix"),
        yields=True,
    ),
    Command(
        name="settings",
        section=Section.CONCH,
        description="Change how Conch works",
        aliases=("config", "preferences"),
        chat=ChatUse(who=Who.OWNER, description="Change the settings that can be changed from a chat"),
    ),
    Command(
        name="theme",
        section=Section.CONCH,
        description="Choose light, dark, or what this device uses",
        argument_hint="system, light or dark",
        values=values.THEMES,
    ),
    Command(
        name="help",
        section=Section.CONCH,
        description="Show what you can type, and where to read more",
        aliases=("?",),
        chat=ChatUse(who=Who.PEOPLE, groups=True, description="Show what you can do here"),
    ),
    Command(
        name="start",
        section=Section.CONCH,
        description="Say hello to the bot",
        argument_hint="the hello code",
        web=False,
        chat=ChatUse(who=Who.PEOPLE, groups=True, hidden=True),
    ),
    Command(
        name="cancel",
        section=Section.CONCH,
        description="Leave the setting that waits for your words",
        web=False,
        chat=ChatUse(who=Who.OWNER, hidden=True),
    ),
)

# Typed, a pending command says plainly that it is not there yet; menus and help leave it out.
PENDING: tuple[str, ...] = ("background", "routines")

_BY_NAME = {name: command for command in COMMANDS for name in (command.name, *command.aliases)}


def find(typed: str) -> Command | None:
    """The command with this name or alias, in any case; None when Conch has none."""
    return _BY_NAME.get(fold_name(typed))


def named(name: str) -> Command:
    """The command with this very name, no other name of it.

    Raises:
        KeyError: Conch has none.
    """
    command = _BY_NAME[name]
    if command.name != name:
        raise KeyError(name)
    return command


def is_pending(command: Command) -> bool:
    """Whether its feature is not there yet."""
    return command.name in PENDING


def listed_at(
    place: Place, *, commands: Sequence[Command] = COMMANDS, pending: tuple[str, ...] = PENDING
) -> tuple[Command, ...]:
    """What someone typing there is shown, in the registry's order: what they may run, neither hidden nor pending."""
    return tuple(
        command
        for command in commands
        if command.works_at(place) and not command.hidden and command.name not in pending
    )
