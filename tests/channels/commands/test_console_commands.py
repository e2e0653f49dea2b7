"""Commands in the console: every one of the registry, on any conversation, by what is said back and what is done."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from channels.commands.elsewhere import PAGES
from channels.console.commands import INIT, REVIEW, ConsoleCommands, Parts
from channels.console.told import Offered, Told
from channels.memory.app import MemoryApp
from commands.command import Place
from commands.registry import COMMANDS, PENDING, listed_at
from conch.home import Home
from core.clock import ManualClock
from core.conversation_state import ConversationState
from core.engines.base import ModelInfo
from core.engines.catalogue import Catalogue
from core.events import Effort, Mode, Origin
from core.own_commands import OwnCommands
from core.skills.skills import Skills
from core.store.log import EventLog
from core.store.queue import QueuedMessage
from tests.channels.commands.talking import Echo, Talk, save, talking, until

MODELS = (ModelInfo("big", "Big", efforts=(Effort.LOW, Effort.HIGH), fast=True), ModelInfo("small", "Small"))
OWNER = Origin(kind="console", role="owner")


@dataclass(frozen=True, slots=True)
class Console:
    """The owner's console over a whole Conch; what is said goes into the conversation `chat`."""

    talk: Talk
    commands: ConsoleCommands
    chat: str = "c1"

    async def say(self, words: str) -> None:
        """Write something that is no command, and wait until it is answered."""
        await self.send(words)
        await until(lambda: not self.talk.app.conversations.is_active(self.chat))

    async def send(self, words: str) -> None:
        """Write something that is no command."""
        goal, plan, options = self.commands.take_pending(self.chat)
        message = QueuedMessage(text=words, origin=OWNER, goal=goal, plan=plan, options=options)
        await self.talk.app.conversations.send(self.chat, message)

    async def told(self, words: str) -> Told:
        """Give a command."""
        told = await self.commands.run(self.chat, words)
        assert told is not None
        return told

    async def state(self) -> ConversationState:
        return await EventLog(self.talk.app.database).state(self.chat)


@pytest.fixture
def engine(clock: ManualClock) -> Echo:
    return Echo(clock, models=MODELS)


@pytest.fixture
async def console(home: Home, engine: Echo, shell: MemoryApp, clock: ManualClock) -> AsyncIterator[Console]:
    async with talking(home, engine, shell, clock) as talk:
        app = talk.app
        parts = Parts(
            database=app.database,
            conversations=app.conversations,
            preferences=app.preferences,
            catalogue=Catalogue(app.engines),
            own=OwnCommands(home.commands),
            skills=Skills(home.skills, app.preferences),
            clock=clock,
        )
        yield Console(talk, ConsoleCommands(parts))


# ---- what is a command, and which ------------------------------------------------------------------------------------


async def test_words_and_paths_are_no_commands(console: Console) -> None:
    assert [await console.commands.run(console.chat, words) for words in ("hello", "/usr/bin", "/", "a /clear")] == [
        None
    ] * 4


async def test_every_command_that_the_console_shows_does_something(console: Console) -> None:
    await console.say("hello")

    told = {command.name: await console.told(f"/{command.name}") for command in listed_at(Place.CONSOLE)}

    silent = [name for name, one in told.items() if not (one.words or one.say or one.go)]
    assert silent == []
    assert {name for name, one in told.items() if one.go} == {*PAGES, "export"}


@pytest.mark.parametrize("command", [command for command in COMMANDS if not command.web], ids=lambda one: one.name)
async def test_what_only_chat_apps_have_says_so(console: Console, command: object) -> None:
    told = await console.told(f"/{getattr(command, 'name', '')}")

    assert told.words
    assert told == Told(told.words)


@pytest.mark.parametrize("name", PENDING)
async def test_what_is_not_there_yet_says_so(console: Console, name: str) -> None:
    assert (await console.told(f"/{name}")).words == f"`/{name}` is not there yet; it comes with a later release."


async def test_a_mistyped_command_offers_what_was_meant_with_its_words(console: Console) -> None:
    told = await console.told("/modle small")

    assert told.presses[0] == Offered("/model small", "/model small")
    assert "`/model small`" in told.words
    assert (await console.told("/xyzzy")).words == "There is no command `/xyzzy`. `/help` shows what there is."


async def test_a_saved_command_is_filled_in_and_said(console: Console, home: Home) -> None:
    save(home, "brief", "Tell me about {{input}} in one line.")

    told = await console.told("/brief the sea")

    assert told == Told(say="Tell me about the sea in one line.")


# ---- the chat --------------------------------------------------------------------------------------------------------


async def test_a_clear_can_be_taken_back(console: Console, engine: Echo) -> None:
    await console.say("I am Ada")

    cleared, undone = await console.told("/clear"), await console.told("/undo")
    await console.say("who am I?")

    assert cleared.presses == (Offered("Undo", "/undo"),)
    assert undone.words == "Taken back: I remember again what was said before the clear."
    assert (await console.state()).memory_start == -1


