"""Clear and undo, retry, goal and plan mode in every app, typed and tapped, by what the next answer knows."""

from pathlib import Path

import pytest

from core.clock import SystemClock
from core.engines.demo.engine import DemoEngine
from core.events import Mode
from tests.journeys.apps import AppUnderTest, labels, now, pressed, said
from tests.journeys.remembering import Remembering

# ---- clear and undo --------------------------------------------------------------------------------------------------


@pytest.mark.report("R145", "R147", "R149", "R161")
async def test_clear_forgets_and_a_tap_on_undo_remembers(tmp_path: Path, messenger: AppUnderTest) -> None:
    remembering = Remembering()
    async with messenger.living(tmp_path, engines=[remembering], gather_ms=0) as app:
        ada = await messenger.owner_of(app)
        await messenger.asked(ada.chat, "my name is Ada")
        first = await messenger.asked(ada.chat, "/clear")
        forgotten = await messenger.asked(ada.chat, "who am I?")
        cleared = await messenger.asked(ada.chat, "/clear")

        undone = await pressed(ada.chat, cleared, "Undo")
        await ada.chat.wait_for(lambda _: not labels(now(ada.chat, cleared)))
        remembered = await messenger.asked(ada.chat, "and now?")

    assert first.text.startswith("Cleared: I no longer remember what was said here. The messages stay on your screen")
    assert first.text.endswith(f"{messenger.written('undo')} takes it back.")
    assert forgotten.text == "heard who am I?"
    assert undone.text == "Taken back: I remember again what was said before the clear."
    assert remembered.text == "heard who am I?, and now?"


@pytest.mark.report("R089")
async def test_undo_is_one_tap_away_after_a_restart_too(tmp_path: Path, messenger: AppUnderTest) -> None:
    remembering = Remembering()
    async with messenger.living(tmp_path, engines=[remembering], gather_ms=0) as app:
        ada = await messenger.owner_of(app)
        await messenger.asked(ada.chat, "my name is Ada")
        cleared = await messenger.asked(ada.chat, "/clear")

    async with messenger.living(tmp_path, engines=[remembering], gather_ms=0) as app:
        await messenger.ready(app, ada.channel_id)
        await pressed(ada.chat, cleared, "Undo")
        remembered = await messenger.asked(ada.chat, "who am I?")

    assert remembered.text == "heard my name is Ada, who am I?"


async def test_undo_that_comes_too_late_says_why(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path, engines=[Remembering()], gather_ms=0) as app:
        ada = await messenger.owner_of(app)
        nothing = await messenger.asked(ada.chat, "/undo")
        await messenger.asked(ada.chat, "one")
        await messenger.asked(ada.chat, "/clear")
        await messenger.asked(ada.chat, "two")

        late = await messenger.asked(ada.chat, "/undo")

    assert nothing.text == "There is no clear to take back here."
    assert late.text == "Something was said since the last clear, so it cannot be taken back any more."


@pytest.mark.report("R147")
async def test_someone_who_was_let_in_clears_only_their_own_chat(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path, engines=[Remembering()], gather_ms=0) as app:
        ada = await messenger.owner_of(app)
        bob = await messenger.another(app, ada, "Bob")
        await messenger.asked(ada.chat, "I am Ada")
        await messenger.asked(bob.chat, "I am Bob")

        cleared = await messenger.asked(bob.chat, "/clear")
        bobs, adas = await messenger.asked(bob.chat, "who?"), await messenger.asked(ada.chat, "who?")

    assert cleared.labels == [["Undo"]]
    assert (bobs.text, adas.text) == ("heard who?", "heard I am Ada, who?")


# ---- retry -----------------------------------------------------------------------------------------------------------


