"""What people press, pick and fill in, and the answers that are taken for it."""

from typing import Any

import discord
import pytest

from channels.emulators.discord import limits
from channels.emulators.discord.interactions import Interaction
from channels.emulators.discord.screen import Player, Screen
from channels.emulators.discord.server import Server
from core.clock import ManualClock
from tests.channels.emulators.discord.conftest import Answer, SdkBot, Wire

BUTTONS = [
    {
        "type": 1,
        "components": [
            {"type": 2, "style": 1, "label": "Yes", "custom_id": "y"},
            {"type": 2, "style": 2, "label": "Grey", "custom_id": "g", "disabled": True},
            {"type": 2, "style": 5, "label": "Open", "url": "https://example.com"},
        ],
    },
    {
        "type": 1,
        "components": [
            {
                "type": 3,
                "custom_id": "colour",
                "max_values": 2,
                "options": [{"label": "Red", "value": "r"}, {"label": "Blue", "value": "b"}],
            }
        ],
    },
]
FORM = {
    "title": "Order",
    "custom_id": "order",
    "components": [
        {"type": 10, "content": "What shall it be?"},
        {
            "type": 18,
            "label": "Name",
            "description": "As on the card",
            "component": {"type": 4, "custom_id": "name", "style": 1, "max_length": 10},
        },
        {
            "type": 18,
            "label": "Colours",
            "component": BUTTONS[1]["components"][0] | {"custom_id": "colours"},  # type: ignore[index]
        },
        {
            "type": 1,
            "components": [{"type": 4, "custom_id": "note", "label": "Note", "style": 2, "required": False}],
        },
    ],
}


async def callback(wire: Wire, press: Interaction, kind: int, data: object = None, query: str = "") -> Answer:
    body = {"type": kind} | ({"data": data} if data is not None else {})
    return await wire("POST", f"/interactions/{press.id}/{press.token}/callback{query}", body)


def original(wire: Wire, press: Interaction, which: str = "/messages/@original") -> str:
    return f"/webhooks/{press.bot.application_id}/{press.token}{which}"


@pytest.fixture
async def press(wire: Wire, chat: Screen) -> Interaction:
    """Ada pressed Yes under a message of the bot."""
    await wire.say(chat, content="sure?", components=BUTTONS)
    return await chat.press(chat.messages[0], "Yes")


async def test_a_press_reaches_the_sdk_and_changes_the_message(bot: SdkBot, wire: Wire, chat: Screen) -> None:
    await wire.say(chat, content="sure?", components=BUTTONS)
    press = await chat.press(chat.messages[0], "Yes")
    heard: discord.Interaction = await bot.next("interaction")

    await heard.response.edit_message(content="done", view=None)

    assert (await chat.answer_to(press)).text == ""
    assert (chat.messages[0].text, chat.messages[0].labels) == ("done", [])
    assert heard.data is not None
    assert (heard.user.display_name, heard.data.get("custom_id")) == ("Ada", "y")


async def test_an_option_is_picked_by_what_stands_on_it(bot: SdkBot, wire: Wire, chat: Screen) -> None:
    await wire.say(chat, content="which?", components=BUTTONS)

    labels = chat.messages[0].labels
    await chat.press(chat.messages[0], "Blue")
    one: Any = (await bot.next("interaction")).data
    await chat.choose(chat.messages[0], ["Red", "Blue"])
    two: Any = (await bot.next("interaction")).data

    assert labels == [["Yes", "Grey", "Open"], ["Red"], ["Blue"]]
    assert (one["custom_id"], one["component_type"], one["values"]) == ("colour", 3, ["b"])
    assert two["values"] == ["r", "b"]


@pytest.mark.parametrize("label", ["Grey", "Open", "No"])
async def test_what_cannot_be_pressed(wire: Wire, chat: Screen, label: str) -> None:
    await wire.say(chat, content="sure?", components=BUTTONS)

    with pytest.raises(LookupError):
        await chat.press(chat.messages[0], label)


