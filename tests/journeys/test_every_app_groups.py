"""Groups and channels, in every app: off until the owner turns them on, then answered when they ask, where they ask."""

import asyncio
from pathlib import Path

import pytest

from channels.groups import ENOUGH, OFF
from channels.threads import MENTION_ME
from conch.admin import Admin
from conch.app import App
from core.clock import SystemClock
from core.engines.base import Text, TurnInput
from core.engines.script import Steps, Until
from core.engines.scripted import ScriptedEngine
from tests.journeys.apps import IN_GROUPS, AppUnderTest, Group, Member, said
from tests.journeys.living import echo, until
from tests.journeys.remembering import Remembering

pytestmark = IN_GROUPS


class Team:
    """A group with the owner Ada, Bob, who was let in, and Eve, who was not."""

    def __init__(self, group: Group, ada: Member, bob: Member, eve: Member) -> None:
        self.group, self.ada, self.bob, self.eve = group, ada, bob, eve


async def team(messenger: AppUnderTest, app: App, *, on: bool = True) -> Team:
    ada = await messenger.owner_of(app)
    bob = await messenger.another(app, ada, "Bob")
    eve = messenger.person(ada.channel_id, "Eve")
    return Team(await messenger.group(app, [ada, bob, eve], on=on), ada, bob, eve)


async def settled(messenger: AppUnderTest, app: App, here: Team) -> None:
    """Come back when all that was said before is seen through: what Ada says after it is answered."""
    await messenger.asked(here.ada.chat, "are you there?")
    await app.service.settled()


# ---- off and on ------------------------------------------------------------------------------------------------------


async def test_a_group_is_silent_until_the_owner_turns_it_on(tmp_path: Path, messenger: AppUnderTest) -> None:
    remembering = Remembering()
    async with messenger.living(tmp_path, engines=[remembering]) as app:
        here = await team(messenger, app, on=False)

        off = await here.group.told(here.bob, "what's up?")
        to_owner = await here.group.told(here.ada, "what's up?")
        await here.group.screen(here.eve).mention("and for me?")
        await settled(messenger, app, here)
        await Admin(app).switch_group(here.group.id, here.ada.channel_id, True)
        on = await here.group.ask(here.bob, "what's up now?")

    assert off == OFF
    assert to_owner == OFF
    how = f"To turn it on, run conch groups on {here.group.id} where Conch runs."
    assert sum(text.endswith(how) for text in said(here.ada.chat)) == 1
    assert on.answer.text == "heard what's up now?"
    assert remembering.texts == ["are you there?", "what's up now?"]


async def test_a_group_stays_on_after_a_restart_and_goes_on_where_it_was(
    tmp_path: Path, messenger: AppUnderTest
) -> None:
    async with messenger.living(tmp_path, engines=[Remembering()], gather_ms=0) as app:
        here = await team(messenger, app)
        asked = await here.group.ask(here.bob, "one")

    async with messenger.living(tmp_path, engines=[Remembering()], gather_ms=0) as app:
        await messenger.ready(app, here.ada.channel_id)
        answer = await here.group.asked_on(here.bob, asked, "two")

    assert answer.text == "heard one, two"


async def test_a_bot_that_is_thrown_out_forgets_the_group(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path) as app:
        here = await team(messenger, app)

        await here.group.throw_out()
        async with asyncio.timeout(10):
            while await app.groups.list(here.ada.channel_id):  # noqa: ASYNC110 - what is looked at is a picture
                await asyncio.sleep(0)
        await settled(messenger, app, here)

    assert said(here.group.screen(here.ada)) == []


# ---- where it is answered --------------------------------------------------------------------------------------------