@pytest.mark.report("R145")
async def test_retry_sends_words_and_files_again(tmp_path: Path, messenger: AppUnderTest) -> None:
    remembering = Remembering()
    async with messenger.living(tmp_path, engines=[remembering], gather_ms=0) as app:
        ada = await messenger.owner_of(app)
        nothing = await messenger.asked(ada.chat, "/retry")
        await ada.chat.file("note.txt", b"tea at four", "look at this")
        await ada.chat.wait_for_answer()

        answer = await messenger.asked(ada.chat, "/retry")

    first, again = remembering.turns
    assert nothing.text == "There is no message of yours here that I could answer again."
    assert answer.text == "heard look at this, look at this"
    assert [file.name for file in again.attachments] == ["note.txt"]
    assert again.attachments == first.attachments


# ---- goal and plan ---------------------------------------------------------------------------------------------------


async def test_a_goal_and_plan_mode_chosen_first_go_with_the_first_message(
    tmp_path: Path, messenger: AppUnderTest
) -> None:
    remembering = Remembering()
    async with messenger.living(tmp_path, engines=[remembering], gather_ms=0) as app:
        ada = await messenger.owner_of(app)
        none = await messenger.asked(ada.chat, "/goal")
        goal = await messenger.asked(ada.chat, "/goal sleep more")
        plan = await messenger.asked(ada.chat, "/plan on")

        await messenger.asked(ada.chat, "hello")

    turn = remembering.turns[-1]
    assert none.text.startswith(f"There is no goal here. Write it after {messenger.written('goal')}, in up to 500")
    assert (goal.labels, plan.labels) == ([["Clear goal"]], [["Act as usual"]])
    assert "It waits and goes with your first message." in goal.text
    assert "It waits and goes with your first message." in plan.text
    assert "“sleep more”" in turn.instructions
    assert turn.mode is Mode.PLAN


@pytest.mark.report("R075")
async def test_taps_clear_the_goal_and_flip_plan_mode(tmp_path: Path, messenger: AppUnderTest) -> None:
    remembering = Remembering()
    async with messenger.living(tmp_path, engines=[remembering], gather_ms=0) as app:
        ada = await messenger.owner_of(app)
        await messenger.asked(ada.chat, "hello")
        goal = await messenger.asked(ada.chat, "/goal sleep more")
        plan = await messenger.asked(ada.chat, "/plan on")

        gone = await pressed(ada.chat, goal, "Clear goal")
        usual = await pressed(ada.chat, plan, "Act as usual")
        await messenger.asked(ada.chat, "one")
        mode_after_off = remembering.turns[-1].mode
        await pressed(ada.chat, usual, "Plan first")
        await messenger.asked(ada.chat, "two")

    turn = remembering.turns[-1]
    assert goal.text == f"The goal is now “sleep more”. {messenger.written('goal clear')} takes it away."
    assert gone.text == "The goal is gone."
    assert "sleep more" not in turn.instructions
    assert (mode_after_off, turn.mode) == (Mode.ASK, Mode.PLAN)


@pytest.mark.report("R163")
async def test_the_demo_plans_first_and_then_acts_as_usual(tmp_path: Path, messenger: AppUnderTest) -> None:
    engines = [DemoEngine(SystemClock(), "wait", pace=0)]
    async with messenger.living(tmp_path, engines=engines, gather_ms=0) as app:
        ada = await messenger.owner_of(app)

        await messenger.give(ada.chat, "plan Write a note")
        await ada.chat.wait_for(lambda messages: labels(messages[-1]) == ["Start", "Keep planning"])
        await ada.chat.press(ada.chat.messages[-1], "Keep planning")
        await ada.chat.wait_for(lambda _: any("I keep planning" in text for text in said(ada.chat)))
        await messenger.asked(ada.chat, "/plan off")
        await ada.chat.say("Write a note")
        await ada.chat.wait_for(lambda messages: "Allow" in labels(messages[-1]))
        await ada.chat.press(ada.chat.messages[-1], "Allow")
        await ada.chat.wait_for(lambda _: any("the note is written" in text for text in said(ada.chat)))
