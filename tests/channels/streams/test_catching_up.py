"""What was written while the bot was away, in an app that does not keep it: read, said in one line, answered once."""

from datetime import timedelta

import pytest
from sqlalchemy import delete

from channels.base import Sender
from channels.catchup import MOST
from channels.memory.chat import MemoryChat
from channels.memory.faults import Call
from core.errors import TryLater
from core.store import tables
from tests.channels.commands.talking import Talk
from tests.channels.streams.conftest import Stage

HOUR = 3600.0


async def settled(stage: Stage, talk: Talk) -> None:
    """Come back when everything that is found is answered."""
    await talk.app.catch_up.settled()
    for _ in range(3):
        await talk.app.service.settled()
        await stage.clock.advance(4)
        await stage.passes(talk, lambda _: not talk.app.conversations.active and not stage.shell.feed.waiting)
        await talk.app.relay.settled()
        await talk.app.outbox.idle()


def write_unheard(stage: Stage, *words: str) -> MemoryChat:
    """Ada writes, and the app tells nobody."""
    ada = stage.shell.private_chat("Ada")
    for one in words:
        ada.say(one)
    stage.shell.feed.lose()
    return ada


async def test_what_was_written_meanwhile_is_said_and_answered(stage: Stage) -> None:
    async with stage.life() as talk:
        await talk.say("hello")
    before = len(talk.ada.texts)
    await stage.clock.advance(HOUR)
    write_unheard(stage, "one", "two", "three")
    at = f"{stage.clock.now().astimezone():%H:%M}"

    async with stage.life() as talk:
        await stage.passes(talk, lambda room: "three" in room.texts[-1])

    line, *answers = talk.ada.texts[before:]
    assert line == f"I was away. I have read the 3 messages you sent since {at}."
    assert [word for word in ("one", "two", "three") if word in " ".join(answers)] == ["one", "two", "three"]


async def test_one_message_is_one_message(stage: Stage) -> None:
    async with stage.life() as talk:
        before = len(talk.ada.texts)
    await stage.clock.advance(HOUR)
    write_unheard(stage, "one")
    at = f"{stage.clock.now().astimezone():%H:%M}"

    async with stage.life() as talk:
        await stage.passes(talk, lambda room: room.texts[-1] == "one")
        await settled(stage, talk)

    assert talk.ada.texts[before:] == (f"I was away. I have read the message you sent at {at}.", "one")


async def test_nothing_is_said_where_nothing_was_missed(stage: Stage) -> None:
    async with stage.life() as talk:
        await talk.say("hello")
        before = len(talk.ada.texts)

    async with stage.life() as talk:
        await settled(stage, talk)

    assert talk.ada.texts[before:] == ()


@pytest.mark.report("R025")
async def test_what_a_broken_connection_lost_is_read_when_it_works_again(stage: Stage, talk: Talk) -> None:
    await settled(stage, talk)
    before = len(talk.ada.texts)
    stage.shell.feed.break_off(TryLater("gone"))
    await stage.clock.advance(0.5)
    write_unheard(stage, "lost")

    await stage.passes(talk, lambda room: room.texts[-1] == "lost")
    await settled(stage, talk)

    assert len(talk.ada.texts) == before + 2


@pytest.mark.report("R025")
async def test_what_comes_on_two_roads_is_answered_once(stage: Stage) -> None:
    async with stage.life() as talk:
        before = len(talk.ada.texts)
    await stage.clock.advance(HOUR)
    stage.shell.private_chat("Ada").say("both")

    async with stage.life() as talk:
        await stage.passes(talk, lambda room: "both" in room.texts)
        await settled(stage, talk)

    assert [text for text in talk.ada.texts[before:] if text == "both"] == ["both"]


async def test_nobody_was_away_when_a_message_is_read_that_is_just_coming_in(stage: Stage) -> None:
    async with stage.life() as talk:
        before = len(talk.ada.texts)
    await stage.clock.advance(HOUR)
    stage.shell.faults.add(Call.MISSED, TryLater("busy", retry_after=20.0))

    async with stage.life() as talk:
        await stage.clock.advance(1.0)
        write_unheard(stage, "now")
        await stage.passes(talk, lambda room: room.texts[-1] == "now", step=1.0)
        await settled(stage, talk)

    assert talk.ada.texts[before:] == ("now",)