@pytest.mark.report("R093", "R097", "R101")
async def test_each_question_is_answered_where_it_was_asked(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path, engines=[Remembering()], gather_ms=0) as app:
        here = await team(messenger, app)

        first = await here.group.ask(here.ada, "breakfast?")
        second = await here.group.ask(here.ada, "dinner?")
        more = await here.group.asked_on(here.ada, first, "with eggs")

    threads = messenger.opens_threads
    assert first.answer.text == "heard breakfast?"
    assert second.answer.text == ("heard dinner?" if threads else "heard breakfast?, dinner?")
    assert more.text == ("heard breakfast?, with eggs" if threads else "heard breakfast?, dinner?, with eggs")


@pytest.mark.report("R109", "R101")
async def test_people_in_one_thread_have_conversations_of_their_own(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path, engines=[Remembering()], gather_ms=0) as app:
        here = await team(messenger, app)
        asked = await here.group.ask(here.ada, "my secret is 42")

        bobs = await here.group.asked_on(here.bob, asked, "what is her secret?")
        adas = await here.group.asked_on(here.ada, asked, "and mine?")

    assert bobs.text == "heard what is her secret?"
    assert adas.text == "heard my secret is 42, and mine?"


async def test_a_thread_is_read_on_or_says_once_how_to_go_on(tmp_path: Path, messenger: AppUnderTest) -> None:
    remembering = Remembering()
    async with messenger.living(tmp_path, engines=[remembering], gather_ms=0) as app:
        here = await team(messenger, app)
        asked = await here.group.ask(here.ada, "one")

        await asked.talk.say("two")
        await here.group.screen(here.ada).say("not for you")
        await here.group.talk(here.eve, asked.question).say("nor this")
        await settled(messenger, app, here)
        if messenger.reads_on:
            await asked.talk.wait_for(lambda _: "heard one, two" in said(asked.talk))
        await here.group.asked_on(here.ada, asked, "three")

    read_on = ["two"] if messenger.reads_on else []
    told = said(asked.talk).count(MENTION_ME)
    assert [text for text in remembering.texts if text != "are you there?"] == ["one", *read_on, "three"]
    assert told == (1 if messenger.opens_threads and not messenger.reads_on else 0)


@pytest.mark.report("R023", "R167")
async def test_an_answer_in_a_thread_is_written_into_one_message(tmp_path: Path, messenger: AppUnderTest) -> None:
    seen = asyncio.Event()

    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        yield Text("Once upon a time")
        if messenger.opens_threads:  # where they are previews can be seen in groups, too
            yield Until(seen)
        yield Text(" there was an end.")

    async with messenger.living(tmp_path, script=script) as app:
        here = await team(messenger, app)
        screen = here.group.screen(here.bob)
        question = await screen.mention("tell us a story")
        if messenger.opens_threads:
            await screen.wait_for(lambda _: "Once upon a time" in here.group.texts(here.bob, question))
        seen.set()
        whole = "Once upon a time there was an end."
        await screen.wait_for(lambda _: whole in here.group.texts(here.bob, question))

    assert here.group.texts(here.bob, question)[:1] == [whole]
    assert not any("Once" in text for text in here.group.texts(here.bob, question)[1:])


# ---- who asks --------------------------------------------------------------------------------------------------------


@pytest.mark.report("R117")
async def test_a_guest_gets_words_and_only_so_many_an_hour(tmp_path: Path, messenger: AppUnderTest) -> None:
    remembering = Remembering()
    async with messenger.living(tmp_path, engines=[remembering], gather_ms=0, guest_answers_per_hour=1) as app:
        here = await team(messenger, app)
        await here.group.ask(here.ada, "my secret is 42")

        guests = await here.group.ask(here.eve, "what is her secret?")
        enough = await here.group.told(here.eve, "please?")
        others = await here.group.ask(here.bob, "hello")

    turns = {turn.text: turn for turn in remembering.turns}
    assert guests.answer.text == "heard what is her secret?"
    assert turns["what is her secret?"].words_only
    assert not turns["hello"].words_only
    assert enough == ENOUGH
    assert others.answer.text == "heard hello"