async def test_what_is_chosen_before_the_first_message_goes_with_it(console: Console) -> None:
    goal = await console.told("/goal sleep more")
    await console.told("/model small")
    await console.say("hello")

    state = await console.state()
    assert "It waits and goes with your first message." in goal.words
    assert (state.goal, state.options.model) == ("sleep more", "small")


async def test_what_waits_in_one_chat_is_not_taken_by_another(console: Console) -> None:
    await console.told("/goal sleep more")

    assert console.commands.take_pending("another") == (None, False, None)
    assert console.commands.take_pending(console.chat)[0] == "sleep more"


async def test_a_chat_of_a_chat_app_is_commanded_too(console: Console) -> None:
    await console.talk.say("hello")
    theirs = await console.talk.conversation()

    told = await console.commands.run(theirs, "/goal be kind")

    assert told is not None
    assert (await EventLog(console.talk.app.database).state(theirs)).goal == "be kind"


async def test_while_an_answer_is_written_a_clear_waits(console: Console, engine: Echo) -> None:
    await console.send("wait for me")
    await engine.has_begun("wait for me")

    told = await console.told("/clear")
    engine.go.set()

    assert told.words == "Something goes on here. Wait until it is done, or stop it, then `/clear` again."


async def test_a_chat_gets_another_name(console: Console) -> None:
    await console.say("hello")

    told, empty, long = [await console.told(f"/rename {name}") for name in ("My *plans*", "", "x" * 121)]

    assert told.words == r"This chat is called **My \*plans\*** now."
    assert empty.words == "Write the new name after it: `/rename My plans`."
    assert long.words == "A name has 1 to 120 characters; this one has 121."
    assert (await console.state()).title == "My *plans*"


async def test_the_last_answer_can_be_copied(console: Console) -> None:
    nothing = await console.told("/copy")
    await console.say("hello")

    assert nothing.words == "There is no answer here yet that could be copied."
    assert (await console.told("/copy")).copy == "heard hello"


async def test_a_chat_is_saved_as_text_or_data(console: Console) -> None:
    await console.say("hello")

    assert (await console.told("/export")).go == "/chats/c1/export?as=markdown"
    assert (await console.told("/save JSON")).go == "/chats/c1/export?as=json"


async def test_the_newest_message_is_answered_again(console: Console, engine: Echo) -> None:
    await console.say("hello")

    told = await console.told("/retry")
    await until(lambda: len(engine.turns) == 2)

    assert told == Told()
    assert engine.newest.text == "hello"


# ---- how it answers --------------------------------------------------------------------------------------------------


async def test_a_list_has_a_button_for_each_value_and_says_which_is_in_use(console: Console) -> None:
    models, efforts, modes = [await console.told(f"/{name}") for name in ("model", "effort", "mode")]

    assert models == Told(r"**Model**: Big \(Echo\) now.", (Offered("Small (Echo)", "/model echo/small"),))
    assert [one.typed for one in efforts.presses] == ["/effort low", "/effort high"]
    assert modes.words == "**Mode**: Ask first now."


async def test_a_mode_that_asks_less_is_asked_about_once_more(console: Console) -> None:
    await console.say("hello")

    asked = await console.told("/mode full")
    before = (await console.state()).options.mode
    await console.told(asked.presses[0].typed)

    assert asked.presses == (Offered("Yes, Full trust", "/mode full yes", danger=True),)
    assert (before, (await console.state()).options.mode) == (None, Mode.FULL)


async def test_words_to_be_planned_are_said_in_plan_mode(console: Console) -> None:
    await console.say("hello")

    told = await console.told("/plan a trip")

    assert told.say == "a trip"
    assert (await console.state()).options.mode is Mode.PLAN


async def test_review_and_init_ask_in_words_of_ours(console: Console) -> None:
    assert await console.told("/review") == Told(say=REVIEW)
    assert await console.told("/init") == Told(say=INIT)
    assert str((await console.told("/review the tests")).say).endswith("Look at this above all: the tests")


async def test_the_theme_is_the_browsers_own(console: Console) -> None:
    listed = await console.commands.run(console.chat, "/theme", theme="dark")

    assert listed is not None
    assert [one.typed for one in listed.presses] == ["/theme system", "/theme light"]
    assert (await console.told("/theme Dark")).theme == "dark"
    assert (await console.told("/theme pink")).words == "There is no such theme. There is: system, light, dark."


# ---- the menu --------------------------------------------------------------------------------------------------------


async def test_the_menu_is_that_of_the_registry_with_what_is_in_use(console: Console, home: Home) -> None:
    save(home, "brief", "In short, please.")

    typables = await console.commands.typables(console.chat)

    names = [one.name for one in typables]
    assert names == [*(command.name for command in listed_at(Place.CONSOLE)), "brief"]
    model = next(one for one in typables if one.name == "model")
    assert model.values is not None
    assert [(item.word, item.current) for item in model.values.items] == [("echo/big", True), ("echo/small", False)]
    assert [one.name for one in typables if one.needs_args] == ["rename"]
