"""Driving a pretend Teams from outside: the control address, its client, and the process of its own."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from channels.emulators.remote import ControlError
from channels.emulators.teams.control import Control
from channels.emulators.teams.keys import Key
from channels.emulators.teams.pretend import PretendTeams
from channels.emulators.teams.remote import RemoteTeams
from core.clock import ManualClock
from tests.channels.emulators.teams_rig import Wire, card, execute, on_wire, token_request, words

SECRET = "a secret of this test"
FORM = card(words("Your name?"), {"type": "Input.Text", "id": "name", "label": "Name"}, actions=[execute("Send")])


@pytest.fixture
async def teams(clock: ManualClock, teams_key: Key) -> AsyncIterator[PretendTeams]:
    async with PretendTeams(clock=clock, key=teams_key) as teams:
        yield teams


@pytest.fixture
async def control(teams: PretendTeams) -> AsyncIterator[Control]:
    control = Control(teams, SECRET)
    await control.start()
    yield control
    await control.stop()


@pytest.fixture
async def remote(control: Control) -> AsyncIterator[RemoteTeams]:
    async with RemoteTeams(control.url, SECRET) as remote:
        yield remote


@pytest.fixture
async def wire(teams: PretendTeams) -> AsyncIterator[Wire]:
    """A bot that thanks whoever presses something."""

    async def answer(activity: dict[str, Any]) -> Any:
        said = {"statusCode": 200, "type": "application/vnd.microsoft.activity.message", "value": "Thanks."}
        return said if activity["type"] == "invoke" else None

    async with on_wire(teams, answer) as wire:
        yield wire


async def test_a_conversation_is_the_same_from_outside(remote: RemoteTeams, wire: Wire) -> None:
    ann = await remote.person("Ann")
    room = await remote.team("General", [ann])
    chat = room.screen(ann)

    said = await chat.mention("hello")
    await wire.send(f"{room.id};messageid={said.id}", "**hi**")
    answer = await chat.wait_for_answer()
    await chat.react(answer, "heart")

    assert (said.text, answer.text, answer.thread) == ("Conch hello", "hi", said.id)
    assert (await chat.answers())[0].reactions == ("heart",)


async def test_presses_and_forms_work_from_outside(remote: RemoteTeams, teams: PretendTeams, wire: Wire) -> None:
    chat = (await remote.person("Ann")).private_chat()
    await chat.command("goal x")
    await wire.card(next(iter(teams.world.chats)), FORM)

    form = await chat.form_in(await chat.wait_for_answer())
    answer = await chat.answer_to(await chat.fill_in(form, {"Name": "Ann"}))

    assert (form.title, dict(form.fields), answer.text) == ("Your name?", {"Name": ""}, "Thanks.")
    assert teams.deliveries("invoke")[0].activity["value"]["action"]["data"] == {"name": "Ann"}


async def test_a_bot_is_added_blocked_and_removed_from_outside(
    remote: RemoteTeams, teams: PretendTeams, wire: Wire
) -> None:
    chat = (await remote.person("Ann")).private_chat()
    await chat.start()
    await chat.block()
    blocked, _ = await wire.send(next(iter(teams.world.chats)), "hi")
    await chat.block(blocked=False)
    await chat.remove()
    await teams.delivered()

    assert blocked == 403
    assert [d.activity["action"] for d in teams.deliveries("installationUpdate")] == ["add", "remove"]


async def test_files_go_through_the_control_address(remote: RemoteTeams) -> None:
    chat = (await remote.person("Ann")).private_chat()

    sent = await chat.album([("a.txt", b"one"), ("b.txt", b"two")], "both")

    assert [file.name for file in sent.files] == ["a.txt", "b.txt"]
    assert await remote.file(sent.files[1].id) == b"two"


async def test_what_changes_is_told_as_it_changes(remote: RemoteTeams, teams: PretendTeams) -> None:
    ann = await remote.person("Ann")
    said = await ann.private_chat().say("hello")

    events, last = await remote.events(0)

    assert [event["kind"] for event in events] == ["message"]
    assert events[0]["message"]["id"] == said.id
    assert events[0]["bot"] == teams.bot.id
    assert last == 1


async def test_things_are_broken_from_outside(remote: RemoteTeams, teams: PretendTeams) -> None:
    chat = (await remote.person("Ann")).private_chat()
    await remote.add_fault("ServiceError", method="send", times=None)
    waiting = (await remote.state())["faults"]
    await remote.clear_faults()
    await remote.set_reachable(on=False)
    said = await chat.say("while it is away")
    async with aiohttp.ClientSession() as session:
        with pytest.raises(aiohttp.ClientConnectionError):
            await session.get(teams.openid_url)
    await remote.set_reachable(on=True)

    assert [fault["kind"] for fault in waiting] == ["ServiceError"]
    assert said.text == "while it is away"
    assert teams.faults.waiting == ()


async def test_keys_endpoints_and_forgeries_are_set_from_outside(
    remote: RemoteTeams, teams: PretendTeams, wire: Wire
) -> None:
    ann = await remote.person("Ann")
    kid = await remote.roll_over(keep_old=False)
    status = await ann.forge("let me in", "unsigned")
    await remote.set_endpoint("")

    assert [key.id for key in teams.world.tokens.published] == [kid]
    assert status == 200
    assert teams.bot.endpoint == ""


async def test_the_secret_is_wanted(control: Control) -> None:
    async with RemoteTeams(control.url, "another") as remote:
        with pytest.raises(ControlError, match="401"):
            await remote.state()


async def test_what_nobody_can_do_is_refused(remote: RemoteTeams) -> None:
    ann = await remote.person("Ann")

    with pytest.raises(ControlError, match="404: nobody can 'fly'"):
        await remote.ask("POST", "act", {"do": "fly", "person": ann.id})
    with pytest.raises(ControlError, match="400: LookupError: nothing 'Go'"):
        await ann.private_chat().press(await ann.private_chat().say("x"), "Go")


async def test_it_runs_as_a_process_that_goes_with_its_parent() -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "channels.emulators.teams",
        "--control-secret-env",
        "PRETEND_SECRET",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={"PRETEND_SECRET": SECRET},
    )
    assert process.stdout is not None
    assert process.stdin is not None
    addresses = json.loads(await process.stdout.readline())

    async with RemoteTeams(addresses["control_url"], SECRET) as remote, aiohttp.ClientSession() as session:
        await (await remote.person("Ann")).private_chat().say("hello")
        url = f"{addresses['login_url']}/{addresses['tenant']}/oauth2/v2.0/token"
        async with session.post(url, data=token_request(addresses["app_id"], addresses["password"])) as response:
            signed_in = response.status
    process.stdin.close()
    code = await process.wait()

    assert (addresses["app"], signed_in, code) == ("teams", 200, 0)