async def test_a_blocked_person_hears_nothing_in_a_group(tmp_path: Path, messenger: AppUnderTest) -> None:
    remembering = Remembering()
    async with messenger.living(tmp_path, engines=[remembering]) as app:
        here = await team(messenger, app)
        await messenger.asked(here.eve.chat, "hello?")
        await Admin(app).block(here.eve.id, here.ada.channel_id)

        question = await here.group.screen(here.eve).mention("hello")
        await settled(messenger, app, here)

    assert remembering.texts == ["are you there?"]
    assert here.group.texts(here.eve, question) == []


@pytest.mark.report("R109")
async def test_answers_at_the_same_time_reach_who_asked(tmp_path: Path, messenger: AppUnderTest) -> None:
    if not messenger.opens_threads:
        pytest.skip("told apart there by what they reply to, which that app's own tests look at")
    async with messenger.living(tmp_path, gather_ms=0) as app:
        here = await team(messenger, app)

        asked = await asyncio.gather(*(here.group.ask(m, f"I am {m.name}") for m in (here.ada, here.bob, here.eve)))

    assert [each.answer.text for each in asked] == ["echo: I am Ada", "echo: I am Bob", "echo: I am Eve"]


# ---- commands --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", ["/help", "/stop", "/new"])
async def test_three_commands_work_in_a_group(tmp_path: Path, messenger: AppUnderTest, words: str) -> None:
    async with messenger.living(tmp_path) as app:
        here = await team(messenger, app)
        screen = here.group.screen(here.bob)

        answer = await messenger.asked(screen, words)

    expected = {
        "/help": messenger.written("new"),
        "/stop": "Nothing was going on.",
        "/new": "Your next message starts a fresh conversation.",
    }
    assert expected[words] in answer.text
    assert messenger.written("clear") not in answer.text


async def test_other_commands_are_for_a_private_chat_and_the_owner(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path) as app:
        here = await team(messenger, app)

        clear = await messenger.told_in_group(here.group, here.ada, "clear")
        model = await messenger.told_in_group(here.group, here.ada, "model tiny")

    assert clear == f"{messenger.written('clear')} works in our private chat, not in a group."
    assert model.endswith("only its owner can use it, in their private chat with me.")


@pytest.mark.report("R015")
async def test_stop_ends_an_answer_of_a_group(tmp_path: Path, messenger: AppUnderTest) -> None:
    remembering = Remembering()
    async with messenger.living(tmp_path, engines=[remembering], gather_ms=0) as app:
        here = await team(messenger, app)
        question = await here.group.screen(here.bob).mention("wait for ever")
        await until(lambda: remembering.turns)
        talk = await here.group.opened(here.bob, question)

        await messenger.stop_in(talk)
        await talk.wait_for(lambda _: any(text.startswith("Stopped") for text in said(talk)))
        await until(lambda: not app.conversations.turns)

    assert not any("heard" in text for text in said(talk))


@pytest.mark.report("R015")
async def test_stop_at_the_root_ends_what_goes_on_in_ones_own_threads(tmp_path: Path, messenger: AppUnderTest) -> None:
    remembering = Remembering()
    async with messenger.living(tmp_path, engines=[remembering], gather_ms=0) as app:
        here = await team(messenger, app)
        for member in (here.ada, here.bob):
            await here.group.screen(member).mention(f"wait, says {member.name}")
        await until(lambda: len(remembering.turns) == 2)

        screen = here.group.screen(here.bob)
        await messenger.give(screen, "stop")
        await screen.wait_for(lambda _: "Stopped." in said(screen))
        running = app.conversations.turns
        remembering.go.set()
        await until(lambda: not app.conversations.turns)

    assert running == 1


@pytest.mark.report("R029")
async def test_an_engine_that_is_not_there_is_told_in_the_group(tmp_path: Path, messenger: AppUnderTest) -> None:
    engine = ScriptedEngine(SystemClock(), echo)
    engine.is_ready = False
    async with messenger.living(tmp_path, engines=[engine]) as app:
        here = await team(messenger, app)

        told = await here.group.told(here.bob, "hello")

    assert "as soon as I can" in told
