"""Flood control: how much a bot may say, on both sides of each edge."""

import pytest

from channels.emulators.telegram.pretend import PretendTelegram
from channels.emulators.telegram.screen import Player, Screen
from core.clock import ManualClock
from tests.channels.emulators.conftest import Wire


@pytest.fixture(autouse=True)
def flood_control(telegram: PretendTelegram) -> None:
    telegram.flood.switch(True)


async def taken(wire: Wire, chat_id: int, count: int, method: str = "sendMessage") -> int:
    """How many of so many messages at once go through."""
    more = {"draft_id": 1} if method == "sendMessageDraft" else {}
    answers = [await wire(method, chat_id=chat_id, text=str(number), **more) for number in range(count)]
    return sum(answer["ok"] for answer in answers)


async def test_a_quiet_chat_takes_a_small_burst(wire: Wire, ada: Player, chat: Screen) -> None:
    assert await taken(wire, ada.id, 5) == 3


async def test_after_a_burst_a_chat_takes_one_a_second(
    wire: Wire, ada: Player, chat: Screen, clock: ManualClock
) -> None:
    await taken(wire, ada.id, 3)
    at_once = await wire("sendMessage", chat_id=ada.id, text="x")
    await clock.advance(0.999)
    too_early = await taken(wire, ada.id, 1)
    await clock.advance(0.001)
    in_time = await taken(wire, ada.id, 2)

    assert (at_once["error_code"], at_once["parameters"]) == (429, {"retry_after": 1})
    assert (too_early, in_time) == (0, 1)


async def test_waiting_as_long_as_told_is_enough(wire: Wire, ada: Player, chat: Screen, clock: ManualClock) -> None:
    await taken(wire, ada.id, 3)

    for _ in range(10):
        answer = await wire("sendMessage", chat_id=ada.id, text="x")
        await clock.advance(answer["parameters"]["retry_after"])
        assert await taken(wire, ada.id, 1) == 1


async def test_a_bot_says_30_things_a_second_over_all_chats(
    telegram: PretendTelegram, wire: Wire, clock: ManualClock
) -> None:
    people = [telegram.person(f"P{number}") for number in range(32)]
    for person in people:
        await person.private_chat().start()

    through = [await taken(wire, person.id, 1) for person in people]
    await clock.advance(1)

    assert through == [1] * 30 + [0] * 2
    assert await taken(wire, people[31].id, 1) == 1


async def test_a_group_takes_20_a_minute(
    telegram: PretendTelegram, wire: Wire, ada: Player, clock: ManualClock
) -> None:
    group = telegram.group("Team", [ada])
    through = 0
    for _ in range(40):
        through += await taken(wire, group.id, 1)
        await clock.advance(1)

    answer = await wire("sendMessage", chat_id=group.id, text="x")

    assert through == 20 + 39 // 3
    assert answer["parameters"]["retry_after"] == 2


async def test_edits_count_and_drafts_count_for_themselves(
    wire: Wire, ada: Player, chat: Screen, telegram: PretendTelegram
) -> None:
    sent = await wire("sendMessage", chat_id=ada.id, text="x")
    message_id = sent["result"]["message_id"]

    edits = [
        (await wire("editMessageText", chat_id=ada.id, message_id=message_id, text=str(number)))["ok"]
        for number in range(3)
    ]

    assert edits == [True, True, False]
    assert await taken(wire, ada.id, 5, "sendMessageDraft") == 3
    assert telegram.flood.refused == 3


async def test_an_album_counts_once(wire: Wire, ada: Player, chat: Screen) -> None:
    await chat.file("a.txt", b"x")
    file = chat.messages[-1].file
    assert file is not None
    parts = [{"type": "document", "media": file.id}] * 5

    answers = [(await wire("sendMediaGroup", chat_id=ada.id, media=parts))["ok"] for _ in range(4)]

    assert answers == [True, True, True, False]


async def test_other_calls_are_free(wire: Wire, ada: Player, chat: Screen) -> None:
    answers = [(await wire("sendChatAction", chat_id=ada.id, action="typing"))["ok"] for _ in range(40)]

    assert all(answers)


async def test_it_can_be_switched_off(wire: Wire, telegram: PretendTelegram, ada: Player, chat: Screen) -> None:
    telegram.flood.switch(False)

    assert await taken(wire, ada.id, 40) == 40
