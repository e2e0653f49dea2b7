"""What the commands have in common: for which data folder they are, and how they get at Conch.

The commands themselves are in `cli` (running, looking), `bot_commands`, `engine_commands`,
`setting_commands`, `skill_commands`, `app_commands` and `token_commands`.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Coroutine
from typing import Annotated, Any, TypeVar

import typer

from conch import home, logs
from conch.access import administration
from conch.home import Home
from core.clock import SystemClock
from core.safety.redaction import Redactor
from web.administration import Administration

if sys.platform != "win32":
    import uvloop

T = TypeVar("T")

CLOCK = SystemClock()

ForPlayground = Annotated[bool, typer.Option("--playground", help="For the playground instead of your own Conch.")]

HISTORY = (
    "Next time leave the key out: what is typed on a command line stays in the shell's history. Conch asks for it."
)


def in_folder(context: typer.Context, playground: ForPlayground = False) -> None:
    """Before a command of a group: the data folder that it is for."""
    context.obj = folder(playground=playground)


def folder(*, playground: bool) -> Home:
    """The data folder, or the playground's."""
    return home.find().playground if playground else home.find()


def ask(place: Home, program: str, question: Callable[[Administration], Awaitable[T]]) -> T:
    """One of the owner's commands, done by the running server or over the data folder."""
    logs.configure("error", "human", Redactor())

    async def do() -> T:
        async with administration(place, program, CLOCK) as conch:
            return await question(conch)

    return run(do())


def run(work: Coroutine[Any, Any, T]) -> T:
    """Something asynchronous from beginning to end."""
    factory = uvloop.new_event_loop if sys.platform != "win32" else None
    with asyncio.Runner(loop_factory=factory) as runner:
        return runner.run(work)
