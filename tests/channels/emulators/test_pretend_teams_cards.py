"""Cards of the pretend Teams as people read, press and fill them in, and cards that it refuses."""

from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest

from channels.emulators.teams.acting import FAILED, UNREACHED
from channels.emulators.teams.card_checks import card_faults
from channels.emulators.teams.keys import Key
from channels.emulators.teams.pretend import PretendTeams
from channels.emulators.teams.screen import Screen
from core.clock import ManualClock
from tests.channels.emulators.conftest import asleep
from tests.channels.emulators.teams_rig import CARD, card, execute, on_wire, submit, take, words

WHY = {"type": "Input.Text", "id": "why", "label": "Why", "isRequired": True, "errorMessage": "Say why."}
DAYS = {
    "type": "Input.ChoiceSet",
    "id": "days",
    "label": "Days",
    "isMultiSelect": True,
    "choices": [{"title": "Monday", "value": "mo"}, {"title": "Tuesday", "value": "tu"}],
}
SURE = {"type": "Input.Toggle", "id": "sure", "title": "Sure", "value": "false"}
COUNT = {"type": "Input.Number", "id": "count", "label": "Count", "min": 1, "max": 5, "errorMessage": "1 to 5."}


@pytest.fixture
async def teams(clock: ManualClock, teams_key: Key) -> AsyncIterator[PretendTeams]:
    async with PretendTeams(clock=clock, key=teams_key) as teams:
        yield teams


@pytest.fixture
def chat(teams: PretendTeams) -> Screen:
    return teams.person("Ann").private_chat()


async def test_a_card_is_read_line_by_line(teams: PretendTeams, chat: Screen) -> None:
    body = [
        words("**Two** [ways](https://x.example)"),
        {"type": "FactSet", "facts": [{"title": "When", "value": "today"}]},
        {"type": "Container", "items": [words("inside")]},
        {"type": "ColumnSet", "columns": [{"type": "Column", "items": [words("left")]}, {"items": [words("right")]}]},
        {"type": "RichTextBlock", "inlines": ["plain ", {"type": "TextRun", "text": "and bold"}]},
        {"type": "TextBlock", "text": "hidden", "isVisible": False},
        {"type": "Icon", "name": "Star", "fallback": words("a star")},
        {"type": "ActionSet", "actions": [submit("Go")]},
    ]
    async with on_wire(teams, take) as wire:
        await wire.card(
            chat.chat.id, card(*body, actions=[{"type": "Action.OpenUrl", "title": "Page", "url": "https://x"}])
        )

    [seen] = chat.messages
    assert seen.text.split("\n") == [
        "Two ways",
        "When today",
        "inside",
        "left",
        "right",
        "plain and bold",
        "a star",
    ]
    assert (seen.labels, seen.buttons[1][0].url) == ([["Go"], ["Page"]], "https://x")
    with pytest.raises(LookupError, match="only opens https://x"):
        await chat.press(seen, "Page")


async def test_a_form_is_the_card_itself(teams: PretendTeams, chat: Screen) -> None:
    asked = card(words("How?"), WHY, DAYS, SURE, COUNT, actions=[submit("Send", form=7), submit("Cancel")])

    async def answer(activity: dict[str, Any]) -> None:
        if activity.get("text") == "ask":
            await wire.card(chat.chat.id, asked)

    async with on_wire(teams, answer) as wire:
        await chat.say("ask")
        form = chat.form_in(await chat.wait_for_answer())
        filled = {"Why": "because", "Days": ["Monday", "Tuesday"], "Sure": "yes", "Count": "3"}
        await chat.answer_to(await chat.fill_in(form, filled))

    assert (form.title, form.submit, form.required) == ("How?", "Send", ("Why",))
    assert dict(form.fields) == {"Why": "", "Days": "", "Sure": "false", "Count": ""}
    assert form.choices == {"Days": ("Monday", "Tuesday")}
    activity = teams.deliveries("message")[-1].activity
    assert activity["value"] == {"form": 7, "why": "because", "days": "mo,tu", "sure": "true", "count": "3"}
    assert "text" not in activity
    assert activity["replyToId"] == form.id


@pytest.mark.parametrize(
    ("values", "error"),
    [
        ({}, "Say why."),
        ({"Why": "x", "Count": "9"}, "1 to 5."),
        ({"Why": "x", "Count": "many"}, "1 to 5."),
    ],
)
async def test_what_is_filled_in_wrongly_is_not_sent(
    teams: PretendTeams, chat: Screen, values: Mapping[str, str], error: str
) -> None:
    async with on_wire(teams, take) as wire:
        _, sent = await wire.card(chat.chat.id, card(WHY, COUNT, actions=[submit("Send")]))

        with pytest.raises(ValueError, match=error):
            await chat.fill_in(chat.form_in(sent["id"]), values)

    assert teams.deliveries() == []


