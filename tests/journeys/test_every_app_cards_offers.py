"""What is offered in every app: taken, turned down, over, anew at /status, and carried on with exactly once."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from conch.app import App
from core.cards import Offer, OfferKind
from core.engines.base import EngineCapabilities, MessageEnd, Text, TurnInput
from core.engines.script import CallTool, Steps, Until
from core.engines.scripted import Script, ScriptedEngine
from core.events import Mode, OfferResolved, OfferShown, TurnStarted
from core.skills.modes import switched
from tests.journeys.apps import AppUnderTest, Member, Seen, labels, now, said
from tests.journeys.browsing import Window, web_side
from tests.journeys.cards import add, card, lines, logged, read, says, shows, tap, told, whispers
from tests.journeys.living import FastClock, until
from tests.journeys.test_telegram_connecting import AGENDA, ASKED, Noon, calendar_keeper
from web.serving import address, listen

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
ABOUT = ("Snapbox: Look at your pictures", "So that I see *them*")
CARD = "\n".join((*ABOUT, "It is not connected. Once it is, say so here and I carry on with what you asked."))
TRIP = "Plan two days in Lisbon"


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


async def offered(app: App, ada: Member, go: asyncio.Event) -> Seen:
    """Ask for something, have it offered, and come back with the card."""
    await ada.chat.say("Find my pictures")
    await says(ada.chat, "I can't see them.")
    await add(app, OfferShown(offer=OFFER))
    go.set()
    return await card(ada.chat, "Snapbox")


async def outcomes(app: App) -> list[str]:
    return [resolved.outcome for resolved in await logged(app, OfferResolved)]


# ---- how it stands there, and how it ends ----------------------------------------------------------------------------


async def test_an_offer_follows_the_answer_and_can_be_pressed_until_it_is_connected(
    tmp_path: Path, messenger: AppUnderTest
) -> None:
    go = asyncio.Event()
    async with messenger.living(tmp_path, gather_ms=0, script=waiting(go)) as app:
        ada = await messenger.owner_of(app)
        shown = await offered(app, ada, go)

        notes = [await told(ada.chat, shown, "It's connected") for _ in range(2)]

    said_after = notes if messenger.notes_stay else []
    assert lines(ada.chat) == ["I can't see them.", CARD, *said_after]
    assert labels(now(ada.chat, shown)) == ["It's connected", "Not now", "Don't suggest"]
    assert notes == ["Snapbox is not connected yet. Once it is, try again."] * 2


@pytest.mark.parametrize(
    ("label", "words", "muted"),
    [
        ("Not now", [], ()),
        ("Don't suggest", ["All right, I won't suggest Snapbox again, in any chat."], ("photos",)),
    ],
)
async def test_an_offer_that_is_not_wanted_is_folded_up(
    tmp_path: Path, messenger: AppUnderTest, label: str, words: list[str], muted: tuple[str, ...]
) -> None:
    go = asyncio.Event()
    async with messenger.living(tmp_path, gather_ms=0, script=waiting(go)) as app:
        ada = await messenger.owner_of(app)
        shown = await offered(app, ada, go)

        await tap(ada.chat, shown, label)
        await shows(ada.chat, shown, "Offered: Snapbox · not now")
        await ada.chat.wait_for(lambda _: lines(ada.chat)[2:] == words)
        ended, kept = await outcomes(app), app.preferences.current.muted_suggestions

    assert (ended, tuple(kept)) == (["dismissed"], muted)
    assert not whispers(ada.chat)


@pytest.mark.parametrize("how", ["a message", "a clear", "elsewhere"])
async def test_an_offer_that_is_over_folds_and_a_late_press_hears_what_became_of_it(
    tmp_path: Path, messenger: AppUnderTest, how: str
) -> None:
    go = asyncio.Event()
    async with messenger.living(tmp_path, gather_ms=0, script=waiting(go)) as app:
        ada = await messenger.owner_of(app)
        shown = await offered(app, ada, go)

        match how:
            case "a message":
                await ada.chat.say("Never mind")
            case "a clear":
                await messenger.give(ada.chat, "clear")
            case _:
                await add(app, OfferResolved(offer_id="o1", outcome="accepted", by="the console"))
        line = f"Offered: Snapbox · {'connected' if how == 'elsewhere' else 'over'}"
        await shows(ada.chat, shown, line)
        late = await told(ada.chat, shown, "It's connected", stale=True)

    assert late == line


@pytest.mark.report("R089")
async def test_a_card_outlives_a_restart_and_folds_after_it(tmp_path: Path, messenger: AppUnderTest) -> None:
    go = asyncio.Event()
    async with messenger.living(tmp_path, gather_ms=0, script=waiting(go)) as app:
        ada = await messenger.owner_of(app)
        shown = await offered(app, ada, go)

    async with messenger.living(tmp_path, gather_ms=0, script=waiting(go)) as app:
        await messenger.ready(app, ada.channel_id)
        kept = labels(now(ada.chat, shown))
        await tap(ada.chat, shown, "Not now")
        await shows(ada.chat, shown, "Offered: Snapbox · not now")

    assert kept == ["It's connected", "Not now", "Don't suggest"]


async def test_what_was_decided_while_nothing_ran_is_shown_after_the_start(
    tmp_path: Path, messenger: AppUnderTest
) -> None:
    go = asyncio.Event()
    async with messenger.living(tmp_path, gather_ms=0, script=waiting(go)) as app:
        ada = await messenger.owner_of(app)
        shown = await offered(app, ada, go)
        await app.relay.close()
        await add(app, OfferResolved(offer_id="o1", outcome="dismissed", by="Ada"))

    async with messenger.living(tmp_path, gather_ms=0, script=waiting(go)):
        await shows(ada.chat, shown, "Offered: Snapbox · not now")


@pytest.mark.report("R069")
async def test_after_ten_minutes_the_card_says_how_to_get_fresh_buttons_and_status_brings_them(
    tmp_path: Path, messenger: AppUnderTest
) -> None:
    go, clock = asyncio.Event(), FastClock()
    async with messenger.living(tmp_path, script=waiting(go), clock=clock) as app:
        ada = await messenger.owner_of(app)
        shown = await offered(app, ada, go)

        clock.skip(601)
        late = await told(ada.chat, shown, "Not now")
        app.redrawing.wake()
        again = f"Send {messenger.written('status')} for fresh ones."
        await shows(ada.chat, shown, *ABOUT, f"Its buttons' time is over. {again}")
        await messenger.give(ada.chat, "status")
        fresh = await card(ada.chat, "Snapbox", below=shown)
        await shows(ada.chat, shown, "Offered: Snapbox · further down")
        await tap(ada.chat, fresh, "Not now")
        await shows(ada.chat, fresh, "Offered: Snapbox · not now")

    assert late == f"This button's time is over. {again}"
    assert read(fresh.text) == CARD
    assert labels(fresh) == ["It's connected", "Not now", "Don't suggest"]


async def test_what_is_offered_to_a_let_in_person_is_shown_nowhere(tmp_path: Path, messenger: AppUnderTest) -> None:
    go = asyncio.Event()
    async with messenger.living(tmp_path, gather_ms=0, script=waiting(go)) as app:
        ada = await messenger.owner_of(app)
        bob = await messenger.another(app, ada, "Bob")
        await bob.chat.say("Find my pictures")
        await says(bob.chat, "I can't see them.")
        await add(app, OfferShown(offer=OFFER))
        go.set()
        await bob.chat.say("hello")
        await says(bob.chat, "echo: hello")

    assert not any("Snapbox" in text for text in [*said(bob.chat), *said(ada.chat)])


# ---- a skill that is taken and carried on with -----------------------------------------------------------------------


def planner(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
    """Asked first it offers the skill, and asked to carry on it does."""
    if turn.text.startswith(TRIP):
        args = {"kind": "skill", "target": "trip-planner", "why": "It books things in the right order"}
        yield CallTool("offer", "offer", args)
        yield Text("I can plan that roughly.")
    elif TRIP in turn.text:
        yield Text("Day one: Alfama. Day two: Belém.")
    else:
        yield Text(f"echo: {turn.text}")


@pytest.mark.parametrize(
    ("mode", "label", "became", "stands"),
    [
        ("off", "Turn on", "turned on", ("trip-planner",)),
        ("when-asked", "Use it", "used", ()),
        ("when-asked", "Always", "used", ("trip-planner",)),
    ],
)
async def test_a_skill_that_is_offered_and_taken_is_carried_on_with_once(
    tmp_path: Path, messenger: AppUnderTest, mode: str, label: str, became: str, stands: tuple[str, ...]
) -> None:
    async with messenger.living(tmp_path, gather_ms=0, script=planner) as app:
        if mode == "when-asked":
            await app.preferences.change(switched(app.preferences.current, "trip-planner", "when-asked"))
        ada = await messenger.owner_of(app)
        await ada.chat.say(TRIP)
        shown = await card(ada.chat, "Trip planner")

        for _ in range(2):
            await ada.chat.press(shown, label, stale=True)
        await says(ada.chat, "Day one")
        await shows(ada.chat, shown, f"Offered: Trip planner · {became}")
        await ada.chat.say("thanks for that")
        await says(ada.chat, "echo: thanks for that")
        on, turns = app.preferences.current.skills_automatic, await logged(app, TurnStarted)

    late = ("That was taken before, so I carry on only once.", f"Offered: Trip planner · {became}")
    answer, _, *others = lines(ada.chat)
    quiet, *rest = [line for line in others if not (messenger.notes_stay and line in late)]
    assert answer == "I can plan that roughly."
    assert quiet.endswith("Trip planner · carrying on")
    assert rest == ["Day one: Alfama. Day two: Belém.", "echo: thanks for that"]
    assert (tuple(on), len(turns)) == (stands, 3)


# ---- an app that is connected ----------------------------------------------------------------------------------------


@asynccontextmanager
async def connectable(folder: Path, messenger: AppUnderTest) -> AsyncIterator[Member]:
    """The owner of a bot whose web side a browser reaches."""
    clock = Noon()
    engine = ScriptedEngine(
        clock, calendar_keeper, capabilities=EngineCapabilities(host_tools="inline", modes=tuple(Mode))
    )
    with listen("127.0.0.1", 0) as listener:
        where = address("127.0.0.1", listener)
        async with (
            messenger.living(folder, engines=[engine], clock=clock, local_url=where) as app,
            web_side(app, listener),
        ):
            yield await messenger.owner_of(app)


def address_of(button: Any) -> str:
    """Where a button leads that does nothing else."""
    assert getattr(button, "does", "url") == "url"
    return str(button.url if hasattr(button, "url") else button.value)


async def test_whoever_signs_in_finds_the_answer_in_the_chat(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with connectable(tmp_path, messenger) as ada, Window() as window:
        await ada.chat.say(ASKED)
        shown = await card(ada.chat, "Demo Calendar: ")
        [connect, *_] = [button for row in shown.buttons for button in row]
        page = await window.submit(await window.open(address_of(connect)))
        end = await window.submit(page, answer="yes")
        await until(lambda: said(ada.chat)[-1] == "2 appointments.")
        await shows(ada.chat, shown, "Offered: Demo Calendar · connected")

    assert labels(shown) == ["Connect", "Not now", "Don't suggest"]
    assert f"Go back to {messenger.kind.capitalize()}: the answer to what you asked comes there by itself." in end.html
    assert lines(ada.chat)[2:] == ["Connected Demo Calendar · carrying on", read(AGENDA), "2 appointments."]
