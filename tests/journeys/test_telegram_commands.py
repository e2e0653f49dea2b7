"""Commands and the queue, in Telegram: what is typed while an answer is written."""

import asyncio
from pathlib import Path

import pytest

from channels.emulators.telegram.pretend import PretendTelegram
from core.clock import SystemClock
from core.engines.base import Text, TurnInput
from core.engines.script import Steps, Until
from core.engines.scripted import ScriptedEngine
from tests.journeys.living import living, owner_of, said, until


class Held:
    """An engine that echoes, and holds each turn that begins with "wait" until it is let go."""

    def __init__(self) -> None:
        self.go = asyncio.Event()
        self.engine = ScriptedEngine(SystemClock(), self._script)

    def _script(self, turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        if turn.text.startswith("wait"):
            yield Text("so far")
            yield Until(self.go)
        yield Text(f" echo: {turn.text}")


@pytest.mark.report("R027", "R037")
async def test_what_comes_while_a_turn_runs_goes_next_as_one(tmp_path: Path, pretend: PretendTelegram) -> None:
    held = Held()
    async with living(tmp_path, pretend, engines=[held.engine], gather_ms=0) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say("wait")
        await until(lambda: held.engine.turns)

        await ada.chat.say("second")
        await ada.chat.wait_for_answer()
        await ada.chat.say("third")
        await ada.chat.say("/help")
        await ada.chat.wait_for_answer()
        held.go.set()
        await ada.chat.wait_for(lambda messages: messages[-1].text == "echo: second\n\nthird")

    told = [text for text in said(ada.chat) if "right after that" in text]
    assert told == ["I'm still answering. Your message comes right after that."]
    assert [turn.text for turn in held.engine.turns] == ["wait", "second\n\nthird"]


@pytest.mark.report("R015")
async def test_stop_ends_the_turn_and_empties_the_queue(tmp_path: Path, pretend: PretendTelegram) -> None:
    held = Held()
    async with living(tmp_path, pretend, engines=[held.engine], gather_ms=0) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say("wait for ever")
        await until(lambda: held.engine.turns)
        await ada.chat.say("never mind")
        await ada.chat.wait_for_answer()

        await ada.chat.say("/stop")
        await ada.chat.wait_for(lambda messages: messages[-1].text.startswith("Stopped"))
        held.go.set()
        await ada.chat.say("still there?")
        await ada.chat.wait_for_answer()

    assert said(ada.chat)[-3:] == [
        "so far",
        "Stopped, and dropped the message that was waiting.",
        "echo: still there?",
    ]


async def test_stop_says_when_nothing_was_going_on(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend) as app:
        ada = await owner_of(app, pretend)

        await ada.chat.say("/stop")
        answer = await ada.chat.wait_for_answer()

    assert answer.text == "Nothing was going on."


async def test_stop_drops_what_is_still_being_gathered(tmp_path: Path, pretend: PretendTelegram) -> None:
    engine = ScriptedEngine(SystemClock(), Held()._script)
    async with living(tmp_path, pretend, engines=[engine], gather_ms=3_000) as app:
        ada = await owner_of(app, pretend)

        await ada.chat.forward("buy now", of="Spammer")
        await ada.chat.say("/stop")
        answer = await ada.chat.wait_for_answer()

    assert answer.text == "Dropped the message that was waiting; nothing was running."
    assert not engine.turns


async def test_new_starts_a_fresh_conversation(tmp_path: Path, pretend: PretendTelegram) -> None:
    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        yield Text(f"{len(earlier)} before")

    async with living(tmp_path, pretend, script=script, gather_ms=0) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say("one")
        await ada.chat.wait_for_answer()
        await ada.chat.say("/new")
        await ada.chat.wait_for_answer()

        await ada.chat.say("two")
        await ada.chat.wait_for_answer()

    assert said(ada.chat)[1:] == ["0 before", "Your next message starts a fresh conversation.", "0 before"]


async def test_new_lets_a_running_answer_arrive(tmp_path: Path, pretend: PretendTelegram) -> None:
    held = Held()
    async with living(tmp_path, pretend, engines=[held.engine], gather_ms=0) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say("wait")
        await until(lambda: held.engine.turns)

        await ada.chat.say("/new")
        await ada.chat.wait_for_answer()
        held.go.set()
        await ada.chat.wait_for(lambda messages: messages[-1].text == "so far echo: wait")

    assert said(ada.chat)[1].endswith("The answer that I am still writing will arrive here.")


async def test_help_and_start_say_what_can_be_done_here(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend) as app:
        ada = await owner_of(app, pretend)

        await ada.chat.say("/help")
        shown = await ada.chat.wait_for_answer()
        await ada.chat.say("/start")
        again = await ada.chat.wait_for_answer()

    assert shown.text == again.text
    assert {"/new", "/stop", "/help"} <= set(shown.marked("code"))
    assert "/export" not in shown.text


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("/hepl", "Did you mean /help?"),
        ("/xyzzy", "/help shows what there is."),
        ("/model opus", "There is no model “opus”."),
        ("/export", "works in the console"),
    ],
)
async def test_a_command_that_cannot_run_says_why(
    tmp_path: Path, pretend: PretendTelegram, typed: str, words: str
) -> None:
    engine = ScriptedEngine(SystemClock(), Held()._script)
    async with living(tmp_path, pretend, engines=[engine]) as app:
        ada = await owner_of(app, pretend)

        await ada.chat.say(typed)
        answer = await ada.chat.wait_for_answer()

    assert words in answer.text
    assert not engine.turns


async def test_a_forwarded_command_is_not_run(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend) as app:
        ada = await owner_of(app, pretend)

        await ada.chat.forward("/new", of="Eve")
        answer = await ada.chat.wait_for_answer()

    assert answer.text.startswith("I only run a command that you type yourself")


async def test_a_path_is_not_a_command(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend) as app:
        ada = await owner_of(app, pretend)

        await ada.chat.say("/Users/ada/notes.txt")
        answer = await ada.chat.wait_for_answer()

    assert answer.text == "echo: /Users/ada/notes.txt"
