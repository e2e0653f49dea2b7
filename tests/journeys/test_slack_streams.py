"""An answer in a Slack thread is one message in the end, whatever goes wrong while it is written."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from channels.emulators.phone import Phone
from core.engines.base import Text, TurnInput
from core.engines.script import Steps, Wait
from tests.core.lives import Holding
from tests.journeys.apps import Group, Member, SlackUnderTest, now, said, under_test
from tests.journeys.living import FastClock, until

WORDS = ("One, ", "two, ", "three.")


@pytest.fixture
async def slack() -> AsyncIterator[SlackUnderTest]:
    async with under_test("slack") as app:
        assert isinstance(app, SlackUnderTest)
        yield app


def counting(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
    """In three pieces, with time between them to be seen."""
    for word in WORDS:
        yield Text(word)
        yield Wait(1.5)


def very_long(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
    """More than Slack takes in one message, a line at a time."""
    for number in range(400):
        yield Text(f"{number:03} is a line of an answer that is longer than a message of Slack's may be.\n\n")
        if number % 80 == 0:
            yield Wait(1.5)


async def answered(group: Group, ada: Member) -> Phone:
    """Ask in the group; the thread when all is said there."""
    asked = await group.screen(ada).mention("count")
    talk = group.talk(ada, asked)
    await talk.wait_for(lambda messages: any("three." in m.text and m.is_answer for m in messages), timeout=20)
    await until(lambda: "eyes" not in now(talk, asked).reactions)
    return talk


@pytest.mark.report("R023", "R167")
async def test_preview_and_answer_are_one_message_and_the_eyes_go(tmp_path: Path, slack: SlackUnderTest) -> None:
    async with slack.living(tmp_path, script=counting, clock=FastClock()) as app:
        ada = await slack.owner_of(app)
        talk = await answered(await slack.group(app, [ada]), ada)

    assert said(talk) == ["One, two, three."]
    assert slack.pretend.calls("chat.startStream")


@pytest.mark.report("R023")
async def test_in_a_thread_of_a_private_chat_it_is_one_message_too(tmp_path: Path, slack: SlackUnderTest) -> None:
    async with slack.living(tmp_path, script=counting, clock=FastClock()) as app:
        ada = await slack.owner_of(app)
        first = await ada.chat.say("count")
        await ada.chat.wait_for_answer()
        await ada.chat.say("again", thread=first.id)
        await ada.chat.wait_for(lambda messages: [m for m in messages if m.thread == first.id and m.is_answer])

    assert [m.text for m in ada.chat.in_thread(first.id) if m.by_bot] == ["One, two, three."]
    assert len(slack.pretend.calls("chat.startStream")) == 1


@pytest.mark.report("R051", "R043")
async def test_an_answer_longer_than_a_stream_may_be_arrives_whole(tmp_path: Path, slack: SlackUnderTest) -> None:
    async with slack.living(tmp_path, script=very_long, clock=FastClock()) as app:
        ada = await slack.owner_of(app)
        group = await slack.group(app, [ada])
        asked = await group.screen(ada).mention("a lot")
        talk = group.talk(ada, asked)
        await talk.wait_for(
            lambda messages: any("399 is a line" in m.text and m.is_answer for m in messages), timeout=30
        )
        everything = "\n".join(said(talk))

    assert [everything.count(f"{number:03} is a line") for number in range(400)] == [1] * 400
    assert all(len(text) <= 12_000 for text in said(talk))


@pytest.mark.report("R053", "R167")
@pytest.mark.parametrize("method", ["chat.appendStream", "chat.stopStream", "chat.startStream"])
@pytest.mark.parametrize("fault", ["msg_too_long", "ratelimited", "internal_error", "lost"])
async def test_whatever_becomes_of_a_stream_the_answer_is_there_once(
    tmp_path: Path, slack: SlackUnderTest, method: str, fault: str
) -> None:
    async with slack.living(tmp_path, script=counting, clock=FastClock()) as app:
        ada = await slack.owner_of(app)
        group = await slack.group(app, [ada])
        slack.pretend.faults.add(fault, method=method, seconds=3)
        asked = await group.screen(ada).mention("count")
        talk = group.talk(ada, asked)
        await talk.wait_for(lambda messages: any(m.text == "One, two, three." and m.is_answer for m in messages))

    finals = [message for message in talk.messages if message.by_bot and message.text == "One, two, three."]
    begun = [message for message in talk.messages if message.by_bot and message.text != "One, two, three."]
    assert len(finals) == 1
    # Of a beginning whose receipt was lost nobody knows that it is there.
    assert len(begun) <= (method == "chat.startStream" and fault in ("lost", "internal_error"))


@pytest.mark.report("R053")
async def test_where_slack_takes_no_more_words_the_answer_is_a_new_message(
    tmp_path: Path, slack: SlackUnderTest
) -> None:
    async with slack.living(tmp_path, script=counting, clock=FastClock()) as app:
        ada = await slack.owner_of(app)
        group = await slack.group(app, [ada])
        slack.pretend.faults.add("msg_too_long", method="chat.stopStream")
        slack.pretend.faults.add("msg_too_long", method="chat.update")
        talk = await answered(group, ada)

    assert said(talk) == ["One, two, three."]
    assert len(slack.pretend.calls("chat.postMessage")) > len(slack.pretend.calls("chat.delete")) == 1


@pytest.mark.report("R167")
async def test_a_message_that_is_deleted_while_it_is_written_is_said_anew(
    tmp_path: Path, slack: SlackUnderTest
) -> None:
    script = Holding()
    async with slack.living(tmp_path, script=script, clock=FastClock()) as app:
        ada = await slack.owner_of(app)
        group = await slack.group(app, [ada])
        asked = await group.screen(ada).mention("wait")
        talk = group.talk(ada, asked)
        begun = await talk.wait_for(lambda messages: next((m for m in messages if m.streaming), None))
        assert begun is not None
        room = slack.pretend.world.chats[group.id]
        slack.pretend.world.delete(room.messages[begun.id])
        script.go.set()
        answer = await talk.wait_for_answer()

    assert answer.text == "so far, and so on"
    assert said(talk) == ["so far, and so on"]
