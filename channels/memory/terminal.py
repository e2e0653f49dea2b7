"""A chat in the terminal: one person, at the keyboard or at the other end of a pipe, in a room of the in-memory app.

What a line leads to is the service's to decide; here it is said in the room, and what stands there is shown.
"""

import asyncio
import contextlib
import signal
import sys
from collections.abc import Awaitable, Callable, Iterator

from rich.console import Console

from channels.memory.app import MemoryApp
from channels.memory.chat import MemoryChat
from channels.memory.screen import Screen
from channels.memory.stdin import Lines
from core.errors import ConchError

GREETING = "This is Conch. /help shows commands, Ctrl-C stops an answer, Ctrl-D ends."
HOW_TO_LEAVE = "Ctrl-D ends the chat."
HOW_TO_STOP = "Finishing the answer; Ctrl-C stops it."
WRITING = "…"

LEAVING = frozenset({"/exit", "/quit"})
"""Lines that end the chat as the end of the input does; they are not said."""
LEAVING_BY_HAND = LEAVING | {"exit", "quit"}
"""The same at the keyboard; in a text that is piped, the bare words may be part of it."""

Settled = Callable[[], Awaitable[None]]
"""Comes back when everything that the bot has been told so far is answered, and the answers are sent."""


class Terminal:
    """Says each line in the room, and shows what comes back.

    At the keyboard lines can be said while an answer is written. From a pipe the next line is said when the one before
    is answered. Either way the end of the input waits for the last answer.
    """

    def __init__(
        self, app: MemoryApp, chat: MemoryChat, lines: Lines, screen: Screen, settled: Settled, *, at_keyboard: bool
    ) -> None:
        self._app = app
        self._chat = chat
        self._lines = lines
        self._screen = screen
        self._settled = settled
        self._at_keyboard = at_keyboard
        self._answering: asyncio.Task[None] | None = None
        self._said = 0
        self._ended = False
        self._shown: dict[str, int] = {}

    @property
    def busy(self) -> bool:
        """Whether something that was said is not answered yet."""
        return self._answering is not None and not self._answering.done()

    async def run(self) -> None:
        """Chat until the input ends, or somebody types that it shall.

        Raises:
            ConchError: in a pipe, where nobody could be told that whether all is answered cannot be seen.
        """
        leaving = LEAVING_BY_HAND if self._at_keyboard else LEAVING
        watcher = asyncio.create_task(self._watch(), name="terminal")
        try:
            self._screen.hint(GREETING)
            self._screen.prompt()
            async for line in self._lines:
                self._screen.entered()
                if line.strip().lower() in leaving:
                    break
                if line.strip():
                    self._say(line)
                    if not self._at_keyboard:
                        await self._answered()
                if not self.busy:
                    self._screen.prompt()
            self._ended = True
            if self.busy:
                self._screen.hint(HOW_TO_STOP)
            await self._answered()
        finally:
            ending = [task for task in (watcher, self._answering) if task is not None]
            for task in ending:
                task.cancel()
            await asyncio.gather(*ending, return_exceptions=True)
            self._screen.close()

    def interrupt(self) -> None:
        """Stop the answer that runs; with none, say how to leave, or in a pipe leave."""
        if self.busy:
            self._say("/stop")
        elif self._at_keyboard and not self._ended:
            self._screen.hint(HOW_TO_LEAVE)
            self._screen.prompt()
        if not self._at_keyboard:
            self._lines.end()

    def _say(self, line: str) -> None:
        self._chat.say(line)
        self._said += 1
        if not self.busy:
            self._answering = asyncio.create_task(self._answer(), name="answering")

    async def _answer(self) -> None:
        """Come back when nothing that was said is open, also not what was said meanwhile."""
        try:
            await self._all_settled()
        except ConchError as fault:
            if not self._at_keyboard:
                raise
            self._screen.hint(str(fault))
        self._show()
        self._screen.end_preview()
        if not self._ended:
            self._screen.prompt()

    async def _all_settled(self) -> None:
        answered = 0
        while answered < self._said:
            answered = self._said
            await self._app.feed.drained()
            await self._settled()

    async def _answered(self) -> None:
        if self._answering is not None:
            await self._answering
        self._show()

    async def _watch(self) -> None:
        version = -1
        while True:
            version = await self._chat.changed(version)
            self._show()
            if self.busy and self._chat.draft:
                self._screen.preview(self._chat.draft)
            elif self.busy and self._chat.typing:
                self._screen.preview(WRITING)

    def _show(self) -> None:
        """What is new in the room, or has changed there."""
        answers = self._chat.answers
        for message in answers:
            if self._shown.get(message.id, -1) < message.edits:
                self._screen.show(message)
        self._shown = {message.id: message.edits for message in answers}


async def chat_here(app: MemoryApp, chat: MemoryChat, settled: Settled) -> None:
    """Chat on this process's standard input and output until the input ends; Ctrl-C stops an answer."""
    console = Console(highlight=False)
    at_keyboard = sys.stdin.isatty()
    screen = Screen(console, lively=at_keyboard and console.is_terminal)
    terminal = Terminal(app, chat, Lines(sys.stdin.fileno()), screen, settled, at_keyboard=at_keyboard)
    with _on_interrupt(terminal.interrupt):
        await terminal.run()


@contextlib.contextmanager
def _on_interrupt(act: Callable[[], None]) -> Iterator[None]:
    """Ctrl-C calls `act` in the loop, where the system can do that; elsewhere it ends the program as usual."""
    loop = asyncio.get_running_loop()
    try:
        loop.add_signal_handler(signal.SIGINT, act)
    except (NotImplementedError, RuntimeError, ValueError):  # Windows, or a loop that is not in the main thread
        yield
        return
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)
