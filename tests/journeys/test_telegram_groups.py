"""Groups in Telegram: off until the owner turns them on, then answered when they ask; and groups that change."""

import asyncio
from pathlib import Path

import pytest

from channels.emulators.telegram.pretend import PretendTelegram
from channels.emulators.telegram.text import Entity
from channels.groups import OFF
from core.clock import SystemClock
from core.engines.base import Text, TurnInput
from core.engines.script import Steps, Until
from core.engines.scripted import ScriptedEngine
from tests.journeys.living import echo, living, said, until
from tests.journeys.teams import recite, settled, team


@pytest.fixture
def engine() -> ScriptedEngine:
    return ScriptedEngine(SystemClock(), recite)


# ---- off and on ------------------------------------------------------------------------------------------------------


async def test_a_group_is_silent_until_it_is_turned_on(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend) as app:
        here = await team(app, pretend, on=False)

        off = await here.ask("Bob", "what's up?")
        await here.screen("Eve").mention("and for me?")
        to_owner = await here.ask("Ada", "what's up?")  # a chat is taken in order, so Eve was heard before
        await here.switch(True)
        on = await here.ask("Bob", "what's up now?")

    assert off == OFF
    assert to_owner == OFF
    assert on == "echo: what's up now?"
    assert len(said(here.screen("Ada"))) == 3


async def test_a_group_stays_on_after_a_restart(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend, script=recite) as app:
        here = await team(app, pretend)
        await here.ask("Bob", "one")

    async with living(tmp_path, pretend, script=recite) as app:
        answer = await here.ask("Bob", "two")

    assert answer == "one | two"


async def test_a_group_that_is_turned_off_hears_nothing_more(
    tmp_path: Path, pretend: PretendTelegram, engine: ScriptedEngine
) -> None:
    async with living(tmp_path, pretend, engines=[engine]) as app:
        here = await team(app, pretend)
        await here.ask("Bob", "one")

        await here.switch(False)
        answer = await here.ask("Bob", "two")

    assert answer == OFF
    assert [turn.text for turn in engine.turns] == ["one"]


# ---- when it is asked ------------------------------------------------------------------------------------------------


async def test_an_admin_bot_that_hears_everything_reads_only_what_is_for_it(
    tmp_path: Path, pretend: PretendTelegram, engine: ScriptedEngine
) -> None:
    async with living(tmp_path, pretend, engines=[engine]) as app:
        here = await team(app, pretend)
        await here.group.set_admin(pretend.bot, admin=True)

        await here.screen("Eve").say("a secret of ours")
        await here.screen("Bob").say("/weather tomorrow")
        answer = await here.ask("Ada", "hello")

    assert answer == "hello"
    assert [turn.text for turn in engine.turns] == ["hello"]


async def test_the_name_is_cut_out_wherever_it_stands_at_an_edge(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend) as app:
        here = await team(app, pretend)
        screen = here.screen("Ada")

        await screen.say("what is two and two, @pretend_bot?")
        first = await screen.wait_for_answer()
        await screen.say("@Pretend_Bot, and three?")
        second = await screen.wait_for_answer()

    assert first.text == "echo: what is two and two, @pretend_bot?"
    assert second.text == "echo: and three?"


async def test_somebody_may_be_meant_who_has_no_username(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend) as app:
        here = await team(app, pretend)
        screen = here.screen("Ada")

        await screen.say("Pretend hello", entities=[Entity("text_mention", 0, 7, user_id=pretend.bot.id)])
        answer = await screen.wait_for_answer()

    assert answer.text == "echo: hello"


async def test_a_reply_to_the_bot_is_a_question(
    tmp_path: Path, pretend: PretendTelegram, engine: ScriptedEngine
) -> None:
    async with living(tmp_path, pretend, engines=[engine]) as app:
        here = await team(app, pretend)
        screen = here.screen("Bob")
        await here.ask("Bob", "one")

        await screen.reply(screen.answers[-1], "why?")
        await screen.wait_for_answer()

    assert [turn.text for turn in engine.turns] == ["one", "In reply to what you wrote:\n> one\n\nwhy?"]


@pytest.mark.parametrize("text", ["/help", "/help@pretend_bot", "/start", "/start 123456"])
async def test_help_says_what_works_here(tmp_path: Path, pretend: PretendTelegram, text: str) -> None:
    async with living(tmp_path, pretend) as app:
        here = await team(app, pretend)
        screen = here.screen("Eve")

        await screen.say(text)
        answer = await screen.wait_for_answer()
        people = await app.people.list(here.owner.channel_id)

    assert "/new" in answer.text
    assert "/clear" not in answer.text
    assert [person.name for person in people] == ["Ada", "Bob"]


async def test_a_hello_code_works_in_private_only(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend) as app:
        here = await team(app, pretend)
        link = await app.registry.hello_link(here.owner.channel_id)
        assert link is not None
        code = link.partition("?start=")[2]

        await here.screen("Eve").say(f"/start {code}")
        await here.screen("Eve").wait_for_answer()
        still_stranger = await app.people.get(here.owner.channel_id, str(here.players["Eve"].id))
        await here.players["Eve"].private_chat().start(code)
        await here.players["Eve"].private_chat().wait_for_answer()
        let_in = await app.people.get(here.owner.channel_id, str(here.players["Eve"].id))

    assert still_stranger is None
    assert let_in is not None


