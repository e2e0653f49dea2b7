"""The chat in a terminal: what is typed is said, what comes back is shown."""

import asyncio
import io
import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from channels.base import Sender
from channels.memory.app import MemoryApp
from channels.memory.chat import MemoryChat, SeenFile, SeenMessage
from channels.memory.screen import Screen
from channels.memory.stdin import LONGEST, Lines
from channels.memory.terminal import GREETING, HOW_TO_LEAVE, HOW_TO_STOP, WRITING, Terminal
from core.clock import ManualClock
from core.errors import StoreUnavailable

BOT = Sender("bot", "Conch", is_bot=True)


class Keyboard:
    """The other end of what the terminal reads."""

    def __init__(self) -> None:
        self._read_end, self._write_end = os.pipe()
        self.lines = Lines(self._read_end)
        self._open = True

    def type(self, words: str) -> None:
        os.write(self._write_end, words.encode())

    def end(self) -> None:
        """Ctrl-D, or the end of what is piped."""
        if self._open:
            self._open = False
            os.close(self._write_end)

    def close(self) -> None:
        self.end()
        os.close(self._read_end)


class Paper(io.StringIO):
    """What is printed, and a way to wait for it."""

    def __init__(self) -> None:
        super().__init__()
        self._bell = asyncio.Event()

    def write(self, text: str) -> int:
        self._bell.set()
        return super().write(text)

    async def wait_for(self, words: str) -> None:
        async with asyncio.timeout(10):
            while words not in self.getvalue():
                self._bell.clear()
                await self._bell.wait()


class Desk:
    """A terminal, somebody who types, and a bot that the test plays."""

    def __init__(self, keyboard: Keyboard, *, at_keyboard: bool) -> None:
        self.keyboard = keyboard
        self.app = MemoryApp(ManualClock())
        self.chat: MemoryChat = self.app.private_chat("You")
        self.paper = Paper()
        console = Console(file=self.paper, force_terminal=at_keyboard, width=40, height=12, highlight=False)
        screen = Screen(console, lively=at_keyboard)
        self._all_answered = asyncio.Event()
        self.fault: Exception | None = None
        self.terminal = Terminal(self.app, self.chat, keyboard.lines, screen, self._settled, at_keyboard=at_keyboard)
        self.running = asyncio.create_task(self.terminal.run())
        self.hearing = asyncio.create_task(self._hear())

    async def _settled(self) -> None:
        await self._all_answered.wait()
        if self.fault is not None:
            raise self.fault

    async def _hear(self) -> None:
        listener = self.app.feed.connect()
        while True:
            updates = await self.app.feed.next(listener)
            self._all_answered.clear()
            self.app.feed.took(updates)

    async def hear(self, *said: str) -> None:
        """Come back when the bot was told this, and nothing else."""
        await self.chat.wait_until(lambda chat: len(said_by_person(chat)) >= len(said))
        await self.app.feed.drained()
        assert said_by_person(self.chat) == said

    def say(self, text: str, file: SeenFile | None = None) -> None:
        self.chat.show(SeenMessage(self.app.new_id(), self.app.bot, text, file=file))

    def answer(self, text: str) -> None:
        """Say it, and have nothing more to say."""
        self.say(text)
        self.rest()

    def rest(self) -> None:
        self._all_answered.set()

    async def shown(self, words: str) -> None:
        """Come back when it is on the screen."""
        await self.paper.wait_for(words)

    async def close(self) -> None:
        for task in (self.running, self.hearing):
            task.cancel()
        await asyncio.gather(self.running, self.hearing, return_exceptions=True)


@pytest.fixture
def keyboard() -> Iterator[Keyboard]:
    keyboard = Keyboard()
    yield keyboard
    keyboard.close()


@pytest.fixture
async def desk(keyboard: Keyboard) -> AsyncIterator[Desk]:
    desk = Desk(keyboard, at_keyboard=True)
    yield desk
    await desk.close()


@pytest.fixture
async def pipe(keyboard: Keyboard) -> AsyncIterator[Desk]:
    desk = Desk(keyboard, at_keyboard=False)
    yield desk
    await desk.close()


# ---- in a pipe -----------------------------------------------------------------------------------------------------


async def test_a_piped_line_is_said_and_only_the_answer_is_printed(pipe: Desk) -> None:
    pipe.keyboard.type("hi\n")
    pipe.keyboard.end()
    await pipe.hear("hi")

    pipe.answer("hello\n\nyou")
    await pipe.running

    assert pipe.paper.getvalue() == "hello\n\nyou\n"


async def test_the_end_of_the_pipe_waits_for_the_answer(pipe: Desk) -> None:
    pipe.keyboard.type("hi")
    pipe.keyboard.end()
    await pipe.hear("hi")

    pipe.say("first part")
    await pipe.shown("first part")
    still_there = not pipe.running.done()
    pipe.answer("second part")
    await pipe.running

    assert still_there
    assert pipe.paper.getvalue() == "first part\n\nsecond part\n"


