"""The connection to the pretend Discord: opened, dropped, resumed, refused; and nothing heard is lost."""

import asyncio
from contextlib import suppress

import pytest

from channels.discord import gateway as gateways
from channels.discord import listening as listener
from channels.emulators.discord.gateway import DISALLOWED_INTENTS, INVALID_INTENTS
from channels.emulators.discord.pretend import PretendDiscord
from core.clock import ManualClock
from core.errors import Refused, RefusedReason, TryLater
from tests.channels.discord.connected import PATIENCE, Connected, connect, listening
from tests.journeys.living import until

MESSAGE_CONTENT = 1 << 15
GUILDS, GUILD_MESSAGES, DIRECT_MESSAGES = 1 << 0, 1 << 9, 1 << 12


async def ended(connected: Connected) -> BaseException | None:
    """How listening ends, without being told to."""
    try:
        async with asyncio.timeout(PATIENCE):
            await connected.channel.listen(connected.ear)
    except (Refused, TryLater) as reason:
        return reason
    return None


async def test_nothing_privileged_is_asked_for_where_it_is_not_switched_on(discord: PretendDiscord) -> None:
    discord.bot.allowed_intents = 0
    async with connect(discord) as connected, listening(connected):
        pass

    assert discord.gateway.identified[0]["intents"] == GUILDS | GUILD_MESSAGES | DIRECT_MESSAGES
    assert not connected.channel.reads_on


async def test_what_is_switched_on_is_used(connected: Connected) -> None:
    async with listening(connected):
        pass

    assert connected.discord.gateway.identified[0]["intents"] & MESSAGE_CONTENT
    assert connected.channel.reads_on


@pytest.mark.report("R135")
async def test_after_a_drop_the_session_goes_on_and_who_it_is_is_looked_at_again(connected: Connected) -> None:
    async with listening(connected) as ear:
        looked = len(connected.discord.calls("GET /users/@me"))
        ear.is_online.clear()
        connected.discord.gateway.drop()
        await connected.chat.say("while you were away")
        await ear.message("while you were away")
        await asyncio.wait_for(ear.is_online.wait(), PATIENCE)

    assert len(connected.discord.gateway.resumed) == 1
    assert len(connected.discord.gateway.identified) == 1
    assert len(connected.discord.calls("GET /users/@me")) == looked + 1


async def test_it_connects_again_when_it_is_asked_to(connected: Connected) -> None:
    async with listening(connected) as ear:
        connected.discord.gateway.reconnect()
        await connected.chat.say("still there?")
        await ear.message("still there?")

    assert len(connected.discord.gateway.resumed) == 1


async def test_a_session_that_discord_lets_go_on_goes_on(connected: Connected) -> None:
    async with listening(connected) as ear:
        ear.is_online.clear()
        connected.discord.gateway.invalidate(resumable=True)
        await connected.chat.say("hello again")
        await ear.message("hello again")

    assert (len(connected.discord.gateway.resumed), len(connected.discord.gateway.identified)) == (1, 1)


async def test_a_session_that_is_over_is_begun_anew_by_the_next_one_to_listen(connected: Connected) -> None:
    """Once listening has ended, what was lost with it is read."""
    task = asyncio.create_task(ended(connected))
    await asyncio.wait_for(connected.ear.is_online.wait(), PATIENCE)
    connected.discord.gateway.invalidate()
    reason = await task
    async with listening(connected) as ear:
        await connected.chat.say("hello again")
        await ear.message("hello again")

    assert isinstance(reason, TryLater)
    assert (len(connected.discord.gateway.resumed), len(connected.discord.gateway.identified)) == (0, 2)


async def test_a_session_that_nobody_remembers_is_begun_anew_by_the_next_one_to_listen(connected: Connected) -> None:
    task = asyncio.create_task(ended(connected))
    await asyncio.wait_for(connected.ear.is_online.wait(), PATIENCE)
    connected.discord.bot.sessions.clear()
    connected.discord.gateway.drop()
    reason = await task
    async with listening(connected):
        pass

    assert isinstance(reason, TryLater)
    assert (len(connected.discord.gateway.resumed), len(connected.discord.gateway.identified)) == (1, 2)


async def test_a_line_that_is_cut_is_taken_up_where_it_broke(connected: Connected) -> None:
    async with listening(connected) as ear:
        await connected.chat.say("before")
        await ear.message("before")
        connected.discord.gateway.drop(0)
        await connected.chat.say("after")
        with suppress(TryLater):
            await ear.message("after")

    assert ear.texts == ["before", "after"]


@pytest.mark.report("R135")
async def test_a_connection_on_which_nobody_answers_is_noticed(
    connected: Connected, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gateways, "SILENCE_SECONDS", 0.2)
    connected.discord.gateway.acknowledges = False
    async with listening(connected) as ear:
        ear.is_online.clear()
        async with asyncio.timeout(PATIENCE):
            await ear.is_online.wait()

    assert len(connected.discord.gateway.resumed) >= 1