async def test_no_field_or_option_is_made_up(teams: PretendTeams, chat: Screen) -> None:
    async with on_wire(teams, take) as wire:
        _, sent = await wire.card(chat.chat.id, card(DAYS, actions=[submit("Send")]))
        form = chat.form_in(sent["id"])

        with pytest.raises(LookupError, match="no field 'Nights'"):
            await chat.fill_in(form, {"Nights": "x"})
        with pytest.raises(LookupError, match="no option 'Sunday'"):
            await chat.fill_in(form, {"Days": "Sunday"})


async def test_a_button_may_leave_the_fields_alone(teams: PretendTeams, chat: Screen) -> None:
    skip = submit("Skip", skip=True) | {"associatedInputs": "none"}
    async with on_wire(teams, take) as wire:
        _, sent = await wire.card(chat.chat.id, card(WHY, actions=[skip, submit("Send")]))
        await chat.answer_to(await chat.press(sent["id"], "Skip"))

    assert chat.form_in(sent["id"]).submit == "Send"
    assert teams.deliveries("message")[-1].activity["value"] == {"skip": True}


async def test_a_press_brings_the_form_that_it_asked_for(teams: PretendTeams, chat: Screen) -> None:
    form = card(words("Tell"), WHY, actions=[execute("Send")])

    async def answer(activity: dict[str, Any]) -> Any:
        return {"statusCode": 200, "type": CARD, "value": form}

    async with on_wire(teams, answer) as wire:
        _, sent = await wire.card(chat.chat.id, card(words("Begin?"), actions=[execute("Begin")]))
        press = await chat.press(sent["id"], "Begin")
        opened = await chat.form_of(press)

    assert (opened.id, opened.title) == (sent["id"], "Tell")
    assert [(seen.text, seen.revisions) for seen in chat.messages] == [("Tell\nWhy", ("Begin?",))]


async def test_a_card_within_the_card_is_a_form_too(teams: PretendTeams, chat: Screen) -> None:
    inner = {"type": "Action.ShowCard", "title": "Other …", "card": card(WHY, actions=[submit("Send", other=True)])}
    async with on_wire(teams, take) as wire:
        _, sent = await wire.card(chat.chat.id, card(words("Which?"), actions=[submit("One"), inner]))
        form = await chat.form_of(await chat.press(sent["id"], "Other …"))
        await chat.answer_to(await chat.fill_in(form, {"Why": "mine"}))

    assert teams.deliveries("message")[-1].activity["value"] == {"other": True, "why": "mine"}


@pytest.mark.parametrize(
    ("answer", "words_of_it"),
    [
        (
            {"statusCode": 400, "type": "application/vnd.microsoft.error", "value": {"message": "Too late."}},
            "Too late.",
        ),
        ({"statusCode": 200, "type": CARD, "value": {"type": "AdaptiveCard", "version": "1.6", "body": []}}, FAILED),
        ({"statusCode": 200}, FAILED),
        (500, FAILED),
        (None, FAILED),
    ],
)
async def test_an_answer_that_is_none_is_an_error_on_the_phone(
    teams: PretendTeams, chat: Screen, answer: object, words_of_it: str
) -> None:
    async def refuse(_: dict[str, Any]) -> object:
        return answer

    async with on_wire(teams, refuse) as wire:
        _, sent = await wire.card(chat.chat.id, card(words("x"), actions=[execute("Go")]))
        press = await chat.press(sent["id"], "Go")

        with pytest.raises(LookupError, match=words_of_it):
            await chat.answer_to(press)


async def test_an_answer_after_five_seconds_is_none(teams: PretendTeams, chat: Screen, clock: ManualClock) -> None:
    async def wait(_: dict[str, Any]) -> None:
        await clock.sleep(60)

    async with on_wire(teams, wait) as wire:
        _, sent = await wire.card(chat.chat.id, card(words("x"), actions=[execute("Go")]))
        press = await chat.press(sent["id"], "Go")
        await asleep(clock, 2)
        await clock.advance(5)

        with pytest.raises(LookupError, match=UNREACHED):
            await chat.answer_to(press)
        await clock.advance(60)


async def test_an_old_app_shows_what_stands_in_for_execute(teams: PretendTeams) -> None:
    chat = teams.person("Old Ann", old_app=True).private_chat()
    only = execute("Now") | {"fallback": "drop"}
    async with on_wire(teams, take) as wire:
        _, sent = await wire.card(chat.chat.id, card(words("x"), actions=[execute("Go", n=1), only]))
        await chat.answer_to(await chat.press(sent["id"], "Go"))

    assert chat.messages[0].labels == [["Go"]]
    assert teams.deliveries("message")[-1].activity["value"] == {"n": 1}
    assert teams.deliveries("invoke") == []


