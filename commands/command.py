"""What a command is: its words, its audience and where it works. The commands themselves stand in `registry`."""

from dataclasses import dataclass
from enum import StrEnum

from commands.values import Values


class Section(StrEnum):
    """The heading a command stands under, as a person reads it."""

    CHAT = "This chat"
    ANSWERS = "How it answers"
    CONCH = "Conch itself"


class Who(StrEnum):
    """Whose command it is in a chat app."""

    OWNER = "owner"
    """The channel's owner in their private chat: it changes how Conch works."""
    PEOPLE = "people"
    """Anyone let in, on their own conversation."""


class Place(StrEnum):
    """Where someone types, as far as it decides which commands they have."""

    CONSOLE = "console"
    OWNER_CHAT = "owner_chat"
    """The private chat of the channel's owner."""
    PERSON_CHAT = "person_chat"
    """The private chat of someone else who was let in."""
    GROUP = "group"
    """Any group, whoever types there: the owner has no more commands in a group than others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatUse:
    """How a command is used from a chat app. `None` words are those of the console."""

    who: Who
    groups: bool = False
    """It also works in a group, on the sender's own conversation there."""
    hidden: bool = False
    """Left out of native menus, help and suggestions."""
    description: str | None = None
    argument_hint: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One command, with the words the console has for it."""

    name: str
    """Matches `[a-z0-9_]{1,32}`, which every app takes."""
    section: Section
    description: str
    """A sentence without its full stop, at most 256 characters."""
    argument_hint: str = ""
    """What goes after the name; empty for a command that takes nothing."""
    aliases: tuple[str, ...] = ()
    values: Values | None = None
    needs_args: bool = False
    """Choosing it in a menu waits for words instead of acting."""
    yields: bool = False
    """A command or skill of the person's own with the typed name wins."""
    web: bool = True
    """Usable in the console."""
    chat: ChatUse | None = None
    """None: only in the console."""

    def works_at(self, place: Place) -> bool:
        """Whether it may be run there, hidden or not, finished or not."""
        if place is Place.CONSOLE:
            return self.web
        if self.chat is None:
            return False
        if place is Place.GROUP:
            return self.chat.groups
        return place is Place.OWNER_CHAT or self.chat.who is Who.PEOPLE

    @property
    def hidden(self) -> bool:
        """Whether it is left out wherever commands are shown."""
        return self.chat is not None and self.chat.hidden

    def description_at(self, place: Place) -> str:
        """Its sentence in the words of that place."""
        own = None if self.chat is None or place is Place.CONSOLE else self.chat.description
        return self.description if own is None else own

    def argument_hint_at(self, place: Place) -> str:
        """What goes after the name, in the words of that place; empty when nothing does."""
        own = None if self.chat is None or place is Place.CONSOLE else self.chat.argument_hint
        return self.argument_hint if own is None else own
