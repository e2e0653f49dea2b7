"""When Discord's connection, key or patience ends: nothing lost, nothing answered twice, and said in plain words."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from channels.base import Health, HealthState
from channels.discord import gateway as gateways
from channels.emulators.discord.gateway import Gateway
from conch.app import App
from tests.journeys.apps import DiscordUnderTest, Member, said
from tests.journeys.cards import DRINK, asking, card, lines, says, shows
from tests.journeys.living import FastClock, until

SEND = "POST /channels/{channel_id}/messages"
CALLBACK = "POST /interactions/{interaction_id}/{interaction_token}/callback"

BREAKS: dict[str, Callable[[Gateway], None]] = {
    "asked to reconnect": lambda gateway: gateway.reconnect(),
    "closed": lambda gateway: gateway.drop(4000),
    "cut": lambda gateway: gateway.drop(0),
    "called invalid, to be resumed": lambda gateway: gateway.invalidate(resumable=True),
}


async def in_state(app: App, channel_id: str, state: HealthState) -> Health:
    """Come back when the bot is in this state, with what is said of it."""
    await until(lambda: app.registry.health()[channel_id].state is state)
    return app.registry.health()[channel_id]


async def answered(ada: Member, *words: str) -> None:
    """Come back when each of these words stands in an answer."""
    await ada.chat.wait_for(lambda _: all(any(word in text for text in said(ada.chat)[1:]) for word in words))


# ---- connections -----------------------------------------------------------------------------------------------------


@pytest.mark.report("R129", "R133", "R135")
@pytest.mark.parametrize("how", BREAKS)
async def test_a_connection_that_is_taken_up_loses_and_doubles_nothing(
    tmp_path: Path, discord: DiscordUnderTest, how: str
) -> None:
    gateway = discord.pretend.gateway
    async with discord.living(tmp_path, clock=FastClock(), gather_ms=0, script=asking(DRINK)) as app:
        ada = await discord.owner_of(app)
        await ada.chat.say("Get me a drink")
        question = await card(ada.chat, "Which drink?")
        BREAKS[how](gateway)
        await until(lambda: not discord.pretend.bot.online)
        await ada.chat.press(question, "Tea")
        heard = await says(ada.chat, "heard: ")
        await shows(ada.chat, question, "Which drink?", "Ada chose “Tea”.")
        await ada.chat.say("and now?")
        await answered(ada, "echo: and now?")

    assert lines(ada.chat) == ["Which drink?\nAda chose “Tea”.", heard, "echo: and now?"]
    assert (len(gateway.identified), len(gateway.resumed)) == (1, 1)


@pytest.mark.report("R129", "R133")
async def test_what_was_said_while_a_session_was_lost_is_answered_once_and_said_in_one_line(
    tmp_path: Path, discord: DiscordUnderTest
) -> None:
    async with discord.living(tmp_path, clock=FastClock(), gather_ms=0) as app:
        ada = await discord.owner_of(app)
        await discord.asked(ada.chat, "before")
        discord.pretend.gateway.invalidate()
        await ada.chat.say("meanwhile")
        await answered(ada, "echo: meanwhile")
        await discord.ready(app, ada.channel_id)
        await discord.asked(ada.chat, "after")

    assert len(discord.pretend.gateway.identified) == 2
    assert [text.partition(" you sent at")[0] for text in said(ada.chat)[1:]] == [
        "echo: before",
        "I was away. I have read the message",
        "echo: meanwhile",
        "echo: after",
    ]


@pytest.mark.report("R133", "R135")
async def test_a_connection_on_which_nobody_answers_is_given_up_for_another(
    tmp_path: Path, discord: DiscordUnderTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gateways, "SILENCE_SECONDS", 0.2)
    gateway = discord.pretend.gateway
    gateway.acknowledges = False
    async with discord.living(tmp_path, clock=FastClock()) as app:
        ada = await discord.owner_of(app)
        await until(lambda: gateway.resumed)
        gateway.acknowledges = True
        await discord.asked(ada.chat, "still there?")

    assert said(ada.chat)[1:] == ["echo: still there?"]


@pytest.mark.report("R127")
async def test_what_is_said_while_discord_cannot_be_reached_is_answered_once(
    tmp_path: Path, discord: DiscordUnderTest
) -> None:
    async with discord.living(tmp_path, clock=FastClock(), gather_ms=0) as app:
        ada = await discord.owner_of(app)
        async with discord.pretend.unreachable():
            discord.pretend.gateway.forget_sessions()
            await ada.chat.say("meanwhile")
        await answered(ada, "echo: meanwhile")
        await discord.ready(app, ada.channel_id)
        await discord.asked(ada.chat, "after")

    away, *told = said(ada.chat)[1:]
    assert away.startswith("I was away. I have read the message you sent at ")
    assert told == ["echo: meanwhile", "echo: after"]


async def test_what_was_said_while_nothing_ran_is_answered_once_and_said_in_one_line(
    tmp_path: Path, discord: DiscordUnderTest
) -> None:
    async with discord.living(tmp_path, gather_ms=0) as app:
        ada = await discord.owner_of(app)
    await ada.chat.say("one")
    await ada.chat.say("two")
    for _ in range(2):
        async with discord.living(tmp_path, gather_ms=0) as app:
            await discord.ready(app, ada.channel_id)
            await answered(ada, "echo: one\n\ntwo")
            await app.service.settled()

    away, *told = said(ada.chat)[1:]
    assert away.startswith("I was away. I have read the 2 messages you sent since ")
    assert told == ["echo: one\n\ntwo"]


# ---- keys ------------------------------------------------------------------------------------------------------------


@pytest.mark.report("R129", "R135")
async def test_a_key_that_is_taken_back_is_asked_for_anew(tmp_path: Path, discord: DiscordUnderTest) -> None:
    async with discord.living(tmp_path, clock=FastClock()) as app:
        ada = await discord.owner_of(app)
        discord.pretend.gateway.drop(4004)
        health = await in_state(app, ada.channel_id, HealthState.NEEDS_TOKEN)

    assert health.detail == (
        "The key does not work any more. Get a new one from the app and connect the bot again with it."
    )


@pytest.mark.report("R135")
async def test_a_bot_that_is_another_after_a_reconnect_is_not_listened_with(
    tmp_path: Path, discord: DiscordUnderTest
) -> None:
    async with discord.living(tmp_path, clock=FastClock()) as app:
        ada = await discord.owner_of(app)
        other = discord.pretend.add_bot("Other", "other_bot")
        discord.pretend.bot.id, other.id = other.id, discord.pretend.bot.id
        discord.pretend.gateway.drop()
        health = await in_state(app, ada.channel_id, HealthState.ERROR)

    assert health.detail == "This key belongs to another bot now. Connect this bot again with its own key."


async def test_logins_of_the_day_that_are_used_up_are_waited_for_and_said(
    tmp_path: Path, discord: DiscordUnderTest
) -> None:
    async with discord.living(tmp_path, clock=FastClock()) as app:
        ada = await discord.owner_of(app)
        discord.pretend.bot.identifies_left = 0
        discord.pretend.gateway.invalidate()
        await until(lambda: "too often" in (app.registry.health()[ada.channel_id].detail or ""))
        health = app.registry.health()[ada.channel_id]

    assert health.state is HealthState.RECONNECTING
    assert health.detail == "This bot has connected too often today; Discord lets it in again later."
    assert health.retry_at is not None
    assert health.retry_at - health.since > timedelta(hours=23)
    assert len(discord.pretend.gateway.identified) == 1


# ---- refusals --------------------------------------------------------------------------------------------------------


async def test_a_bot_that_is_to_be_silent_says_nothing_until_then_and_hears_what_is_pressed(
    tmp_path: Path, discord: DiscordUnderTest
) -> None:
    """A refusal that counts for all that a bot says: whatever is sent then would be refused, and counts against it."""
    async with discord.living(tmp_path, gather_ms=0, script=asking(DRINK)) as app:
        ada = await discord.owner_of(app)
        bob = await discord.another(app, ada, "Bob")
        await bob.chat.say("Get me a drink")
        question = await card(bob.chat, "Which drink?")
        discord.pretend.faults.add("flood_all", method=SEND, seconds=0.6)
        await ada.chat.say("hello")
        await until(lambda: [call for call in discord.pretend.calls(SEND) if call.status == 429])
        calls = len(discord.pretend.calls())
        press = await bob.chat.press(question, "Tea")
        await bob.chat.answer_to(press, timeout=0.5)
        meanwhile = [call.route for call in discord.pretend.calls()[calls:]]
        await answered(ada, "echo: hello")
        await says(bob.chat, "heard: ")

    assert meanwhile == [CALLBACK]
    assert [call.status for call in discord.pretend.calls(SEND)].count(429) == 1
    assert said(ada.chat)[-1] == "echo: hello"


async def test_somebody_who_takes_no_private_messages_holds_nobody_up(
    tmp_path: Path, discord: DiscordUnderTest
) -> None:
    async with discord.living(tmp_path, gather_ms=0) as app:
        ada = await discord.owner_of(app)
        bob = await discord.another(app, ada, "Bob")
        await bob.chat.block()
        await bob.chat.say("can you hear me?")
        await discord.asked(ada.chat, "and me?")
        await app.outbox.idle()
        before = said(bob.chat)[1:]
        await bob.chat.unblock()
        await discord.asked(bob.chat, "and now?")

    assert before == []
    assert said(bob.chat)[1:] == ["echo: and now?"]
    assert said(ada.chat)[-1] == "echo: and me?"
