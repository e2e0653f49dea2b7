"""The reference page of the docs, derived from the registry: `python -m commands.page > docs/commands.md`."""

import sys
from collections.abc import Sequence
from itertools import groupby

from commands.command import Command, Place, Who
from commands.registry import COMMANDS, PENDING

_HEAD = """\
# Commands

<!-- Written by `python -m commands.page > docs/commands.md`; what it says stands in `commands/registry.py`. -->

Type them in a chat with the bot. In Slack, where a message cannot begin with a slash, `/clear` is `/conch clear`.
Who: **owner** is the channel's owner in their private chat with the bot, **people** is anyone who was let in, about
their own chat. What is only in the console or not there yet says so when it is typed.
"""

_OWN = """\
## Your own commands

A file `commands/<name>.md` in the data folder is a command `/<name>`: its words are sent as your message. What you
type after the name goes where the file says `{{input}}`, or after its words. Only you can use them, in your private
chat; the setting `commands_for_people` names those that people whom you let in may use too. A file with the name of
one of the commands above wins where that one is marked ¹.
"""


def page(commands: Sequence[Command] = COMMANDS, pending: Sequence[str] = PENDING) -> str:
    """The whole page as Markdown."""
    sections = [
        _section(section.value, list(members), pending)
        for section, members in groupby(commands, key=lambda command: command.section)
    ]
    return "\n".join([_HEAD, *sections, _OWN])


def _section(title: str, commands: Sequence[Command], pending: Sequence[str]) -> str:
    rows = [_row(command, pending) for command in commands]
    head = ["| command | other names | what it does | who | groups |", "|---|---|---|---|---|"]
    return "\n".join([f"## {title}", "", *head, *rows, ""])


def _row(command: Command, pending: Sequence[str]) -> str:
    place = Place.CONSOLE if command.chat is None else Place.OWNER_CHAT
    name = f"`/{command.name}`" + ("¹" if command.yields else "")
    hint = command.argument_hint_at(place)
    what = command.description_at(place) + (f". After it: {hint}" if hint else "")
    if command.name in pending:
        what += ". *Not there yet*"
    groups = "yes" if command.chat and command.chat.groups else ""
    cells = (name, ", ".join(f"`/{alias}`" for alias in command.aliases), what, _who(command), groups)
    return f"| {' | '.join(cells)} |".replace("|  |", "| |").replace("|  |", "| |")


def _who(command: Command) -> str:
    if command.chat is None:
        return "in the console"
    return "owner" if command.chat.who is Who.OWNER else "people"


if __name__ == "__main__":
    sys.stdout.write(page())
