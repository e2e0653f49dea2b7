"""What is pressed, filled in and picked on Discord: heard of within its three seconds, whatever our side does."""

import asyncio
from pathlib import Path

import pytest

from channels.emulators.discord import limits
from channels.emulators.discord.interactions import Interaction
from core.checkpoints import Checkpoint
from tests.core.lives import HoldAt
from tests.journeys.apps import DiscordUnderTest, labels, said
from tests.journeys.cards import DAY, DRINK, NIGHTS, asking, card, lines, says, shows
from tests.journeys.living import until
from tests.journeys.locking import locked

EDIT = "PATCH /channels/{channel_id}/messages/{message_id}"
LATER = "POST /webhooks/{application_id}/{interaction_token}"
ANSWERED = ("Which drink?", "Ada chose “Tea”.")
SOON = 1.0
"""Seconds of the three that Discord gives."""


@pytest.mark.report("R087")
async def test_a_press_is_acknowledged_while_nothing_can_be_written(tmp_path: Path, discord: DiscordUnderTest) -> None:
    async with discord.living(tmp_path, gather_ms=0, script=asking(DRINK)) as app:
        ada = await discord.owner_of(app)
        await ada.chat.say("Get me a drink")
        question = await card(ada.chat, "Which drink?")
        with locked(tmp_path):
            told = await ada.chat.answer_to(await ada.chat.press(question, "Tea"), timeout=SOON)
            before = labels(await card(ada.chat, "Which drink?"))
        heard = await says(ada.chat, "heard: ")
        await shows(ada.chat, question, *ANSWERED)

    assert told.text == ""
    assert before == labels(question), "nothing was decided while nothing could be written"
    assert lines(ada.chat) == ["\n".join(ANSWERED), heard]


@pytest.mark.report("R087")
async def test_a_command_is_acknowledged_while_what_was_said_before_it_is_held(
    tmp_path: Path, discord: DiscordUnderTest
) -> None:
    hold = HoldAt(Checkpoint.RECORDED)
    hold.go.set()
    async with discord.living(tmp_path, checkpoints=hold, gather_ms=0) as app:
        ada = await discord.owner_of(app)
        hold.reached.clear()
        hold.go.clear()
        await ada.chat.say("first")
        await hold.reached.wait()
        told = await ada.chat.answer_to(await ada.chat.pick("goal", value="Learn Spanish"), timeout=SOON)
        before = said(ada.chat)[1:]
        hold.go.set()
        await until(lambda: len(said(ada.chat)) == 3)

    assert told.text == "/goal Learn Spanish"
    assert before == []


@pytest.mark.report("R087")
async def test_a_form_opens_and_is_taken_while_nothing_can_be_written(
    tmp_path: Path, discord: DiscordUnderTest
) -> None:
    async with discord.living(tmp_path, gather_ms=0, script=asking(DAY, NIGHTS, title="Dinner")) as app:
        ada = await discord.owner_of(app)
        await ada.chat.say("Plan dinner")
        question = await card(ada.chat, "Dinner")
        with locked(tmp_path):
            form = await ada.chat.form_of(await ada.chat.press(question, "Answer…"), timeout=SOON)
            sent = await ada.chat.fill_in(form, {"Which day?": "2026-12-26", "How many nights?": "3"})
            told = await ada.chat.answer_to(sent, timeout=SOON)
        heard = await says(ada.chat, "heard: ")

    assert form.title == "Dinner"
    assert told.text == ""
    assert '"2026-12-26"' in heard
    assert len([line for line in lines(ada.chat) if line.startswith("heard: ")]) == 1


@pytest.mark.report("R067", "R079")
async def test_two_presses_at_the_same_moment_are_both_acknowledged_and_one_counts(
    tmp_path: Path, discord: DiscordUnderTest
) -> None:
    async with discord.living(tmp_path, gather_ms=0, script=asking(DRINK)) as app:
        ada = await discord.owner_of(app)
        await ada.chat.say("Get me a drink")
        question = await card(ada.chat, "Which drink?")
        presses = [await ada.chat.press(question, label) for label in ("Tea", "Tea", "Coffee")]
        await asyncio.gather(*(ada.chat.answer_to(press, timeout=SOON) for press in presses))
        await says(ada.chat, "heard: ")
        await shows(ada.chat, question, *ANSWERED)
        notes = [await told_of(discord, press) for press in presses[1:]]

    assert notes == ["Ada chose “Tea”."] * 2
    assert len([line for line in lines(ada.chat) if line.startswith("heard: ")]) == 1


async def told_of(discord: DiscordUnderTest, press: Interaction) -> str:
    """The line that answers a press, once it is there."""
    await until(lambda: press.whispers)
    return press.whispers[-1].content.text


async def test_when_the_time_of_a_press_is_over_the_bot_itself_changes_the_card(
    tmp_path: Path, discord: DiscordUnderTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The token of a press is good for 15 minutes; what keeps us longer is no reason to leave the card as it was."""
    monkeypatch.setattr(limits, "TOKEN_SECONDS", -1.0)
    async with discord.living(tmp_path, gather_ms=0, script=asking(DRINK)) as app:
        ada = await discord.owner_of(app)
        await ada.chat.say("Get me a drink")
        question = await card(ada.chat, "Which drink?")
        await ada.chat.press(question, "Tea")
        await ada.chat.press(question, "Coffee", stale=True)
        await says(ada.chat, "heard: ")
        await shows(ada.chat, question, *ANSWERED)
        await until(lambda: discord.pretend.calls(LATER))
        after = await discord.asked(ada.chat, "and now?")

    assert [call.status for call in discord.pretend.calls(LATER)] == [401]
    assert all(call.status == 200 for call in discord.pretend.calls(EDIT))
    assert after.text == "echo: and now?"


@pytest.mark.report("R087")
async def test_what_discord_calls_failed_counts_once_all_the_same(
    tmp_path: Path, discord: DiscordUnderTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with discord.living(tmp_path, gather_ms=0, script=asking(DRINK)) as app:
        ada = await discord.owner_of(app)
        await ada.chat.say("Get me a drink")
        question = await card(ada.chat, "Which drink?")
        monkeypatch.setattr(limits, "FIRST_ANSWER_SECONDS", -1.0)
        await ada.chat.press(question, "Tea")
        await ada.chat.press(question, "Tea", stale=True)
        heard = await says(ada.chat, "heard: ")
        await shows(ada.chat, question, *ANSWERED)
        await app.service.settled()

    assert lines(ada.chat) == ["\n".join(ANSWERED), heard]
