"""What the pretend Teams shows, as the playground's page takes it."""

import pytest

from channels.emulators.teams.__main__ import serving
from channels.emulators.teams.chats import Content
from channels.emulators.teams.pretend import PretendTeams
from channels.emulators.teams.remote import RemoteTeams
from channels.emulators.teams.seen import seen_message
from conch.stages import teams as stage
from conch.stages.base import OWNER, PRIVATE
from conch.stages.teams import TeamsStage

CARD = {
    "contentType": "application/vnd.microsoft.card.adaptive",
    "content": {
        "type": "AdaptiveCard",
        "version": "1.5",
        "body": [
            {"type": "Input.Number", "id": "0", "label": "Nights", "value": 3.0, "isRequired": True},
            {"type": "TextBlock", "text": "At most 9, please.", "color": "attention"},
            {
                "type": "ActionSet",
                "actions": [
                    {"type": "Action.Execute", "title": "Send", "style": "positive", "data": {}},
                    {"type": "Action.Execute", "title": "Skip", "associatedInputs": "none", "data": {}},
                    {"type": "Action.OpenUrl", "title": "Read", "url": "https://example.org"},
                ],
            },
        ],
    },
}


async def shown(content: Content) -> dict[str, object]:
    """A bot's message on the page."""
    async with PretendTeams() as app:
        ada = app.person("Ada")
        chat = ada.private_chat().chat
        message = app.world.post(chat, app.bot, content)
        return dict(stage._drawn(seen_message(message, ada, chips=True).to_json()))


async def test_a_card_keeps_its_fields_and_says_which_button_sends_them() -> None:
    drawn = await shown(Content("**How long?**", [CARD]))

    card = drawn["card"]
    assert isinstance(card, dict)
    nights, fault = card["elements"]
    assert drawn["parts"] == [{"kind": "teams", "text": "**How long?**"}]
    assert (nights["label"], nights["input"], nights["value"], nights["required"]) == ("Nights", "number", "3", True)
    assert fault == {"words": "At most 9, please.", "look": "attention"}
    assert [(b["label"], b["does"], b["style"]) for b in card["rows"][0]["buttons"]] == [
        ("Send", "send", "primary"),
        ("Skip", "press", ""),
        ("Read", "url", ""),
    ]


async def test_what_may_be_said_next_stands_apart_from_the_card() -> None:
    drawn = await shown(Content("Hello", suggested=[{"type": "imBack", "title": "More", "value": "More"}]))

    assert drawn["card"] is None
    assert drawn["rows"] == [
        {"buttons": [{"label": "More", "does": "press", "value": "", "style": "", "off": False}], "chips": True}
    ]


@pytest.mark.parametrize("given", [{"0": "12"}, {"Nights": "12"}])
async def test_a_card_is_filled_in_by_labels_or_by_ids(given: dict[str, str]) -> None:
    async with PretendTeams() as app:
        ada = app.person("Ada")
        screen = ada.private_chat()
        message = app.world.post(screen.chat, app.bot, Content("", [CARD]))

        press = await screen.fill_in(screen.form_in(message.id), given, label="Send")

    assert press.message is message


async def test_every_breakage_is_one_that_the_pretend_teams_knows() -> None:
    async with serving(0, 0, "secret") as where, RemoteTeams(str(where["control_url"]), "secret") as remote:
        asks = [ask for fault in TeamsStage.faults for ask in fault.asks]
        for path, given in asks:
            await remote.ask("POST", path, dict(given))
        waiting = (await remote.state())["faults"]

    assert len(waiting) == len(asks) - 1  # new keys are there at once


async def test_a_message_that_is_liked_shows_it_to_the_page() -> None:
    async with serving(0, 0, "secret") as where, RemoteTeams(str(where["control_url"]), "secret") as remote:
        played = TeamsStage()
        cast = await played.cast(remote)
        screen = played.screen(remote, cast, OWNER, PRIVATE, None)
        await played.say(screen, "hello")
        ((message,), _) = await played.messages(remote, cast, OWNER, PRIVATE)
        before = (await remote.state())["last_event"]

        await screen.act("react", message=message["id"])

        events, _ = await remote.events(before, wait=1)
        news = [told for event in events if (told := played.news(event)) is not None]
    assert [told["message"]["reactions"] for _, told in news] == [["👍"]]
