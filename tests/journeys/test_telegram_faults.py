"""What people see when Telegram or the line to it misbehaves."""

from pathlib import Path

import aiohttp
import pytest

from channels.base import HealthState
from channels.emulators.telegram.pretend import DEFAULT_BOT, PretendTelegram
from core.engines.base import MessageEnd, Text, TurnInput
from core.engines.script import Steps
from core.store.inbox import Inbox
from core.store.outbox import OutboxRows, State
from tests.journeys.living import FastClock, living, owner_of, said, until


def three_messages(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
    for word in ("one", "two", "three"):
        yield Text(f"{word} of {turn.text}")
        yield MessageEnd()


async def test_a_flood_wait_is_obeyed_and_the_order_kept(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend, clock=FastClock(), script=three_messages) as app:
        ada = await owner_of(app, pretend)
        pretend.faults.add("flood", method="sendMessage", seconds=30)

        await ada.chat.say("it")
        await ada.chat.wait_for(lambda messages: messages[-1].text == "three of it")
        tries = [call for call in pretend.calls("sendMessage") if "one of it" in str(call.parameters)]

    assert said(ada.chat)[1:] == ["one of it", "two of it", "three of it"]
    assert len(tries) == 2


@pytest.mark.report("R061")
async def test_refused_markup_is_sent_once_more_as_plain_words(tmp_path: Path, pretend: PretendTelegram) -> None:
    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        yield Text("**bold** words")

    async with living(tmp_path, pretend, clock=FastClock(), script=script) as app:
        ada = await owner_of(app, pretend)
        pretend.faults.add("refuse_html", method="sendMessage")

        await ada.chat.say("go")
        answer = await ada.chat.wait_for_answer()

    assert answer.text == "bold words"
    assert answer.entities == ()


@pytest.mark.report("R013", "R019", "R127")
async def test_an_answer_waits_until_telegram_is_back(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend, clock=FastClock()) as app:
        ada = await owner_of(app, pretend)
        pretend.faults.add("server_error", method="sendMessage", status=503, times=3)

        await ada.chat.say("it")
        await ada.chat.wait_for_answer()

    assert said(ada.chat)[1:] == ["echo: it"]


@pytest.mark.report("R205")
async def test_a_lost_receipt_is_marked_and_the_answer_sent_again(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend, clock=FastClock()) as app:
        ada = await owner_of(app, pretend)
        pretend.faults.add("lost", method="sendMessage")

        await ada.chat.say("hello")
        await ada.chat.wait_for_answer(2)
        await until(lambda: len(pretend.calls("sendMessage")) >= 3)
    async with living(tmp_path, pretend, clock=FastClock()) as app:
        counts = await OutboxRows(app.database).counts()
        letters = await OutboxRows(app.database).in_trouble(10)

    assert said(ada.chat)[1:] == ["echo: hello", "echo: hello"]
    assert counts.get(State.PENDING, 0) == 0
    assert letters == ()


async def test_a_cut_before_the_message_was_taken_loses_nothing(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend, clock=FastClock()) as app:
        ada = await owner_of(app, pretend)
        pretend.faults.add("cut", method="sendMessage")

        await ada.chat.say("hello")
        answer = await ada.chat.wait_for_answer()

    assert answer.text == "echo: hello"
    assert said(ada.chat)[1:] == ["echo: hello"]


@pytest.mark.report("R031", "R129")
async def test_updates_come_through_a_line_that_breaks(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend, clock=FastClock()) as app:
        ada = await owner_of(app, pretend)
        pretend.faults.add("cut", method="getUpdates", times=2)

        await ada.chat.say("hello")
        await ada.chat.wait_for_answer()

    assert said(ada.chat)[1:] == ["echo: hello"]


async def test_a_webhook_left_behind_is_taken_away(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend, clock=FastClock()) as app:
        ada = await owner_of(app, pretend)
    async with aiohttp.ClientSession() as session:
        hook = {"url": "http://127.0.0.1:9/left-behind"}
        await session.post(f"{pretend.base_url}{DEFAULT_BOT}/setWebhook", json=hook)

    async with living(tmp_path, pretend, clock=FastClock()):
        await ada.chat.say("hello")
        answer = await ada.chat.wait_for_answer()

    assert answer.text == "echo: hello"


@pytest.mark.report("R123")
async def test_a_second_receiver_is_a_conflict_that_is_waited_out(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend, clock=FastClock()) as app:
        ada = await owner_of(app, pretend)
        pretend.faults.add("conflict", method="getUpdates", times=3)
        await ada.chat.say("hello")

        await until(lambda: app.registry.health()[ada.channel_id].state is HealthState.CONFLICT, within=20)
        health = app.registry.health()[ada.channel_id]

    assert health.retry_at is not None
    assert health.detail is not None
    assert "Another program" in health.detail


async def test_a_key_that_stopped_working_needs_a_new_one(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend, clock=FastClock()) as app:
        ada = await owner_of(app, pretend)
        pretend.faults.add("unauthorized", method="getUpdates")
        await ada.chat.say("hello")

        await until(lambda: app.registry.health()[ada.channel_id].state is HealthState.NEEDS_TOKEN)
        detail = app.registry.health()[ada.channel_id].detail

    assert detail is not None
    assert "Get a new one" in detail


async def test_a_malformed_update_is_skipped_and_counted(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend, clock=FastClock()) as app:
        ada = await owner_of(app, pretend)

        pretend.bot.queue.push("message", {"chat": "nonsense", "date": "never"}, lane=0)
        await ada.chat.say("hello")
        await ada.chat.wait_for_answer()
        counts = await Inbox(app.database).counts(ada.channel_id)

    assert said(ada.chat)[1:] == ["echo: hello"]
    assert (counts.pending, counts.poisoned) == (0, 1)
