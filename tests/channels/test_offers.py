"""Offers in a chat: what their cards say, and what their buttons come to."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from channels.actions import DismissOffer, MuteOffer, TakeOffer
from channels.commands.call import Reply
from channels.gate import Standing
from channels.offers import OVER, OWNER_ONLY, TAKEN_BEFORE, OfferPresses, offer_actions, offer_text
from core.cards import Offer, OfferKind
from core.engines.scripted import ScriptedEngine
from core.preferences import Preferences
from core.settings import Settings
from core.store.log import EventLog
from tests.channels.commands.calls import call
from tests.core.lives import CHAT, Life, Start
from tests.core.offers.offering import OWNER, TOOLS, Skill, Things, offering


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


def take(offer: Offer) -> TakeOffer:
    """What the first of its buttons does."""
    first, *_ = offer_actions(CHAT, offer)
    assert isinstance(first.action, TakeOffer)
    return first.action


def presses_of(life: Life) -> OfferPresses:
    return OfferPresses(life.conversations, EventLog(life.database), Preferences(Settings()))


async def taken(life: Life, action: TakeOffer, standing: Standing = Standing.OWNER) -> Reply:
    return await presses_of(life).take(call("/offer", standing=standing), action)


# ---- how it looks ----------------------------------------------------------------------------------------------------


def test_the_words_of_a_card_are_data() -> None:
    offer = Offer(
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

    about, why, allowed, how = offer_text(offer, "It may *look*.").split("\n\n")

    assert about == "**\\*\\*Trips\\*\\***: \\[x\\]\\(http\\:\\/\\/evil\\.com\\)"
    assert (why, allowed) == ("\\_now\\_", "It may \\*look\\*\\.")
    assert how == "I use it only when you say so: this once, or always when it fits."


@pytest.mark.parametrize(
    ("kind", "mode", "label", "how"),
    [
        (OfferKind.APP, None, "It's connected", None),
        (OfferKind.SKILL, "off", "Turn on", "on"),
        (OfferKind.SKILL, "when-asked", "Use it", "once"),
    ],
)
def test_what_takes_it_says_so(kind: OfferKind, mode: str | None, label: str, how: str | None) -> None:
    offer = Offer.model_validate(
        {
            **{"offer_id": "o", "kind": kind, "target": "t", "name": "N", "description": "", "why": "", "by": "cue"},
            **{"skill_mode": mode, "request": "?"},
        }
    )

    first, *others = offer_actions("c", offer)

    assert (first.label, first.action) == (label, TakeOffer(conversation_id="c", offer_id="o", name="N", how=how))
    assert [one.label for one in others] == [*(["Always"] if how == "once" else []), "Not now", "Don't suggest"]
    assert [type(one.action) for one in others[-2:]] == [DismissOffer, MuteOffer]


# ---- what a press comes to -------------------------------------------------------------------------------------------


async def test_what_is_connected_is_carried_on_with_once(life: Life, things: Things) -> None:
    offer = await offered(life, "app photos")
    things.connected.add("photos")

    first, second = await taken(life, take(offer)), await taken(life, take(offer))
    await life.idle()

    assert (first, second) == (Reply(""), Reply(TAKEN_BEFORE))
    assert "notice: carrying-on" in await life.story()


async def test_a_skill_is_used_for_the_one_request(life: Life) -> None:
    offer = await offered(life, "skill trips")

    reply = await taken(life, take(offer))
    await life.idle()

    assert (take(offer).how, reply) == ("once", Reply(""))
    assert "for this one request" in life.engine.turns[-1].text


async def test_what_is_not_there_yet_keeps_its_buttons(life: Life) -> None:
    offer = await offered(life, "app photos")

    reply = await taken(life, take(offer))

    assert reply == Reply("Snapbox is not connected yet. Once it is, press again.", actions=offer_actions(CHAT, offer))


async def test_what_is_over_says_so(life: Life, things: Things) -> None:
    offer = await offered(life, "app photos")
    await life.answer("never mind", by=OWNER)
    things.connected.add("photos")

    assert await taken(life, take(offer)) == Reply(OVER)


async def test_nobody_but_the_owner_takes_or_dismisses_one(life: Life, things: Things) -> None:
    offer = await offered(life, "app photos")
    things.connected.add("photos")
    presses = presses_of(life)
    dismiss = DismissOffer(conversation_id=CHAT, offer_id=offer.offer_id, name=offer.name)

    replies = (
        await taken(life, take(offer), Standing.PERSON),
        await presses.dismiss(call("/offer", standing=Standing.PERSON), dismiss),
    )

    assert replies == (Reply(OWNER_ONLY), Reply(OWNER_ONLY))
    assert (await EventLog(life.database).state(CHAT)).open_offers == (offer,)


async def test_always_turns_a_skill_on_for_good(life: Life) -> None:
    offer = await offered(life, "skill trips")
    preferences = Preferences(Settings(skills_when_asked=("trips", "notes")))
    always = offer_actions(CHAT, offer)[1].action
    assert isinstance(always, TakeOffer)

    await OfferPresses(life.conversations, EventLog(life.database), preferences).take(call("/offer"), always)

    assert preferences.current.skills_automatic == ("trips",)
    assert preferences.current.skills_when_asked == ("notes",)


async def test_what_is_over_turns_nothing_on(life: Life) -> None:
    offer = await offered(life, "skill trips")
    await life.answer("never mind", by=OWNER)
    preferences = Preferences(Settings())
    always = offer_actions(CHAT, offer)[1].action
    assert isinstance(always, TakeOffer)

    reply = await OfferPresses(life.conversations, EventLog(life.database), preferences).take(call("/offer"), always)

    assert (reply, preferences.current.skills_automatic) == (Reply(OVER), ())
