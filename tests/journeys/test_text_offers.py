"""Offers in an app without buttons: numbered, the link in the text, answered by typing alone."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from channels.memory.app import MemoryApp
from channels.memory.chat import MemoryChat, SeenMessage
from channels.memory.kind import MemoryKind
from conch.app import App, composed
from conch.home import Home
from conch.settings import ProgramSettings
from core.cards import Offer, OfferKind
from core.engines.base import EngineCapabilities, MessageEnd, Text, TurnInput
from core.engines.script import CallTool, Steps, Until
from core.engines.scripted import ScriptedEngine
from core.events import OfferResolved, OfferShown
from core.store.log import Append, EventLog
from tests.journeys.living import FastClock
from tests.journeys.test_text_cards import ada_in, hears

HERE = "http://127.0.0.1:8080"
PHOTOS = Offer(
    offer_id="o1",
    kind=OfferKind.APP,
    target="photos",
    name="Snapbox",
    description="Look at your pictures",
    why="So that I see them",
    by="assistant",
    request="Find my pictures",
)
CALENDAR = PHOTOS.model_copy(update={"target": "demo-calendar", "name": "Demo Calendar"})
TRIPS = PHOTOS.model_copy(
    update={"kind": OfferKind.SKILL, "target": "trip-planner", "name": "Trip planner", "skill_mode": "off"}
)
ABOUT = "Snapbox: Look at your pictures\n\nSo that I see them\n\n"


@dataclass
class Talk:
    """Ada's chat with a Conch of her own, and what holds a turn until something was offered in it."""

    app: App
    ada: MemoryChat
    clock: FastClock
    go: asyncio.Event

    async def offered(self, offer: Offer) -> SeenMessage:
        """Ask for something, have it offered, and come back with the card."""
        self.ada.say("Find my pictures")
        await hears(self.ada, "I can't see them.")
        [conversation] = await EventLog(self.app.database).page(10)
        await self.app.database.commit(Append(conversation.id, (OfferShown(offer=offer),)))
        self.go.set()
        await hears(self.ada, f"{offer.name}: ")
        return self.ada.answers[-1]

    async def becomes(self, card: SeenMessage, words: str) -> None:
        """Wait until a message says something else."""
        await self.ada.wait_until(lambda chat: (seen := chat.find(card.id)) and seen.text.endswith(words))

    async def resolved(self) -> list[str]:
        [conversation] = await EventLog(self.app.database).page(10)
        events = await EventLog(self.app.database).read(conversation.id)
        return [event.data.outcome for event in events if isinstance(event.data, OfferResolved)]


@asynccontextmanager
async def talking(folder: Path, *, button_limit: int = 0) -> AsyncIterator[Talk]:
    clock, go = FastClock(), asyncio.Event()

    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        if turn.text.startswith("Suggest"):
            yield Text("By train.")
            yield CallTool("1", "suggest_replies", {"replies": ["Book the 9:30 train"]})
        elif turn.text.startswith("Find"):
            yield Text("I can't see them.")
            yield MessageEnd()
            yield Until(go)
        else:
            yield Text(f"echo: {turn.text}")

    world, home = MemoryApp(clock), Home(folder)
    home.prepare()
    kinds = {"memory": MemoryKind(clock, world, button_limit=button_limit)}
    engines = [ScriptedEngine(clock, script, capabilities=EngineCapabilities(host_tools="inline"))]
    settings = ProgramSettings.model_validate({"gather_ms": 0, "rate_per_chat": 0, "rate_global": 0})
    async with composed(home, settings, clock=clock, kinds=kinds, engines=engines, local_url=HERE) as app:
        await app.start()
        yield Talk(app, await ada_in(app, world), clock, go)
        await app.drain()


