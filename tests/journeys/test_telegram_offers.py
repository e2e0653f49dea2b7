"""Offers in Telegram: under the answer, in the owner's own chat, and gone when they are over."""

import asyncio
from pathlib import Path

import pytest

from channels.emulators.telegram.pretend import PretendTelegram
from channels.emulators.telegram.screen import Screen
from channels.emulators.telegram.seen import SeenMessage
from channels.offers import OVER
from conch.app import App
from core.cards import Offer, OfferKind
from core.engines.base import MessageEnd, Text, TurnInput
from core.engines.script import Steps, Until
from core.engines.scripted import Script
from core.events import OfferResolved, OfferShown
from core.store.log import Append, EventLog
from tests.journeys.living import FastClock, Owner, living, owner_of, said
from tests.journeys.teams import team

OFFER = Offer(
    offer_id="o1",
    kind=OfferKind.APP,
    target="photos",
    name="Snapbox",
    description="Look at your pictures",
    why="So that I see *them*",
    by="assistant",
    request="Find my pictures",
)
CARD = (
    "Snapbox: Look at your pictures\n\nSo that I see *them*\n\n"
    "It is not connected. Once it is, say so here and I carry on with what you asked."
)


def waiting(go: asyncio.Event) -> Script:
    """Asked to find something, says a word, waits until it was offered, and ends; else it echoes."""

    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        if not turn.text.startswith("Find"):
            yield Text(f"echo: {turn.text}")
            return
        yield Text("I can't see them.")
        yield MessageEnd()
        yield Until(go)

    return script


async def add(app: App, *events: OfferShown | OfferResolved) -> None:
    [conversation] = await EventLog(app.database).page(10)
    await app.database.commit(Append(conversation.id, events))


async def offered(app: App, ada: Owner, go: asyncio.Event, offer: Offer = OFFER) -> SeenMessage:
    """Ask for something, have it offered, and come back with the card."""
    await ada.chat.say("Find my pictures")
    await ada.chat.wait_for(lambda messages: messages[-1].text == "I can't see them.")
    await add(app, OfferShown(offer=offer))
    go.set()
    await ada.chat.wait_for(lambda messages: messages[-1].labels)
    return ada.chat.messages[-1]


async def pressed(chat: Screen, message: SeenMessage, label: str) -> str:
    return (await chat.answer_to(await chat.press(message, label))).text


async def resolved(app: App) -> list[str]:
    [conversation] = await EventLog(app.database).page(10)
    events = await EventLog(app.database).read(conversation.id)
    return [event.data.outcome for event in events if isinstance(event.data, OfferResolved)]


async def no_buttons(chat: Screen) -> None:
    await chat.wait_for(lambda messages: not any(message.labels for message in messages))


async def test_an_offer_follows_the_answer_with_its_buttons(tmp_path: Path, pretend: PretendTelegram) -> None:
    go = asyncio.Event()
    async with living(tmp_path, pretend, script=waiting(go), clock=FastClock()) as app:
        ada = await owner_of(app, pretend)

        card = await offered(app, ada, go)

    assert said(ada.chat)[1:] == ["I can't see them.", CARD]
    assert [label for row in card.labels for label in row] == ["It's connected", "Not now", "Don't suggest"]


async def test_what_is_not_connected_is_not_taken_and_can_be_pressed_again(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    go = asyncio.Event()
    async with living(tmp_path, pretend, script=waiting(go), clock=FastClock()) as app:
        ada = await owner_of(app, pretend)
        card = await offered(app, ada, go)

        await pressed(ada.chat, card, "It's connected")
        await ada.chat.wait_for(lambda messages: messages[-1].text.startswith("Snapbox is not") and messages[-1].labels)
        again = ada.chat.messages[-1]

    assert again.text == "Snapbox is not connected yet. Once it is, press again."
    assert labels_of(again) == ["It's connected", "Not now", "Don't suggest"]


def labels_of(message: SeenMessage) -> list[str]:
    return [label for row in message.labels for label in row]


@pytest.mark.parametrize(
    ("label", "words", "muted"),
    [
        ("Not now", None, ()),
        ("Don't suggest", "All right, I won't suggest Snapbox again, in any chat.", ("photos",)),
    ],
)
async def test_an_offer_that_is_not_wanted_is_folded_up(
    tmp_path: Path, pretend: PretendTelegram, label: str, words: str | None, muted: tuple[str, ...]
) -> None:
    go = asyncio.Event()
    async with living(tmp_path, pretend, script=waiting(go), clock=FastClock()) as app:
        ada = await owner_of(app, pretend)
        card = await offered(app, ada, go)

        note = await pressed(ada.chat, card, label)
        await no_buttons(ada.chat)
        if words is not None:
            await ada.chat.wait_for(lambda messages: messages[-1].text == words)
        outcomes, kept = await resolved(app), app.preferences.current.muted_suggestions

    assert (note, outcomes, tuple(kept)) == (label, ["dismissed"], muted)
    assert said(ada.chat)[3:] == ([] if words is None else [words])


async def test_the_next_message_takes_the_buttons_away(tmp_path: Path, pretend: PretendTelegram) -> None:
    go = asyncio.Event()
    async with living(tmp_path, pretend, script=waiting(go), clock=FastClock()) as app:
        ada = await owner_of(app, pretend)
        await offered(app, ada, go)

        await ada.chat.say("Never mind")
        await no_buttons(ada.chat)

        assert await resolved(app) == ["expired"]


async def test_an_offer_that_was_taken_elsewhere_loses_its_buttons(tmp_path: Path, pretend: PretendTelegram) -> None:
    go = asyncio.Event()
    async with living(tmp_path, pretend, script=waiting(go), clock=FastClock()) as app:
        ada = await owner_of(app, pretend)
        await offered(app, ada, go)

        await add(app, OfferResolved(offer_id="o1", outcome="accepted", by="the console"))
        await no_buttons(ada.chat)

    assert said(ada.chat)[1:] == ["I can't see them.", CARD]


async def test_a_group_shows_no_offer(tmp_path: Path, pretend: PretendTelegram) -> None:
    go = asyncio.Event()
    async with living(tmp_path, pretend, script=waiting(go), clock=FastClock()) as app:
        friends = await team(app, pretend)
        screen = friends.screen("Ada")
        await screen.mention("Find my pictures")
        await screen.wait_for(lambda messages: messages[-1].text == "I can't see them.")

        await add(app, OfferShown(offer=OFFER))
        go.set()
        await friends.ask("Ada", "hello")

    assert said(screen) == ["I can't see them.", "echo: hello"]
    assert OVER not in said(screen)


async def test_a_skill_is_turned_on_by_a_tap_and_the_answer_goes_on(tmp_path: Path, pretend: PretendTelegram) -> None:
    go = asyncio.Event()
    kind = {"kind": OfferKind.SKILL, "target": "trip-planner", "name": "Trip planner", "skill_mode": "off"}
    async with living(tmp_path, pretend, script=waiting(go), clock=FastClock()) as app:
        ada = await owner_of(app, pretend)
        card = await offered(app, ada, go, OFFER.model_copy(update=kind))

        await pressed(ada.chat, card, "Turn on")
        await ada.chat.wait_for(lambda messages: "Carry on" in messages[-1].text)
        turned_on = app.preferences.current.skills_automatic

    assert "It may look things up" in card.text
    assert turned_on == ("trip-planner",)
    assert said(ada.chat)[3] == "Turned on Trip planner · carrying on"
