"""Clear, retry, goal, plan, status and own commands in Telegram, typed and tapped, by what the next turn sees."""

import asyncio
from pathlib import Path

import pytest

from channels.emulators.telegram.pretend import PretendTelegram
from channels.emulators.telegram.screen import Screen
from channels.emulators.telegram.seen import SeenMessage
from conch.app import App
from conch.home import Home
from core.clock import SystemClock
from core.engines.base import Text, TurnInput
from core.engines.demo.engine import DemoEngine
from core.engines.script import Steps, Until
from core.engines.scripted import ScriptedEngine
from core.events import Mode
from tests.journeys.living import FastClock, Owner, living, owner_of, said, until

ONLY_OWN = "I only run a command that you type yourself"


class Remembering:
    """An engine that says what it heard before and now, and holds a turn that begins with "wait"."""

    def __init__(self) -> None:
        self.go = asyncio.Event()
        self.engine = ScriptedEngine(SystemClock(), self._script)

    @property
    def newest(self) -> TurnInput:
        return self.engine.turns[-1]

    def _script(self, turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        if turn.text.startswith("wait"):
            yield Text("working. ")
            yield Until(self.go)
        yield Text(f"heard {', '.join((*earlier, turn.text))}")


async def answer_to(chat: Screen, words: str) -> SeenMessage:
    """Write, and read what comes back."""
    await chat.say(words)
    return await chat.wait_for_answer()


async def tapped(chat: Screen, message: SeenMessage, label: str) -> SeenMessage:
    """Press a button, and read what comes back."""
    before = len(chat.answers)
    await chat.press(message, label)
    await chat.wait_for(lambda _: len(chat.answers) > before)
    return chat.answers[before]


# ---- clear and undo ------------------------------------------------------------------------------------------------


@pytest.mark.report("R145", "R147", "R161")
async def test_clear_forgets_and_a_tap_on_undo_remembers(tmp_path: Path, pretend: PretendTelegram) -> None:
    remembering = Remembering()
    async with living(tmp_path, pretend, engines=[remembering.engine], gather_ms=0) as app:
        ada = await owner_of(app, pretend)
        await answer_to(ada.chat, "my name is Ada")
        first = await answer_to(ada.chat, "/clear")
        forgotten = await answer_to(ada.chat, "who am I?")
        cleared = await answer_to(ada.chat, "/clear")

        undone = await tapped(ada.chat, cleared, "Undo")
        remembered = await answer_to(ada.chat, "and now?")

    assert first.text.startswith("Cleared: I no longer remember what was said here. The messages stay on your screen")
    assert forgotten.text == "heard who am I?"
    assert undone.text == "Taken back: I remember again what was said before the clear."
    assert remembered.text == "heard who am I?, and now?"


async def test_undo_is_one_tap_away_after_a_restart_too(tmp_path: Path, pretend: PretendTelegram) -> None:
    remembering = Remembering()
    async with living(tmp_path, pretend, engines=[remembering.engine], gather_ms=0) as app:
        ada = await owner_of(app, pretend)
        await answer_to(ada.chat, "my name is Ada")
        cleared = await answer_to(ada.chat, "/clear")

    async with living(tmp_path, pretend, engines=[remembering.engine], gather_ms=0):
        await tapped(ada.chat, cleared, "Undo")
        remembered = await answer_to(ada.chat, "who am I?")

    assert remembered.text == "heard my name is Ada, who am I?"


@pytest.mark.report("R147")
async def test_someone_who_was_let_in_clears_only_their_own_chat(tmp_path: Path, pretend: PretendTelegram) -> None:
    remembering = Remembering()
    async with living(tmp_path, pretend, engines=[remembering.engine], gather_ms=0) as app:
        ada = await owner_of(app, pretend)
        bob = await let_in(app, ada, pretend)
        await answer_to(ada.chat, "I am Ada")
        await answer_to(bob, "I am Bob")

        cleared = await answer_to(bob, "/clear")
        bobs, adas = await answer_to(bob, "who?"), await answer_to(ada.chat, "who?")

    assert cleared.labels == [["Undo"]]
    assert (bobs.text, adas.text) == ("heard who?", "heard I am Ada, who?")


async def let_in(app: App, ada: Owner, pretend: PretendTelegram) -> Screen:
    """Bob's private chat."""
    chat = pretend.person("Bob").private_chat()
    await chat.start(await app.gate.new_hello_code(ada.channel_id))
    await chat.wait_for_answer()
    return chat


# ---- retry ---------------------------------------------------------------------------------------------------------


@pytest.mark.report("R145")
async def test_retry_sends_words_and_files_again(tmp_path: Path, pretend: PretendTelegram) -> None:
    remembering = Remembering()
    async with living(tmp_path, pretend, engines=[remembering.engine], gather_ms=0) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.file("note.txt", b"tea at four", "look at this")
        await ada.chat.wait_for_answer()

        answer = await answer_to(ada.chat, "/retry")

    first, again = remembering.engine.turns
    assert answer.text == "heard look at this, look at this"
    assert [file.name for file in again.attachments] == ["note.txt"]
    assert again.attachments == first.attachments


async def test_an_answer_that_a_restart_cut_off_is_tried_again_with_a_tap(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    remembering = Remembering()
    async with living(tmp_path, pretend, engines=[remembering.engine], clock=FastClock(), gather_ms=0) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say("wait for me")
        await until(lambda: remembering.engine.turns)
    told = ada.chat.answers[-1]
    remembering.go.set()

    async with living(tmp_path, pretend, engines=[remembering.engine], gather_ms=0):
        answer = await tapped(ada.chat, told, "Try again")

    assert told.text.startswith("I was restarted while I was answering")
    assert answer.text.endswith("wait for me")
    assert [turn.text for turn in remembering.engine.turns] == ["wait for me", "wait for me"]


# ---- goal and plan -------------------------------------------------------------------------------------------------


async def test_a_goal_and_plan_mode_chosen_first_go_with_the_first_message(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    remembering = Remembering()
    async with living(tmp_path, pretend, engines=[remembering.engine], gather_ms=0) as app:
        ada = await owner_of(app, pretend)
        goal = await answer_to(ada.chat, "/goal sleep more")
        plan = await answer_to(ada.chat, "/plan on")

        await answer_to(ada.chat, "hello")

    assert (goal.labels, plan.labels) == ([["Clear goal"]], [["Act as usual"]])
    assert "It waits and goes with your first message." in goal.text
    assert "It waits and goes with your first message." in plan.text
    assert "“sleep more”" in remembering.newest.instructions
    assert remembering.newest.mode is Mode.PLAN


async def test_taps_clear_the_goal_and_flip_plan_mode(tmp_path: Path, pretend: PretendTelegram) -> None:
    remembering = Remembering()
    async with living(tmp_path, pretend, engines=[remembering.engine], gather_ms=0) as app:
        ada = await owner_of(app, pretend)
        await answer_to(ada.chat, "hello")
        goal = await answer_to(ada.chat, "/goal sleep more")
        plan = await answer_to(ada.chat, "/plan on")

        gone = await tapped(ada.chat, goal, "Clear goal")
        usual = await tapped(ada.chat, plan, "Act as usual")
        await answer_to(ada.chat, "one")
        mode_after_off = remembering.newest.mode
        await tapped(ada.chat, usual, "Plan first")
        await answer_to(ada.chat, "two")

    assert gone.text == "The goal is gone."
    assert "sleep more" not in remembering.newest.instructions
    assert (mode_after_off, remembering.newest.mode) == (Mode.ASK, Mode.PLAN)


@pytest.mark.report("R163")
async def test_the_demo_plans_and_then_acts_as_usual(tmp_path: Path, pretend: PretendTelegram) -> None:
    engines = [DemoEngine(SystemClock(), "wait", pace=0)]
    async with living(tmp_path, pretend, engines=engines, gather_ms=0) as app:
        ada = await owner_of(app, pretend)

        await ada.chat.say("/plan Write a note")
        await ada.chat.wait_for(lambda messages: messages[-1].labels == [["Start", "Keep planning"]])
        planned = said(ada.chat)
        await ada.chat.press(ada.chat.messages[-1], "Keep planning")
        await ada.chat.wait_for(lambda messages: "I keep planning" in messages[-1].text)
        await answer_to(ada.chat, "/plan off")
        await ada.chat.say("Write a note")
        await ada.chat.wait_for(lambda messages: "Allow" in str(messages[-1].labels))
        acting = said(ada.chat)
        await ada.chat.press(ada.chat.messages[-1], "Allow")
        await ada.chat.wait_for(lambda messages: "the note is written" in messages[-1].text)

    assert "nothing happens before you say so" in " ".join(planned)
    assert "I want to write a pretended note" not in " ".join(planned)
    assert "I want to write a pretended note" in " ".join(acting)


# ---- status and own commands ---------------------------------------------------------------------------------------


async def test_status_says_what_this_chat_runs_on_and_what_it_has_read(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    async with living(tmp_path, pretend, gather_ms=0) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.forward("buy this", of="Eve")
        await ada.chat.wait_for_answer()
        await answer_to(ada.chat, "/goal sleep more")

        answer = await answer_to(ada.chat, "/status")

    lines = [line.lstrip("•- ") for line in answer.text.splitlines()]
    assert lines == [
        "Model: Scripted",
        "Mode: Ask first",
        "Goal: “sleep more”",
        "Now: nothing going on",
        "Read from outside: words of Eve. /new starts clean.",
    ]


async def test_a_saved_command_is_filled_in_and_answered(tmp_path: Path, pretend: PretendTelegram) -> None:
    folder = Home(tmp_path).commands
    folder.mkdir()
    (folder / "briefing.md").write_text("Brief me on {{input}}.", encoding="utf-8")
    async with living(tmp_path, pretend, gather_ms=0) as app:
        ada = await owner_of(app, pretend)

        typed = await answer_to(ada.chat, "/briefing my day")
        asked = await answer_to(ada.chat, "/breifing tomorrow")
        suggested = await tapped(ada.chat, asked, "/briefing tomorrow")

    assert typed.text == "echo: Brief me on my day."
    assert suggested.text == "echo: Brief me on tomorrow."


# ---- refused -------------------------------------------------------------------------------------------------------


async def test_words_that_are_someone_elses_and_files_run_no_command(tmp_path: Path, pretend: PretendTelegram) -> None:
    remembering = Remembering()
    async with living(tmp_path, pretend, engines=[remembering.engine], gather_ms=0) as app:
        ada = await owner_of(app, pretend)
        mine = await ada.chat.say("my name is Ada")
        await ada.chat.wait_for_answer()

        await ada.chat.forward("/clear", of="Eve")
        forwarded = await ada.chat.wait_for_answer()
        await ada.chat.file("note.txt", b"!", "/clear")
        with_a_file = await ada.chat.wait_for_answer()
        await ada.chat.reply(mine, "/clear")
        quoting = await ada.chat.wait_for_answer()
        answer = await answer_to(ada.chat, "who am I?")

    assert all(message.text.startswith(ONLY_OWN) for message in (forwarded, with_a_file, quoting))
    assert answer.text == "heard my name is Ada, who am I?"
