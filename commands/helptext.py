"""What `/help` answers: the commands this person may run here, written as this app writes them."""

from itertools import groupby

from commands import registry
from commands.command import Command, Place
from commands.parsing import slash_in
from commands.resolution import NO_OTHERS, OtherNames, reachable


def help_text(
    kind: str,
    place: Place,
    others: OtherNames = NO_OTHERS,
    *,
    console: str | None = None,
    pending: tuple[str, ...] = registry.PENDING,
) -> str:
    """The help as Markdown, for someone at `place` in an app of this kind.

    `others` are this person's own commands and skills; a name that cannot be typed, or would run something else, is
    left out. `console` is the console's address, None when this person is not to be told.
    """
    parts = [
        "\n".join((f"**{section}**", *(_line(kind, place, command) for command in commands)))
        for section, commands in groupby(
            registry.listed_at(place, pending=pending), key=lambda command: command.section
        )
    ]
    mine = reachable(others)
    for heading, names in (("Your own commands", mine.own), ("Skills", mine.skills)):
        if names:
            parts.append(f"**{heading}**: " + ", ".join(f"`{slash_in(kind, name)}`" for name in names))
    if console is not None:
        parts.append(f"The console is at <{console}>.")
    return "\n\n".join(parts)


def _line(kind: str, place: Place, command: Command) -> str:
    hint = command.argument_hint_at(place)
    if hint:
        # As manual pages have it: what may be left out in square brackets.
        hint = f"<{hint}>" if command.needs_args else f"[{hint}]"
    written = slash_in(kind, command.name, hint)
    return f"- `{written}` – {command.description_at(place)}"