async def test_the_next_piped_line_waits_for_the_answer_to_the_one_before(pipe: Desk) -> None:
    pipe.keyboard.type("one\n\ntwo\n")
    pipe.keyboard.end()
    await pipe.hear("one")

    pipe.answer("1")
    await pipe.hear("one", "two")
    pipe.answer("2")
    await pipe.running

    assert pipe.paper.getvalue() == "1\n\n2\n"


async def test_a_long_line_is_not_wrapped_in_a_pipe(pipe: Desk) -> None:
    pipe.keyboard.type("hi\n")
    pipe.keyboard.end()
    await pipe.hear("hi")

    pipe.answer("word " * 100)
    await pipe.running

    assert pipe.paper.getvalue().count("\n") == 1


async def test_an_empty_pipe_ends_at_once(pipe: Desk) -> None:
    pipe.keyboard.end()

    await pipe.running

    assert pipe.paper.getvalue() == ""


async def test_an_interrupt_in_a_pipe_stops_the_answer_and_says_nothing_more(pipe: Desk) -> None:
    pipe.keyboard.type("one\ntwo\n")
    await pipe.hear("one")

    pipe.terminal.interrupt()
    await pipe.hear("one", "/stop")
    pipe.answer("Stopped.")
    await pipe.running

    assert pipe.paper.getvalue() == "Stopped.\n"


async def test_an_interrupt_in_a_pipe_with_nothing_running_ends_it(pipe: Desk) -> None:
    await asyncio.sleep(0)

    pipe.terminal.interrupt()
    await pipe.running

    assert pipe.chat.messages == ()


async def test_a_fault_ends_what_is_piped(pipe: Desk) -> None:
    pipe.fault = StoreUnavailable("The disk is full.")
    pipe.keyboard.type("one\ntwo\n")
    await pipe.hear("one")

    pipe.rest()

    with pytest.raises(StoreUnavailable):
        await pipe.running


async def test_a_piped_word_of_leaving_ends_the_chat_after_the_answer(pipe: Desk) -> None:
    pipe.keyboard.type("one\n/exit\ntwo\n")
    await pipe.hear("one")

    pipe.answer("1")
    await pipe.running

    assert (pipe.paper.getvalue(), said_by_person(pipe.chat)) == ("1\n", ("one",))


async def test_a_bare_word_in_a_pipe_is_part_of_what_is_said(pipe: Desk) -> None:
    pipe.keyboard.type("exit\n")

    await pipe.hear("exit")

    assert not pipe.running.done()


# ---- at the keyboard -----------------------------------------------------------------------------------------------


async def test_a_chat_begins_with_what_it_is_and_how_to_go_on(desk: Desk) -> None:
    await desk.shown("›")
    desk.keyboard.end()
    await desk.running

    assert below_greeting(desk) == ["› "]


@pytest.mark.parametrize("word", ["/exit", "/quit", "exit", " Quit "])
async def test_a_word_of_leaving_ends_the_chat_and_is_not_said(desk: Desk, word: str) -> None:
    desk.keyboard.type(f"{word}\n")

    await desk.running

    assert desk.chat.messages == ()


async def test_a_word_of_leaving_finishes_the_answer_that_runs(desk: Desk) -> None:
    desk.keyboard.type("one\n")
    await desk.hear("one")
    desk.keyboard.type("/quit\n")
    await desk.shown("Finishing the answer")

    desk.answer("the end")
    await desk.running

    assert as_seen(desk.paper.getvalue())[-2:] == ["the end", ""]


@pytest.mark.report("R023")
async def test_an_answer_shows_while_it_is_written_and_stands_there_once(desk: Desk) -> None:
    desk.keyboard.type("hi\n")
    await desk.hear("hi")
    desk.chat.show_typing()
    await desk.shown(WRITING)
    desk.chat.show_draft("hello th")
    await desk.shown("hello th")

    desk.answer("hello there")
    await desk.shown("hello there")
    desk.keyboard.end()
    await desk.running

    assert below_greeting(desk) == ["hello there", "", "› "]


async def test_a_preview_taller_than_the_screen_shows_its_end(desk: Desk) -> None:
    desk.keyboard.type("hi\n")
    await desk.hear("hi")

    desk.chat.show_draft("\n".join(f"line {number}" for number in range(100)))
    await desk.shown("line 99")

    assert "line 91" in desk.paper.getvalue()
    assert "line 90" not in desk.paper.getvalue()


async def test_more_can_be_said_while_an_answer_is_written(desk: Desk) -> None:
    desk.keyboard.type("one\n")
    await desk.hear("one")

    desk.keyboard.type("two\n")
    await desk.hear("one", "two")

    assert desk.terminal.busy


async def test_an_interrupt_stops_the_answer(desk: Desk) -> None:
    desk.keyboard.type("one\n")
    await desk.hear("one")

    desk.terminal.interrupt()
    await desk.hear("one", "/stop")

    assert not desk.running.done()


async def test_an_interrupt_with_nothing_running_says_how_to_leave(desk: Desk) -> None:
    await desk.shown("›")

    desk.terminal.interrupt()
    desk.keyboard.end()
    await desk.running

    assert HOW_TO_LEAVE in desk.paper.getvalue()
    assert desk.chat.messages == ()


