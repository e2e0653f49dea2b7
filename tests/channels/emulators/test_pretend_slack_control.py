"""Driving a pretend Slack from outside: the control address, its client, and the process of its own."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from channels.emulators.remote import ControlError
from channels.emulators.slack.control import Control
from channels.emulators.slack.pretend import PretendSlack
from channels.emulators.slack.remote import RemoteSlack
from core.clock import ManualClock
from tests.channels.emulators.slack_rig import app, connected, web

SECRET = "a secret of this test"
FORM = {
    "type": "modal",
    "callback_id": "form",
    "title": {"type": "plain_text", "text": "Name"},
    "submit": {"type": "plain_text", "text": "Send"},
    "blocks": [
        {
            "type": "input",
            "block_id": "b",
            "label": {"type": "plain_text", "text": "Yours"},
            "element": {"type": "plain_text_input", "action_id": "x"},
        }
    ],
}


@pytest.fixture
async def slack(clock: ManualClock) -> AsyncIterator[PretendSlack]:
    async with PretendSlack(clock=clock) as slack:
        yield slack


@pytest.fixture
async def control(slack: PretendSlack) -> AsyncIterator[Control]:
    control = Control(slack, SECRET)
    await control.start()
    yield control
    await control.stop()


@pytest.fixture
async def remote(control: Control) -> AsyncIterator[RemoteSlack]:
    async with RemoteSlack(control.url, SECRET) as remote:
        yield remote


@pytest.fixture
async def bolt(slack: PretendSlack) -> AsyncIterator[AsyncApp]:
    """An app that opens a form when a button is pressed and thanks for it when it is sent."""
    bolt = app(slack)

    @bolt.action("a")
    async def on_press(ack: Any, body: dict[str, Any], client: Any) -> None:
        await client.views_open(trigger_id=body["trigger_id"], view=FORM)
        await ack()

    @bolt.view("form")
    async def on_form(ack: Any) -> None:
        await ack(response_action="errors", errors={"b": "Thanks, no."})

    @bolt.command("/conch")
    async def on_command(ack: Any, respond: Any, command: dict[str, Any]) -> None:
        await ack()
        await respond(text=f"did {command['text']}")

    async with connected(slack, bolt):
        yield bolt


async def test_a_conversation_is_the_same_from_outside(remote: RemoteSlack, slack: PretendSlack) -> None:
    ann = await remote.person("Ann")
    room = await remote.channel("general", [ann])
    chat = room.screen(ann)

    said = await chat.mention("hello")
    await web(slack).chat_postMessage(channel=room.id, text="*hi*", thread_ts=said.id)
    answer = await chat.wait_for_answer()
    await chat.react(answer, "eyes")

    assert (said.text, answer.text, answer.thread) == ("@Pretend hello", "hi", said.id)
    assert (await chat.answers())[0].reactions == ("eyes",)


async def test_presses_forms_and_commands_work_from_outside(
    remote: RemoteSlack, slack: PretendSlack, bolt: AsyncApp
) -> None:
    chat = (await remote.person("Ann")).private_chat()
    await chat.command("goal x")
    done = await chat.wait_for_answer()
    element = {"type": "button", "action_id": "a", "value": "v", "text": {"type": "plain_text", "text": "Go"}}
    where = next(iter(slack.world.chats))
    await bolt.client.chat_postMessage(channel=where, text="x", blocks=[{"type": "actions", "elements": [element]}])

    posted = (await chat.answers())[-1]
    form = await chat.form_of(await chat.press(posted, "Go"))
    answer = await chat.answer_to(await chat.fill_in(form, {"Yours": "Ann"}))

    assert (done.text, done.ephemeral) == ("did goal x", True)
    assert (form.title, dict(form.fields)) == ("Name", {"Yours": ""})
    assert answer.errors == {"Yours": "Thanks, no."}


async def test_files_go_through_the_control_address(remote: RemoteSlack) -> None:
    chat = (await remote.person("Ann")).private_chat()

    sent = await chat.album([("a.txt", b"one"), ("b.txt", b"two")], "both")

    assert [file.name for file in sent.files] == ["a.txt", "b.txt"]
    assert await remote.file(sent.files[1].id) == b"two"


async def test_what_changes_is_told_as_it_changes(remote: RemoteSlack, slack: PretendSlack) -> None:
    ann = await remote.person("Ann")
    said = await ann.private_chat().say("hello")

    events, last = await remote.events(0)

    assert [event["kind"] for event in events] == ["message"]
    assert events[0]["message"]["id"] == said.id
    assert events[0]["bot"] == slack.bot.id
    assert last == 1


async def test_things_are_broken_from_outside(remote: RemoteSlack, slack: PretendSlack) -> None:
    chat = (await remote.person("Ann")).private_chat()
    await remote.add_fault("fatal_error", method="chat.postMessage", times=None)
    waiting = (await remote.state())["faults"]
    await remote.clear_faults()
    await remote.set_reachable(on=False)
    said = await chat.say("while it is away")
    client = web(slack)
    client.retry_handlers.clear()
    with pytest.raises(aiohttp.ClientConnectionError):
        await client.auth_test()
    await remote.set_reachable(on=True)

    assert [fault["kind"] for fault in waiting] == ["fatal_error"]
    assert said.text == "while it is away"
    assert slack.faults.waiting == ()


async def test_connections_are_told_to_go_from_outside(
    remote: RemoteSlack, slack: PretendSlack, bolt: AsyncApp
) -> None:
    await remote.disconnect()
    async with asyncio.timeout(5):
        await slack.connected()

    assert len(slack.calls("apps.connections.open")) == 2


async def test_the_secret_is_wanted(control: Control) -> None:
    async with RemoteSlack(control.url, "another") as remote:
        with pytest.raises(ControlError, match="401"):
            await remote.state()


async def test_what_nobody_can_do_is_refused(remote: RemoteSlack) -> None:
    ann = await remote.person("Ann")

    with pytest.raises(ControlError, match="404: nobody can 'fly'"):
        await remote.ask("POST", "act", {"do": "fly", "person": ann.id})
    with pytest.raises(ControlError, match="400: LookupError: nothing 'Go'"):
        await ann.private_chat().press(await ann.private_chat().say("x"), "Go")


async def test_it_runs_as_a_process_that_goes_with_its_parent() -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "channels.emulators.slack",
        "--control-secret-env",
        "PRETEND_SECRET",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={"PRETEND_SECRET": SECRET},
    )
    assert process.stdout is not None
    assert process.stdin is not None
    addresses = json.loads(await process.stdout.readline())

    async with RemoteSlack(addresses["control_url"], SECRET) as remote:
        chat = (await remote.person("Ann")).private_chat()
        await chat.say("hello")
        opened = AsyncWebClient(token=addresses["bot_token"], base_url=addresses["base_url"])
        who = await opened.auth_test()
    process.stdin.close()
    code = await process.wait()

    assert addresses["app"] == "slack"
    assert who["user_id"] == addresses["bot_id"]
    assert code == 0
