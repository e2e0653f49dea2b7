"""Forms, lists to pick from and the Home tab of the pretend Slack, with the real SDK as the app."""

import re
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
from slack_bolt.async_app import AsyncApp
from slack_sdk.errors import SlackApiError

from channels.emulators.slack.pretend import PretendSlack
from channels.emulators.slack.screen import Screen
from core.clock import ManualClock
from tests.channels.emulators.conftest import asleep
from tests.channels.emulators.slack_rig import Heard, app, connected, web

Block = dict[str, Any]


def plain(words: str) -> Block:
    return {"type": "plain_text", "text": words}


def options(*labels: str) -> list[Block]:
    return [{"text": plain(label), "value": label.lower()} for label in labels]


def asked(label: str, kind: str, *, optional: bool = False, **more: Any) -> Block:
    element = {"type": kind, "action_id": "x"} | more
    return {"type": "input", "block_id": label, "label": plain(label), "element": element, "optional": optional}


EVERYTHING = {
    "type": "modal",
    "callback_id": "form",
    "title": plain("Trip"),
    "submit": plain("Send"),
    "blocks": [
        {"type": "section", "text": {"type": "mrkdwn", "text": "Where *to*?"}},
        asked("City", "plain_text_input", initial_value="Rome", max_length=10),
        asked("Day", "datepicker"),
        asked("Hour", "timepicker", initial_time="08:30"),
        asked("Seats", "number_input", is_decimal_allowed=False, min_value="1", max_value="9"),
        asked("Class", "static_select", options=options("First", "Second")),
        asked("Meals", "multi_static_select", options=options("Lunch", "Dinner"), max_selected_items=1, optional=True),
        asked("Extras", "checkboxes", options=options("Bike", "Dog"), optional=True),
    ],
}
FILLED: dict[str, str | Sequence[str]] = {
    "City": "Oslo",
    "Day": "2026-05-01",
    "Seats": "2",
    "Class": "Second",
    "Extras": ["Bike", "Dog"],
}


@pytest.fixture
async def slack(clock: ManualClock) -> AsyncIterator[PretendSlack]:
    async with PretendSlack(clock=clock) as slack:
        yield slack


@pytest.fixture
def chat(slack: PretendSlack) -> Screen:
    return slack.person("Ann").private_chat()


@pytest.fixture
def heard() -> Heard:
    return Heard()


@pytest.fixture
def answers() -> list[dict[str, Any]]:
    """What the app acknowledges forms with, one after another."""
    return []


@pytest.fixture
async def bolt(slack: PretendSlack, heard: Heard, answers: list[dict[str, Any]]) -> AsyncIterator[AsyncApp]:
    bolt = app(slack)

    @bolt.command("/conch")
    async def on_command(ack: Any, body: dict[str, Any], client: Any) -> None:
        await client.views_open(trigger_id=body["trigger_id"], view=EVERYTHING)
        await ack()

    @bolt.view("form")
    async def on_form(ack: Any, body: dict[str, Any]) -> None:
        await heard.put(body)
        await ack(**(answers.pop(0) if answers else {}))

    @bolt.action(re.compile(".*"))
    async def on_action(ack: Any, body: dict[str, Any]) -> None:
        await heard.put(body)
        await ack()

    async with connected(slack, bolt):
        yield bolt


async def test_a_form_shows_its_fields_and_what_stands_on_them(bolt: AsyncApp, chat: Screen) -> None:
    form = await chat.form_of(await chat.slash("/conch"))

    assert (form.title, form.submit, form.text) == ("Trip", "Send", "Where to?")
    assert form.fields == {
        "City": "Rome",
        "Day": "",
        "Hour": "08:30",
        "Seats": "",
        "Class": "",
        "Meals": "",
        "Extras": "",
    }
    assert form.choices["Class"] == ("First", "Second")


