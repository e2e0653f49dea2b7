"""Offers in a chat: what their cards say in each app, what is left of them, and what a deed comes to."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from channels.actions import ChatActions
from channels.base import Button, Capabilities
from channels.cards.drawing import Drawn
from channels.cards.offered import (
    CONNECT,
    LASTS,
    MUTE,
    NOT_NOW,
    TAKE,
    TURN_ON,
    USE,
    Connecting,
    end_of_offer,
    folded_line,
    is_over,
    offer_drawn,
    offer_face,
    offer_prompt,
)
from channels.gate import Standing
from channels.memory.channel import CAPABILITIES
from channels.taking import OVER, OWNER_ONLY, TAKEN_BEFORE, OfferDesk, Said
from core.cards import Offer, OfferKind
from core.clock import ManualClock
from core.engines.scripted import ScriptedEngine
from core.errors import StoreUnavailable
from core.preferences import Preferences
from core.settings import Settings
from core.store.cards import CardKind, CardPlace, CardRecord
from core.store.log import EventLog
from tests.core.lives import CHAT, Life, Start, until
from tests.core.offers.offering import OWNER, TOOLS, Skill, Things, carried_in, held_by, offering, offers_in

HOSTILE = Offer(
    offer_id="o",
    kind=OfferKind.SKILL,
    target="t",
    name="**Trips**",
    description="[x](http://evil.com)",
    why="_now_",
    by="assistant",
    skill_mode="when-asked",
    request="?",
)
LINK = "https://conch.example/connect/a_b_c"
BUTTONS, NO_BUTTONS = replace(CAPABILITIES, button_limit=8), replace(CAPABILITIES, button_limit=0)


def app_offer() -> Offer:
    return HOSTILE.model_copy(
        update={"kind": OfferKind.APP, "name": "Snapbox", "description": "Pictures", "why": "", "skill_mode": None}
    )


def draw(offer: Offer, capabilities: Capabilities = BUTTONS, **more: object) -> Drawn:
    return offer_drawn(offer, capabilities, lambda what: f"token of {what}", **more)  # type: ignore[arg-type]


def card_of(clock: ManualClock, *, note: str | None = None, behalf: str | None = None) -> CardRecord:
    """A card of the offer; with a note it is closed."""
    return CardRecord(
        id=1,
        handle="h",
        token_hash="t",
        key="k",
        conversation_id=CHAT,
        turn_seq=1,
        seq=2,
        kind=CardKind.OFFER,
        ref="o",
        place=CardPlace("memory", "1", "private", "", "1", behalf),
        draft="{}",
        press=None,
        version=0,
        open=note is None,
        note=note,
        message_id=None,
        created_at=clock.now(),
    )


# ---- how it looks ----------------------------------------------------------------------------------------------------


def test_the_words_of_a_card_are_data() -> None:
    whom, about, why, allowed, how = offer_prompt(HOSTILE, "It may *look*.", behalf="the group “[a](b)”").text.split(
        "\n\n"
    )

    assert whom == "For the group “\\[a\\]\\(b\\)”\\:".replace("\\:", ":")
    assert about == "**\\*\\*Trips\\*\\***: \\[x\\]\\(http\\:\\/\\/evil\\.com\\)"
    assert (why, allowed) == ("\\_now\\_", "It may \\*look\\*\\.")
    assert how == "I use it only when you say so: this once, or always when it fits."


@pytest.mark.parametrize(
    ("kind", "mode", "takes"),
    [
        (OfferKind.APP, None, [("It's connected", TAKE)]),
        (OfferKind.SKILL, "off", [("Turn on", TURN_ON)]),
        (OfferKind.SKILL, "when-asked", [("Use it", USE), ("Always", TURN_ON)]),
    ],
)
def test_what_takes_it_says_so(kind: OfferKind, mode: str | None, takes: list[tuple[str, str]]) -> None:
    offer = HOSTILE.model_copy(update={"kind": kind, "skill_mode": mode})

    buttons = [(button.label, button.what) for button in offer_prompt(offer).buttons]

    assert buttons == [*takes, ("Not now", NOT_NOW), ("Don't suggest", MUTE)]


def test_an_app_is_connected_by_a_button_that_is_a_link() -> None:
    drawing = draw(app_offer(), connecting=Connecting(LINK))

    connect, *others = drawing.buttons

    assert (connect.label, connect.url, connect.token) == ("Connect", LINK, None)
    assert [button.token for button in others] == [f"token of {NOT_NOW}", f"token of {MUTE}"]
    assert drawing.markdown.endswith("Connect it, and I carry on with what you asked.")
    assert CONNECT not in str(drawing)


def test_a_link_that_only_this_machine_opens_is_said_to_be_one() -> None:
    drawing = draw(app_offer(), connecting=Connecting(LINK, local=True))

    assert drawing.markdown.endswith(
        "Connect it, and I carry on with what you asked. The link opens only on the machine where Conch runs."
    )


def test_a_link_that_telegram_takes_on_no_button_is_in_the_text() -> None:
    here = "http://localhost:8080/connect/a"

    drawing = draw(app_offer(), connecting=Connecting(here, local=True))

    assert drawing.markdown.endswith(here)
    assert [(button.label, button.url) for button in drawing.buttons] == [("Not now", None), ("Don't suggest", None)]


def test_without_buttons_the_link_is_in_the_text_and_only_the_rest_is_numbered() -> None:
    drawing = draw(app_offer(), NO_BUTTONS, connecting=Connecting(LINK))

    assert drawing == Drawn(
        "**Snapbox**: Pictures\n\nOpen this to connect it, and I carry on with what you asked.\n\n"
        f"{LINK}\n\nReply with a number:\n1 Not now\n2 Don\\'t suggest"
    )


def test_an_app_that_cannot_be_connected_from_here_is_asked_for() -> None:
    drawing = draw(app_offer())

    assert drawing.markdown.endswith("It is not connected. Once it is, say so here and I carry on with what you asked.")
    assert [button.label for button in drawing.buttons] == ["It's connected", "Not now", "Don't suggest"]
    assert all(isinstance(button, Button) and button.url is None for button in drawing.buttons)


# ---- what is left of it ----------------------------------------------------------------------------------------------


def test_a_folded_card_is_one_line_whose_words_are_data() -> None:
    face = offer_face(card_of(ManualClock(), note="not now"), HOSTILE, BUTTONS)

    assert face == Drawn("_Offered\\: \\*\\*Trips\\*\\* · not now_")


def test_a_folded_card_names_the_group() -> None:
    card = card_of(ManualClock(), note="over", behalf="the group “Team”")

    assert folded_line(card, app_offer()) == "Offered for the group “Team”: Snapbox · over"


@pytest.mark.parametrize(("kind", "command"), [("telegram", "`/status`"), ("slack", "`/conch status`")])
def test_a_card_whose_time_is_over_says_what_to_send_in_this_app(kind: str, command: str) -> None:
    face = offer_face(card_of(ManualClock()), app_offer(), replace(BUTTONS, kind=kind))

    assert face == Drawn(f"**Snapbox**: Pictures\n\nIts buttons' time is over. Send {command} for fresh ones.")


def test_buttons_have_ten_minutes() -> None:
    clock = ManualClock()
    card = card_of(clock)

    in_time, too_late = clock.now() + LASTS - timedelta(milliseconds=1), clock.now() + LASTS

    assert (is_over(card, in_time), is_over(card, too_late)) == (False, True)


@pytest.mark.parametrize(
    ("offer", "end"),
    [
        (app_offer(), "connected"),
        (HOSTILE, "used"),
        (HOSTILE.model_copy(update={"skill_mode": "off"}), "turned on"),
    ],
)
def test_what_was_taken_says_what_happened(offer: Offer, end: str) -> None:
    assert end_of_offer(offer, "accepted") == end


# ---- what a deed comes to --------------------------------------------------------------------------------------------


@pytest.fixture
def start(tmp_path: Path) -> Start:
    return Start(tmp_path)


@pytest.fixture
def things() -> Things:
    return Things(skills=[Skill("trips", "Trips", mode="when-asked")])


@pytest.fixture
async def life(start: Start, things: Things) -> AsyncIterator[Life]:
    """The core, in which the owner is offered what their words name."""
    yield await start(ScriptedEngine(start.clock, offering, capabilities=TOOLS), shelf=things.shelf)
    await start.end_all()


async def offered(life: Life, what: str) -> Offer:
    await life.answer(f"offer {what}", by=OWNER)
    [offer] = (await EventLog(life.database).state(CHAT)).open_offers
    return offer


async def done(
    life: Life,
    offer: Offer,
    what: str,
    standing: Standing = Standing.OWNER,
    preferences: Preferences | None = None,
) -> Said:
    """What somebody hears who does this with the card of an offer."""
    clock = ManualClock()
    desk = OfferDesk(
        database=life.database,
        conversations=life.conversations,
        preferences=preferences or Preferences(Settings()),
        actions=ChatActions(life.database, clock),
        clock=clock,
    )
    return await desk.do(replace(card_of(clock), ref=offer.offer_id), offer, what, "Ada", standing)


async def test_what_is_connected_is_carried_on_with_once(life: Life, things: Things) -> None:
    offer = await offered(life, "app photos")
    things.connected.add("photos")

    first, second = await done(life, offer, TAKE), await done(life, offer, TAKE)
    await life.idle()

    assert (first, second) == (Said(), Said(TAKEN_BEFORE))
    assert "notice: carrying-on" in await life.story()


async def test_of_a_hundred_at_once_in_two_programs_one_is_carried_on_with(
    life: Life, start: Start, things: Things
) -> None:
    other = await start(ScriptedEngine(start.clock, offering, capabilities=TOOLS), recover=False, shelf=things.shelf)
    offer = await offered(life, "app photos")
    things.connected.add("photos")

    said = await asyncio.gather(*(taken_in_the_end(each, offer) for each in [life, other] * 50))
    await asyncio.gather(life.idle(), other.idle())

    assert Counter(said) == {Said(): 1, Said(TAKEN_BEFORE): 99}
    assert (await life.story()).count("notice: carrying-on") == 1
    assert len(await carried_in(life)) == 1


async def taken_in_the_end(life: Life, offer: Offer) -> Said:
    """As the one who was pressed tries again while another program writes."""
    while True:
        try:
            return await done(life, offer, TAKE)
        except StoreUnavailable:
            await asyncio.sleep(0)


async def test_while_a_reply_runs_it_waits_and_is_carried_on_with_afterwards(start: Start, things: Things) -> None:
    go = asyncio.Event()
    life = await start(ScriptedEngine(start.clock, held_by(go), capabilities=TOOLS), shelf=things.shelf)
    await life.say("wait and show me Snapbox", by=OWNER)
    await until(lambda: life.conversations.running(CHAT) and life.engine.turns)
    [offer] = await offers_in(life)
    things.connected.add("photos")

    said = await done(life, offer, TAKE)
    before = len(await carried_in(life))
    go.set()
    await life.idle()
    after = len(await carried_in(life))
    await life.is_over()

    assert (said, before, after) == (Said(), 0, 1)


async def test_a_skill_is_used_for_the_one_request(life: Life) -> None:
    offer = await offered(life, "skill trips")

    said = await done(life, offer, USE)
    await life.idle()

    assert said == Said()
    assert "for this one request" in life.engine.turns[-1].text


async def test_what_is_not_there_yet_can_be_taken_later(life: Life, things: Things) -> None:
    offer = await offered(life, "app photos")

    too_early = await done(life, offer, TAKE)
    things.connected.add("photos")

    assert too_early == Said("Snapbox is not connected yet. Once it is, try again.")
    assert await done(life, offer, TAKE) == Said()


async def test_what_is_over_says_so(life: Life, things: Things) -> None:
    offer = await offered(life, "app photos")
    await life.answer("never mind", by=OWNER)
    things.connected.add("photos")

    assert await done(life, offer, TAKE) == Said(OVER)


@pytest.mark.parametrize("what", [TAKE, NOT_NOW, MUTE])
async def test_nobody_but_the_owner_takes_or_dismisses_one(life: Life, things: Things, what: str) -> None:
    offer = await offered(life, "app photos")
    things.connected.add("photos")

    said = await done(life, offer, what, Standing.PERSON)

    assert said == Said(OWNER_ONLY)
    assert (await EventLog(life.database).state(CHAT)).open_offers == (offer,)


async def test_always_turns_a_skill_on_for_good(life: Life) -> None:
    offer = await offered(life, "skill trips")
    preferences = Preferences(Settings(skills_when_asked=("trips", "notes")))

    await done(life, offer, TURN_ON, preferences=preferences)

    assert preferences.current.skills_automatic == ("trips",)
    assert preferences.current.skills_when_asked == ("notes",)


async def test_what_is_over_turns_nothing_on(life: Life) -> None:
    offer = await offered(life, "skill trips")
    await life.answer("never mind", by=OWNER)
    preferences = Preferences(Settings())

    said = await done(life, offer, TURN_ON, preferences=preferences)

    assert (said, preferences.current.skills_automatic) == (Said(OVER), ())