async def test_a_key_that_works_no_more_ends_it(connected: Connected) -> None:
    async with listening(connected) as ear:
        pass
    connected.discord.bot.identifies_left = 0  # the pretend Discord answers as it does to a wrong key

    reason = await ended(connected)

    assert ear.onlines == 1
    assert isinstance(reason, TryLater | Refused)


@pytest.mark.parametrize("code", [INVALID_INTENTS, DISALLOWED_INTENTS])
async def test_an_intent_that_is_needed_and_not_allowed_is_named(discord: PretendDiscord, code: int) -> None:
    discord.bot.allowed_intents = 0
    async with connect(discord) as connected:
        task = asyncio.create_task(ended(connected))
        await asyncio.wait_for(connected.ear.is_online.wait(), PATIENCE)
        connected.discord.gateway.drop(code)

        reason = await task

    assert isinstance(reason, Refused)
    assert reason.reason is RefusedReason.FORBIDDEN
    assert "Guilds, Guild Messages and Direct Messages" in str(reason)


async def test_where_reading_on_is_refused_after_all_it_goes_on_without(connected: Connected) -> None:
    connected.discord.bot.allowed_intents = 0  # switched off after the bot looked

    reason = await ended(connected)
    await connected.channel.start()
    async with listening(connected) as ear:
        await connected.chat.say("hello")
        await ear.message("hello")

    assert isinstance(reason, TryLater)
    assert not connected.channel.reads_on
    assert connected.discord.gateway.identified[-1]["intents"] == GUILDS | GUILD_MESSAGES | DIRECT_MESSAGES


async def test_where_discord_says_one_thing_and_does_another_it_goes_on_without(connected: Connected) -> None:
    connected.discord.bot.allowed_intents = 0
    await ended(connected)
    connected.discord.bot.allowed_intents = MESSAGE_CONTENT  # so its flags say

    await connected.channel.start()

    assert not connected.channel.reads_on


async def test_a_wrong_key_needs_another(connected: Connected) -> None:
    task = asyncio.create_task(ended(connected))
    await asyncio.wait_for(connected.ear.is_online.wait(), PATIENCE)
    connected.discord.gateway.drop(4004)

    reason = await task

    assert isinstance(reason, Refused)
    assert reason.reason is RefusedReason.AUTH


async def test_logins_are_not_used_up(discord: PretendDiscord) -> None:
    discord.bot.identifies_left = 0
    async with connect(discord) as connected:
        reason = await ended(connected)

    assert isinstance(reason, TryLater)
    assert "too often" in str(reason)
    assert discord.gateway.identified == []


async def test_between_two_logins_lie_five_seconds(discord: PretendDiscord) -> None:
    clock = ManualClock()
    async with connect(discord, clock) as connected:
        async with listening(connected):
            pass
        second = asyncio.create_task(ended(connected))

        await until(lambda: clock.sleeping)
        before = len(discord.gateway.identified)
        await clock.advance(5)
        await until(lambda: connected.ear.onlines == 2)
        second.cancel()
        await asyncio.gather(second, return_exceptions=True)

    assert (before, len(discord.gateway.identified)) == (1, 2)


async def test_a_discord_that_is_away_is_tried_later(connected: Connected) -> None:
    async with connected.discord.unreachable():
        reason = await ended(connected)

    assert isinstance(reason, TryLater)


async def test_what_could_not_be_stored_is_stored_by_the_next_one_to_listen(connected: Connected) -> None:
    connected.ear.full = True
    async with listening(connected) as ear:
        await connected.chat.say("keep this")
        await until(lambda: ear.offered)
    connected.ear.full = False
    async with listening(connected) as ear:
        await ear.message("keep this")

    assert ear.texts == ["keep this"]


async def test_with_too_much_that_waits_to_be_stored_nothing_more_is_received(
    connected: Connected, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listener, "MOST_WAITING", 2)
    connected.ear.full = True
    task = asyncio.create_task(ended(connected))
    await asyncio.wait_for(connected.ear.is_online.wait(), PATIENCE)
    for text in ("one", "two", "three"):
        await connected.chat.say(text)
    reason = await task
    still_full = await ended(connected)
    connected.ear.full = False
    async with listening(connected) as ear:
        await ear.message("three")

    assert isinstance(reason, TryLater)
    assert isinstance(still_full, TryLater), "what waits goes first"
    assert len(connected.discord.gateway.identified) == 2
    assert ear.texts == ["one", "two", "three"]


async def test_somebody_elses_key_is_not_listened_with(connected: Connected) -> None:
    task = asyncio.create_task(ended(connected))
    await asyncio.wait_for(connected.ear.is_online.wait(), PATIENCE)
    other = connected.discord.add_bot("Other", "other_bot")
    connected.discord.bot.id, other.id = other.id, connected.discord.bot.id
    connected.discord.gateway.drop()

    reason = await task

    assert isinstance(reason, Refused)
    assert connected.ear.onlines == 1