async def test_a_form_that_is_sent_carries_what_was_filled_in(bolt: AsyncApp, chat: Screen, heard: Heard) -> None:
    form = await chat.form_of(await chat.slash("/conch"))

    sent = await chat.fill_in(form, FILLED)
    values = (await heard.next())["view"]["state"]["values"]
    await chat.wait_until(lambda: sent.acked)

    assert values["City"]["x"] == {"type": "plain_text_input", "value": "Oslo"}
    assert values["Day"]["x"]["selected_date"] == "2026-05-01"
    assert values["Hour"]["x"]["selected_time"] == "08:30"
    assert values["Seats"]["x"]["value"] == "2"
    assert values["Class"]["x"]["selected_option"]["value"] == "second"
    assert values["Meals"]["x"]["selected_options"] == []
    assert [option["value"] for option in values["Extras"]["x"]["selected_options"]] == ["bike", "dog"]
    with pytest.raises(LookupError, match="not open"):
        await chat.fill_in(form, FILLED)


async def test_what_is_wrong_in_a_form_stands_under_its_field_and_the_form_stays(
    bolt: AsyncApp, chat: Screen, answers: list[dict[str, Any]]
) -> None:
    answers.append({"response_action": "errors", "errors": {"City": "No flights there."}})
    form = await chat.form_of(await chat.slash("/conch"))

    first = await chat.answer_to(await chat.fill_in(form, FILLED))
    second = await chat.fill_in(form, FILLED)
    await chat.wait_until(lambda: second.acked)

    assert first.errors == {"City": "No flights there."}
    assert first.text == "No flights there."


@pytest.mark.parametrize(
    ("values", "error", "words"),
    [
        ({}, ValueError, "required field: Day"),
        (FILLED | {"City": "x" * 11}, ValueError, "0 to 10 characters"),
        (FILLED | {"Seats": "ten"}, ValueError, "ten"),
        (FILLED | {"Seats": "10"}, ValueError, "from 1 to 9"),
        (FILLED | {"Class": "Third"}, LookupError, "no option"),
        (FILLED | {"Meals": ["Lunch", "Dinner"]}, ValueError, "at most 1"),
        (FILLED | {"Pets": "one"}, LookupError, "no field 'Pets'"),
    ],
)
async def test_slack_itself_does_not_send_a_form_that_is_filled_in_badly(
    bolt: AsyncApp, chat: Screen, values: dict[str, str], error: type[Exception], words: str
) -> None:
    form = await chat.form_of(await chat.slash("/conch"))

    with pytest.raises(error, match=words):
        await chat.fill_in(form, values)


async def test_a_trigger_opens_one_form_for_three_seconds(
    slack: PretendSlack, chat: Screen, clock: ManualClock
) -> None:
    heard, bolt = Heard(), app(slack)

    @bolt.command("/conch")
    async def on_command(ack: Any, body: dict[str, Any]) -> None:
        await ack()
        await heard.put(body)

    async def refusal(trigger: str) -> str:
        with pytest.raises(SlackApiError) as refused:
            await bolt.client.views_open(trigger_id=trigger, view=EVERYTHING)
        return str(refused.value.response["error"])

    async with connected(slack, bolt):
        used, late = await chat.slash("/conch"), await chat.slash("/conch")
        triggers = [(await heard.next())["trigger_id"] for _ in (used, late)]
        await bolt.client.views_open(trigger_id=triggers[0], view=EVERYTHING)
        again = await refusal(triggers[0])
        await clock.advance(3.1)
        words = [again, await refusal(triggers[1]), await refusal("nonsense")]

    assert words == ["exchanged_trigger_id", "expired_trigger_id", "invalid_trigger_id"]


async def test_a_form_that_nobody_acknowledges_says_so(slack: PretendSlack, chat: Screen, clock: ManualClock) -> None:
    bolt = app(slack)

    @bolt.command("/conch")
    async def on_command(ack: Any, body: dict[str, Any], client: Any) -> None:
        await client.views_open(trigger_id=body["trigger_id"], view=EVERYTHING)
        await ack()

    async with connected(slack, bolt):
        command = await chat.slash("/conch")
        form = await chat.form_of(command)
        await chat.wait_until(lambda: command.acked)
        sent = await chat.fill_in(form, FILLED)
        await asleep(clock)
        await clock.advance(3)

        with pytest.raises(LookupError, match="trouble connecting"):
            await chat.answer_to(sent)


