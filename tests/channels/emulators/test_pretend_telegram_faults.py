"""Breaking things: each fault as the real SDK meets it, and what of the call was done."""

import asyncio
from datetime import timedelta

import aiohttp
import pytest
from telegram import Bot
from telegram.error import BadRequest, Conflict, InvalidToken, NetworkError, RetryAfter

from channels.emulators.telegram.pretend import PretendTelegram
from channels.emulators.telegram.screen import Player, Screen
from core.clock import ManualClock
from tests.channels.emulators.conftest import asleep


async def test_a_flood_says_how_long_to_wait(bot: Bot, telegram: PretendTelegram, ada: Player, chat: Screen) -> None:
    telegram.faults.add("flood", method="sendMessage", seconds=7)

    with pytest.raises(RetryAfter) as refusal:
        await bot.send_message(ada.id, "x")
    await bot.send_message(ada.id, "y")

    assert refusal.value.retry_after == timedelta(seconds=7)
    assert [message.text for message in chat.answers] == ["y"]


async def test_the_wait_stands_in_the_header_too(telegram: PretendTelegram, ada: Player, chat: Screen) -> None:
    telegram.faults.add("flood", seconds=7)

    async with aiohttp.ClientSession() as session, session.get(f"{telegram.base_url}{telegram.bot.token}/getMe") as got:
        assert (got.status, got.headers["Retry-After"]) == (429, "7")


@pytest.mark.parametrize(
    ("kind", "error", "words"),
    [
        ("conflict", Conflict, "terminated by other getUpdates request"),
        ("unauthorized", InvalidToken, "Unauthorized"),
        ("server_error", NetworkError, "Internal Server Error"),
    ],
)
async def test_a_call_goes_wrong_as_often_as_it_should(
    bot: Bot, telegram: PretendTelegram, kind: str, error: type[Exception], words: str
) -> None:
    telegram.faults.add(kind, method="getupdates", times=2)

    for _ in range(2):
        with pytest.raises(error, match=words):
            await bot.get_updates()

    assert await bot.get_updates() == ()


@pytest.mark.parametrize("html", [False, True])
async def test_a_gateway_error_may_be_a_page(bot: Bot, telegram: PretendTelegram, html: bool) -> None:
    telegram.faults.add("server_error", status=502, html=html)

    with pytest.raises(NetworkError, match="Bad Gateway"):
        await bot.get_me()


async def test_markup_can_be_refused(bot: Bot, telegram: PretendTelegram, ada: Player, chat: Screen) -> None:
    telegram.faults.add("refuse_html", times=None)

    await bot.send_message(ada.id, "plain")
    with pytest.raises(BadRequest, match="Can't parse entities"):
        await bot.send_message(ada.id, "<b>fine</b>", parse_mode="HTML")

    assert [message.text for message in chat.answers] == ["plain"]


async def test_a_lost_answer_leaves_the_message(bot: Bot, telegram: PretendTelegram, ada: Player, chat: Screen) -> None:
    telegram.faults.add("lost", method="sendMessage")

    with pytest.raises(NetworkError):
        await bot.send_message(ada.id, "there")

    assert [message.text for message in chat.answers] == ["there"]
    assert telegram.calls("sendMessage")[-1].status == 0


async def test_a_cut_connection_leaves_nothing(bot: Bot, telegram: PretendTelegram, ada: Player, chat: Screen) -> None:
    telegram.faults.add("cut", method="sendMessage")

    with pytest.raises(NetworkError, match="without sending complete message body"):
        await bot.send_message(ada.id, "nowhere")

    assert chat.answers == []


async def test_a_slow_call_waits_on_the_clock(
    bot: Bot, telegram: PretendTelegram, ada: Player, chat: Screen, clock: ManualClock
) -> None:
    telegram.faults.add("slow", method="sendMessage", seconds=20)
    call = asyncio.create_task(bot.send_message(ada.id, "late"))
    await asleep(clock)
    before = chat.answers

    await clock.advance(20)

    assert (await call).text == "late"
    assert before == []


async def test_a_slow_call_is_done_although_the_bot_gave_up(
    bot: Bot, telegram: PretendTelegram, ada: Player, chat: Screen, clock: ManualClock
) -> None:
    telegram.faults.add("slow", method="sendMessage", seconds=20)
    call = asyncio.create_task(bot.send_message(ada.id, "late"))
    await asleep(clock)

    call.cancel()
    await clock.advance(20)

    assert (await chat.wait_for_answer()).text == "late"


async def test_a_slow_answer_can_be_a_bad_one(
    bot: Bot, telegram: PretendTelegram, ada: Player, chat: Screen, clock: ManualClock
) -> None:
    telegram.faults.add("flood", method="sendMessage", seconds=3)
    telegram.faults.add("slow", method="sendMessage", seconds=20)
    call = asyncio.create_task(bot.send_message(ada.id, "late"))
    await asleep(clock)

    await clock.advance(20)

    with pytest.raises(RetryAfter):
        await call


async def test_a_fault_may_concern_one_chat_only(
    bot: Bot, telegram: PretendTelegram, ada: Player, chat: Screen
) -> None:
    bob = telegram.person("Bob")
    await bob.private_chat().start()
    telegram.faults.add("flood", chat=ada.id, times=None, seconds=1)

    await bot.send_message(bob.id, "x")
    with pytest.raises(RetryAfter):
        await bot.send_message(ada.id, "x")

    assert [message.text for message in bob.private_chat().answers] == ["x"]


async def test_nobody_answers_while_it_is_away(bot: Bot, telegram: PretendTelegram, ada: Player, chat: Screen) -> None:
    port = telegram.port

    async with telegram.unreachable():
        with pytest.raises(NetworkError):
            await bot.send_message(ada.id, "x")

    await bot.send_message(ada.id, "y")
    assert ([message.text for message in chat.answers], telegram.port) == (["y"], port)


async def test_a_poll_breaks_off_when_it_goes_away(bot: Bot, telegram: PretendTelegram, chat: Screen) -> None:
    poll = asyncio.create_task(bot.get_updates(timeout=30))
    await telegram.bot.queue.polling.wait()

    await telegram.go_away()
    await chat.say("meanwhile")
    await telegram.come_back()

    with pytest.raises(NetworkError):
        await poll
    updates = await bot.get_updates()
    assert [update.message.text for update in updates if update.message] == ["meanwhile"]


async def test_what_cannot_break_is_not_promised(telegram: PretendTelegram) -> None:
    with pytest.raises(ValueError, match="no fault 'meteor'"):
        telegram.faults.add("meteor")
    with pytest.raises(ValueError, match="at least once"):
        telegram.faults.add("cut", times=0)


async def test_a_fault_can_be_taken_back(bot: Bot, telegram: PretendTelegram) -> None:
    fault = telegram.faults.add("unauthorized", times=None)
    telegram.faults.add("conflict", method="getUpdates")

    telegram.faults.remove(fault.id)
    left = [fault.kind for fault in telegram.faults.waiting]
    telegram.faults.clear()

    assert (left, (await bot.get_me()).id) == (["conflict"], bot.id)
