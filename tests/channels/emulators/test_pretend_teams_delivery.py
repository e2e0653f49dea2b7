"""How the pretend Teams brings activities again, breaks on demand, and what is too large; files both ways."""

import asyncio
import base64
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from channels.emulators.teams.files import ACCEPT, CONSENT, DECLINE, DOWNLOAD, INFO
from channels.emulators.teams.keys import Key
from channels.emulators.teams.pretend import PretendTeams
from channels.emulators.teams.screen import TINY_PNG, Screen
from core.clock import ManualClock
from tests.channels.emulators.conftest import asleep
from tests.channels.emulators.teams_rig import Wire, on_wire, take


@pytest.fixture
async def teams(clock: ManualClock, teams_key: Key) -> AsyncIterator[PretendTeams]:
    async with PretendTeams(clock=clock, key=teams_key) as teams:
        yield teams


@pytest.fixture
def chat(teams: PretendTeams) -> Screen:
    return teams.person("Ann").private_chat()


@pytest.fixture
async def wire(teams: PretendTeams) -> AsyncIterator[Wire]:
    async with on_wire(teams, take) as wire:
        yield wire


async def test_a_message_that_is_not_taken_comes_again(teams: PretendTeams, chat: Screen, clock: ManualClock) -> None:
    statuses = iter([500, 503, 200])

    async def answer(_: dict[str, Any]) -> int:
        return next(statuses)

    async with on_wire(teams, answer):
        await chat.say("hello")
        await chat.wait_until(lambda: teams.deliveries() and teams.deliveries()[-1].status == 500)
        await asleep(clock)
        await clock.advance(1)
        await chat.wait_until(lambda: teams.deliveries()[-1].status == 503)
        await asleep(clock)
        await clock.advance(5)
        await teams.delivered()

    assert [(made.attempt, made.status) for made in teams.deliveries()] == [(0, 500), (1, 503), (2, 200)]
    assert len({made.activity["id"] for made in teams.deliveries()}) == 1


async def test_a_message_whose_answer_was_lost_comes_again(
    teams: PretendTeams, chat: Screen, wire: Wire, clock: ManualClock
) -> None:
    teams.faults.add("lost_ack", method="message")

    await chat.say("hello")
    await chat.wait_until(lambda: teams.deliveries() and teams.deliveries()[-1].status == 200)
    await asleep(clock)
    await clock.advance(1)
    await teams.delivered()

    assert [made.status for made in teams.deliveries()] == [200, 200]


async def test_a_bot_that_listens_nowhere_is_told_nothing(teams: PretendTeams, chat: Screen) -> None:
    await chat.say("hello")
    await teams.delivered()

    assert teams.deliveries() == []


@pytest.mark.parametrize(
    ("kind", "status", "code"),
    [
        ("PreconditionFailed", 412, "PreconditionFailed"),
        ("ServiceError", 502, "ServiceError"),
        ("Timeout", 504, "Timeout"),
        ("MessageSizeTooBig", 413, "MessageSizeTooBig"),
        ("BotNotInConversationRoster", 403, "BotNotInConversationRoster"),
        ("ConversationBlockedByUser", 403, "ConversationBlockedByUser"),
        ("ConversationNotFound", 404, "ConversationNotFound"),
        ("throttled", 429, "Throttled"),
    ],
)
async def test_a_call_is_refused_on_demand(
    teams: PretendTeams, chat: Screen, wire: Wire, kind: str, status: int, code: str
) -> None:
    teams.faults.add(kind, method="send", chat=chat.chat.id, seconds=3)

    refused, answer = await wire.send(chat.chat.id, "hi")
    again, _ = await wire.send(chat.chat.id, "hi")

    assert (refused, answer["error"]["code"], again) == (status, code, 201)
    assert [call.error for call in teams.calls("send")] == [code, None]
    assert len(chat.messages) == 1


async def test_a_receipt_gets_lost_on_demand(teams: PretendTeams, chat: Screen, wire: Wire) -> None:
    teams.faults.add("lost", method="send")

    with pytest.raises(aiohttp.ClientError):
        await wire.send(chat.chat.id, "hi")

    assert [seen.text for seen in chat.messages] == ["hi"]
    assert [call.status for call in teams.calls("send")] == [0]


async def test_a_connection_is_cut_before_anything_is_done(teams: PretendTeams, chat: Screen, wire: Wire) -> None:
    teams.faults.add("cut", method="send")

    with pytest.raises(aiohttp.ClientError):
        await wire.send(chat.chat.id, "hi")

    assert chat.messages == []


async def test_a_slow_answer_waits_on_the_clock(
    teams: PretendTeams, chat: Screen, wire: Wire, clock: ManualClock
) -> None:
    teams.faults.add("slow", method="send", seconds=30)

    sending = asyncio.create_task(wire.send(chat.chat.id, "hi"))
    await asleep(clock)
    waiting = not sending.done()
    await clock.advance(30)
    status, _ = await sending

    assert (waiting, status) == (True, 201)


async def test_a_message_over_the_size_is_refused(chat: Screen, wire: Wire) -> None:
    fits, _ = await wire.send(chat.chat.id, "x" * 51_000)
    too_big, answer = await wire.send(chat.chat.id, "x" * 51_200)

    assert (fits, too_big) == (201, 413)
    assert answer["error"]["code"] == "MessageSizeTooBig"


