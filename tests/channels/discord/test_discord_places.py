"""What is known of servers, channels and threads; and that it is never more than so much."""

import pytest

from channels.base import ChatRef
from channels.discord import places, rooms
from channels.discord.places import Places
from channels.emulators.discord.pretend import PretendDiscord
from tests.channels.discord.connected import connect, listening, words

HOME, GENERAL = "1", "2"
SERVER = {"id": HOME, "name": "Home", "channels": [{"id": GENERAL, "type": 0, "name": "general"}], "threads": []}


def thread(thread_id: str) -> dict[str, object]:
    return {"id": thread_id, "type": 11, "name": "A thread", "parent_id": GENERAL, "guild_id": HOME, "owner_id": "9"}


@pytest.fixture
def known() -> Places:
    known = Places()
    known.learn("GUILD_CREATE", SERVER)
    return known


def test_of_too_many_threads_those_are_forgotten_in_which_nothing_was_said_for_longest(
    known: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "MOST_THREADS", 3)
    for thread_id in ("10", "11", "12"):
        known.learn("THREAD_CREATE", thread(thread_id))
    known.of({"channel_id": "10"})
    known.learn("THREAD_CREATE", thread("13"))

    assert [known.is_thread(thread_id) for thread_id in ("10", "11", "12", "13")] == [True, False, True, True]
    assert known.of({"channel_id": "10"}) == {"title": "#general (Home)", "parent": GENERAL, "owner": "9"}


def test_a_channel_is_never_forgotten_for_threads(known: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "MOST_THREADS", 1)
    for number in range(10, 20):
        known.learn("THREAD_CREATE", thread(str(number)))

    assert known.of({"channel_id": GENERAL}) == {"title": "#general (Home)"}


def test_a_server_that_is_left_takes_its_channels_and_threads_along(known: Places) -> None:
    known.learn("THREAD_CREATE", thread("10"))

    assert known.forget(HOME) == [GENERAL]
    assert not known.is_thread("10")
    assert known.of({"channel_id": GENERAL}) == {}


def test_a_thread_that_is_deleted_is_not_known_any_more(known: Places) -> None:
    known.learn("THREAD_CREATE", thread("10"))
    known.learn("THREAD_DELETE", {"id": "10"})

    assert not known.is_thread("10")


async def test_of_what_is_remembered_to_spare_a_call_only_the_newest_stays(
    discord: PretendDiscord, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rooms, "_REMEMBERED", 2)
    async with connect(discord) as connected, listening(connected) as ear:
        people = [discord.person(name) for name in ("Ann", "Ben", "Cem", "Dan")]
        for person in people:
            await person.private_chat().say(f"It's {person.name}")
            await ear.message(f"It's {person.name}")
        asked = []
        for person in (people[3], people[0]):
            await connected.channel.send(ChatRef("dc", person.id), words("hello"))
            asked.append(len(discord.calls("POST /users/@me/channels")))

    assert asked == [0, 1]