async def test_one_is_picked_in_a_list_and_several_in_another(
    slack: PretendSlack, bolt: AsyncApp, chat: Screen, heard: Heard
) -> None:
    one = {"type": "static_select", "action_id": "one", "options": options("Red", "Blue")}
    many = {"type": "multi_static_select", "action_id": "many", "options": options("Cat", "Dog")}
    blocks: list[Block] = [
        {"type": "actions", "elements": [one]},
        {"type": "section", "text": plain("Pets"), "accessory": many},
    ]
    await web(slack).chat_postMessage(channel=chat.chat.id, text="Pick", blocks=blocks)
    asked_for = chat.answers[0]

    await chat.press(asked_for, "Blue")
    first = (await heard.next())["actions"][0]
    await chat.pick(asked_for, ["Cat", "Dog"])
    second = (await heard.next())["actions"][0]

    assert asked_for.labels == [["Red"], ["Blue"], ["Cat"], ["Dog"]]
    assert first["selected_option"]["value"] == "blue"
    assert [option["value"] for option in second["selected_options"]] == ["cat", "dog"]


async def test_a_stale_button_can_be_pressed_on_a_slow_phone(
    slack: PretendSlack, bolt: AsyncApp, chat: Screen, heard: Heard
) -> None:
    element = {"type": "button", "action_id": "a", "value": "v", "text": plain("Go")}
    posted = await bolt.client.chat_postMessage(
        channel=chat.chat.id, text="x", blocks=[{"type": "actions", "elements": [element]}]
    )
    await bolt.client.chat_update(channel=chat.chat.id, ts=str(posted["ts"]), text="done", blocks=[])

    with pytest.raises(LookupError, match="nothing 'Go'"):
        await chat.press(chat.answers[0], "Go")
    await chat.press(chat.answers[0], "Go", stale=True)

    assert (await heard.next())["actions"][0]["value"] == "v"


async def test_the_home_tab_shows_what_was_published(
    slack: PretendSlack, bolt: AsyncApp, chat: Screen, heard: Heard
) -> None:
    element = {"type": "button", "action_id": "a", "value": "v", "text": plain("Go")}
    blocks = [{"type": "header", "text": plain("Hello")}, {"type": "actions", "elements": [element]}]

    await bolt.client.views_publish(user_id=chat.person.id, view={"type": "home", "blocks": blocks})
    await chat.press_home("Go")

    assert chat.home is not None
    assert (chat.home.text, chat.home.buttons[0][0].label) == ("Hello", "Go")
    assert (await heard.next())["container"]["type"] == "view"


@pytest.mark.parametrize(
    "answer",
    [
        {"response_action": "push", "view": {"type": "modal"}},
        {"response_action": "update", "view": {"type": "modal"}},
    ],
)
async def test_an_acknowledgement_that_makes_no_sense_is_an_error_to_its_person(
    bolt: AsyncApp, chat: Screen, answers: list[dict[str, Any]], answer: dict[str, Any]
) -> None:
    answers.append(answer)
    form = await chat.form_of(await chat.slash("/conch"))

    with pytest.raises(LookupError, match="trouble connecting"):
        await chat.answer_to(await chat.fill_in(form, FILLED))


async def test_a_form_can_be_changed_while_it_is_open_and_not_after(
    slack: PretendSlack, bolt: AsyncApp, chat: Screen
) -> None:
    form = await chat.form_of(await chat.slash("/conch"))
    opened = slack.world.interactions.views[form.id]
    other = EVERYTHING | {"title": plain("Train")}

    async def refusal(**more: str) -> str:
        with pytest.raises(SlackApiError) as refused:
            await bolt.client.views_update(view_id=form.id, view=other, **more)
        return str(refused.value.response["error"])

    conflict = await refusal(hash="old")
    await bolt.client.views_update(view_id=form.id, view=other, hash=opened.hash)
    changed = opened.json["title"]["text"]
    await chat.close(form)
    gone = await refusal()

    assert (conflict, changed, gone) == ("hash_conflict", "Train", "not_found")


async def test_an_acknowledgement_can_put_another_form_on_top(
    bolt: AsyncApp, chat: Screen, answers: list[dict[str, Any]]
) -> None:
    answers.append({"response_action": "push", "view": EVERYTHING | {"title": plain("More")}})
    form = await chat.form_of(await chat.slash("/conch"))

    sent = await chat.fill_in(form, FILLED)
    await chat.wait_until(lambda: sent.acked)
    pushed = await chat.form_of(sent)

    assert pushed.title == "More"
    assert pushed.id != form.id