async def test_a_slow_phone_still_presses_what_an_edit_took_away(wire: Wire, chat: Screen) -> None:
    sent = await wire.say(chat, content="sure?", components=BUTTONS)
    await wire("PATCH", f"/channels/{chat.channel.id}/messages/{sent.body['id']}", {"components": []})

    late = await chat.press(chat.messages[0], "Yes", stale=True)

    assert late.data["custom_id"] == "y"
    with pytest.raises(LookupError):
        await chat.press(chat.messages[0], "Yes")


async def test_what_is_said_to_one_person_only_they_see(
    wire: Wire, team: Server, ada: Player, bob: Player, bot: SdkBot
) -> None:
    ours, his = team.screen(ada), team.screen(bob)
    await wire.say(ours, content="sure?", components=BUTTONS)
    press = await ours.press(ours.messages[0], "Yes")
    heard: discord.Interaction = await bot.next("interaction")

    await heard.response.send_message("not for **you**", ephemeral=True)

    assert (await ours.answer_to(press)).text == "not for you"
    assert [m.text for m in ours.messages] == ["sure?", "not for you"]
    assert [m.text for m in his.messages] == ["sure?"]
    assert press.original is not None
    hidden = await wire("GET", f"/channels/{ours.channel.id}/messages/{press.original.id}")
    assert hidden.code == 10008


async def test_without_an_answer_in_three_seconds_it_failed(
    wire: Wire, chat: Screen, press: Interaction, clock: ManualClock
) -> None:
    await clock.advance(limits.FIRST_ANSWER_SECONDS + 0.1)

    with pytest.raises(LookupError, match="This interaction failed"):
        await chat.answer_to(press)
    late = await callback(wire, press, 6)
    assert (late.status, late.code) == (404, 10062)


async def test_an_interaction_is_answered_once(wire: Wire, press: Interaction) -> None:
    first, second = await callback(wire, press, 6), await callback(wire, press, 4, {"content": "x"})

    assert (first.status, first.body) == (204, "")
    assert (second.status, second.code) == (400, 40060)


@pytest.mark.parametrize("kind", [1, 8, 99, "4"])
async def test_an_answer_must_fit_what_was_done(wire: Wire, press: Interaction, kind: Any) -> None:
    answer = await callback(wire, press, kind)

    assert (answer.status, answer.code) == (400, 50035)
    assert not press.answer


async def test_a_wrong_token_opens_nothing(wire: Wire, press: Interaction) -> None:
    answer = await wire("POST", f"/interactions/{press.id}/wrong/callback", {"type": 6})
    early = await wire("PATCH", original(wire, press), {"content": "x"})

    assert (answer.code, early.code) == (10062, 10015)


async def test_thinking_is_shown_until_the_answer_is_there(wire: Wire, chat: Screen, press: Interaction) -> None:
    told = await callback(wire, press, 5, {"flags": 64}, "?with_response=true")
    thinking = chat.messages[-1].thinking
    filled = await wire("PATCH", original(wire, press), {"content": "found it"})

    assert told.body["interaction"]["response_message_loading"] is True
    assert (thinking, chat.messages[-1].thinking, chat.messages[-1].revisions) == (True, False, ())
    assert (await chat.answer_to(press)).text == "found it"
    assert filled.body["id"] == told.body["resource"]["message"]["id"]


async def test_the_first_follow_up_takes_the_place_of_thinking(wire: Wire, chat: Screen, press: Interaction) -> None:
    await callback(wire, press, 5)
    await wire("POST", original(wire, press, ""), {"content": "one"})
    more = await wire("POST", original(wire, press, ""), {"content": "two", "flags": 64})
    await wire("PATCH", original(wire, press, f"/messages/{more.body['id']}"), {"content": "three"})

    assert [(m.text, m.ephemeral) for m in chat.messages] == [("sure?", False), ("one", False), ("three", True)]