async def test_a_link_is_in_the_text_and_the_rest_has_numbers(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        card = await talk.offered(CALENDAR)

        talk.ada.say("1")
        await talk.becomes(card, "Offered: Demo Calendar · not now")
        outcomes = await talk.resolved()

    lead, link, rest = card.text.split("\n\n", 4)[2:]
    assert lead == (
        "Open this to connect it, and I carry on with what you asked."
        " The link opens only on the machine where Conch runs."
    )
    assert link.startswith(f"{HERE}/connect/")
    assert rest == "Reply with a number:\n1 Not now\n2 Don't suggest"
    assert outcomes == ["dismissed"]


async def test_a_number_turns_a_skill_on_and_the_answer_goes_on(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        card = await talk.offered(TRIPS)

        talk.ada.say("1")
        carried_on = await hears(talk.ada, "echo: Follow the skill “Trip planner” now.")
        await talk.becomes(card, "Offered: Trip planner · turned on")
        line = await hears(talk.ada, "Turned on")

    assert card.text.endswith("Reply with a number:\n1 Turn on\n2 Not now\n3 Don't suggest")
    assert carried_on.endswith("Find my pictures")
    assert line == "Turned on Trip planner · carrying on"


async def test_a_yes_to_what_is_not_connected_says_so_and_it_can_be_said_again(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        card = await talk.offered(PHOTOS)

        talk.ada.say("yes")
        said = await hears(talk.ada, "Snapbox is not")
        talk.ada.say("It's connected")
        await talk.ada.wait_until(lambda chat: chat.texts.count(said) == 2)

    assert said == "Snapbox is not connected yet. Once it is, try again."
    assert card.text.endswith("Reply with a number:\n1 It's connected\n2 Not now\n3 Don't suggest")


async def test_never_again_has_a_number_too(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        await talk.offered(PHOTOS)

        talk.ada.say("3")
        await hears(talk.ada, "All right, I won't suggest Snapbox again, in any chat.")
        muted = tuple(talk.app.preferences.current.muted_suggestions)

    assert muted == ("photos",)


async def test_other_words_are_a_message_and_fold_it(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        card = await talk.offered(PHOTOS)

        talk.ada.say("yes, and what about the films?")
        await hears(talk.ada, "echo: yes, and")
        await talk.becomes(card, "Offered: Snapbox · over")
        talk.ada.say("1")
        late = await hears(talk.ada, "echo: 1")

    assert late == "echo: 1"


async def test_after_ten_minutes_a_number_is_a_message_and_status_brings_the_card_anew(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        old = await talk.offered(PHOTOS)

        talk.clock.skip(601)
        talk.app.redrawing.wake()
        await talk.becomes(old, "Its buttons' time is over. Send /status for fresh ones.")
        talk.ada.say("/status")
        await talk.ada.wait_until(
            lambda chat: chat.answers[-1].text.startswith(ABOUT) and chat.answers[-1].id != old.id
        )
        fresh = talk.ada.answers[-1]
        await talk.becomes(old, "Offered: Snapbox · further down")
        talk.ada.say("2")
        await talk.becomes(fresh, "Offered: Snapbox · not now")
        outcomes = await talk.resolved()

    assert fresh.text.endswith("1 It's connected\n2 Not now\n3 Don't suggest")
    assert outcomes == ["dismissed"]


async def test_too_late_a_number_is_an_ordinary_message(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        await talk.offered(PHOTOS)

        talk.clock.skip(601)
        talk.ada.say("2")
        await hears(talk.ada, "echo: 2")

        assert await talk.resolved() == ["expired"]


@pytest.mark.report("R073")
async def test_a_number_is_for_what_was_offered_last_and_a_quote_for_what_it_quotes(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        card = await talk.offered(PHOTOS)
        talk.ada.say("/stattus")
        await hears(talk.ada, "There is no command")

        talk.ada.say("2", reply_to=card)
        await talk.becomes(card, "Offered: Snapbox · not now")
        outcomes = await talk.resolved()
        talk.ada.say("1")
        await hears(talk.ada, "- Model")

    assert outcomes == ["dismissed"]


async def test_where_there_are_buttons_the_one_that_connects_is_a_link(tmp_path: Path) -> None:
    async with talking(tmp_path, button_limit=8) as talk:
        card = await talk.offered(CALENDAR)

    connect, *others = card.buttons
    assert connect.label == "Connect"
    assert connect.url is not None
    assert connect.url.startswith(f"{HERE}/connect/")
    assert [button.label for button in others] == ["Not now", "Don't suggest"]
    assert card.text.endswith("The link opens only on the machine where Conch runs.")


async def test_status_brings_a_fresh_link(tmp_path: Path) -> None:
    async with talking(tmp_path, button_limit=8) as talk:
        card = await talk.offered(CALENDAR)

        talk.ada.say("/status")
        await talk.ada.wait_until(lambda chat: chat.answers[-1].text == card.text and chat.answers[-1].id != card.id)
        fresh = talk.ada.answers[-1]

    assert fresh.buttons[0].url != card.buttons[0].url


async def test_chips_are_not_shown_where_there_are_no_buttons(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        talk.ada.say("Suggest something")
        await hears(talk.ada, "By train.")
        talk.ada.say("1")
        await hears(talk.ada, "echo: 1")

    assert talk.ada.texts[-2:] == ("By train.", "echo: 1")
