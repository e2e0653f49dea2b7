"""Messages that a bot of the pretend Teams writes piece by piece, and how often it may call at all."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from channels.emulators.teams.keys import Key
from channels.emulators.teams.pretend import PretendTeams
from channels.emulators.teams.screen import Screen
from core.clock import ManualClock
from tests.channels.emulators.teams_rig import Wire, card, on_wire, take, words


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


async def test_an_answer_grows_and_is_one_message(chat: Screen, wire: Wire, clock: ManualClock) -> None:
    here = chat.chat.id

    status, begun = await wire.stream(here, "Looking …", "informative", sequence=1)
    looking = chat.messages[-1]
    await clock.advance(1)
    await wire.stream(here, "One", sequence=2, stream=begun["id"])
    growing = chat.messages[-1]
    await clock.advance(1)
    await wire.stream(here, "One two", sequence=3, stream=begun["id"])
    await clock.advance(1)
    done, _ = await wire.stream(here, "One **two** three", "final", stream=begun["id"])

    [seen] = chat.messages
    assert (status, done) == (201, 202)
    assert (looking.text, looking.streaming, looking.is_answer) == ("Looking …", True, False)
    assert (growing.text, growing.streaming) == ("One", True)
    assert (seen.text, seen.streaming, seen.edited, seen.id) == ("One two three", False, False, begun["id"])


async def test_the_end_may_bring_a_card_but_no_piece_may(chat: Screen, wire: Wire) -> None:
    here = chat.chat.id
    path = f"conversations/{here}/activities"
    attached = [{"contentType": "application/vnd.microsoft.card.adaptive", "content": card(words("more"))}]
    about = {"type": "streaminfo", "streamType": "streaming", "streamSequence": 1}
    body = {"type": "typing", "text": "x", "entities": [about], "attachments": attached}

    refused, _ = await wire.call("POST", path, body)
    _, begun = await wire.stream(here, "x", sequence=1)
    about = {"type": "streaminfo", "streamType": "final", "streamId": begun["id"]}
    ended, _ = await wire.send(here, "x y", attachments=attached, entities=[about])

    assert (refused, ended) == (400, 202)
    assert chat.messages[-1].text == "x y\nmore"


@pytest.mark.parametrize(
    ("given", "status", "code"),
    [
        ({"sequence": 2}, 412, "ContentStreamSequenceOrderPreConditionFailed"),
        ({}, 400, "BadArgument"),
        ({"sequence": 1, "kind": "final"}, 400, "BadArgument"),
        ({"kind": "final"}, 400, "BadArgument"),
        ({"sequence": 1, "kind": "gossip"}, 400, "BadArgument"),
        ({"sequence": 1, "text": " "}, 400, "BadArgument"),
        ({"sequence": 1, "text": "x" * 1001, "kind": "informative"}, 400, "BadArgument"),
        ({"sequence": 2, "stream": "1"}, 403, "ContentStreamNotAllowed"),
    ],
)
async def test_a_stream_that_begins_wrongly_is_refused(
    chat: Screen, wire: Wire, given: dict[str, Any], status: int, code: str
) -> None:
    about = {"text": "One"} | given

    refused, answer = await wire.stream(chat.chat.id, **about)

    assert (refused, answer["error"]["code"]) == (status, code)
    assert chat.messages == []


async def test_pieces_come_in_their_order(chat: Screen, wire: Wire, clock: ManualClock) -> None:
    _, begun = await wire.stream(chat.chat.id, "One", sequence=1)
    await clock.advance(1)
    await wire.stream(chat.chat.id, "One two", sequence=3, stream=begun["id"])
    await clock.advance(1)

    status, answer = await wire.stream(chat.chat.id, "One two", sequence=2, stream=begun["id"])

    assert (status, answer["error"]["code"]) == (412, "ContentStreamSequenceOrderPreConditionFailed")


async def test_each_piece_repeats_what_was_before(chat: Screen, wire: Wire, clock: ManualClock) -> None:
    _, begun = await wire.stream(chat.chat.id, "One", sequence=1)
    await clock.advance(1)

    status, answer = await wire.stream(chat.chat.id, "two", sequence=2, stream=begun["id"])

    assert (status, answer["error"]["message"]) == (400, "strict: each piece repeats everything before it")


async def test_pieces_come_once_a_second(chat: Screen, wire: Wire, clock: ManualClock) -> None:
    _, begun = await wire.stream(chat.chat.id, "a", sequence=1)
    early, _ = await wire.stream(chat.chat.id, "a b", sequence=2, stream=begun["id"])
    too_early, answer = await wire.stream(chat.chat.id, "a b c", sequence=3, stream=begun["id"])
    await clock.advance(1)
    in_time, _ = await wire.stream(chat.chat.id, "a b c", sequence=3, stream=begun["id"])

    assert (early, too_early, in_time) == (202, 429, 202)
    assert answer["error"]["message"] == "API calls quota exceeded."


async def test_a_stream_is_over_after_two_minutes(chat: Screen, wire: Wire, clock: ManualClock) -> None:
    _, begun = await wire.stream(chat.chat.id, "One", sequence=1)
    await clock.advance(121)

    status, answer = await wire.stream(chat.chat.id, "One two", "final", stream=begun["id"])

    assert (status, answer["error"]["code"]) == (403, "ContentStreamNotAllowed")
    assert "exceeded streaming time" in answer["error"]["message"]
    assert (chat.messages[-1].text, chat.messages[-1].streaming) == ("One", False)


async def test_a_person_stops_a_stream(chat: Screen, wire: Wire, clock: ManualClock) -> None:
    _, begun = await wire.stream(chat.chat.id, "One", sequence=1)
    await chat.stop_stream(begun["id"])
    await clock.advance(1)

    status, answer = await wire.stream(chat.chat.id, "One two", sequence=2, stream=begun["id"])

    assert (status, answer["error"]["message"]) == (403, "Content stream was canceled by user.")
    with pytest.raises(LookupError, match="not being written"):
        await chat.stop_stream(begun["id"])


async def test_nothing_is_added_once_it_is_done(chat: Screen, wire: Wire) -> None:
    _, begun = await wire.stream(chat.chat.id, "One", sequence=1)
    await wire.stream(chat.chat.id, "One two", "final", stream=begun["id"])

    status, answer = await wire.stream(chat.chat.id, "One two", "final", stream=begun["id"])

    assert (status, answer["error"]["code"]) == (403, "ContentStreamNotAllowed")
    assert "already completed" in answer["error"]["message"]


async def test_only_private_chats_have_streams(teams: PretendTeams, wire: Wire) -> None:
    group = teams.group("Plans", [teams.person("Ann")])

    status, answer = await wire.stream(group.id, "One", sequence=1)

    assert (status, answer["error"]["code"]) == (403, "ContentStreamNotAllowed")


async def test_a_conversation_takes_seven_calls_a_second(
    teams: PretendTeams, chat: Screen, wire: Wire, clock: ManualClock
) -> None:
    teams.rates.switch(True)
    other = teams.person("Ben").private_chat()

    statuses = [(await wire.send(chat.chat.id, str(n)))[0] for n in range(8)]
    retry_after = wire.headers["Retry-After"]
    elsewhere, _ = await wire.send(other.chat.id, "x")
    await clock.advance(1)
    later, _ = await wire.send(chat.chat.id, "x")
    too_many, _ = await wire.send(chat.chat.id, "x")

    assert statuses == [201] * 7 + [429]
    assert (retry_after, elsewhere, later, too_many) == ("1", 201, 201, 429)
