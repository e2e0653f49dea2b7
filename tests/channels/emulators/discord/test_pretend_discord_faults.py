"""What can be made to go wrong, and how much a bot may ask for."""

import asyncio

import aiohttp
import discord
import pytest

from channels.emulators.discord.pretend import PretendDiscord
from channels.emulators.discord.screen import Screen
from core.clock import ManualClock
from tests.channels.emulators.conftest import asleep
from tests.channels.emulators.discord.conftest import SdkBot, Wire

SAY = "POST /channels/{channel_id}/messages"


async def test_a_flood_of_one_bucket_says_how_long(pretend: PretendDiscord, wire: Wire, chat: Screen) -> None:
    pretend.faults.add("flood", method=SAY, seconds=0.3)

    refused, taken = await wire.say(chat, content="x"), await wire.say(chat, content="x")

    assert (refused.status, refused.body) == (
        429,
        {"message": "You are being rate limited.", "retry_after": 0.3, "global": False},
    )
    assert refused.headers["X-RateLimit-Scope"] == "user"
    assert refused.headers["Content-Type"] == "application/json"
    assert taken.status == 200


async def test_a_flood_of_everything_says_so(pretend: PretendDiscord, wire: Wire) -> None:
    pretend.faults.add("flood_all", seconds=1)

    refused = await wire("GET", "/users/@me")

    assert (refused.body["global"], refused.headers["X-RateLimit-Global"]) == (True, "true")


async def test_the_sdk_waits_and_says_it_again(pretend: PretendDiscord, bot: SdkBot, chat: Screen) -> None:
    await chat.say("hello")
    heard: discord.Message = await bot.next("message")
    pretend.faults.add("flood", method=SAY, seconds=0.01)

    await heard.channel.send("one")

    assert [call.status for call in pretend.calls(SAY)] == [429, 200]
    assert [m.text for m in chat.answers] == ["one"]


async def test_cloudflare_answers_with_a_page(pretend: PretendDiscord, wire: Wire, chat: Screen) -> None:
    pretend.faults.add("cloudflare", seconds=60)

    refused = await wire.say(chat, content="x")

    assert (refused.status, refused.headers["Retry-After"]) == (429, "60")
    assert "1015" in refused.body
    assert "Via" not in refused.headers


async def test_the_server_fails(pretend: PretendDiscord, wire: Wire, chat: Screen) -> None:
    pretend.faults.add("server_error", status=502, html=True)
    pretend.faults.add("server_error", status=500)

    page, json = await wire.say(chat, content="x"), await wire.say(chat, content="x")

    assert (page.status, json.status, json.code) == (502, 500, 0)
    assert "Bad Gateway" in page.body
    assert chat.messages == []


async def test_a_token_that_is_not_good_any_more(pretend: PretendDiscord, wire: Wire, chat: Screen) -> None:
    pretend.faults.add("unauthorized", method=SAY, chat=chat.channel.id)

    assert (await wire.say(chat, content="x")).status == 401


@pytest.mark.parametrize(("kind", "said"), [("cut", 0), ("lost", 1)])
async def test_a_cut_connection_may_have_done_it(
    pretend: PretendDiscord, wire: Wire, chat: Screen, kind: str, said: int
) -> None:
    pretend.faults.add(kind, method=SAY)

    with pytest.raises(aiohttp.ClientError):
        await wire.say(chat, content="x")

    assert len(chat.messages) == said
    assert pretend.calls(SAY)[0].status == 0


async def test_a_slow_answer_comes_when_its_time_is_over(
    pretend: PretendDiscord, wire: Wire, chat: Screen, clock: ManualClock
) -> None:
    pretend.faults.add("slow", method=SAY, seconds=7)

    answering = asyncio.create_task(wire.say(chat, content="x"))
    await asleep(clock)
    nothing = chat.messages
    await clock.advance(7)

    assert (nothing, (await answering).status) == ([], 200)


async def test_buckets_tell_what_is_left(
    pretend: PretendDiscord, wire: Wire, chat: Screen, room: Screen, clock: ManualClock
) -> None:
    pretend.rates.switch(on=True)

    taken = [await wire.say(chat, content="x") for _ in range(5)]
    refused = await wire.say(chat, content="x")
    elsewhere = await wire.say(room, content="x")
    await clock.advance(5)
    later = await wire.say(chat, content="x")

    assert [answer.headers["X-RateLimit-Remaining"] for answer in taken] == ["4", "3", "2", "1", "0"]
    assert (refused.status, refused.body["retry_after"], refused.body["global"]) == (429, 5.0, False)
    assert (elsewhere.status, later.status, pretend.rates.refused) == (200, 200, 1)
    assert taken[0].headers["X-RateLimit-Bucket"] == elsewhere.headers["X-RateLimit-Bucket"]


async def test_everything_together_has_a_limit_too(pretend: PretendDiscord, wire: Wire, clock: ManualClock) -> None:
    pretend.rates.switch(on=True)
    pretend.rates.bucket = 1000

    answers = [await wire("GET", "/users/@me") for _ in range(51)]

    assert [answer.status for answer in answers].count(429) == 1
    assert answers[-1].body["global"] is True


async def test_calls_are_kept_with_what_they_said(pretend: PretendDiscord, wire: Wire, chat: Screen) -> None:
    await wire.say(chat, content="x")

    [call] = pretend.calls(SAY)
    assert (call.body, call.status, call.answer["content"]) == ({"content": "x"}, 200, "x")
    assert (call.place, call.bot_id) == ({"channel_id": chat.channel.id}, pretend.bot.id)


def test_there_is_no_such_fault(pretend: PretendDiscord) -> None:
    with pytest.raises(ValueError, match="no fault 'other'"):
        pretend.faults.add("other")
