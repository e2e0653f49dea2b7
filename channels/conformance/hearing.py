"""Promises about what comes in: heard once, under an id that stays, from people alone, and in its place."""

from datetime import timedelta
from typing import Final

from channels.abilities import History, Presses, Threads
from channels.base import Button, InboundMessage, Press
from channels.choices import has_buttons
from channels.conformance.promise import NotAsked, Promise, lacking, listening, unfit, words
from channels.conformance.rig import Rig, WritesInThreads


async def what_a_person_writes_is_heard(rig: Rig) -> None:
    """A message comes in once, with its sender and chat."""
    async with listening(rig) as ear:
        await rig.say("hello")
        (message,) = await ear.until_heard(InboundMessage)

    assert isinstance(message, InboundMessage)
    assert (message.text, message.chat) == ("hello", rig.chat)
    assert message.sender.id
    assert not message.sender.is_bot


async def the_bot_never_hears_itself(rig: Rig) -> None:
    """Neither on the line nor in a payload that tells of its own message."""
    own = rig.own_message()
    async with listening(rig) as ear:
        await rig.channel.send(rig.chat, words("my own words"))
        await rig.say("a person's words")
        await ear.until_heard(InboundMessage)

    assert own is None or not rig.channel.parse(own)
    assert [item.text for item in ear.heard if isinstance(item, InboundMessage)] == ["a person's words"]


async def nothing_is_acknowledged_before_it_is_stored(rig: Rig) -> None:
    """What could not be stored is offered again under the same id, and heard once."""
    async with listening(rig) as ear:
        ear.full = 2
        await rig.say("keep this")
        await ear.until_heard(InboundMessage)

    assert len({update.update_id for update in ear.offered}) == 1
    assert len(ear.offered) == 3
    assert len(ear.stored) == 1


async def an_unstored_update_is_heard_by_the_next_life(rig: Rig) -> None:
    """Who stops listening without having stored anything hears it again later, under the id that it had."""
    async with listening(rig) as ear:
        ear.full = 1_000
        await rig.say("keep this too")
        await ear.was_offered.wait()
    async with listening(rig) as later:
        (message,) = await later.until_heard(InboundMessage)

    assert isinstance(message, InboundMessage)
    assert message.text == "keep this too"
    assert message.update_id == ear.offered[0].update_id


async def what_was_stored_always_means_the_same(rig: Rig) -> None:
    """A payload that is parsed again, after a restart, say, is the same thing under the id that it was stored by."""
    async with listening(rig) as ear:
        await rig.say("mean this")
        await ear.until_heard(InboundMessage)
    (update,) = ear.stored
    once, twice = rig.channel.parse(update.payload), rig.channel.parse(update.payload)

    assert list(once) == list(twice) == ear.heard
    assert [item.update_id for item in once if isinstance(item, InboundMessage)] == [update.update_id]


async def a_press_reaches_the_core_once(rig: Rig) -> None:
    """A button brings back its token, its message and who pressed it."""
    channel = rig.channel
    if not isinstance(channel, Presses) or not has_buttons(channel.capabilities):
        raise lacking(Presses)
    async with listening(rig) as ear:
        sent = await channel.send(rig.chat, words("choose", Button("Yes", token="tok-1"), Button("No", token="tok-2")))
        await rig.press("No")
        await ear.until_heard(Press)
        await rig.say("and that was it")
        await ear.until_heard(InboundMessage)
        (press,) = await ear.until_heard(Press)
        assert isinstance(press, Press)
        await channel.answer_press(press, "done")

    assert (press.token, press.message.message_id) == ("tok-2", sent.message_id)
    assert press.sender.id


async def an_answer_to_a_thread_stays_in_it(rig: Rig) -> None:
    """What is said in a thread has it as its chat, and what is sent to that chat stands there and nowhere else.

    By however many roads it comes: it has one id, so that it counts once.
    """
    if not isinstance(rig, WritesInThreads):
        if isinstance(rig.channel, Threads):
            raise unfit(rig, WritesInThreads, "Threads")
        raise NotAsked("the app has no threads that this rig knows of; instead: a group is one room")
    async with listening(rig) as ear:
        await rig.say_in_thread("asked in here")
        (message, *again) = await ear.until_heard(InboundMessage)
        assert isinstance(message, InboundMessage)
        sent = await rig.channel.send(message.chat, words("answered in here"))

    assert all(isinstance(item, InboundMessage) and item.update_id == message.update_id for item in again)
    assert message.text == "asked in here"
    assert message.chat.thread is not None
    assert sent.chat == message.chat
    assert list(rig.seen_in_thread()) == ["answered in here"]
    assert "answered in here" not in [*rig.seen_beside(), *rig.seen()]


async def what_is_read_later_has_the_id_that_it_came_with(rig: Rig) -> None:
    """A message that was heard and is read again from the history is the same update, so that it counts once."""
    if not isinstance(rig.channel, History):
        raise lacking(History)
    async with listening(rig) as ear:
        await rig.say("remember this")
        (message,) = await ear.until_heard(InboundMessage)
    assert isinstance(message, InboundMessage)
    since = message.at - timedelta(seconds=5)
    read = [update async for update in rig.channel.missed(rig.chat, since)]

    assert [update.update_id for update in read] == [message.update_id]
    assert [again for update in read for again in rig.channel.parse(update.payload)] == [message]


async def a_stranger_payload_is_a_value_error_or_nothing(rig: Rig) -> None:
    """Parsing never raises anything else, whatever a payload holds."""
    for payload in ({}, {"message": 7}, {"message": {"chat": None}}, {"x": [{"y": "\x00"}]}, {"update_id": "a"}):
        try:
            rig.channel.parse(payload)
        except ValueError:
            continue


HEARING: Final[tuple[Promise, ...]] = (
    what_a_person_writes_is_heard,
    the_bot_never_hears_itself,
    nothing_is_acknowledged_before_it_is_stored,
    an_unstored_update_is_heard_by_the_next_life,
    what_was_stored_always_means_the_same,
    a_press_reaches_the_core_once,
    an_answer_to_a_thread_stays_in_it,
    what_is_read_later_has_the_id_that_it_came_with,
    a_stranger_payload_is_a_value_error_or_nothing,
)
