"""`conch doctor` and `/metrics` beside the real program, to which a pretend Telegram brings the messages of its bot."""

import json
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import closing
from pathlib import Path

import aiohttp
import pytest

from channels.emulators.telegram.pretend import DEFAULT_BOT, PretendTelegram
from tests.conch.programs import conch, run
from web.serving import listen


@pytest.fixture
async def telegram() -> AsyncIterator[PretendTelegram]:
    async with PretendTelegram() as pretend:
        yield pretend


@pytest.fixture
def outside(telegram: PretendTelegram) -> Mapping[str, str]:
    with closing(listen("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    return {
        "CONCH_TELEGRAM_BASE_URL": telegram.base_url,
        "CONCH_TELEGRAM_BASE_FILE_URL": telegram.base_file_url,
        "CONCH_TELEGRAM_WEBHOOK": "true",
        "CONCH_PUBLIC_URL": f"http://127.0.0.1:{port}/",
        "CONCH_PORT": str(port),
    }


@pytest.mark.report("R125", "R131", "R195")
async def test_before_a_start_and_beside_it_the_doctor_finds_what_keeps_messages_from_being_answered(
    tmp_path: Path, telegram: PretendTelegram, outside: Mapping[str, str]
) -> None:
    ada = telegram.person("Ada", username="canary_ada").private_chat()
    added = await run(tmp_path, "channels", "add", "telegram", given=DEFAULT_BOT, **outside)
    code = re.search(r"start=(\S+)", added.out)
    assert code is not None

    telegram.faults.add("unauthorized", method="getMe")
    before = await run(tmp_path, "doctor", "--json", **outside)
    async with conch(tmp_path, "serve", **outside) as server:
        where = (await server.started()).partition("/?")[0]
        await ada.start(code[1])
        await ada.wait_for_answer(timeout=30)
        await ada.say("What can you do? canary-words")
        await ada.wait_for_answer(timeout=30)
        beside = await run(tmp_path, "doctor", **outside)
        metrics = await text_of(f"{where}/metrics")
        webhook = telegram.bot.webhook
        await server.ends()

    assert (before.code, json.loads(before.out)["ok"]) == (1, False), before.said
    assert [each["subject"] for each in json.loads(before.out)["findings"] if each["verdict"] == "fail"] == [
        "Bot @pretend_bot"
    ]
    assert (beside.code, "Bot @pretend_bot" in beside.out) == (0, True), beside.said
    assert webhook is not None
    bound = where.replace("//localhost:", "//127.0.0.1:")
    assert webhook.url.startswith(f"{bound}/channels/telegram/")
    assert telegram.calls("getUpdates") == []
    assert re.search(r"OK +Bot @pretend_bot +Online since .*, last heard of", beside.out)
    for shown in (before.said, beside.said):
        assert DEFAULT_BOT.partition(":")[2] not in shown
    for series in (
        'conch_updates_received_total{app="telegram",outcome="new"} 2.0',
        'conch_channels{app="telegram",state="online"} 1.0',
        'conch_turns_total{outcome="success"} 1.0',
        "conch_queue_length 0.0",
        "conch_store_writable 1.0",
    ):
        assert series in metrics
    assert re.search(r'conch_sends_total\{app="telegram",outcome="delivered"\} [2-9]', metrics)
    assert re.search(r"conch_event_loop_delay_seconds_count [1-9]", metrics)
    assert re.search(r"conch_store_commit_seconds_count [1-9]", metrics)
    for private in ("Ada", "canary", "pretend_bot", str(telegram.bot.id), code[1]):
        assert private not in metrics


async def text_of(url: str) -> str:
    async with aiohttp.ClientSession() as session, session.get(url) as answer:
        assert answer.status == 200
        return await answer.text()