async def test_an_app_that_is_busy_is_asked_again(stage: Stage) -> None:
    async with stage.life() as talk:
        before = len(talk.ada.texts)
    await stage.clock.advance(HOUR)
    write_unheard(stage, "one")
    stage.shell.faults.add(Call.MISSED, TryLater("busy", retry_after=20.0), times=2)

    async with stage.life() as talk:
        early = len(talk.ada.texts)
        await stage.passes(talk, lambda room: room.texts[-1] == "one", step=1.0)

    assert early == before
    assert len(talk.ada.texts) == before + 2


@pytest.mark.report("R025")
async def test_what_an_earlier_life_did_not_get_to_read_is_not_hidden_by_what_it_heard(stage: Stage) -> None:
    async with stage.life() as talk:
        await talk.say("hello")
    await stage.clock.advance(HOUR)
    write_unheard(stage, "missed")
    await stage.clock.advance(HOUR)
    stage.shell.faults.add(Call.MISSED, TryLater("busy", retry_after=10 * HOUR))
    async with stage.life() as talk:
        await talk.say("heard")

    async with stage.life() as talk:
        await stage.passes(talk, lambda room: any("missed" in text for text in room.texts))
        await settled(stage, talk)

    assert [text for text in talk.ada.texts if text == "missed"] == ["missed"]
    assert [text for text in talk.ada.texts if text == "heard"] == ["heard"]


async def test_what_is_older_than_a_day_is_said_once_and_not_answered(stage: Stage) -> None:
    async with stage.life() as talk:
        await talk.say("hello")
    before = len(talk.ada.texts)
    await stage.clock.advance(HOUR)
    write_unheard(stage, "old")
    await stage.clock.advance(25 * HOUR)

    for _ in range(2):
        async with stage.life() as talk:
            await settled(stage, talk)

    assert talk.ada.texts[before:] == (
        "I was away. What you sent me more than a day ago I did not answer. If it still matters, send it again.",
    )


async def test_a_chat_of_which_the_inbox_knows_nothing_is_read_a_day_back(stage: Stage) -> None:
    async with stage.life() as talk:
        before = len(talk.ada.texts)
        await talk.app.database.write(lambda connection: connection.execute(delete(tables.inbox)))
    await stage.clock.advance(25 * HOUR)
    write_unheard(stage, "one")

    async with stage.life() as talk:
        await stage.passes(talk, lambda room: room.texts[-1] == "one")

    assert len(talk.ada.texts) == before + 2


async def test_more_than_can_be_read_is_said(stage: Stage) -> None:
    async with stage.life() as talk:
        before = len(talk.ada.texts)
    await stage.clock.advance(HOUR)
    write_unheard(stage, *(f"word {number}" for number in range(MOST + 2)))

    async with stage.life() as talk:
        await talk.app.catch_up.settled()
        await stage.passes(talk, lambda room: len(room.texts) > before)

    assert f"the {MOST} messages" in talk.ada.texts[before]
    assert talk.ada.texts[before].endswith("You sent more after those, which I did not read. Please send them again.")


async def test_groups_and_people_who_are_not_let_in_are_not_read(stage: Stage) -> None:
    async with stage.life() as talk:
        group = stage.shell.group("Team", talk.ada.people[0])
        await settled(stage, talk)
        await talk.app.groups.switch(talk.channel_id, group.id, True)
    eve = stage.shell.private_chat("Eve")
    await stage.clock.advance(timedelta(hours=1).total_seconds())
    group.say("hello", mentioned=True)
    eve.say("hello", by=Sender("eve", "Eve"))
    stage.shell.feed.lose()

    async with stage.life() as talk:
        await settled(stage, talk)

    assert (group.texts, eve.texts) == ((), ())
