"""What the README's tour promises of questions, permissions and plans, played by the demo through Telegram."""

from pathlib import Path

import pytest

from channels.emulators.telegram.pretend import PretendTelegram
from channels.emulators.telegram.screen import Screen
from channels.emulators.telegram.seen import SeenMessage
from core.engines.demo.engine import DemoEngine
from tests.journeys.living import FastClock, living, owner_of, said


def demos(clock: FastClock) -> list[DemoEngine]:
    """As the playground has them."""
    return [DemoEngine(clock, "wait", pace=0), DemoEngine(clock, "wait", pace=0, plan_approval="host")]


async def card(chat: Screen, words: str) -> SeenMessage:
    """The newest message with these words, once it has buttons."""
    found = await chat.wait_for(lambda seen: next((m for m in reversed(seen) if words in m.text and m.labels), None))
    assert found is not None
    return found


async def says(chat: Screen, words: str) -> None:
    await chat.wait_for(lambda seen: any(m.by_bot and words in m.text for m in seen))


async def test_a_question_in_a_hurry_is_closed_when_its_time_is_over(tmp_path: Path, pretend: PretendTelegram) -> None:
    clock = FastClock()
    async with living(tmp_path, pretend, engines=demos(clock), clock=clock) as app:
        ada = await owner_of(app, pretend)

        await ada.chat.say("Ask me in a hurry")
        await says(ada.chat, "I got no answer, so I go on without one.")
        await says(ada.chat, "Skipped: it is not needed any more.")

    assert all(not message.labels for message in ada.chat.messages)


async def test_two_permissions_wait_at_once_and_each_is_decided_by_itself(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    clock = FastClock()
    async with living(tmp_path, pretend, engines=demos(clock), clock=clock) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say("Write two notes at once")
        bread, plants = await card(ada.chat, "Buy bread"), await card(ada.chat, "Water the plants")

        await ada.chat.press(plants, "Don't allow")
        await ada.chat.press(bread, "Allow")
        await says(ada.chat, "One note is written")
        await says(ada.chat, "Write note: text “Buy bread”\n\nAda allowed it.")
        await says(ada.chat, "Write note: text “Water the plants”\n\nAda did not allow it.")

    assert sum("note is written" in text for text in said(ada.chat)) == 1


@pytest.mark.parametrize("engine", ["demo", "demo-host"])
async def test_plan_mode_refuses_a_note_and_goes_on_with_start(
    tmp_path: Path, pretend: PretendTelegram, engine: str
) -> None:
    clock = FastClock()
    async with living(tmp_path, pretend, engines=demos(clock), clock=clock) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say(f"/model {engine}")
        await says(ada.chat, "answers here now")
        await ada.chat.say("/plan on")
        await says(ada.chat, "Planning first")

        await ada.chat.say("Write a note anyway")
        await says(ada.chat, "It was refused and nothing was written")
        await ada.chat.say("Plan a trip")
        await ada.chat.press(await card(ada.chat, "Shall I start with this plan?"), "Start")
        await says(ada.chat, "All 3 steps are done.")
        await says(ada.chat, "✓ 3 of 3 done")

    assert not any("May I do this?" in text for text in said(ada.chat))


async def test_the_demo_with_host_tools_shows_what_the_host_told_it(tmp_path: Path, pretend: PretendTelegram) -> None:
    clock = FastClock()
    async with living(tmp_path, pretend, engines=demos(clock), clock=clock) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say("/model demo-host")
        await says(ada.chat, "Demo (host tools) answers here now.")

        await ada.chat.say("Ask me something")
        await ada.chat.press(await card(ada.chat, "What may I bring you?"), "Tea")
        await says(ada.chat, 'Exact values: {"drink": "tea"}')

    assert "Ada chose “Tea”." in " ".join(said(ada.chat))
