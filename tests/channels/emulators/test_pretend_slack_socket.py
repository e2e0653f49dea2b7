"""Socket Mode with the real SDK: what an app is told, and what people see of its answers."""

import re
from collections.abc import AsyncIterator
from typing import Any

import pytest
from slack_bolt.async_app import AsyncApp

from channels.emulators.slack.pretend import PretendSlack
from core.clock import ManualClock
from tests.channels.emulators.slack_rig import Heard, app, connected

BUTTONS: list[dict[str, Any]] = [
    {"type": "section", "text": {"type": "mrkdwn", "text": "*Really?*"}},
    {
        "type": "actions",
        "elements": [
            {"type": "button", "action_id": "a1", "value": "v1", "text": {"type": "plain_text", "text": "Yes"}},
            {"type": "button", "action_id": "a2", "value": "v2", "text": {"type": "plain_text", "text": "No"}},
        ],
    },
]


@pytest.fixture
async def slack(clock: ManualClock) -> AsyncIterator[PretendSlack]:
    async with PretendSlack(clock=clock) as slack:
        yield slack


@pytest.fixture
def heard() -> Heard:
    return Heard()


@pytest.fixture
def bolt(slack: PretendSlack, heard: Heard) -> AsyncApp:
    bolt = app(slack)

    @bolt.event("message")
    async def on_message(event: dict[str, Any]) -> None:
        await heard.put(event)

    @bolt.event("app_mention")
    async def on_mention(event: dict[str, Any]) -> None:
        await heard.put(event)

    @bolt.action(re.compile("a.*"))
    async def on_action(ack: Any, body: dict[str, Any], respond: Any) -> None:
        await ack()
        await heard.put(body)
        await respond(text="taken")

    @bolt.command("/conch")
    async def on_command(ack: Any, body: dict[str, Any], respond: Any) -> None:
        await ack()
        await heard.put(body)
        await respond(text="*Done* & well", response_type="in_channel")

    return bolt


async def test_a_direct_message_reaches_the_app_and_its_answer_the_person(
    slack: PretendSlack, bolt: AsyncApp, heard: Heard
) -> None:
    chat = slack.person("Ann").private_chat()

    async with connected(slack, bolt):
        said = await chat.say("a < b & c")
        event = await heard.next()
        await bolt.client.chat_postMessage(channel=event["channel"], text="*yes* <https://x.yz|here> &lt;")

    assert (event["text"], event["channel_type"], event["ts"]) == ("a &lt; b &amp; c", "im", said.id)
    assert said.text == "a < b & c"
    assert chat.answers[0].text == "yes here <"


async def test_a_mention_in_a_channel_comes_twice_with_one_ts(
    slack: PretendSlack, bolt: AsyncApp, heard: Heard
) -> None:
    ann = slack.person("Ann")
    chat = slack.channel("general", [ann]).screen(ann)

    async with connected(slack, bolt):
        said = await chat.mention("hello")
        events = [await heard.next(), await heard.next()]

    assert sorted(event["type"] for event in events) == ["app_mention", "message"]
    assert {event["ts"] for event in events} == {said.id}
    assert {event["text"] for event in events} == {f"<@{slack.bot.user_id}> hello"}
    assert said.text == "@Pretend hello"


async def test_a_press_brings_the_value_and_its_answer_is_seen_by_one_person(
    slack: PretendSlack, bolt: AsyncApp, heard: Heard
) -> None:
    ann, bob = slack.person("Ann"), slack.person("Bob")
    room = slack.channel("general", [ann, bob])
    chat = room.screen(ann)

    async with connected(slack, bolt):
        await bolt.client.chat_postMessage(channel=room.id, text="Really?", blocks=BUTTONS)
        press = await chat.press(chat.answers[0], "No")
        answer = await chat.answer_to(press)

    await heard.next()
    body = await heard.next()
    assert body["actions"][0]["value"] == "v2"
    assert body["user"]["id"] == ann.id
    assert answer.text == "taken"
    assert [message.text for message in chat.answers] == ["Really?", "taken"]
    assert [message.text for message in room.screen(bob).answers] == ["Really?"]


async def test_a_command_is_answered_for_all_to_see(slack: PretendSlack, bolt: AsyncApp, heard: Heard) -> None:
    ann = slack.person("Ann")
    chat = slack.channel("general", [ann]).screen(ann)

    async with connected(slack, bolt):
        await chat.command("goal Learn <Spanish>")
        body = await heard.next()
        answer = await chat.wait_for_answer()
        await chat.wait_until(lambda: slack.envelopes("slash_commands")[0].acked or None)

    assert (body["command"], body["text"]) == ("/conch", "goal Learn &lt;Spanish&gt;")
    assert answer.text == "Done & well"
    assert [message.sender for message in chat.messages] == ["Pretend"]


async def test_an_acknowledgement_is_numbered_after_what_came_before_it(
    slack: PretendSlack, bolt: AsyncApp, heard: Heard
) -> None:
    chat = slack.person("Ann").private_chat()

    async with connected(slack, bolt):
        await chat.say("hello")
        await heard.next()
        await chat.wait_until(lambda: slack.envelopes()[0].acked or None)

    sent = slack.envelopes("events_api")[0]
    assert sent.acked_order is not None
    assert sent.sent_order < sent.acked_order
