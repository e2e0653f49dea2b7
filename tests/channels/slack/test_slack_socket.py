"""Socket Mode: stored before it is acknowledged, acknowledged whatever it is, and followed where Slack wants to go."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from channels.base import Button, Form, InboundMessage, Joined, Left, OutboundMessage, Press
from channels.emulators.slack.interactions import Press as Pressed
from channels.emulators.slack.pretend import PretendSlack
from channels.slack.answers import APP_KEY
from core.cards import MomentField, TextField
from core.errors import Refused, RefusedReason
from tests.channels.slack.slack_connected import BriskClock, Connected, LiveEar, channel_of, connected
from tests.journeys.living import FastClock


@pytest.fixture
async def bot() -> AsyncIterator[Connected]:
    async with connected() as bot:
        yield bot


async def test_a_message_is_completed_with_its_writers_name(bot: Connected) -> None:
    await bot.screen.say("hello")
    await bot.ear.until_heard(InboundMessage)
    (message,) = bot.channel.parse(await bot.channel.complete(bot.ear.stored[0].payload))

    assert isinstance(message, InboundMessage)
    assert (message.sender.name, message.text, message.chat) == ("Ada", "hello", bot.chat)


async def test_no_acknowledgement_waits_for_anything_that_slack_is_asked(bot: Connected) -> None:
    bot.slack.faults.add("slow", times=None, seconds=60)
    room = bot.slack.channel("general", [bot.ada], bots=[])
    await bot.screen.say("hello")
    await room.screen(bot.ada).slash("/conch", "hello")
    await bot.ear.until_heard(InboundMessage, 2)
    await bot.settled()

    assert len(bot.ear.stored) == 2
    assert all(envelope.acked for envelope in bot.slack.envelopes())


@pytest.mark.report("R025")
async def test_what_could_not_be_stored_is_not_acknowledged_and_comes_again() -> None:
    async with connected(slack_time=BriskClock()) as bot:
        bot.ear.full = 1
        await bot.screen.say("keep this")
        await bot.ear.until_heard(InboundMessage)
        first, second = bot.slack.envelopes("events_api")[-2:]
        await bot.acknowledged(second)

        assert not first.acked
        assert (second.attempt, len(bot.ear.stored)) == (1, 1)


async def test_what_another_connection_does_not_take_comes_over_this_one() -> None:
    async with connected(slack_time=BriskClock()) as bot:
        other = channel_of(bot.slack, FastClock())
        await other.start()
        deaf = LiveEar(other)
        deaf.full = 1_000
        listening = asyncio.create_task(other.listen(deaf))
        await bot.slack.connected(2)
        for number in (1, 2):
            await bot.screen.say(f"word {number}")
            heard = await bot.ear.until_heard(InboundMessage, number)
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)
        await other.stop()

    assert [message.text for message in heard if isinstance(message, InboundMessage)] == ["word 1", "word 2"]
    assert deaf.offered


async def test_nothing_is_acknowledged_while_the_store_takes_its_time(bot: Connected) -> None:
    bot.ear.may_store.clear()
    await bot.screen.say("slow")
    await bot.ear.was_asked.wait()
    while_held = [envelope.acked for envelope in bot.slack.envelopes("events_api")]
    bot.ear.may_store.set()
    await bot.settled()

    assert while_held == [False]
    assert len(bot.ear.stored) == 1


async def test_a_mention_is_one_update_though_slack_tells_it_twice(bot: Connected) -> None:
    room = bot.slack.channel("general", [bot.ada])
    await room.screen(bot.ada).mention("you there?")
    first, second, *_ = await bot.ear.until_heard(InboundMessage, 2)

    assert isinstance(first, InboundMessage)
    assert isinstance(second, InboundMessage)
    assert first.update_id == second.update_id
    assert (first, first.text, first.mentioned) == (second, "you there?", True)
    assert first.chat.thread == first.message_id


async def test_a_command_of_another_name_is_acknowledged_too(bot: Connected) -> None:
    bot.slack.bot.commands.add("/other")
    press = await bot.screen.slash("/other", "what")
    await bot.settled()

    assert press.failed is None


async def test_a_new_connection_is_opened_as_soon_as_slack_wants_one(bot: Connected) -> None:
    before = len(bot.slack.calls("apps.connections.open"))
    await bot.slack.disconnect("refresh_requested")
    await bot.slack.connected()
    await bot.screen.say("after")
    (message,) = await bot.ear.until_heard(InboundMessage)

    assert isinstance(message, InboundMessage)
    assert message.text == "after"
    assert len(bot.slack.calls("apps.connections.open")) == before + 1


async def test_socket_mode_that_is_turned_off_is_named() -> None:
    async with PretendSlack() as slack:
        channel = channel_of(slack, FastClock())
        await channel.start()
        listening = asyncio.create_task(channel.listen(LiveEar(channel)))
        await slack.connected()
        await slack.disconnect("link_disabled")

        with pytest.raises(Refused, match="Turn it on under Socket Mode"):
            await listening
        await channel.stop()


async def test_a_wrong_app_key_fails_at_once_and_is_named() -> None:
    async with PretendSlack() as slack:
        channel = channel_of(slack, FastClock(), app_token="xapp-1-A000-wrongwrongwrong")
        await channel.start()

        with pytest.raises(Refused) as refusal:
            await channel.listen(LiveEar(channel))
        await channel.stop()

    assert refusal.value.reason is RefusedReason.AUTH
    assert APP_KEY in str(refusal.value)


async def test_the_bot_comes_into_a_channel(bot: Connected) -> None:
    room = bot.slack.channel("general", [bot.ada], bots=[])
    await room.add_bot(bot.slack.bot, by=bot.ada)
    (joined,) = await bot.ear.until_heard(Joined)

    assert isinstance(joined, Joined)
    assert joined.chat.id == room.id


async def test_the_bot_is_taken_out_of_a_channel(bot: Connected) -> None:
    room = bot.slack.channel("general", [bot.ada])
    await room.remove_bot(bot.slack.bot)
    (left,) = await bot.ear.until_heard(Left)

    assert isinstance(left, Left)
    assert left.chat.id == room.id


async def test_somebody_who_opens_home_sees_where_the_console_is(bot: Connected) -> None:
    await bot.screen.open_home()
    home = await bot.screen.wait_until(lambda: bot.screen.home)

    assert "/conch help" in home.text
    assert bot.ear.stored == []


# ---- forms -----------------------------------------------------------------------------------------------------------


FORM = Form(
    "Dinner", (MomentField(id="day", label="Which day?", kind="date"), TextField(id="who", label="Who?")), "tok"
)


async def opened(bot: Connected) -> Pressed:
    bot.ear.forms["opens"] = FORM
    await bot.channel.send(
        bot.chat, OutboundMessage("When?", "When?", "k", buttons=(Button("Answer…", token="opens", form=True),))
    )
    return await bot.screen.press(bot.screen.answers[-1], "Answer…")


async def test_a_form_opens_though_nothing_can_be_stored(bot: Connected) -> None:
    bot.ear.may_store.clear()
    form = await bot.screen.form_of(await opened(bot))

    assert form.title == "Dinner"
    assert bot.ear.offered == []


async def test_a_sent_form_is_a_press_with_what_was_filled_in(bot: Connected) -> None:
    form = await bot.screen.form_of(await opened(bot))
    await bot.screen.fill_in(form, {"Which day?": "2026-12-24", "Who?": "Bob and me"})
    (press,) = await bot.ear.until_heard(Press)

    assert isinstance(press, Press)
    assert press.token == "tok"
    assert press.filled == {"day": ("2026-12-24",), "who": ("Bob and me",)}
    assert (press.message.chat, press.sender.id) == (bot.chat, bot.ada.id)


async def test_what_is_wrong_in_a_form_is_said_at_the_field(bot: Connected) -> None:
    bot.ear.wrong["tok"] = {"day": "That day is over."}
    form = await bot.screen.form_of(await opened(bot))
    sent = await bot.screen.fill_in(form, {"Which day?": "2020-01-01", "Who?": "me"})
    answer = await bot.screen.answer_to(sent)

    assert answer.errors == {"Which day?": "That day is over."}
    assert bot.ear.stored == []


async def test_a_form_that_is_over_is_stored_as_a_press(bot: Connected) -> None:
    press = await opened_too_late(bot)

    assert (press.token, press.filled) == ("gone", None)


async def opened_too_late(bot: Connected) -> Press:
    button = Button("Answer…", token="gone", form=True)
    await bot.channel.send(bot.chat, OutboundMessage("When?", "When?", "k", buttons=(button,)))
    await bot.screen.press(bot.screen.answers[-1], "Answer…")
    (press,) = await bot.ear.until_heard(Press)
    assert isinstance(press, Press)
    return press