async def test_a_card_refreshes_itself_for_those_it_names(teams: PretendTeams, chat: Screen) -> None:
    async def fresh(activity: dict[str, Any]) -> Any:
        return {"statusCode": 200, "type": CARD, "value": card(words("fresh"))}

    refresh = {"action": {"type": "Action.Execute", "verb": "look"}, "userIds": [chat.person.id]}
    async with on_wire(teams, fresh) as wire:
        await wire.card(chat.chat.id, card(words("stale"), refresh=refresh))
        await chat.wait_for(lambda seen: [message for message in seen if message.text == "fresh"])

    assert teams.deliveries("invoke")[0].activity["value"]["trigger"] == "automatic"


async def test_a_press_may_say_words_for_the_person(teams: PretendTeams, chat: Screen) -> None:
    says = submit("Say", msteams={"type": "imBack", "value": "the words"})
    backs = submit(
        "Back", n=1, msteams={"type": "messageBack", "text": "cmd", "displayText": "shown", "value": {"m": 2}}
    )
    async with on_wire(teams, take) as wire:
        _, sent = await wire.card(chat.chat.id, card(words("x"), actions=[says, backs]))
        await chat.answer_to(await chat.press(sent["id"], "Say"))
        await chat.answer_to(await chat.press(sent["id"], "Back"))
        await teams.delivered()

    told = [(d.activity["text"], d.activity.get("value")) for d in teams.deliveries("message")]
    assert sorted(told, key=str) == [("cmd", {"n": 1, "m": 2}), ("the words", None)]
    assert [seen.text for seen in chat.messages] == ["x", "the words", "shown"]


async def test_a_stale_press_finds_what_an_edit_took_away(teams: PretendTeams, chat: Screen) -> None:
    async with on_wire(teams, take) as wire:
        _, sent = await wire.card(chat.chat.id, card(words("x"), actions=[submit("Go", n=1)]))
        path = f"conversations/{chat.chat.id}/activities/{sent['id']}"
        await wire.call("PUT", path, {"type": "message", "text": "over"})
        with pytest.raises(LookupError, match="nothing 'Go'"):
            await chat.press(sent["id"], "Go")
        await chat.answer_to(await chat.press(sent["id"], "Go", stale=True))

    assert teams.deliveries("message")[-1].activity["value"] == {"n": 1}


@pytest.mark.parametrize(
    ("wrong", "fault"),
    [
        ({"version": "1.6"}, "newer than 1.5"),
        ({"type": "Card"}, "not AdaptiveCard"),
        ({"version": None}, "no version"),
        ({"body": []}, "nothing in it"),
        ({"body": [{"type": "Chart"}]}, "no element 'Chart'"),
        ({"body": [{"type": "TextBlock"}]}, "TextBlock without text"),
        ({"body": [words(" ")]}, "nothing in the text"),
        ({"body": [WHY, WHY]}, "is there twice"),
        ({"body": [{"type": "Input.Text", "id": "a"}]}, "without a label"),
        ({"body": [{"type": "Input.Text", "id": "a", "label": "A", "isRequired": True}]}, "without errorMessage"),
        ({"body": [{"type": "Input.Text", "id": "a", "label": "A", "regex": "("}]}, "no regex"),
        ({"body": [DAYS | {"choices": [{"title": "a", "value": "x"}, {"title": "b", "value": "x"}]}]}, "one value"),
        ({"body": [DAYS | {"choices": [{"title": "a", "value": "x,y"}]}]}, "a comma"),
        ({"actions": [{"type": "Action.Http", "title": "x"}]}, "no action 'Action.Http'"),
        ({"actions": [{"type": "Action.OpenUrl", "title": "x", "url": "nowhere"}]}, "no address"),
        ({"actions": [submit("")]}, "nothing stands on it"),
        ({"actions": [{"type": "Action.Execute", "title": "x"}]}, "without a fallback"),
        ({"version": "1.3", "actions": [execute("x")]}, "older than 1.4"),
        ({"actions": [submit("x", msteams={"type": "fly"})]}, "nothing that is known"),
        ({"refresh": {"action": {"type": "Action.Submit"}}}, "refresh: no Action.Execute"),
        ({"refresh": {"action": {"type": "Action.Execute"}, "userIds": ["29:1"] * 61}}, "more than 60 people"),
        ({"body": [{"type": "FactSet", "facts": [{"title": "a"}]}]}, "a fact without value"),
    ],
)
def test_cards_that_are_wrong_are_found(wrong: Mapping[str, Any], fault: str) -> None:
    faults = card_faults(card(words("fine")) | dict(wrong))

    assert len(faults) == 1
    assert fault in faults[0]


def test_the_newest_card_with_everything_is_right() -> None:
    whole = card(words("x"), WHY, DAYS, SURE, COUNT, actions=[execute("Go"), submit("No")])

    assert card_faults(whole) == []
    assert card_faults(card(words("x"), version="1.4")) == []
