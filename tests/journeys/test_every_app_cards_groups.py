"""Cards of a group's turn, in every app: in the private chat of whose they are, with the group named, nowhere else."""

import asyncio
from pathlib import Path

import pytest

from channels.threads import MENTION_ME
from core.cards import Offer, OfferKind, PlanStep
from core.engines.base import MessageEnd, Plan, Text, TurnInput
from core.engines.script import Steps, Until
from core.events import OfferShown
from core.store.log import Append, EventLog
from tests.journeys.apps import IN_GROUPS, AppUnderTest, Member, Seen, labels
from tests.journeys.cards import DRINK, NIGHTS, asking, card, fill_in, lines, read, says, shows, talk_of, tap, wanting

TRIPS = Offer(
    offer_id="o1",
    kind=OfferKind.SKILL,
    target="trip-planner",
    name="Trip planner",
    description="Plans trips",
    why="It books things in the right order",
    by="assistant",
    request="Find a trip",
    skill_mode="off",
)


def named(card: Seen) -> str:
    """The group that a card is for, as it says; each app calls a group what it calls it."""
    first = read(card.text).splitlines()[0]
    assert first.startswith("For the group “") or first.startswith("For the channel “")
    return first.removeprefix("For ").removesuffix(":")


def no_cards(*members: Member) -> bool:
    """Whether nothing can be pressed in their private chats."""
    return not any(message.labels for member in members for message in member.chat.messages)


@pytest.mark.report("R093", "R109")
@IN_GROUPS
async def test_a_groups_question_goes_to_the_private_chat_of_who_asked(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path, gather_ms=0, script=asking(DRINK)) as app:
        ada = await messenger.owner_of(app)
        bob = await messenger.another(app, ada, "Bob")
        group = await messenger.group(app, [ada, bob])
        asked = await group.screen(bob).mention("Get me a drink")
        question = await card(bob.chat, "Which drink?")

        await messenger.asked(bob.chat, "is it there yet?")
        await bob.chat.reply(question, "coffee")
        talk = await talk_of(group, bob, asked)
        heard = await says(talk, "heard: ")
        await shows(bob.chat, question, f"For {named(question)}:", "Which drink?", "Bob chose “Coffee”.")

    assert '"coffee"' in heard
    assert not any("Which drink?" in message.text for message in [*talk.messages, *ada.chat.messages])


@IN_GROUPS
async def test_what_a_group_wants_to_know_in_a_form_is_filled_in_in_private(
    tmp_path: Path, messenger: AppUnderTest
) -> None:
    async with messenger.living(tmp_path, gather_ms=0, script=asking(NIGHTS)) as app:
        ada = await messenger.owner_of(app)
        group = await messenger.group(app, [ada])
        asked = await group.screen(ada).mention("Plan it")
        question = await card(ada.chat, "How many nights?")

        if messenger.has_forms:
            await ada.chat.answer_to(await fill_in(ada.chat, question, {"How many nights?": "3"}))
        else:
            await ada.chat.reply(question, "3")
        heard = await says(await talk_of(group, ada, asked), "heard: ")

    assert '{"nights": 3}' in heard


@IN_GROUPS
async def test_a_groups_permission_is_pressed_in_private(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path, gather_ms=0, script=wanting()) as app:
        ada = await messenger.owner_of(app)
        group = await messenger.group(app, [ada])
        asked = await group.screen(ada).mention("Write it down")
        question = await card(ada.chat, "May I do this?")

        await tap(ada.chat, question, "Allow")
        talk = await talk_of(group, ada, asked)
        await says(talk, "done")

    assert read(question.text) == f"For {named(question)}:\nMay I do this?\nWrite note: text “*hello*”"
    assert not any(message.labels for message in talk.messages)


@IN_GROUPS
async def test_what_was_allowed_for_a_group_that_put_the_bot_out_is_told_to_the_owner(
    tmp_path: Path, messenger: AppUnderTest
) -> None:
    async with messenger.living(tmp_path, gather_ms=0, script=wanting()) as app:
        ada = await messenger.owner_of(app)
        group = await messenger.group(app, [ada])
        await group.screen(ada).mention("Write it down")
        question = await card(ada.chat, "May I do this?")
        await group.throw_out()

        await tap(ada.chat, question, "Allow")
        told = await says(ada.chat, "My answer did not arrive in")
        await app.outbox.idle()

    assert "I'm not in it any more" in told
    assert sum("did not arrive" in line for line in lines(ada.chat)) == 1