async def test_a_file_that_a_person_sends_can_be_fetched(teams: PretendTeams, chat: Screen, wire: Wire) -> None:
    sent = await chat.file("notes.txt", b"some words", "look")
    await teams.delivered()

    activity = teams.deliveries("message")[-1].activity
    [attachment] = activity["attachments"]
    async with wire.session.get(attachment["content"]["downloadUrl"]) as response:
        data = await response.read()
    assert (activity["text"], attachment["contentType"], attachment["name"]) == ("look", DOWNLOAD, "notes.txt")
    assert attachment["content"]["fileType"] == "txt"
    assert (data, sent.files[0].name) == (b"some words", "notes.txt")


async def test_a_picture_is_fetched_with_the_bots_token_only(teams: PretendTeams, chat: Screen, wire: Wire) -> None:
    await chat.photo()
    await teams.delivered()

    [attachment] = teams.deliveries("message")[-1].activity["attachments"]
    token = teams.world.tokens.issue(teams.bot)
    async with wire.session.get(attachment["contentUrl"]) as response:
        without = response.status
    headers = {"Authorization": f"Bearer {token}"}
    async with wire.session.get(attachment["contentUrl"], headers=headers) as response:
        data = await response.read()
    assert (attachment["contentType"], without, data) == ("image/*", 401, TINY_PNG)


async def test_groups_give_bots_no_files(teams: PretendTeams) -> None:
    ann = teams.person("Ann")

    with pytest.raises(ValueError, match="private chats only"):
        await teams.group("Plans", [ann]).screen(ann).file("a.txt", b"x")


def consent(name: str, size: int) -> dict[str, Any]:
    content = {"description": "A report", "sizeInBytes": size, "acceptContext": {"n": 1}, "declineContext": {"n": 2}}
    return {"contentType": CONSENT, "name": name, "content": content}


async def test_a_bot_sends_a_file_once_the_person_agrees(teams: PretendTeams, chat: Screen) -> None:
    given: list[dict[str, Any]] = []

    async def answer(activity: dict[str, Any]) -> None:
        given.append(activity["value"])

    async with on_wire(teams, answer) as wire:
        _, sent = await wire.send(chat.chat.id, attachments=[consent("report.txt", 10)])
        asked = chat.messages[-1]
        await chat.answer_to(await chat.press(sent["id"], ACCEPT))
        place = given[0]["uploadInfo"]
        halves = [
            await put(wire, place["uploadUrl"], b"some ", "bytes 0-4/10"),
            await put(wire, place["uploadUrl"], b"words", "bytes 5-9/10"),
        ]
        content = {"uniqueId": place["uniqueId"], "fileType": place["fileType"]}
        info = {"contentType": INFO, "contentUrl": place["contentUrl"], "name": place["name"], "content": content}
        await wire.send(chat.chat.id, attachments=[info])

    assert (asked.text, asked.labels) == ("report.txt\nA report", [[ACCEPT, DECLINE]])
    assert (given[0]["action"], given[0]["context"], halves) == ("accept", {"n": 1}, [202, 201])
    file = chat.messages[-1].files[0]
    stored = teams.world.files.get(file.id)
    assert stored is not None
    assert (file.name, stored.data) == ("report.txt", b"some words")


async def test_a_person_does_not_want_a_file(teams: PretendTeams, chat: Screen) -> None:
    given: list[dict[str, Any]] = []

    async def answer(activity: dict[str, Any]) -> None:
        given.append(activity["value"])

    async with on_wire(teams, answer) as wire:
        _, sent = await wire.send(chat.chat.id, attachments=[consent("report.txt", 10)])
        await chat.answer_to(await chat.press(sent["id"], DECLINE))

    assert given == [{"type": "fileUpload", "action": "decline", "context": {"n": 2}}]


async def test_bytes_out_of_place_are_refused(teams: PretendTeams, wire: Wire) -> None:
    place = teams.world.files.upload_url(teams.world.files.begin("a.txt", 10))

    gap = await put(wire, place, b"words", "bytes 5-9/10")
    unsaid = await put(wire, place, b"words", "")
    nowhere = await put(wire, place + "x", b"words", "bytes 0-4/10")

    assert (gap, unsaid, nowhere) == (416, 400, 404)


@pytest.mark.parametrize(("missing", "status"), [("sizeInBytes", 400), ("acceptContext", 400), ("", 201)])
async def test_a_consent_card_says_everything(chat: Screen, wire: Wire, missing: str, status: int) -> None:
    asked = consent("a.txt", 1)
    asked["content"].pop(missing, None)

    refused, _ = await wire.send(chat.chat.id, attachments=[asked])

    assert refused == status


@pytest.mark.parametrize(("size", "status"), [(1024 * 1024, 201), (1024 * 1024 + 1, 400)])
async def test_a_picture_in_a_message_has_at_most_a_megabyte(chat: Screen, wire: Wire, size: int, status: int) -> None:
    url = f"data:image/png;base64,{base64.b64encode(bytes(size)).decode()}"

    taken, _ = await wire.send(chat.chat.id, "look", attachments=[{"contentType": "image/png", "contentUrl": url}])

    assert taken == status
    assert [file.size for seen in chat.messages for file in seen.files] == ([size] if status == 201 else [])


async def put(wire: Wire, url: str, data: bytes, content_range: str) -> int:
    """Put bytes where a person agreed to have them; the status."""
    headers = {"Content-Range": content_range} if content_range else {}
    async with wire.session.put(url, data=data, headers=headers) as response:
        return response.status
