"""What Slack brings: acknowledged once it is stored and before anything else, and answered once whatever it does."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from channels.emulators.slack.envelopes import EVENTS, INTERACTIVE, SLASH, Envelope
from channels.emulators.slack.pretend import PretendSlack
from channels.slack import limits
from core.checkpoints import Checkpoint
from core.engines.base import TurnInput
from core.engines.script import CallTool, Steps
from tests.channels.slack.slack_connected import BriskClock
from tests.core.lives import HoldAt
from tests.journeys.apps import SlackUnderTest, said, under_test
from tests.journeys.living import FastClock, until
from tests.journeys.locking import locked


@pytest.fixture
async def slack() -> AsyncIterator[SlackUnderTest]:
    async with under_test("slack") as app:
        assert isinstance(app, SlackUnderTest)
        yield app


@pytest.fixture
async def hasty() -> AsyncIterator[SlackUnderTest]:
    """A Slack that brings a thing again after a moment, where the real one takes seconds and minutes."""
    async with PretendSlack(clock=BriskClock()) as pretend:
        yield SlackUnderTest(pretend)
        assert pretend.problems == []


def newest(slack: SlackUnderTest, kind: str) -> Envelope:
    envelope: Envelope = slack.pretend.envelopes(kind)[-1]
    return envelope


async def test_it_is_acknowledged_though_nothing_was_done_about_it_yet(tmp_path: Path, slack: SlackUnderTest) -> None:
    hold = HoldAt(Checkpoint.RECORDED)
    hold.go.set()
    async with slack.living(tmp_path, checkpoints=hold) as app:
        ada = await slack.owner_of(app)
        hold.reached.clear()
        hold.go.clear()

        await ada.chat.say("hello")
        await hold.reached.wait()
        await until(lambda: newest(slack, EVENTS).acked)
        before = said(ada.chat)
        hold.go.set()
        await ada.chat.wait_for_answer()

    assert before == said(ada.chat)[:-1]
    assert said(ada.chat)[-1] == "echo: hello"


async def test_it_is_not_acknowledged_before_it_is_stored(tmp_path: Path, slack: SlackUnderTest) -> None:
    hold = HoldAt(Checkpoint.RECEIVED)
    hold.go.set()
    async with slack.living(tmp_path, checkpoints=hold) as app:
        ada = await slack.owner_of(app)
        calls = len(slack.pretend.calls())
        hold.reached.clear()
        hold.go.clear()

        await ada.chat.say("hello")
        await hold.reached.wait()
        acked, called = newest(slack, EVENTS).acked, slack.pretend.calls()[calls:]
        hold.go.set()
        await ada.chat.wait_for_answer()

    assert not acked
    assert called == [], "Slack was asked for something before it was told that the message is here"


@pytest.mark.report("R025", "R129")
async def test_what_cannot_be_stored_is_brought_again_and_answered_once(tmp_path: Path, hasty: SlackUnderTest) -> None:
    async with hasty.living(tmp_path, clock=FastClock()) as app:
        ada = await hasty.owner_of(app)
        with locked(tmp_path):
            await ada.chat.say("hello")
            await until(lambda: newest(hasty, EVENTS).attempt > 0, within=20)
            first = next(one for one in hasty.pretend.envelopes(EVENTS) if "hello" in str(one.payload))
            while_locked = first.acked
        await ada.chat.wait_for(lambda messages: "echo: hello" in [seen.text for seen in messages], timeout=20)
        await until(lambda: any(one.acked and "hello" in str(one.payload) for one in hasty.pretend.envelopes(EVENTS)))

    assert not while_locked
    assert said(ada.chat).count("echo: hello") == 1


@pytest.mark.report("R025", "R005")
async def test_what_slack_brings_twice_is_answered_once(tmp_path: Path, slack: SlackUnderTest) -> None:
    async with slack.living(tmp_path) as app:
        ada = await slack.owner_of(app)
        slack.pretend.faults.add("lost_ack", method=EVENTS)

        await ada.chat.say("hello")
        await until(lambda: newest(slack, EVENTS).attempt > 0 and newest(slack, EVENTS).acked)
        await ada.chat.say("and now")
        await until(lambda: "echo: and now" in said(ada.chat))

    assert said(ada.chat)[1:] == ["echo: hello", "echo: and now"]


async def test_a_mention_that_slack_tells_in_two_ways_is_answered_once(tmp_path: Path, slack: SlackUnderTest) -> None:
    async with slack.living(tmp_path) as app:
        ada = await slack.owner_of(app)
        group = await slack.group(app, [ada])

        first = await group.ask(ada, "what now?")
        second = await group.ask(ada, "and now?")
        events = [one.payload["event"] for one in slack.pretend.envelopes(EVENTS)]
        kinds = [event["type"] for event in events if event.get("user") == ada.id and "now?" in event["text"]]

    assert sorted(kinds) == ["app_mention", "app_mention", "message", "message"]
    assert [answer.text for answer in first.talk.answers] == ["echo: what now?"]
    assert [answer.text for answer in second.talk.answers] == ["echo: and now?"]


def asks_for_a_day(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
    fields = [{"id": "day", "label": "Which day?", "kind": "date"}, {"id": "who", "label": "Who?", "kind": "text"}]
    yield CallTool("1", "ask", {"title": "Dinner", "fields": fields})


@pytest.mark.report("R087")
async def test_a_form_opens_in_time_while_nothing_can_be_written(tmp_path: Path, slack: SlackUnderTest) -> None:
    async with slack.living(tmp_path, script=asks_for_a_day) as app:
        ada = await slack.owner_of(app)
        await ada.chat.say("dinner")
        card = await ada.chat.wait_for_answer()
        with locked(tmp_path):
            form = await ada.chat.form_of(await ada.chat.press(card, "Answer…"))
            press = newest(slack, INTERACTIVE)
            await until(lambda: press.acked)

    assert form.title == "Dinner"
    assert press.acked_at is not None
    assert press.acked_at - press.sent_at < limits.ACK_SECONDS


async def test_a_command_that_cannot_be_stored_is_not_acknowledged(tmp_path: Path, hasty: SlackUnderTest) -> None:
    async with hasty.living(tmp_path, clock=FastClock()) as app:
        ada = await hasty.owner_of(app)
        with locked(tmp_path):
            lost = await ada.chat.slash("/conch", "status")
            await until(lambda: lost.failed, within=20)
            acked = newest(hasty, SLASH).acked

    assert not acked
    assert lost.failed is not None


@pytest.mark.report("R123", "R133", "R135")
@pytest.mark.parametrize("reason", ["warning", "refresh_requested"])
async def test_a_connection_that_slack_ends_is_followed_by_another(
    tmp_path: Path, slack: SlackUnderTest, reason: str
) -> None:
    async with slack.living(tmp_path, clock=FastClock()) as app:
        ada = await slack.owner_of(app)
        asked = len(slack.pretend.calls("apps.connections.open"))
        await slack.pretend.disconnect(reason)
        await until(lambda: len(slack.pretend.calls("apps.connections.open")) > asked)
        await slack.pretend.connected()
        await ada.chat.say("still there?")
        await ada.chat.wait_for_answer()

    assert said(ada.chat)[1:] == ["echo: still there?"]


@pytest.mark.report("R127", "R133")
async def test_what_is_written_while_slack_cannot_be_reached_is_answered_once(
    tmp_path: Path, slack: SlackUnderTest
) -> None:
    async with slack.living(tmp_path, clock=FastClock()) as app:
        ada = await slack.owner_of(app)
        async with slack.pretend.unreachable():
            await ada.chat.say("one")
            await ada.chat.say("two")
        await ada.chat.wait_for(lambda messages: "two" in messages[-1].text and messages[-1].by_bot, timeout=20)
        await slack.ready(app, ada.channel_id)
        await ada.chat.say("three")
        await until(lambda: "echo: three" in said(ada.chat))

    answered = "\n".join(said(ada.chat)[1:])
    assert [answered.count(word) for word in ("one", "two", "three")] == [1, 1, 1]