async def test_the_original_of_a_press_is_the_message_itself(wire: Wire, chat: Screen, press: Interaction) -> None:
    await callback(wire, press, 6)
    await wire("PATCH", original(wire, press), {"content": "done", "components": []})
    read = await wire("GET", original(wire, press))
    await wire("DELETE", original(wire, press))

    assert read.body["content"] == "done"
    assert chat.messages == []


async def test_a_token_is_over_after_a_quarter_of_an_hour(wire: Wire, press: Interaction, clock: ManualClock) -> None:
    await callback(wire, press, 6)
    await clock.advance(limits.TOKEN_SECONDS + 1)

    answer = await wire("POST", original(wire, press, ""), {"content": "x"})

    assert (answer.status, answer.code) == (401, 50027)


async def test_an_answer_has_the_limits_of_a_message(wire: Wire, press: Interaction) -> None:
    long = await callback(wire, press, 4, {"content": "x" * 2001})
    empty = await callback(wire, press, 4, {"content": ""})
    right = await callback(wire, press, 4, {"content": "x"})

    assert (long.code, empty.code, right.status) == (50035, 50006, 204)


async def test_a_form_is_opened_filled_in_and_sent(bot: SdkBot, wire: Wire, chat: Screen, press: Interaction) -> None:
    await bot.next("interaction")
    await callback(wire, press, 9, FORM)

    form = await chat.form_of(press)
    await chat.fill_in(form, {"Name": "Ada", "colours": ["Blue", "Red"]})
    sent: discord.Interaction = await bot.next("interaction")
    data: Any = sent.data

    assert (form.title, form.texts) == ("Order", ("What shall it be?",))
    assert form.fields == {"name": "Name", "colours": "Colours", "note": "Note"}
    assert form.required == ("name", "colours")
    assert form.options == {"colours": ("Red", "Blue")}
    assert sent.type is discord.InteractionType.modal_submit
    assert data["custom_id"] == "order"
    assert data["components"][1]["component"]["value"] == "Ada"
    assert data["components"][2]["component"]["values"] == ["b", "r"]
    assert data["components"][3]["components"][0]["value"] == ""


@pytest.mark.parametrize(
    "values",
    [
        {"Colours": "Red"},
        {"Name": "x" * 11, "Colours": "Red"},
        {"Name": "Ada", "Colours": "Green"},
        {"Name": "Ada", "Colours": []},
        {"Name": "Ada", "Colours": "Red", "Other": "x"},
    ],
)
async def test_a_form_that_the_app_would_not_send(
    wire: Wire, chat: Screen, press: Interaction, values: dict[str, Any]
) -> None:
    await callback(wire, press, 9, FORM)

    with pytest.raises(LookupError):
        await chat.fill_in(await chat.form_of(press), values)


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"title": "x" * 46}, "title"),
        ({"custom_id": ""}, "custom_id"),
        ({"components": []}, "components"),
        ({"components": [{"type": 2}]}, "components"),
    ],
)
async def test_a_form_has_limits(wire: Wire, press: Interaction, change: dict[str, Any], where: str) -> None:
    answer = await callback(wire, press, 9, FORM | change)

    assert (answer.code, list(answer.body["errors"])) == (50035, [where])


async def test_no_form_is_no_form(wire: Wire, chat: Screen, press: Interaction) -> None:
    await callback(wire, press, 6)

    with pytest.raises(TimeoutError):
        await chat.form_of(press)


async def test_after_a_form_its_message_can_be_changed(wire: Wire, chat: Screen, press: Interaction) -> None:
    await callback(wire, press, 9, FORM)
    sent = await chat.fill_in(await chat.form_of(press), {"Name": "Ada", "Colours": "Red"})

    again = await callback(wire, sent, 9, FORM)
    changed = await callback(wire, sent, 7, {"content": "ordered", "components": []})

    assert (again.code, changed.status) == (50035, 204)
    assert chat.messages[0].text == "ordered"
