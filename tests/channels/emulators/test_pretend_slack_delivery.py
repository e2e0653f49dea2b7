"""What happens to an event that nobody acknowledges, to connections that go, and to an app with a request URL."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qs

import aiohttp
import pytest
from aiohttp import web as server
from slack_sdk.signature import SignatureVerifier

from channels.emulators.listener import Listener
from channels.emulators.slack.pretend import PretendSlack
from channels.emulators.slack.screen import Screen
from core.clock import ManualClock
from tests.channels.emulators.conftest import asleep
from tests.channels.emulators.slack_rig import Heard, app, connected, web


@pytest.fixture
async def slack(clock: ManualClock) -> AsyncIterator[PretendSlack]:
    async with PretendSlack(clock=clock) as slack:
        yield slack


@pytest.fixture
def chat(slack: PretendSlack) -> Screen:
    return slack.person("Ann").private_chat()


class Link:
    """A bare Socket Mode connection that acknowledges only what it is told to."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.socket = socket

    async def next(self) -> dict[str, Any]:
        async with asyncio.timeout(5):
            said: dict[str, Any] = await self.socket.receive_json()
        return said

    async def ack(self, envelope: Mapping[str, Any], **payload: Any) -> None:
        answer = {"payload": payload} if payload else {}
        await self.socket.send_json({"envelope_id": envelope["envelope_id"]} | answer)


@asynccontextmanager
async def link(slack: PretendSlack) -> AsyncIterator[Link]:
    opened = await web(slack).apps_connections_open(app_token=slack.bot.app_token)
    async with aiohttp.ClientSession() as session, session.ws_connect(opened["url"]) as socket:
        connection = Link(socket)
        hello = await connection.next()
        assert hello["type"] == "hello"
        yield connection


async def test_an_event_comes_again_until_it_is_acknowledged(
    slack: PretendSlack, chat: Screen, clock: ManualClock
) -> None:
    async with link(slack) as connection:
        await chat.say("hello")
        first = await connection.next()
        await asleep(clock)
        await clock.advance(3)
        second = await connection.next()
        await connection.ack(second)
        await chat.wait_until(lambda: slack.envelopes()[-1].acked or None)

    assert (first["retry_attempt"], second["retry_attempt"]) == (0, 1)
    assert second["retry_reason"] == "timeout"
    assert first["payload"]["event_id"] == second["payload"]["event_id"]
    assert first["envelope_id"] != second["envelope_id"]
    assert [sent.acked for sent in slack.envelopes()] == [False, True]


async def test_an_event_is_given_up_after_three_more_times(
    slack: PretendSlack, chat: Screen, clock: ManualClock
) -> None:
    async with link(slack) as connection:
        await chat.say("hello")
        attempts = [(await connection.next())["retry_attempt"]]
        for pause in (0, 60, 300):
            await asleep(clock)
            await clock.advance(3)
            if pause:
                await asleep(clock)
                await clock.advance(pause)
            attempts.append((await connection.next())["retry_attempt"])
        await asleep(clock)
        await clock.advance(3)

    assert attempts == [0, 1, 2, 3]
    assert clock.sleeping == 0


async def test_an_event_waits_for_a_connection_for_three_seconds(slack: PretendSlack, chat: Screen) -> None:
    await chat.say("hello")

    async with link(slack) as connection:
        envelope = await connection.next()

    assert envelope["payload"]["event"]["text"] == "hello"
    assert envelope["retry_attempt"] == 0


async def test_an_event_on_a_connection_that_goes_comes_over_the_next_one(slack: PretendSlack, chat: Screen) -> None:
    async with link(slack) as connection:
        await chat.say("hello")
        await connection.next()

    async with link(slack) as connection:
        again = await connection.next()

    assert again["retry_attempt"] == 1


async def test_an_acknowledgement_that_is_lost_brings_the_event_once_more(slack: PretendSlack, chat: Screen) -> None:
    slack.faults.add("lost_ack", method="events_api")

    async with link(slack) as connection:
        await chat.say("hello")
        await connection.ack(await connection.next())
        again = await connection.next()

    assert again["retry_attempt"] == 1


async def test_a_command_that_nobody_acknowledges_says_so_to_its_person(
    slack: PretendSlack, chat: Screen, clock: ManualClock
) -> None:
    async with link(slack):
        press = await chat.slash("/conch", "goal")
        await asleep(clock)
        await clock.advance(3)

        with pytest.raises(LookupError, match="operation_timeout"):
            await chat.answer_to(press)

    assert [(m.sender, m.ephemeral) for m in chat.messages] == [("Slackbot", True)]


async def test_a_press_that_nobody_acknowledges_says_so_to_its_person(
    slack: PretendSlack, chat: Screen, clock: ManualClock
) -> None:
    element = {"type": "button", "action_id": "a", "value": "v", "text": {"type": "plain_text", "text": "Go"}}
    slack.bot.events.clear()
    await web(slack).chat_postMessage(
        channel=chat.chat.id, text="x", blocks=[{"type": "actions", "elements": [element]}]
    )

    press = await chat.press(chat.answers[0], "Go")
    await asleep(clock)
    await clock.advance(3)

    with pytest.raises(LookupError, match="did not respond"):
        await chat.answer_to(press)
    assert [envelope.attempt for envelope in slack.envelopes("interactive")] == [0]


