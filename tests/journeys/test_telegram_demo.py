"""What the README's tour promises of cards of every kind, played by the demo through Telegram."""

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
        await says(ada.chat, "Ada chose “Tea”.")

    assert all(not message.labels for message in ada.chat.messages)


@pytest.mark.report("R075")
@pytest.mark.parametrize("engine", ["demo", "demo-host"])
async def test_a_skill_that_is_turned_on_under_the_answer_is_carried_on_with(
    tmp_path: Path, pretend: PretendTelegram, engine: str
) -> None:
    clock = FastClock()
    async with living(tmp_path, pretend, engines=demos(clock), clock=clock) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say(f"/model {engine}")
        await says(ada.chat, "answers here now")

        await ada.chat.say("Offer me a skill")
        await ada.chat.press(await card(ada.chat, "Meeting notes: "), "Turn on")
        await says(ada.chat, "I was given the skill “Meeting notes” with your words.")
        on = app.preferences.current.skills_automatic

    story = [text for text in said(ada.chat) if text.startswith(("Demo:", "Turned on"))]
    assert [text[:32] for text in story] == [
        "Demo: a skill would help with th",
        "Turned on Meeting notes · carryi",
        "Demo: I was given the skill “Mee",
    ]
    assert tuple(on) == ("meeting-notes",)


@pytest.mark.parametrize(("button", "on"), [("Use it", ()), ("Always", ("meeting-notes",))])
async def test_a_skill_that_is_used_when_asked_can_be_used_once_or_always(
    tmp_path: Path, pretend: PretendTelegram, button: str, on: tuple[str, ...]
) -> None:
    clock, asked = FastClock(), ["meeting-notes"]
    async with living(tmp_path, pretend, engines=demos(clock), clock=clock) as app:
        await app.preferences.change({"skills_when_asked": asked})
        ada = await owner_of(app, pretend)

        await ada.chat.say("Offer me a skill")
        await ada.chat.press(await card(ada.chat, "Meeting notes: "), button)
        await says(ada.chat, "I was given the skill “Meeting notes” with your words.")
        automatic = app.preferences.current.skills_automatic

    assert tuple(automatic) == on
    assert sum("carrying on" in text for text in said(ada.chat)) == 1


async def test_what_is_never_to_be_suggested_again_leads_to_the_next_skill_and_then_to_none(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    clock = FastClock()
    async with living(tmp_path, pretend, engines=demos(clock), clock=clock) as app:
        ada = await owner_of(app, pretend)

        await ada.chat.say("Offer me a skill")
        await ada.chat.press(await card(ada.chat, "Meeting notes: "), "Don't suggest")
        await ada.chat.say("Offer me a skill")
        await ada.chat.press(await card(ada.chat, "Trip planner: "), "Not now")
        await ada.chat.say("Offer me a skill")
        await says(ada.chat, "the host told me: Nothing was shown: this was offered in this chat before.")


async def test_what_is_suggested_is_sent_by_a_tap(tmp_path: Path, pretend: PretendTelegram) -> None:
    clock = FastClock()
    async with living(tmp_path, pretend, engines=demos(clock), clock=clock) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say("Suggest what to send next")
        answer = await card(ada.chat, "I suggest three things")

        await ada.chat.press(answer, "Make a plan")
        await says(ada.chat, "All 3 steps are done.")

    assert [label for row in answer.labels for label in row] == ["Draw me a picture", "Make a plan", "What can you do?"]
    assert all(not message.labels for message in ada.chat.messages)


async def test_somebody_else_is_offered_no_skill(tmp_path: Path, pretend: PretendTelegram) -> None:
    clock = FastClock()
    async with living(tmp_path, pretend, engines=demos(clock), clock=clock) as app:
        ada = await owner_of(app, pretend)
        bob = pretend.person("Bob")
        await app.people.let_in(ada.channel_id, str(bob.id), by="console", name="Bob")

        await bob.private_chat().say("Offer me a skill")
        await says(bob.private_chat(), "there is none here that you could turn on")

    assert all(not message.labels for message in bob.private_chat().messages)
