"""Offers in Telegram: under the answer, in the owner's own chat, and folded to a line when they are over."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from channels.base import ChatRef, MessageRef, Press, Sender
from channels.emulators.telegram.pretend import PretendTelegram
from channels.emulators.telegram.screen import Screen
from channels.emulators.telegram.seen import SeenMessage
from channels.gate import Standing
from channels.outbox import message_of
from channels.pressing import NOTES, Note
from channels.taking import OfferDesk
from conch.app import App
from core.cards import Offer, OfferKind
from core.engines.base import MessageEnd, Text, TurnInput
from core.engines.script import Steps, Until
from core.engines.scripted import Script
from core.events import OfferResolved, OfferShown
from core.store.actions import Denied
from core.store.cards import CardRows
from core.store.log import Append, EventLog
from core.store.outbox import OutboxRows
from core.store.seats import Seat, Seats
from tests.journeys.living import FastClock, Owner, living, owner_of, said
from tests.journeys.teams import Team, settled, team

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


async def folded(chat: Screen, card: SeenMessage) -> str:
    """Come back when the card has no buttons; what is left of it."""

    def found(messages: Sequence[SeenMessage]) -> SeenMessage | None:
        return next((each for each in messages if each.id == card.id and not each.labels), None)

    seen = await chat.wait_for(found)
    assert seen is not None
    return seen.text


def labels_of(message: SeenMessage) -> list[str]:
    return [label for row in message.labels for label in row]


# ---- how it stands there ---------------------------------------------------------------------------------------------


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

        first = await pressed(ada.chat, card, "It's connected")
        again = await pressed(ada.chat, card, "It's connected")

    assert first == again == "Snapbox is not connected yet. Once it is, try again."
    assert said(ada.chat)[1:] == ["I can't see them.", CARD]


async def test_somebody_elses_press_gets_nothing(tmp_path: Path, pretend: PretendTelegram) -> None:
    go = asyncio.Event()
    async with living(tmp_path, pretend, script=waiting(go), clock=FastClock()) as app:
        ada = await owner_of(app, pretend)
        card = await offered(app, ada, go)
        [seen] = await CardRows(app.database).lately(ada.channel_id, str(ada.chat.chat.id), "", str(ada.player.id))
        await app.people.let_in(ada.channel_id, "77", by="console", name="Bob")
        [letter] = await OutboxRows(app.database).of_key(seen.key)
        press = Press(
            id="p",
            token=message_of(letter).buttons[0].token or "",
            message=MessageRef(ChatRef(ada.channel_id, str(ada.chat.chat.id)), str(card.id)),
            sender=Sender("77", "Bob"),
            update_id="u",
            at=app.clock.now(),
        )
        channel = app.outbox.channel(ada.channel_id)
        assert channel is not None
        note = await desk_of(app).claim(channel, press, Standing.PERSON)

    assert note == Note(NOTES[Denied.FOREIGN])


def desk_of(app: App) -> OfferDesk:
    return OfferDesk(
        database=app.database,
        conversations=app.conversations,
        preferences=app.preferences,
        actions=app.actions,
        clock=app.clock,
    )


# ---- how it ends -----------------------------------------------------------------------------------------------------


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
        left = await folded(ada.chat, card)
        if words is not None:
            await ada.chat.wait_for(lambda messages: messages[-1].text == words)
        outcomes, kept = await resolved(app), app.preferences.current.muted_suggestions

    assert (note, outcomes, tuple(kept)) == (label, ["dismissed"], muted)
    assert left == "Offered: Snapbox · not now"
    assert said(ada.chat)[3:] == ([] if words is None else [words])


async def test_the_next_message_folds_it(tmp_path: Path, pretend: PretendTelegram) -> None:
    go = asyncio.Event()
    async with living(tmp_path, pretend, script=waiting(go), clock=FastClock()) as app:
        ada = await owner_of(app, pretend)
        card = await offered(app, ada, go)

        await ada.chat.say("Never mind")
        left = await folded(ada.chat, card)

        assert await resolved(app) == ["expired"]

    assert left == "Offered: Snapbox · over"


async def test_a_clear_folds_it_and_a_late_press_hears_what_became_of_it(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    go = asyncio.Event()
    async with living(tmp_path, pretend, script=waiting(go), clock=FastClock()) as app:
        ada = await owner_of(app, pretend)
        card = await offered(app, ada, go)

        await ada.chat.say("/clear")
        left = await folded(ada.chat, card)
        note = (await ada.chat.answer_to(await ada.chat.press(card, "It's connected", stale=True))).text

    assert left == note == "Offered: Snapbox · over"


async def test_an_offer_that_was_taken_elsewhere_says_so(tmp_path: Path, pretend: PretendTelegram) -> None:
    go = asyncio.Event()
    async with living(tmp_path, pretend, script=waiting(go), clock=FastClock()) as app:
        ada = await owner_of(app, pretend)
        card = await offered(app, ada, go)

        await add(app, OfferResolved(offer_id="o1", outcome="accepted", by="the console"))
        left = await folded(ada.chat, card)

    assert left == "Offered: Snapbox · connected"


@pytest.mark.report("R089")
async def test_a_card_outlives_a_restart_and_folds_after_it_all_the_same(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    go, clock = asyncio.Event(), FastClock()
    async with living(tmp_path, pretend, script=waiting(go), clock=clock) as app:
        ada = await owner_of(app, pretend)
        card = await offered(app, ada, go)

    async with living(tmp_path, pretend, script=waiting(go), clock=clock):
        kept = labels_of(next(message for message in ada.chat.messages if message.id == card.id))
        await ada.chat.say("Never mind")
        left = await folded(ada.chat, card)

    assert kept == ["It's connected", "Not now", "Don't suggest"]
    assert left == "Offered: Snapbox · over"


async def test_what_was_decided_while_nothing_ran_is_shown_after_the_start(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    go, clock = asyncio.Event(), FastClock()
    async with living(tmp_path, pretend, script=waiting(go), clock=clock) as app:
        ada = await owner_of(app, pretend)
        card = await offered(app, ada, go)
        await app.relay.close()
        await add(app, OfferResolved(offer_id="o1", outcome="dismissed", by="Ada"))

    async with living(tmp_path, pretend, script=waiting(go), clock=clock):
        left = await folded(ada.chat, card)

    assert left == "Offered: Snapbox · not now"


# ---- buttons whose time is over --------------------------------------------------------------------------------------


@pytest.mark.report("R069")
async def test_after_ten_minutes_the_card_says_how_to_get_fresh_buttons(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    go, clock = asyncio.Event(), FastClock()
    async with living(tmp_path, pretend, script=waiting(go), clock=clock) as app:
        ada = await owner_of(app, pretend)
        card = await offered(app, ada, go)

        clock.skip(601)
        note = await pressed(ada.chat, card, "Not now")
        app.redrawing.wake()
        left = await folded(ada.chat, card)

        assert await resolved(app) == []

    assert note == "This button's time is over. Send /status for fresh ones."
    assert left == (
        "Snapbox: Look at your pictures\n\nSo that I see *them*\n\n"
        "Its buttons' time is over. Send /status for fresh ones."
    )


async def test_status_brings_the_card_anew_and_folds_the_old_one(tmp_path: Path, pretend: PretendTelegram) -> None:
    go, clock = asyncio.Event(), FastClock()
    async with living(tmp_path, pretend, script=waiting(go), clock=clock) as app:
        ada = await owner_of(app, pretend)
        card = await offered(app, ada, go)
        clock.skip(601)

        await ada.chat.say("/status")
        await ada.chat.wait_for(lambda messages: messages[-1].text == CARD and messages[-1].id != card.id)
        fresh = ada.chat.messages[-1]
        further_down = "Offered: Snapbox · further down"  # its buttons' time may be told before
        await ada.chat.wait_for(lambda messages: (card.id, further_down) in [(one.id, one.text) for one in messages])
        note = await pressed(ada.chat, fresh, "Not now")
        left = await folded(ada.chat, fresh)

    assert labels_of(fresh) == ["It's connected", "Not now", "Don't suggest"]
    assert (note, left) == ("Not now", "Offered: Snapbox · not now")


async def test_status_shows_no_offer_that_is_over(tmp_path: Path, pretend: PretendTelegram) -> None:
    go = asyncio.Event()
    async with living(tmp_path, pretend, script=waiting(go), clock=FastClock()) as app:
        ada = await owner_of(app, pretend)
        card = await offered(app, ada, go)
        await ada.chat.say("Never mind")
        await folded(ada.chat, card)

        await ada.chat.say("/status")
        await ada.chat.wait_for(lambda messages: "Model" in messages[-1].text)

    assert CARD not in said(ada.chat)[3:]


# ---- a group ---------------------------------------------------------------------------------------------------------


TRIPS = OFFER.model_copy(
    update={"kind": OfferKind.SKILL, "target": "trip-planner", "name": "Trip planner", "skill_mode": "off"}
)


async def in_the_group(friends: Team, go: asyncio.Event, who: str = "Ada") -> None:
    """Somebody asks for something in the group, and is offered a skill."""
    screen = friends.screen(who)
    await screen.mention("Find my pictures")
    await screen.wait_for(lambda messages: messages[-1].text == "I can't see them.")
    seat = Seat(friends.owner.channel_id, str(friends.group.id), "", str(friends.players[who].id))
    conversation_id = await Seats(friends.app.database).conversation(seat)
    assert conversation_id is not None
    await friends.app.database.commit(Append(conversation_id, (OfferShown(offer=TRIPS),)))
    go.set()


async def test_the_owners_offer_in_a_group_comes_in_private_and_is_carried_on_in_the_group(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    go = asyncio.Event()
    async with living(tmp_path, pretend, script=waiting(go), clock=FastClock()) as app:
        friends = await team(app, pretend)
        await in_the_group(friends, go)
        private = friends.owner.chat
        await private.wait_for(lambda messages: messages[-1].labels)
        card = private.messages[-1]

        await pressed(private, card, "Turn on")
        left = await folded(private, card)
        screen = friends.screen("Ada")
        await screen.wait_for(lambda messages: "Carry on" in messages[-1].text)

    assert card.text.startswith("For the group “Team”:\n\nTrip planner: ")
    assert left == "Offered for the group “Team”: Trip planner · turned on"
    assert said(screen)[:2] == ["I can't see them.", "Turned on Trip planner · carrying on"]
    assert not any(message.labels for message in screen.messages)


async def test_status_in_private_brings_the_groups_offer_anew_and_in_the_group_it_does_not(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    go = asyncio.Event()
    async with living(tmp_path, pretend, script=waiting(go), clock=FastClock()) as app:
        friends = await team(app, pretend)
        await in_the_group(friends, go)
        private = friends.owner.chat
        await private.wait_for(lambda messages: messages[-1].labels)
        card, count = private.messages[-1], len(private.messages)

        await friends.ask("Ada", "/status")
        after_the_groups = len(private.messages)
        await private.say("/status")
        await private.wait_for(lambda messages: messages[-1].text == card.text and messages[-1].id != card.id)
        old = await folded(private, card)

    assert after_the_groups == count
    assert old == "Offered for the group “Team”: Trip planner · further down"


@pytest.mark.parametrize("who", ["Bob", "Eve"])
async def test_what_is_offered_to_anybody_else_is_shown_nowhere(
    tmp_path: Path, pretend: PretendTelegram, who: str
) -> None:
    go = asyncio.Event()
    async with living(tmp_path, pretend, script=waiting(go), clock=FastClock()) as app:
        friends = await team(app, pretend)
        private = friends.players[who].private_chat()
        await private.say("hello")
        await private.wait_for_answer()

        await in_the_group(friends, go, who)
        await settled(friends)

    everything = [*private.messages, *friends.owner.chat.messages, *friends.screen(who).messages]
    assert not any(message.labels for message in everything)


async def test_what_is_offered_to_a_let_in_person_in_private_is_shown_nowhere(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    go = asyncio.Event()
    async with living(tmp_path, pretend, script=waiting(go), clock=FastClock()) as app:
        friends = await team(app, pretend)
        bob = friends.players["Bob"].private_chat()
        await bob.say("Find my pictures")
        await bob.wait_for(lambda messages: messages[-1].text == "I can't see them.")
        await add(app, OfferShown(offer=OFFER))
        go.set()
        await bob.say("hello")
        await bob.wait_for(lambda messages: messages[-1].text == "echo: hello")

    assert not any("Snapbox" in message.text for message in [*bob.messages, *friends.owner.chat.messages])


# ---- a skill ---------------------------------------------------------------------------------------------------------


async def test_a_skill_is_turned_on_by_a_tap_and_the_answer_goes_on(tmp_path: Path, pretend: PretendTelegram) -> None:
    go = asyncio.Event()
    async with living(tmp_path, pretend, script=waiting(go), clock=FastClock()) as app:
        ada = await owner_of(app, pretend)
        card = await offered(app, ada, go, TRIPS)

        await pressed(ada.chat, card, "Turn on")
        await ada.chat.wait_for(lambda messages: "Carry on" in messages[-1].text)
        left = await folded(ada.chat, card)
        turned_on = app.preferences.current.skills_automatic

    assert "It may look things up" in card.text
    assert left == "Offered: Trip planner · turned on"
    assert turned_on == ("trip-planner",)
    assert said(ada.chat)[3] == "Turned on Trip planner · carrying on"
