"""The published descriptions of the Connector and of Adaptive Cards as a second judge."""

import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from channels.emulators.teams.keys import Key
from channels.emulators.teams.methods import find
from channels.emulators.teams.pretend import PretendTeams
from channels.emulators.teams.schema import SchemaCheck
from core.clock import ManualClock
from tests.channels.emulators.teams_rig import card, execute, on_wire, submit, words

pytestmark = pytest.mark.specs

FORM = card(
    words("How?"),
    {"type": "Input.Text", "id": "why", "label": "Why", "isRequired": True, "errorMessage": "Say why."},
    {"type": "FactSet", "facts": [{"title": "When", "value": "now"}]},
    actions=[execute("Send"), submit("Cancel")],
)


@pytest.fixture(scope="module")
def schema() -> SchemaCheck:
    return SchemaCheck(Path(os.environ["CONCH_PLATFORM_SPECS"]))


@pytest.fixture
async def judged(schema: SchemaCheck, clock: ManualClock, teams_key: Key) -> AsyncIterator[PretendTeams]:
    async with PretendTeams(clock=clock, judge=schema, key=teams_key) as teams:
        yield teams


async def test_a_whole_conversation_is_as_described(judged: PretendTeams) -> None:
    ann = judged.person("Ann")
    chat, room = ann.new_chat(), judged.team("General", [ann], bots=[])

    async def answer(activity: dict[str, Any]) -> Any:
        said = {"statusCode": 200, "type": "application/vnd.microsoft.activity.message", "value": "Thanks."}
        return said if activity["type"] == "invoke" else None

    async with on_wire(judged, answer) as wire:
        await chat.start()
        await room.add_bot(judged.bot)
        said = await chat.say("hello")
        await chat.edit(said, "hello!")
        await room.screen(ann).mention("hello")
        await chat.photo()
        await chat.file("a.txt", b"x")
        _, sent = await wire.card(chat.chat.id, FORM)
        await chat.react(sent["id"])
        await chat.answer_to(await chat.fill_in(chat.form_in(sent["id"]), {"Why": "because"}))
        await wire.stream(chat.chat.id, "One", sequence=1)
        await chat.delete(said)
        await room.remove_bot(judged.bot)
        await judged.delivered()

    kinds = {delivery.kind for delivery in judged.deliveries()}
    assert judged.problems == []
    assert kinds >= {"message", "messageUpdate", "messageDelete", "messageReaction", "invoke", "installationUpdate"}
    assert {call.status for call in judged.calls()} == {201}


async def test_what_the_description_does_not_know_is_refused(judged: PretendTeams) -> None:
    chat = judged.person("Ann").private_chat()

    async with on_wire(judged, _nothing) as wire:
        wrong_type, answer = await wire.send(chat.chat.id, "x", attachmentLayout=["list"])
        unknown, about = await wire.card(chat.chat.id, card(words("x") | {"size": "Gigantic"}))

    assert (wrong_type, unknown) == (400, 400)
    assert "attachmentLayout" in answer["error"]["message"]
    assert "Gigantic" in about["error"]["message"]


def test_our_calls_are_those_of_the_description(schema: SchemaCheck) -> None:
    found = find("POST", ["v3", "conversations", "a:1", "activities", "2"])

    assert found is not None
    assert (found[0], found[2]) == ("reply", {"conversation": "a:1", "activity": "2"})
    assert schema.request("delete", "x", None) == []


async def _nothing(_: dict[str, Any]) -> None:
    return None
