"""Servers: where the bot answers, which threads it opens, what it may not do there, and how it goes and comes back."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from channels.emulators.discord.screen import Screen
from channels.emulators.discord.seen import SeenMessage
from channels.emulators.discord.server import Server
from channels.emulators.discord.sessions import GUILDS, MESSAGE_CONTENT
from channels.groups import OFF
from channels.threads import MENTION_ME
from conch.admin import Admin
from conch.app import App
from core.engines.base import Engine
from tests.journeys.apps import DiscordUnderTest, Member, finished
from tests.journeys.living import until
from tests.journeys.remembering import Remembering

OPEN_THREAD = "POST /channels/{channel_id}/messages/{message_id}/threads"


@dataclass(frozen=True)
class Home:
    """A server with Ada, who owns the bot, and `general`, its one channel, as she has it open."""

    app: App
    discord: DiscordUnderTest
    ada: Member
    server: Server
    general: Screen

    @property
    def id(self) -> str:
        return str(self.server.guild.channel_named("general").id)

    async def answer_in(self, thread: SeenMessage, words: str) -> SeenMessage:
        """What the bot says in the thread of a message, once it says these words."""

        def found(_: object) -> SeenMessage | None:
            try:
                seen = self.general.in_thread(thread).answers
            except LookupError:
                return None
            return next((message for message in seen if finished(message) and words in message.text), None)

        answer = await self.general.wait_for(found)
        assert answer is not None
        return answer


@asynccontextmanager
async def at_home(
    folder: Path, discord: DiscordUnderTest, *, on: bool = True, engines: Sequence[Engine] | None = None
) -> AsyncIterator[Home]:
    async with discord.living(folder, engines=engines, gather_ms=0) as app:
        ada = await discord.owner_of(app)
        server = discord.pretend.guild("Home", [ada.player], bots=[])
        await server.add_bot(discord.pretend.bot)
        home = Home(app, discord, ada, server, server.screen(ada.player))
        await until_known(home)
        if on:
            await Admin(app).switch_group(home.id, ada.channel_id, True)
        yield home


async def until_known(home: Home, *, there: bool = True) -> None:
    """Come back when Conch knows that the bot was brought in, or thrown out."""
    async with asyncio.timeout(10):
        while bool(await home.app.groups.list(home.ada.channel_id)) is not there:  # noqa: ASYNC110 - what is looked at is a picture
            await asyncio.sleep(0)


# ---- threads ---------------------------------------------------------------------------------------------------------


async def test_a_mention_opens_a_thread_in_which_it_is_answered(tmp_path: Path, discord: DiscordUnderTest) -> None:
    async with at_home(tmp_path, discord) as home:
        asked = await home.general.mention("what now?")
        answer = await home.answer_in(asked, "echo: what now?")

    assert answer.text == "echo: what now?"
    assert home.general.answers == []


async def test_a_line_that_is_no_answer_opens_no_thread(tmp_path: Path, discord: DiscordUnderTest) -> None:
    async with at_home(tmp_path, discord, on=False) as home:
        asked = await home.general.mention("hello?")
        told = await home.general.wait_for_answer()

    assert told.text == OFF
    assert told.reply_to == asked.id
    assert discord.pretend.calls(OPEN_THREAD) == []


async def test_without_the_intent_the_first_answer_in_a_thread_says_once_how_to_go_on(
    tmp_path: Path, discord: DiscordUnderTest
) -> None:
    discord.pretend.bot.allowed_intents = 0
    async with at_home(tmp_path, discord) as home:
        asked = await home.general.mention("one")
        await home.answer_in(asked, MENTION_ME)
        thread = home.general.in_thread(asked)
        await thread.say("nobody is meant by this")
        await thread.mention("two")
        await home.answer_in(asked, "echo: two")

    assert sum(MENTION_ME in seen.text for seen in thread.answers) == 1
    assert [seen.text for seen in thread.answers if MENTION_ME not in seen.text] == ["echo: one", "echo: two"]


async def test_with_the_intent_it_reads_on_there(tmp_path: Path, discord: DiscordUnderTest) -> None:
    discord.pretend.bot.allowed_intents = MESSAGE_CONTENT
    async with at_home(tmp_path, discord, engines=[Remembering()]) as home:
        asked = await home.general.mention("one")
        await home.answer_in(asked, "heard one")
        thread = home.general.in_thread(asked)
        await thread.say("two")
        await home.answer_in(asked, "heard one, two")

    assert [seen.text for seen in thread.answers] == ["heard one", "heard one, two"]


async def test_a_thread_that_somebody_opened_first_is_where_it_is_answered(
    tmp_path: Path, discord: DiscordUnderTest
) -> None:
    discord.pretend.faults.add("flood", method=OPEN_THREAD, seconds=0.3)
    async with at_home(tmp_path, discord) as home:
        asked = await home.general.mention("what now?")
        await until(lambda: discord.pretend.calls(OPEN_THREAD))
        await home.general.open_thread(asked, "Mine")
        answer = await home.answer_in(asked, "echo: what now?")

    assert answer.text == "echo: what now?"
    assert home.general.answers == []


async def test_a_thread_that_went_to_sleep_wakes_up_with_the_answer(tmp_path: Path, discord: DiscordUnderTest) -> None:
    remembering = Remembering()
    async with at_home(tmp_path, discord, engines=[remembering]) as home:
        asked = await home.general.mention("one")
        await home.answer_in(asked, "heard one")
        thread = home.general.in_thread(asked)
        await thread.mention("wait for it")
        await until(lambda: len(remembering.turns) == 2)
        discord.pretend.world.archive(thread.channel, archived=True)
        remembering.go.set()
        await home.answer_in(asked, "heard one, wait for it")

    assert not thread.channel.archived


async def test_where_somebody_deleted_the_thread_it_is_answered_in_the_channel(
    tmp_path: Path, discord: DiscordUnderTest
) -> None:
    remembering = Remembering()
    async with at_home(tmp_path, discord, engines=[remembering]) as home:
        asked = await home.general.mention("wait for it")
        await home.answer_in(asked, "so far")
        discord.pretend.world.delete_channel(home.general.in_thread(asked).channel)
        remembering.go.set()
        answer = await home.general.wait_for_answer()

    assert answer.text == "so far: heard wait for it"
    assert answer.reply_to == asked.id


async def test_where_somebody_deleted_the_question_it_is_answered_in_the_channel_in_words_that_are_true_there(
    tmp_path: Path, discord: DiscordUnderTest
) -> None:
    discord.pretend.faults.add("flood", method=OPEN_THREAD, seconds=0.2)
    async with at_home(tmp_path, discord) as home:
        asked = await home.general.mention("what now?")
        await until(lambda: discord.pretend.calls(OPEN_THREAD))
        await home.general.delete(asked)
        await home.general.wait_for_answer(2)

    assert [seen.text for seen in home.general.answers] == ["echo: what now?", MENTION_ME]
    assert "thread" not in MENTION_ME


# ---- what the bot may not do -----------------------------------------------------------------------------------------


async def test_where_it_may_open_no_thread_it_replies_in_the_channel(tmp_path: Path, discord: DiscordUnderTest) -> None:
    async with at_home(tmp_path, discord) as home:
        await home.server.take_away(discord.pretend.bot, "create_public_threads")
        asked = await home.general.mention("what now?")
        answer = await home.general.wait_for_answer()

    assert (answer.text, answer.reply_to) == ("echo: what now?", asked.id)


async def test_where_it_may_not_write_nobody_elses_chat_is_held_up(tmp_path: Path, discord: DiscordUnderTest) -> None:
    async with at_home(tmp_path, discord) as home:
        for right in ("send_messages", "send_messages_in_threads"):
            await home.server.take_away(discord.pretend.bot, right)
        await home.general.mention("into the void")
        answer = await discord.asked(home.ada.chat, "are you there?")

    assert answer.text == "echo: are you there?"
    assert home.general.answers == []


@pytest.mark.parametrize("words", ["@everyone @here", "<@{ada}> and <@!{ada}>", "<@&{server}>"])
async def test_whatever_the_model_says_nobodys_phone_rings(
    tmp_path: Path, discord: DiscordUnderTest, words: str
) -> None:
    async with at_home(tmp_path, discord) as home:
        await home.server.give_back(discord.pretend.bot, "mention_everyone")
        loud = words.format(ada=home.ada.id, server=home.server.id)
        asked = await home.general.mention(f"say `{loud}`")
        await home.answer_in(asked, "echo: say")
        await discord.asked(home.ada.chat, f"say {loud}")

    said = [*home.general.in_thread(asked).answers, *home.ada.chat.answers]
    assert [message.pings for message in said if message.pings] == []


# ---- coming and going ------------------------------------------------------------------------------------------------


async def test_a_server_that_throws_the_bot_out_and_brings_it_back_is_as_it_was(
    tmp_path: Path, discord: DiscordUnderTest
) -> None:
    async with at_home(tmp_path, discord) as home:
        await home.server.remove_bot(discord.pretend.bot)
        await until_known(home, there=False)
        await home.server.add_bot(discord.pretend.bot)
        await until_known(home)
        asked = await home.general.mention("and now?")
        answer = await home.answer_in(asked, "echo: and now?")

    assert answer.text == "echo: and now?"


async def test_a_server_that_has_trouble_is_not_left(tmp_path: Path, discord: DiscordUnderTest) -> None:
    async with at_home(tmp_path, discord) as home:
        gone = {"id": home.server.id, "unavailable": True}
        discord.pretend.bot.dispatch("GUILD_DELETE", gone, GUILDS)
        await discord.asked(home.ada.chat, "still here?")
        discord.pretend.bot.dispatch("GUILD_CREATE", home.server.guild.json(discord.pretend.bot), GUILDS)
        asked = await home.general.mention("and there?")
        answer = await home.answer_in(asked, "echo: and there?")

    assert answer.text == "echo: and there?"


async def test_a_restart_knows_its_threads_again(tmp_path: Path, discord: DiscordUnderTest) -> None:
    discord.pretend.bot.allowed_intents = MESSAGE_CONTENT
    async with at_home(tmp_path, discord, engines=[Remembering()]) as home:
        asked = await home.general.mention("one")
        await home.answer_in(asked, "heard one")
    async with discord.living(tmp_path, engines=[Remembering()], gather_ms=0) as app:
        await discord.ready(app, home.ada.channel_id)
        await home.general.in_thread(asked).say("two")
        answer = await home.answer_in(asked, "heard one, two")

    assert answer.text == "heard one, two"
    assert len(discord.pretend.calls(OPEN_THREAD)) == 1
