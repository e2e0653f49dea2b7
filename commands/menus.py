"""The command menu that each app shows by itself, derived from the registry and fitted to that app's limits.

Sending it to an app is its adapter's work; whether it differs from the one sent before is told by `NativeMenu.digest`.
"""

import hashlib
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from commands.command import Command, Place, Section
from commands.registry import COMMANDS, PENDING, listed_at
from commands.values import Values, ValuesKind

_NO_LIMIT = sys.maxsize

WANTED = ("new", "stop", "model", "clear", "plan", "goal", "effort", "retry", "status", "help")
"""Which commands stay where an app shows only so many, the most wanted first; all others come after them."""

SHORTEST_DESCRIPTION = 3
"""Characters below which no description is cut to save room: two and the ellipsis, which every app takes."""


@dataclass(frozen=True, slots=True)
class MenuLimits:
    """What fits into an app's menu."""

    commands: int = _NO_LIMIT
    description: int = _NO_LIMIT
    """Characters."""
    hint: int = _NO_LIMIT
    """Characters."""
    total_bytes: int = _NO_LIMIT
    """All names and descriptions together, in UTF-8."""


LIMITS = {
    # From core.telegram.org/bots/api#setmycommands. The total is documented nowhere; menus with 4,021 characters of
    # descriptions were taken and some with 5,021 refused as BOT_COMMANDS_TOO_MUCH (grandamenium/cortextos#670).
    "telegram": MenuLimits(commands=100, description=256, total_bytes=4000),
    # From discord.com/developers/docs/interactions/application-commands; the hint describes the option.
    "discord": MenuLimits(commands=100, description=100, hint=100),
    # From docs.slack.dev/reference/app-manifest, features.slash_commands: description and usage_hint.
    "slack": MenuLimits(commands=1, description=2000, hint=1000),
    # From the schema of the Teams manifest, bots.commandLists.
    "teams": MenuLimits(commands=10, description=128),
}
"""By kind of platform; others (the terminal chat, the console, an app installed later) have no limits."""


@dataclass(frozen=True, slots=True)
class MenuEntry:
    """One command as a menu shows it. `argument_hint` is empty when it takes nothing."""

    name: str
    description: str
    section: Section
    argument_hint: str = ""
    values: Values | None = None
    groups: bool = False
    """It works in groups too."""

    @property
    def completes(self) -> bool:
        """Whether the app should offer its values while the person types."""
        return self.values is not None and self.values.kind is ValuesKind.CHOOSE


@dataclass(frozen=True, slots=True)
class NativeMenu:
    """The menu of one platform. `groups` is what groups see instead, None where all chats have the same menu."""

    platform: str
    default: tuple[MenuEntry, ...]
    groups: tuple[MenuEntry, ...] | None = None

    def digest(self) -> str:
        """The same for equal menus in every process, so that an unchanged menu need not be sent again."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()


def native_menu(
    platform: str, *, commands: Sequence[Command] = COMMANDS, pending: tuple[str, ...] = PENDING
) -> NativeMenu:
    """The menu for this kind of platform: what is usable there, neither hidden nor pending, in the registry's order.

    Telegram and the terminal chat have a menu of their own for groups. Slack gets one command that takes all others as
    its words; the console gets every command that works there.
    """
    place = Place.CONSOLE if platform == "console" else Place.OWNER_CHAT
    shown = listed_at(place, commands=commands, pending=pending)
    entries = [_entry(command, place) for command in shown]
    limits = LIMITS.get(platform, MenuLimits())
    if platform == "slack":
        entries = [_the_one_for_all(entries)]
    default = fit(entries, limits)
    if platform not in ("telegram", "memory"):
        return NativeMenu(platform, default)
    return NativeMenu(platform, default, fit([entry for entry in entries if entry.groups], limits))


def fit(entries: Sequence[MenuEntry], limits: MenuLimits) -> tuple[MenuEntry, ...]:
    """As many of the entries as the platform takes, the most wanted, in the order given.

    Where all of them together are too long, every description is cut to the greatest common length that fits. An entry
    is left out, the least wanted first, only when not even the shortest descriptions fit.
    """
    kept = _most_wanted(entries, limits.commands)
    while _bytes(_cut(kept, SHORTEST_DESCRIPTION, limits)) > limits.total_bytes:
        kept = _most_wanted(kept, len(kept) - 1)
    longest = min(limits.description, max((len(entry.description) for entry in kept), default=0))
    for length in range(longest, SHORTEST_DESCRIPTION, -1):
        whole = _cut(kept, length, limits)
        if _bytes(whole) <= limits.total_bytes:
            return whole
    return _cut(kept, SHORTEST_DESCRIPTION, limits)


def cut(text: str, length: int) -> str:
    """At most `length` characters of the text, ending in an ellipsis where some are missing.

    Whole words are kept as long as at least one fits.
    """
    if len(text) <= length:
        return text
    room = length - 1
    start = text[:room]
    # A word that ends just where the room does is whole already.
    words = start if text[room].isspace() else start.rpartition(" ")[0]
    return (words.rstrip(" ,;:") or start) + "…"


def _entry(command: Command, place: Place) -> MenuEntry:
    return MenuEntry(
        name=command.name,
        description=command.description_at(place),
        section=command.section,
        argument_hint=command.argument_hint_at(place),
        values=command.values,
        groups=command.chat is not None and command.chat.groups,
    )


def _the_one_for_all(entries: Sequence[MenuEntry]) -> MenuEntry:
    """Slack's only command; its hint names the others, since Slack shows no menu of them."""
    names = ", ".join(entry.name for entry in entries)
    return MenuEntry(
        name="conch",
        description="Ask something, or give a command; with nothing after it, help",
        section=Section.CONCH,
        argument_hint=f"your message, or: {names}",
        groups=True,
    )


def _most_wanted(entries: Sequence[MenuEntry], count: int) -> tuple[MenuEntry, ...]:
    wanted = sorted(entries, key=lambda entry: WANTED.index(entry.name) if entry.name in WANTED else len(WANTED))
    kept = {entry.name for entry in wanted[:count]}
    return tuple(entry for entry in entries if entry.name in kept)


def _cut(entries: Sequence[MenuEntry], length: int, limits: MenuLimits) -> tuple[MenuEntry, ...]:
    return tuple(
        replace(
            entry,
            description=cut(entry.description, length),
            argument_hint=cut(entry.argument_hint, limits.hint),
        )
        for entry in entries
    )


def _bytes(entries: Sequence[MenuEntry]) -> int:
    return sum(len(entry.name.encode()) + len(entry.description.encode()) for entry in entries)