@IN_GROUPS
async def test_a_guests_card_is_refused(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path, gather_ms=0, script=wanting()) as app:
        ada = await messenger.owner_of(app)
        eve = messenger.person(ada.channel_id, "Eve")
        group = await messenger.group(app, [ada, eve])

        asked = await group.screen(eve).mention("Write it down")
        talk = await talk_of(group, eve, asked)
        await says(talk, "not done")

    assert no_cards(ada, eve)
    assert not any(message.labels for message in talk.messages)


@pytest.mark.parametrize("messenger", ["discord", "slack"], indirect=True)
async def test_whoever_never_wrote_in_private_is_asked_there_where_bots_may_begin(
    tmp_path: Path, messenger: AppUnderTest
) -> None:
    async with messenger.living(tmp_path, gather_ms=0, script=asking(DRINK)) as app:
        ada = await messenger.owner_of(app)
        bob = messenger.person(ada.channel_id, "Bob")
        await app.people.let_in(ada.channel_id, bob.id, by="owner", name="Bob")
        group = await messenger.group(app, [ada, bob])
        asked = await group.screen(bob).mention("Get me a drink")

        await tap(bob.chat, await card(bob.chat, "Which drink?"), "Tea")
        heard = await says(await talk_of(group, bob, asked), "heard: ")

    assert '"tea"' in heard


@IN_GROUPS
async def test_a_groups_checklist_goes_along_in_private(tmp_path: Path, messenger: AppUnderTest) -> None:
    on = asyncio.Event()

    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        yield Plan((PlanStep(title="Look", state="active"),))
        yield Until(on)
        yield Plan((PlanStep(title="Look", state="done"),))
        yield Text("All done.")

    async with messenger.living(tmp_path, gather_ms=0, script=script) as app:
        ada = await messenger.owner_of(app)
        group = await messenger.group(app, [ada])
        asked = await group.screen(ada).mention("Tidy up")
        await ada.chat.wait_for(lambda _: "◐ Look" in "".join(lines(ada.chat)[-1:]))
        on.set()
        talk = await talk_of(group, ada, asked)
        await says(talk, "All done.")
        await ada.chat.wait_for(lambda _: lines(ada.chat)[-1].endswith("✓ 1 of 1 done"))

    assert not any("Look" in message.text for message in talk.messages)


@IN_GROUPS
async def test_the_owners_offer_in_a_group_comes_in_private_and_is_carried_on_in_the_group(
    tmp_path: Path, messenger: AppUnderTest
) -> None:
    go = asyncio.Event()

    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        if not turn.text.startswith("Find"):
            yield Text("Here is your trip.")
            return
        yield Text("Roughly so.")
        yield MessageEnd()
        yield Until(go)

    async with messenger.living(tmp_path, gather_ms=0, script=script) as app:
        ada = await messenger.owner_of(app)
        group = await messenger.group(app, [ada])
        asked = await group.screen(ada).mention("Find a trip")
        talk = await talk_of(group, ada, asked)
        await says(talk, "Roughly so.")
        [conversation] = await EventLog(app.database).page(10)
        await app.database.commit(Append(conversation.id, (OfferShown(offer=TRIPS),)))
        go.set()
        shown = await card(ada.chat, "Trip planner")

        await tap(ada.chat, shown, "Turn on")
        await says(talk, "Here is your trip.")
        await shows(ada.chat, shown, f"Offered for {named(shown)}: Trip planner · turned on")

    assert labels(shown) == ["Turn on", "Not now", "Don't suggest"]
    answered = [read(message.text) for message in talk.answers]
    assert [text for text in answered if text != MENTION_ME] == [
        "Roughly so.",
        "Turned on Trip planner · carrying on",
        "Here is your trip.",
    ]
    assert not any(message.labels for message in talk.messages)
