"""Which abilities an adapter has, and what Conch does in place of those that it has not.

The words are those of the contract itself: every ability says in its docstring what happens without it.
"""

import inspect
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from channels import abilities, reach
from channels.base import Channel
from channels.choices import has_buttons

ABILITIES: Final[tuple[type, ...]] = (
    abilities.Edits,
    abilities.Streams,
    abilities.Drafts,
    abilities.Typing,
    abilities.Marks,
    abilities.Presses,
    abilities.Forms,
    abilities.FormMessages,
    abilities.Threads,
    abilities.Files,
    abilities.NativeMenus,
    abilities.PrivateChats,
    abilities.Completes,
    abilities.History,
    reach.Pushes,
    reach.Remembers,
)
"""Of a channel. What a kind of bots may know besides (`Probes`, `Endpoints`, `Invites`) concerns connecting alone."""

_WITHOUT: Final = re.compile(r"Without it: (.+?)\.(?:\s|$)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Ability:
    """One ability of the contract: whether the adapter has it, and what is done without it."""

    name: str
    there: bool
    without: str

    def __str__(self) -> str:
        return f"{self.name}: yes" if self.there else f"{self.name}: no; instead: {self.without}"


def without(ability: object) -> str:
    """What the contract says of an app that cannot do this.

    Raises:
        ValueError: it says nothing, so it is no ability.
    """
    found = _WITHOUT.search(inspect.getdoc(ability) or "")
    if found is None:
        raise ValueError(f"{ability!r} does not say what happens without it")
    return " ".join(found[1].split())


def abilities_of(channel: Channel) -> Sequence[Ability]:
    """Every ability there is. An app that shows no button has none of its presses, whatever its adapter could do."""
    return tuple(Ability(one.__name__, _has(channel, one), without(one)) for one in ABILITIES)


def report(channel: Channel) -> str:
    """The same to read, a line each."""
    return "\n".join([f"{channel.capabilities.title} can:", *(f"- {ability}" for ability in abilities_of(channel))])


def _has(channel: Channel, ability: type) -> bool:
    if ability in (abilities.Presses, abilities.Forms, abilities.FormMessages) and not has_buttons(
        channel.capabilities
    ):
        return False
    return isinstance(channel, ability)
