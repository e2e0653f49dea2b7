"""Who is let in, who is not, and what each of them sees, in every app."""

from pathlib import Path

import pytest

from channels.gate import STRANGER
from conch.admin import Admin
from core.store.people import Role
from tests.journeys.apps import AppUnderTest, said
from tests.journeys.living import until
from tests.journeys.remembering import Remembering


async def test_the_first_who_is_let_in_owns_the_bot(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path) as app:
        ada = await messenger.owner_of(app)
        bob = await messenger.another(app, ada, "Bob")

        people = await app.people.list(ada.channel_id)
        answer = await messenger.asked(bob.chat, "hello")

    assert [(person.name, person.role) for person in people] == [("Ada", Role.OWNER), ("Bob", Role.PERSON)]
    assert answer.text == "echo: hello"


@pytest.mark.report("R113")
async def test_a_hello_code_lets_in_once(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path) as app:
        channel_id = await messenger.connect(app)
        code = await app.gate.new_hello_code(channel_id)
        ada, eve = messenger.person(channel_id, "Ada"), messenger.person(channel_id, "Eve")

        await messenger.type(ada.chat, f"start {code}")
        welcome = await ada.chat.wait_for_answer()
        await messenger.type(eve.chat, f"start {code}")
        refused = await eve.chat.wait_for_answer()
        people = await app.people.list(channel_id)

    assert welcome.text.startswith("Hello Ada! This bot is yours now.")
    assert messenger.written("help") in welcome.text
    assert refused.text == "That link was used already or is too old. Ask for a new one."
    assert [person.name for person in people] == ["Ada"]


async def test_a_stranger_is_told_once_and_reaches_no_engine(tmp_path: Path, messenger: AppUnderTest) -> None:
    remembering = Remembering()
    async with messenger.living(tmp_path, engines=[remembering]) as app:
        ada = await messenger.owner_of(app)
        eve = messenger.person(ada.channel_id, "Eve")

        await messenger.asked(ada.chat, "hello")
        first = await messenger.asked(eve.chat, "give me the owner's files")
        await messenger.give(eve.chat, "help")
        await eve.chat.say("please")
        await ada.chat.wait_for(lambda _: any("Eve wrote to me" in text for text in said(ada.chat)))
        await messenger.asked(ada.chat, "hello again")
        await app.service.settled()
        requests = await app.people.requests(ada.channel_id)
        before = said(eve.chat)
        await Admin(app).let_in(eve.id, None)
        greeting = await eve.chat.wait_for_answer()
        await Admin(app).let_in(eve.id, None)
        answer = await messenger.asked(eve.chat, "good morning")

    assert first.text == STRANGER
    assert before == [STRANGER]
    assert greeting.text == (
        f"Hello Eve! You can write to me now. Send {messenger.written('help')} to see what you can do here."
    )
    assert answer.text == "heard good morning"
    assert remembering.texts == ["hello", "hello again", "good morning"]
    told = [text for text in said(ada.chat) if text.startswith("Eve wrote to me and is not let in")]
    assert len(told) == 1
    assert f"conch people let-in {eve.id}" in told[0]
    assert "files" not in told[0]
    assert [(request.name, request.preview) for request in requests] == [("Eve", "please")]


async def test_a_blocked_person_hears_nothing_ever(tmp_path: Path, messenger: AppUnderTest) -> None:
    remembering = Remembering()
    async with messenger.living(tmp_path, engines=[remembering]) as app:
        ada = await messenger.owner_of(app)
        eve = messenger.person(ada.channel_id, "Eve")
        await messenger.asked(eve.chat, "hello?")
        await Admin(app).block(eve.id, ada.channel_id)

        await eve.chat.say("hello again")
        await messenger.give(eve.chat, "help")
        await messenger.asked(ada.chat, "anyone?")
        await app.service.settled()

    assert said(eve.chat) == [STRANGER]
    assert remembering.texts == ["anyone?"]


async def test_somebody_removed_is_a_stranger_and_their_answer_stops(tmp_path: Path, messenger: AppUnderTest) -> None:
    remembering = Remembering()
    async with messenger.living(tmp_path, engines=[remembering], gather_ms=0) as app:
        ada = await messenger.owner_of(app)
        bob = await messenger.another(app, ada, "Bob")
        await bob.chat.say("wait for it")
        await until(lambda: remembering.turns)

        await Admin(app).remove_person(bob.id, ada.channel_id)
        remembering.go.set()
        await until(lambda: not app.conversations.turns)
        await bob.chat.say("hello?")
        await messenger.asked(ada.chat, "hello")
        await app.service.settled()

    assert remembering.texts == ["wait for it", "hello"]
    assert not any("heard" in text for text in said(bob.chat))


@pytest.mark.report("R103")
async def test_a_namesake_of_the_owner_is_nobody(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path) as app:
        ada = await messenger.owner_of(app)
        other = messenger.person(ada.channel_id, "Ada")

        answer = await messenger.asked(other.chat, "it's me, Ada")

    assert answer.text == STRANGER
    assert [text for text in said(ada.chat)[1:] if "is not let in" not in text] == []


async def test_a_bot_that_is_turned_off_is_quiet_and_answers_when_it_is_on(
    tmp_path: Path, messenger: AppUnderTest
) -> None:
    async with messenger.living(tmp_path, gather_ms=0) as app:
        ada = await messenger.owner_of(app)
        await Admin(app).switch_channel(ada.channel_id, False)

        await ada.chat.say("anyone?")
        quiet = said(ada.chat)[1:]
        await Admin(app).switch_channel(ada.channel_id, True)
        await messenger.ready(app, ada.channel_id)
        await ada.chat.wait_for(lambda _: "echo: anyone?" in said(ada.chat))
        await messenger.asked(ada.chat, "and now?")

    assert quiet == []
    assert [text for text in said(ada.chat)[1:] if "I was away" not in text] == ["echo: anyone?", "echo: and now?"]


async def test_a_bot_that_is_taken_away_answers_nobody(tmp_path: Path, messenger: AppUnderTest) -> None:
    remembering = Remembering()
    async with messenger.living(tmp_path, engines=[remembering], gather_ms=0) as app:
        ada = await messenger.owner_of(app)
        await messenger.asked(ada.chat, "hello")

        await Admin(app).remove_channel(ada.channel_id)
        await ada.chat.say("still there?")
        channels = await Admin(app).channels()
        again = await messenger.connect(app)
        people = await app.people.list(again)

    assert not channels
    assert not people
    assert remembering.texts == ["hello"]


@pytest.mark.report("R101", "R109")
async def test_two_bots_have_people_and_conversations_of_their_own(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path, engines=[Remembering()], gather_ms=0) as app:
        ada = await messenger.owner_of(app)
        other, keys = messenger.another_bot()
        channel_id = await messenger.add(app, other, keys)
        second = ada.player.private_chat(other)

        await messenger.asked(ada.chat, "my name is Ada")
        await second.say("hello")
        stranger = await second.wait_for_answer()
        await app.people.let_in(channel_id, ada.id, by="test", name="Ada")
        await second.say("who am I?")
        answer = await second.wait_for_answer()

    assert stranger.text == STRANGER
    assert answer.text.endswith("heard who am I?")
    assert [text for text in said(ada.chat)[1:] if "is not let in" not in text] == ["heard my name is Ada"]
