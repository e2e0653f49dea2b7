"""The published list of Slack's methods as a second judge, of what comes in and of what is refused."""

import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from slack_sdk.errors import SlackApiError

from channels.emulators.slack.methods.call import NOT_PLAYED
from channels.emulators.slack.methods.table import METHODS
from channels.emulators.slack.pretend import PretendSlack
from channels.emulators.slack.rates import METHOD_TIERS
from channels.emulators.slack.schema import FILE_NAME, SchemaCheck
from core.clock import ManualClock
from tests.channels.emulators.slack_rig import web

pytestmark = pytest.mark.specs

NEWER = {"assistant.threads.setStatus": {"icon_emoji", "icon_url", "username"}}
"""Parameters that change how a bot looks; ours always looks like itself."""


@pytest.fixture(scope="module")
def schema() -> SchemaCheck:
    return SchemaCheck(Path(os.environ["CONCH_PLATFORM_SPECS"]) / FILE_NAME)


@pytest.fixture
async def judged(schema: SchemaCheck, clock: ManualClock) -> AsyncIterator[PretendSlack]:
    async with PretendSlack(clock=clock, judge=schema) as slack:
        yield slack


def test_every_method_takes_what_is_described(schema: SchemaCheck) -> None:
    described = schema.parameters()

    ours = {name: set(method.parameters) for name, method in METHODS.items()}

    assert {name: names - described[name] for name, names in ours.items() if names - described[name]} == {}
    assert {name: described[name] - names - {"team_id"} for name, names in ours.items()} == {
        name: NEWER.get(name, set()) for name in ours
    }


def test_some_parameters_are_known_but_not_played() -> None:
    assert METHODS["chat.postMessage"].parameters["icon_emoji"] is NOT_PLAYED


def test_the_tiers_are_those_of_the_list(schema: SchemaCheck) -> None:
    assert {name: schema.tier(name) for name in METHOD_TIERS} == METHOD_TIERS


async def test_a_whole_conversation_is_as_described(judged: PretendSlack) -> None:
    ann = judged.person("Ann")
    chat, room = ann.private_chat(), judged.channel("general", [ann])
    client = web(judged)
    said, asked = await chat.say("hello"), await room.screen(ann).mention("hello")

    await client.auth_test()
    await client.assistant_threads_setStatus(channel_id=chat.chat.id, thread_ts=said.id, status="thinking")
    posted = await client.chat_postMessage(channel=chat.chat.id, text="x", thread_ts=said.id)
    await client.chat_update(channel=chat.chat.id, ts=str(posted["ts"]), text="y")
    await client.reactions_add(channel=chat.chat.id, timestamp=said.id, name="eyes")
    await client.reactions_remove(channel=chat.chat.id, timestamp=said.id, name="eyes")
    await client.chat_postEphemeral(channel=room.id, user=ann.id, text="psst")
    stream = await client.chat_stream(
        channel=room.id, thread_ts=asked.id, recipient_team_id=judged.bot.team_id, recipient_user_id=ann.id
    )
    await stream.append(markdown_text="a")
    await stream.stop()
    await client.files_upload_v2(channel=chat.chat.id, filename="a.txt", content="a")
    await client.chat_delete(channel=chat.chat.id, ts=str(posted["ts"]))
    await client.views_publish(user_id=ann.id, view={"type": "home", "blocks": []})
    await client.conversations_open(users=ann.id)
    await client.conversations_history(channel=room.id)
    await client.users_info(user=ann.id)

    assert judged.problems == []
    assert [record.error for record in judged.calls()] == [None] * len(judged.calls())


async def test_every_refusal_is_one_that_is_described(judged: PretendSlack) -> None:
    ann = judged.person("Ann")
    chat = ann.private_chat()
    said = await chat.say("x")
    room, foreign = judged.channel("general", [ann]), judged.channel("them", [ann], bots=[])
    wrong: list[tuple[str, dict[str, Any]]] = [
        ("chat.postMessage", {"channel": "C404", "text": "x"}),
        ("chat.postMessage", {"channel": foreign.id, "text": "x"}),
        ("chat.postMessage", {"channel": room.id}),
        ("chat.postMessage", {"channel": room.id, "text": "x", "blocks": [{"type": "poem"}]}),
        ("chat.postMessage", {"channel": room.id, "text": "x", "markdown_text": "y"}),
        ("chat.update", {"channel": room.id, "ts": "1.0", "text": "x"}),
        ("chat.update", {"channel": chat.chat.id, "ts": said.id, "text": "x"}),
        ("chat.delete", {"channel": chat.chat.id, "ts": said.id}),
        ("chat.postEphemeral", {"channel": room.id, "user": "U404", "text": "x"}),
        ("reactions.add", {"channel": room.id, "timestamp": "1.0", "name": "eyes"}),
        ("reactions.add", {"channel": chat.chat.id, "timestamp": said.id, "name": ":eyes:"}),
        ("reactions.remove", {"channel": chat.chat.id, "timestamp": said.id, "name": "eyes"}),
        ("chat.appendStream", {"channel": chat.chat.id, "ts": said.id, "markdown_text": "x"}),
        ("views.open", {"trigger_id": "x", "view": {"type": "modal"}}),
        ("conversations.open", {"users": "U404"}),
        ("conversations.history", {"channel": "C404"}),
        ("conversations.replies", {"channel": room.id, "ts": "1.0"}),
        ("users.info", {"user": "U404"}),
        ("files.completeUploadExternal", {"files": [{"id": "F404"}]}),
        ("assistant.threads.setStatus", {"channel_id": room.id, "thread_ts": "1.0", "status": "x"}),
    ]
    client = web(judged)

    for method, values in wrong:
        with pytest.raises(SlackApiError):
            await client.api_call(method, json=values)

    assert judged.problems == []
    assert all(record.error for record in judged.calls())


@pytest.mark.parametrize(
    ("method", "values", "wrong"),
    [
        ("chat.postMessage", {"channel": "C1", "text": "x"}, []),
        ("chat.postMessage", {"text": "x"}, ["chat.postMessage: channel is missing"]),
        ("chat.postMessage", {"channel": "C1", "colour": "red"}, ["chat.postMessage: no parameter colour"]),
        ("chat.appendStream", {"channel": "C1", "ts": "1.0", "chunks": []}, []),
        ("chat.fly", {}, ["chat.fly: no such method"]),
    ],
)
def test_a_wrong_request_is_named(schema: SchemaCheck, method: str, values: dict[str, Any], wrong: list[str]) -> None:
    assert schema.request(method, values) == wrong