async def test_ctrl_d_finishes_the_answer_that_runs(desk: Desk) -> None:
    desk.keyboard.type("one\n")
    await desk.hear("one")
    desk.keyboard.end()
    await desk.shown(HOW_TO_STOP)

    desk.answer("the end")
    await desk.running

    assert as_seen(desk.paper.getvalue())[-2:] == ["the end", ""]


async def test_a_fault_is_shown_and_the_chat_goes_on(desk: Desk) -> None:
    desk.fault = StoreUnavailable("The disk is full.")
    desk.keyboard.type("one\n")
    await desk.hear("one")

    desk.rest()
    await desk.shown("The disk is full.")
    desk.keyboard.type("two\n")
    await desk.hear("one", "two")

    assert not desk.running.done()


async def test_something_that_comes_by_itself_is_shown_above_the_prompt(desk: Desk) -> None:
    await desk.shown("›")

    desk.say("by the way")
    await desk.shown("by the way")
    desk.keyboard.end()
    await desk.running

    assert below_greeting(desk)[:2] == ["by the way", ""]


async def test_a_file_is_named_with_its_size_and_place(desk: Desk) -> None:
    desk.say("Here it is.", SeenFile("tab\nle.csv", "text/csv", b"x" * 12_000, Path("/data/f1")))

    await desk.shown("/data/f1")

    assert "[tab le.csv, 12.0 kB]" in desk.paper.getvalue()


async def test_a_message_that_was_changed_is_shown_again(desk: Desk) -> None:
    desk.say("one")
    await desk.shown("one")

    desk.chat.change(SeenMessage(desk.chat.answers[0].id, desk.app.bot, "ONE", edits=1))
    await desk.shown("ONE")

    assert "changed to:" in desk.paper.getvalue()


# ---- the screen and the lines --------------------------------------------------------------------------------------


@settings(max_examples=100)
@given(st.text(max_size=60), st.text(max_size=20), st.booleans())
def test_no_message_can_steer_the_terminal(text: str, name: str, lively: bool) -> None:
    paper = io.StringIO()
    screen = Screen(Console(file=paper, force_terminal=lively, color_system=None, highlight=False), lively=lively)
    file = SeenFile(name, "text/plain", b"", Path("/data/\x1b[2J"))

    screen.show(SeenMessage("1", BOT, text + "\x1b]0;title\x07\x9b2J", file=file))

    assert not {character for character in paper.getvalue() if character != "\n" and character < " "} - {"\t"}
    assert not set(paper.getvalue()) & set(map(chr, range(0x7F, 0xA0)))


@settings(max_examples=30, deadline=None)
@given(st.lists(st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), max_size=20), max_size=10))
async def test_every_line_is_read_whatever_its_letters(lines: list[str]) -> None:
    keyboard = Keyboard()
    keyboard.type("".join(f"{line}\r\n" for line in lines))
    keyboard.end()

    read = [line async for line in keyboard.lines]

    keyboard.close()
    assert read == lines


async def test_a_line_without_an_end_comes_in_pieces(tmp_path: Path) -> None:
    path = tmp_path / "long"
    path.write_bytes(b"x" * (LONGEST * 2 + 5))

    with path.open("rb") as file:
        read = [line async for line in Lines(file.fileno())]

    assert len(read) >= 2
    assert sum(map(len, read)) == LONGEST * 2 + 5


async def test_bytes_that_are_no_text_are_replaced(keyboard: Keyboard, tmp_path: Path) -> None:
    path = tmp_path / "bytes"
    path.write_bytes(b"caf\xe9\nb")

    with path.open("rb") as file:
        read = [line async for line in Lines(file.fileno())]

    assert read == ["caf\ufffd", "b"]


def said_by_person(chat: MemoryChat) -> tuple[str, ...]:
    return tuple(message.text for message in chat.messages if message.author in chat.people)


def below_greeting(desk: Desk) -> list[str]:
    """What stands on the screen below the words that a chat begins with."""
    seen = as_seen(desk.paper.getvalue())
    words = GREETING.split()
    while words:
        line = seen.pop(0).split()
        assert line == words[: len(line)]
        words = words[len(line) :]
    return seen


def as_seen(written: str) -> list[str]:
    """What stands on the screen in the end: the lines that nothing erased, without colours.

    Understands what the screen uses: colours, erase this line, up one line, back to its beginning.
    """
    lines, at = [""], 0
    rest = written
    while rest:
        if rest.startswith("\x1b["):
            code, rest = _escape(rest)
            at -= code == "1A"
            lines[at] = "" if code == "2K" else lines[at]
            continue
        character, rest = rest[0], rest[1:]
        if character == "\n":
            at += 1
            lines += [""] if at == len(lines) else []
        elif character != "\r":
            lines[at] += character
    return [line.rstrip(" ") if line != "› " else line for line in lines[: len(lines) - (lines[-1] == "")]]


def _escape(text: str) -> tuple[str, str]:
    """The code of the escape sequence that the text begins with, and what follows it."""
    end = next(at for at in range(2, len(text)) if text[at].isalpha())
    return text[2 : end + 1], text[end + 1 :]
