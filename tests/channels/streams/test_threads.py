"""Threads of groups: who asked there is read on, and where that cannot be, people are told once how to go on."""

import pytest

from channels.base import Sender
from channels.groups import OFF
from channels.memory.channel import MemoryChannel
from channels.memory.chat import MemoryChat
from channels.memory.streaming import MentionedChannel, StreamingChannel
from channels.threads import MENTION_ME
from tests.channels.commands.talking import Talk
from tests.channels.streams.conftest import Stage

EVE = Sender("eve", "Eve")
BOB = Sender("bob", "Bob")


async def thread_in(stage: Stage, talk: Talk, name: str = "t1", *, on: bool = True) -> MemoryChat:
    """A thread in a group."""
    group = stage.shell.group("Team", talk.ada.people[0], EVE, BOB)
    await stage.passes(talk, lambda _: not stage.shell.feed.waiting)
    await talk.app.service.settled()
    await talk.app.groups.switch(talk.channel_id, group.id, on)
    return stage.shell.thread(group, name)


async def ask(stage: Stage, talk: Talk, thread: MemoryChat, words: str, **more: object) -> None:
    """Mention the bot, and wait for the answer."""
    thread.say(words, mentioned=True, **more)  # type: ignore[arg-type]
    await stage.passes(talk, lambda room: words in room.texts, thread)


async def heard(stage: Stage, talk: Talk, thread: MemoryChat) -> tuple[str, ...]:
    """What the bot said once everything is seen through."""
    for _ in range(3):
        await stage.passes(talk, lambda _: not stage.shell.feed.waiting and not talk.app.conversations.active)
        await talk.app.service.settled()
        await stage.clock.advance(4)
        await talk.app.relay.settled()
        await talk.app.outbox.idle()
    return thread.texts


async def test_who_asked_in_a_thread_is_read_on(stage: Stage, talk: Talk) -> None:
    thread = await thread_in(stage, talk)
    await ask(stage, talk, thread, "first")

    thread.say("second")
    await stage.passes(talk, lambda room: "second" in room.texts, thread)

    assert thread.texts == ("first", "second")


async def test_who_did_not_ask_there_is_not_read(stage: Stage, talk: Talk) -> None:
    thread = await thread_in(stage, talk)
    await ask(stage, talk, thread, "first")

    thread.say("not for you", by=EVE)

    assert await heard(stage, talk, thread) == ("first",)


async def test_a_guest_who_asked_there_is_read_on(stage: Stage, talk: Talk) -> None:
    thread = await thread_in(stage, talk)
    await ask(stage, talk, thread, "first", by=EVE)

    thread.say("second", by=EVE)
    await stage.passes(talk, lambda room: "second" in room.texts, thread)

    assert thread.texts == ("first", "second")


async def test_what_replies_to_somebody_else_is_not_read(stage: Stage, talk: Talk) -> None:
    thread = await thread_in(stage, talk)
    await ask(stage, talk, thread, "first")
    theirs = thread.say("I think so", by=EVE)

    thread.say("do you?", reply_to=theirs)

    assert await heard(stage, talk, thread) == ("first",)


async def test_another_thread_is_another_room(stage: Stage, talk: Talk) -> None:
    thread = await thread_in(stage, talk)
    await ask(stage, talk, thread, "first")
    group = stage.shell.find_chat(thread.id, None)
    other = stage.shell.thread(group, "t2")

    other.say("second")
    group.say("third")

    assert await heard(stage, talk, other) == ()
    assert group.texts == ()


async def test_in_a_group_that_is_off_nothing_is_read_on(stage: Stage, talk: Talk) -> None:
    thread = await thread_in(stage, talk)
    await ask(stage, talk, thread, "first")
    await talk.app.groups.switch(talk.channel_id, thread.id, False)

    thread.say("second")

    assert await heard(stage, talk, thread) == ("first",)
    assert OFF not in thread.texts


@pytest.mark.parametrize(("channel", "hints"), [(MentionedChannel, 1), (StreamingChannel, 0), (MemoryChannel, 0)])
async def test_where_only_mentions_are_read_that_is_said_once_in_a_thread(
    stage: Stage, channel: type[MemoryChannel], hints: int
) -> None:
    stage.channel = channel
    async with stage.life() as talk:
        thread = await thread_in(stage, talk)
        await ask(stage, talk, thread, "first")
        await ask(stage, talk, thread, "second")
        await ask(stage, talk, thread, "third", by=BOB)

        said = await heard(stage, talk, thread)

    assert [text for text in said if text != MENTION_ME] == ["first", "second", "third"]
    assert said.count(MENTION_ME) == hints
    assert said[1 : 1 + hints] == (MENTION_ME,) * hints


async def test_where_only_mentions_are_read_nothing_else_is(stage: Stage) -> None:
    stage.channel = MentionedChannel
    async with stage.life() as talk:
        thread = await thread_in(stage, talk)
        await ask(stage, talk, thread, "first")

        thread.say("second")

        assert await heard(stage, talk, thread) == ("first", MENTION_ME)
