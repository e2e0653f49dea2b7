"""Typed text to commands and back, the same for every place. Whether a command exists is not asked here."""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from commands.naming import fold_name, is_name
from commands.values import MODES, Effort

_COMMAND = re.compile(r"/(?P<name>[^\s/@]+)(?:@(?P<bot>[\w.-]+))?(?:\s+(?P<arguments>.*))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ParsedCommand:
    """A typed command: its folded name, its trimmed arguments (empty for none) and the bot it was addressed to."""

    name: str
    arguments: str = ""
    bot: str | None = None

    def is_for(self, bot_name: str) -> bool:
        """Whether the bot of this name (without `@`) is meant: it is, unless another one was named."""
        return self.bot is None or self.bot.lower() == bot_name.lower()


def parse_chat_command(text: str) -> ParsedCommand | None:
    """The command that the whole of `text` is, or None for an ordinary message.

    White space around it does not count. `/name@bot` is how Telegram addresses one of several bots in a group
    (core.telegram.org/bots/features#commands). A lone slash, a path and a slash later in the text are no commands.
    """
    match = _COMMAND.fullmatch(text.strip().removeprefix(MARK))
    if match is None or not is_name(match["name"]):
        return None
    return ParsedCommand(fold_name(match["name"]), (match["arguments"] or "").strip(), match["bot"])


def slash_in(kind: str, name: str, args: str = "") -> str:
    """How a command is written in an app of this kind.

    Slack keeps every message that starts with a slash, so there all commands go through the one it was told of.
    """
    written = f"/conch {name}" if kind == "slack" else f"/{name}"
    return f"{written} {args}" if args else written


MARK: Final = "\u2060"
"""Stands, unseen (WORD JOINER), before a command in a sentence that is said in more than one app: `\\u2060/new`.

Such a sentence is written before anybody knows where it is read. Words of people and models have no mark, so that
nothing in them is taken for a command.
"""

_MARKED: Final = re.compile(f"{MARK}/([a-z0-9_]{{1,32}})")


def written_in(kind: str, sentence: str) -> str:
    """The sentence with its marked commands as an app of this kind writes them."""
    return _MARKED.sub(lambda found: slash_in(kind, found[1]), sentence)


class Switch(StrEnum):
    """What is asked of something that is either on or off."""

    ON = "on"
    OFF = "off"
    TOGGLE = "toggle"


_SWITCHES = (
    dict.fromkeys(("", "toggle"), Switch.TOGGLE)
    | dict.fromkeys(("on", "yes", "true", "start", "enable"), Switch.ON)
    | dict.fromkeys(("off", "no", "false", "stop", "disable", "done", "exit"), Switch.OFF)
)


def parse_switch(arguments: str) -> Switch | None:
    """On, off or the other way round, in any case; nothing at all means the other way round. None: not a switch."""
    return _SWITCHES.get(arguments.strip().lower())


_EFFORTS = {effort.value: effort for effort in Effort} | {"maximum": Effort.MAX, "extra": Effort.XHIGH}


def parse_effort_arg(arguments: str) -> Effort | None:
    """The effort meant, in any case; None when it is none."""
    return _EFFORTS.get(arguments.strip().lower())


DEFAULT = "default"
"""The word that goes back to what holds for every chat."""


def is_default_arg(arguments: str) -> bool:
    """Whether somebody asks to go back to what holds for every chat."""
    return arguments.strip().lower() in (DEFAULT, "reset")


@dataclass(frozen=True, slots=True)
class TypedMode:
    """A mode that was asked for, by its word, or `DEFAULT`; `sure` when a "yes" came with it."""

    word: str
    sure: bool = False


def parse_mode_arg(arguments: str) -> TypedMode | None:
    """The mode meant, by its word or its title, in any case; None when it is none."""
    words = arguments.split()
    sure = len(words) > 1 and words[-1].lower() in ("yes", "y")
    typed = " ".join(words[:-1] if sure else words)
    word = DEFAULT if is_default_arg(typed) else MODES.word(typed)
    return TypedMode(word, sure) if word else None


@dataclass(frozen=True, slots=True)
class ShowGoal:
    """Say what the goal is."""


@dataclass(frozen=True, slots=True)
class ClearGoal:
    """Go on without a goal."""


@dataclass(frozen=True, slots=True)
class SetGoal:
    """Work towards this. Its length is for whoever keeps the goal to check."""

    text: str


GoalChange = ShowGoal | ClearGoal | SetGoal

_CLEARS_GOAL = frozenset(("clear", "off", "none", "remove", "delete", "reset", "done"))


def parse_goal_arg(arguments: str) -> GoalChange:
    """What is to happen to the goal. One of the clearing words clears only alone: `clear the backlog` is a goal."""
    goal = arguments.strip()
    if not goal:
        return ShowGoal()
    return ClearGoal() if goal.lower() in _CLEARS_GOAL else SetGoal(goal)


_PLACEHOLDER = "{{input}}"


def expand_custom(body: str, arguments: str) -> str:
    """The words that a saved command of the person's own stands for.

    Every `{{input}}` becomes the arguments, or "this" when there are none; a placeholder inside the arguments stays
    as it is. Without a placeholder the arguments follow the body after a blank line.
    """
    given = arguments.strip()
    if _PLACEHOLDER in body:
        return body.replace(_PLACEHOLDER, given or "this")
    if not given:
        return body
    return f"{body.rstrip()}\n\n{given}" if body.strip() else given
