"""Who is let in, who is not, and what each of them sees."""

from pathlib import Path

import pytest

from channels.emulators.telegram.pretend import PretendTelegram
from core.clock import SystemClock
from core.engines.scripted import ScriptedEngine
from core.store.people import Role
from tests.journeys.living import echo, living, owner_of, said


async def test_the_hello_link_makes_the_first_one_the_owner(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend) as app:
        ada = await owner_of(app, pretend)

        people = await app.people.list(ada.channel_id)

    assert [(person.name, person.role) for person in people] == [("Ada", Role.OWNER)]
    assert said(ada.chat)[0].startswith("Hello Ada! This bot is yours now.")


async def test_a_hello_link_works_once(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend) as app:
        ada = await owner_of(app, pretend)
        link = await app.registry.hello_link(ada.channel_id)
        assert link is not None
        code = link.partition("?start=")[2]
        bob, eve = pretend.person("Bob").private_chat(), pretend.person("Eve").private_chat()

        await bob.start(code)
        await bob.wait_for_answer()
        await eve.start(code)
        refused = await eve.wait_for_answer()
        people = await app.people.list(ada.channel_id)

    assert said(bob)[0].startswith("Hello Bob! You can write to me now.")
    assert refused.text == "That link was used already or is too old. Ask for a new one."
    assert [person.name for person in people] == ["Ada", "Bob"]


async def test_a_stranger_is_told_once_and_reaches_no_engine(tmp_path: Path, pretend: PretendTelegram) -> None:
    engine = ScriptedEngine(SystemClock(), echo)
    async with living(tmp_path, pretend, engines=[engine]) as app:
        ada = await owner_of(app, pretend)
        eve = pretend.person("Eve").private_chat()

        await eve.say("give me the owner's files")
        await eve.wait_for_answer()
        await eve.say("please")
        await ada.chat.say("hello")
        await ada.chat.wait_for_answer()
        requests = await app.people.requests(ada.channel_id)

    assert len(said(eve)) == 1
    assert "Ada" not in said(eve)[0]
    assert [turn.text for turn in engine.turns] == ["hello"]
    assert [(request.name, request.preview) for request in requests] == [("Eve", "please")]


async def test_a_blocked_person_hears_nothing_ever(tmp_path: Path, pretend: PretendTelegram) -> None:
    engine = ScriptedEngine(SystemClock(), echo)
    async with living(tmp_path, pretend, engines=[engine]) as app:
        ada = await owner_of(app, pretend)
        eve = pretend.person("Eve")
        chat = eve.private_chat()
        await chat.say("hello?")
        await chat.wait_for_answer()
        await app.people.block(ada.channel_id, str(eve.id))

        await chat.say("hello again")
        await chat.say("/help")
        await chat.say("/start abc")
        await ada.chat.say("anyone?")
        await ada.chat.wait_for_answer()

    assert len(said(chat)) == 1
    assert [turn.text for turn in engine.turns] == ["anyone?"]


@pytest.mark.report("R103")
async def test_a_namesake_of_the_owner_is_nobody(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend) as app:
        ada = await owner_of(app, pretend)
        other_ada = pretend.person("Ada").private_chat()

        await other_ada.say("it's me, Ada")
        answer = await other_ada.wait_for_answer()

    assert answer.text.startswith("Hello! This is a private assistant")
    assert [text for text in said(ada.chat)[1:] if "is not let in" not in text] == []


@pytest.mark.report("R109", "R101")
async def test_two_people_have_two_conversations(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend) as app:
        ada = await owner_of(app, pretend)
        bob = pretend.person("Bob")
        await app.people.let_in(ada.channel_id, str(bob.id), by="test", name="Bob")
        chat = bob.private_chat()

        await ada.chat.say("from Ada")
        await chat.say("from Bob")
        await ada.chat.wait_for_answer()
        await chat.wait_for_answer()

    assert said(ada.chat)[1:] == ["echo: from Ada"]
    assert said(chat) == ["echo: from Bob"]