async def test_a_command_for_another_bot_is_that_bots(tmp_path: Path, pretend: PretendTelegram) -> None:
    other = pretend.add_bot("7000000002:" + "B" * 35, "Other", "other_bot", reads_all=True)
    async with living(tmp_path, pretend) as app:
        here = await team(app, pretend)
        await here.group.add_bot(other)
        await here.group.set_admin(pretend.bot, admin=True)

        for text in ("/help@other_bot", "/new@other_bot", "@other_bot hello"):
            await here.screen("Ada").say(text)
        await settled(here)

    assert said(here.screen("Ada")) == []


async def test_other_commands_are_for_a_private_chat(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend) as app:
        here = await team(app, pretend)
        screen = here.screen("Ada")

        answers = []
        for text in ("/clear@pretend_bot", "/status@pretend_bot", "/goal@pretend_bot win"):
            await screen.say(text)
            answers.append((await screen.wait_for_answer()).text)

    assert all("private chat" in answer for answer in answers)


@pytest.mark.report("R099")
async def test_bots_do_not_answer_each_other(tmp_path: Path, pretend: PretendTelegram, engine: ScriptedEngine) -> None:
    other = pretend.add_bot("7000000002:" + "B" * 35, "Other", "other_bot", reads_all=True)
    async with living(tmp_path, pretend, engines=[engine]) as app:
        here = await team(app, pretend)
        await here.group.add_bot(other)
        answer = await here.ask("Ada", "hello")
        bot_says = {
            "message_id": 900,
            "from": other.user,
            "chat": here.group.chat.json,
            "date": 1_800_000_000,
            "text": "@pretend_bot hello",
            "entities": [{"type": "mention", "offset": 0, "length": 12}],
        }
        own = bot_says | {"message_id": 901, "from": pretend.bot.user}

        for message in (bot_says, own):
            pretend.bot.queue.push("message", message, here.group.id)
        await settled(here)

    assert answer == "hello"
    assert [turn.text for turn in engine.turns] == ["hello", "are you there?"]


async def test_whoever_speaks_for_the_group_is_nobody(
    tmp_path: Path, pretend: PretendTelegram, engine: ScriptedEngine
) -> None:
    async with living(tmp_path, pretend, engines=[engine]) as app:
        here = await team(app, pretend)
        anonymous = {
            "message_id": 900,
            "from": {"id": 1087968824, "is_bot": True, "first_name": "Group", "username": "GroupAnonymousBot"},
            "sender_chat": here.group.chat.json,
            "chat": here.group.chat.json,
            "date": 1_800_000_000,
            "text": "@pretend_bot I am the owner",
            "entities": [{"type": "mention", "offset": 0, "length": 12}],
        }

        pretend.bot.queue.push("message", anonymous, here.group.id)
        await settled(here)

    assert [turn.text for turn in engine.turns] == ["are you there?"]


# ---- a group grows ---------------------------------------------------------------------------------------------------


async def test_a_group_that_becomes_a_supergroup_goes_on_as_it_was(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend, script=recite) as app:
        here = await team(app, pretend, basic=True)
        await here.ask("Bob", "one")

        here.group = await here.group.upgrade()
        answer = await here.ask("Bob", "two")
        known = await app.groups.list(here.owner.channel_id)

    assert answer == "one | two"
    assert [(group.chat_id, group.on) for group in known] == [(str(here.group.id), True)]


async def test_a_group_that_grows_in_the_middle_of_an_answer_gets_it(tmp_path: Path, pretend: PretendTelegram) -> None:
    go = asyncio.Event()

    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        if turn.text == "wait":
            yield Until(go)
        yield Text(f"echo: {turn.text}")

    engine = ScriptedEngine(SystemClock(), script)
    async with living(tmp_path, pretend, engines=[engine]) as app:
        here = await team(app, pretend, basic=True)
        await here.screen("Bob").mention("wait")
        await until(lambda: engine.turns)

        here.group = await here.group.upgrade()
        go.set()
        answer = await here.screen("Bob").wait_for(lambda messages: messages[-1].by_bot and messages[-1])

    assert answer
    assert answer.text == "echo: wait"


async def test_a_group_that_was_off_is_off_when_it_has_grown(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend) as app:
        here = await team(app, pretend, on=False, basic=True)

        here.group = await here.group.upgrade()
        answer = await here.ask("Bob", "hello")

    assert answer == OFF


async def test_a_group_that_grew_while_conch_was_away_goes_on(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend, script=recite) as app:
        here = await team(app, pretend, basic=True)
        await here.ask("Bob", "one")

    here.group = await here.group.upgrade()
    asked = asyncio.create_task(here.ask("Bob", "two"))
    async with living(tmp_path, pretend, script=recite):
        answer = await asked

    assert answer == "one | two"


# ---- the bot comes and goes ------------------------------------------------------------------------------------------


async def test_a_bot_that_is_thrown_out_is_not_in_the_group_any_more(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend) as app:
        here = await team(app, pretend)

        await here.group.remove_bot(pretend.bot)
        async with asyncio.timeout(10):
            while await app.groups.list(here.owner.channel_id):  # noqa: ASYNC110 - what is looked at is a picture
                await asyncio.sleep(0)
        await settled(here)

    assert said(here.screen("Ada")) == []


async def test_a_group_of_an_engine_that_breaks_hears_so(tmp_path: Path, pretend: PretendTelegram) -> None:
    engine = ScriptedEngine(SystemClock(), echo)
    engine.is_ready = False
    async with living(tmp_path, pretend, engines=[engine]) as app:
        here = await team(app, pretend)
        screen = here.screen("Eve")

        await screen.mention("hello")
        held = await screen.wait_for_answer()

    assert "as soon as I can" in held.text