async def test_an_acknowledgement_of_a_command_can_carry_the_answer(slack: PretendSlack, chat: Screen) -> None:
    async with link(slack) as connection:
        press = await chat.slash("/conch")
        envelope = await connection.next()
        await connection.ack(envelope, text="*here*")
        answer = await chat.answer_to(press)

    assert envelope["accepts_response_payload"] is True
    assert answer.text == "*here*"
    assert [(m.text, m.ephemeral) for m in chat.messages] == [("here", True)]


async def test_events_go_to_any_one_of_several_connections(slack: PretendSlack, chat: Screen) -> None:
    async with link(slack) as one, link(slack) as other:
        for word in ("a", "b"):
            await chat.say(word)
        heard = [await one.next(), await other.next()]

    assert sorted(envelope["payload"]["event"]["text"] for envelope in heard) == ["a", "b"]


@pytest.mark.parametrize("reason", ["refresh_requested", "warning", "link_disabled"])
async def test_the_sdk_comes_back_when_it_is_told_to_go(slack: PretendSlack, chat: Screen, reason: str) -> None:
    heard, bolt = Heard(), app(slack)

    @bolt.event("message")
    async def on_message(event: dict[str, Any]) -> None:
        await heard.put(event)

    async with connected(slack, bolt):
        await slack.disconnect(reason)
        async with asyncio.timeout(5):
            await slack.connected()
        await chat.say("after")
        event = await heard.next()

    assert event["text"] == "after"


async def test_what_was_said_while_slack_was_away_arrives(slack: PretendSlack, chat: Screen) -> None:
    async with slack.unreachable():
        await chat.say("hello")

    async with link(slack) as connection:
        envelope = await connection.next()

    assert envelope["payload"]["event"]["text"] == "hello"


async def test_an_app_is_not_told_what_it_may_not_hear(slack: PretendSlack, chat: Screen) -> None:
    slack.bot.scopes.discard("im:history")

    await chat.say("hello")

    assert slack.envelopes() == []


class Hook:
    """An app's request URL; `status` is what it answers."""

    def __init__(self, slack: PretendSlack) -> None:
        self.verifier = SignatureVerifier(slack.bot.signing_secret)
        self.heard: asyncio.Queue[tuple[Mapping[str, str], bytes]] = asyncio.Queue()
        self.answers: list[server.Response] = []
        self.valid: list[bool] = []

    async def __call__(self, request: server.BaseRequest) -> server.StreamResponse:
        body = await request.read()
        at = request.headers["X-Slack-Request-Timestamp"]
        signature = self.verifier.generate_signature(timestamp=at, body=body)
        self.valid.append(signature == request.headers["X-Slack-Signature"])
        if request.content_type == "application/json" and json.loads(body)["type"] == "url_verification":
            return server.json_response({"challenge": json.loads(body)["challenge"]})
        await self.heard.put((request.headers, body))
        return self.answers.pop(0) if self.answers else server.Response()

    async def next(self) -> tuple[Mapping[str, str], bytes]:
        async with asyncio.timeout(5):
            return await self.heard.get()


@pytest.fixture
async def hook(slack: PretendSlack) -> AsyncIterator[Hook]:
    hook = Hook(slack)
    listener = Listener(hook)
    await listener.start()
    await slack.set_request_url(f"http://127.0.0.1:{listener.port}/slack")
    yield hook
    await listener.stop()


async def test_events_commands_and_presses_are_posted_with_a_signature(
    slack: PretendSlack, chat: Screen, hook: Hook
) -> None:
    element = {"type": "button", "action_id": "a", "value": "v", "text": {"type": "plain_text", "text": "Go"}}

    await chat.say("hello")
    _, event = await hook.next()
    await chat.command("goal x")
    _, command = await hook.next()
    slack.bot.events.clear()
    await web(slack).chat_postMessage(
        channel=chat.chat.id, text="x", blocks=[{"type": "actions", "elements": [element]}]
    )
    await chat.press(chat.answers[-1], "Go")
    _, press = await hook.next()

    assert json.loads(event)["event"]["text"] == "hello"
    assert parse_qs(command.decode())["text"] == ["goal x"]
    assert json.loads(parse_qs(press.decode())["payload"][0])["actions"][0]["value"] == "v"
    assert hook.valid == [True] * 4


async def test_an_event_that_is_answered_with_an_error_is_posted_again(
    slack: PretendSlack, chat: Screen, hook: Hook
) -> None:
    hook.answers = [server.Response(status=500)]

    await chat.say("hello")
    first, _ = await hook.next()
    again, _ = await hook.next()

    assert "X-Slack-Retry-Num" not in first
    assert (again["X-Slack-Retry-Num"], again["X-Slack-Retry-Reason"]) == ("1", "http_error")


async def test_an_app_can_ask_not_to_be_tried_again(slack: PretendSlack, chat: Screen, hook: Hook) -> None:
    hook.answers = [server.Response(status=500, headers={"X-Slack-No-Retry": "1"})]

    await chat.say("one")
    await hook.next()
    await chat.say("two")
    _, body = await hook.next()

    assert json.loads(body)["event"]["text"] == "two"


async def test_an_address_that_does_not_repeat_the_challenge_is_not_taken(slack: PretendSlack) -> None:
    async def deaf(_: server.BaseRequest) -> server.StreamResponse:
        return server.Response(text="what?")

    listener = Listener(deaf)
    await listener.start()

    with pytest.raises(ValueError, match="challenge"):
        await slack.set_request_url(f"http://127.0.0.1:{listener.port}/")

    await listener.stop()
    assert slack.bot.request_url is None
