"""What comes of a command in the console: words, buttons, a page to go to, something for the clipboard."""

from dataclasses import dataclass
from typing import Self

from channels.actions import Action, LabelledAction, RunCommand, SendText, UndoClear
from channels.base import ButtonStyle
from channels.commands.call import Reply
from commands.parsing import slash_in

UNDO = "/undo"


@dataclass(frozen=True, slots=True)
class Offered:
    """A button: pressed, it is the same as typing `typed`. `danger`: what it does is hard to take back."""

    label: str
    typed: str
    danger: bool = False


@dataclass(frozen=True, slots=True)
class Told:
    """What is said back (Markdown) and done in the browser.

    `say` went to the assistant as the owner's own words. `go` is a page below the console's root. `copy` is text for
    the clipboard. `theme` is how this browser shows the console from now on.
    """

    words: str = ""
    presses: tuple[Offered, ...] = ()
    say: str | None = None
    go: str | None = None
    copy: str | None = None
    theme: str | None = None

    @classmethod
    def of(cls, reply: Reply) -> Self:
        """What a command that chat apps have too says, for the console."""
        pressed = (_offered(action) for action in reply.actions)
        return cls(reply.words, tuple(one for one in pressed if one), reply.say)


def _offered(labelled: LabelledAction) -> Offered | None:
    typed = _typed(labelled.action)
    return Offered(labelled.label, typed, labelled.style is ButtonStyle.DANGER) if typed else None


def _typed(action: Action) -> str | None:
    match action:
        case RunCommand():
            return slash_in("console", action.name, action.arguments)
        case UndoClear():
            return UNDO
        case SendText():
            return action.text
        case _:  # what was cut off or summed up stands in the chat, with its own buttons
            return None
