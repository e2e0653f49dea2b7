"""Who may answer a card, where it is shown, and what becomes of answers that come twice, late or from somebody else."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from channels.base import Update
from channels.cards.tokens import CardToken
from channels.memory.app import MemoryApp
from channels.memory.chat import MemoryChat, SeenMessage
from channels.memory.faults import Call
from channels.memory.kind import MemoryKind
from channels.pressing import NOTES
from conch.app import App, composed
from conch.home import Home
from conch.settings import ProgramSettings
from core.asking import ATTENDED_WAIT
from core.clock import Clock, SystemClock
from core.engines.base import Text, TurnInput
from core.engines.script import AskPermission, CallTool, Steps
from core.engines.scripted import ScriptedEngine
from core.errors import Refused, RefusedReason
from core.events import EventData, QuestionAnswered, TurnStarted
from core.store.actions import Denied
from core.store.log import EventLog
from tests.journeys.living import FastClock

DRINK = {
    "id": "drink",
    "label": "Which drink?",
    "kind": "choice",
    "options": [{"id": "tea", "label": "Tea"}, {"id": "coffee", "label": "Coffee"}],
}


def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
    """Ask for a drink, or for a yes, where that is wanted; else echo."""
    if "drink" in turn.text:
        answer = yield CallTool("1", "ask", {"fields": [DRINK]})
        yield Text(f"heard: {answer.text}")
    elif "write" in turn.text:
        allowed = yield AskPermission("1", "write_note", {"text": "hello"}, ("yes", "no"), "yes")
        yield Text("done" if allowed else "not done")
    else:
        yield Text(f"echo: {turn.text}")


@dataclass(frozen=True, slots=True)
class Life:
    """A running Conch with a bot of the in-memory app, its owner Ada, and Bob, who was let in."""

    app: App
    world: MemoryApp
    channel_id: str
    ada: MemoryChat
    bob: MemoryChat

    async def logged(self, kind: type[EventData]) -> list[Any]:
        """What the logs of all conversations have of a kind."""
        log = EventLog(self.app.database)
        events = [event for one in await log.page(10) for event in await log.read(one.id)]
        return [event.data for event in events if isinstance(event.data, kind)]

    async def inbox_is_empty(self) -> None:
        """Come back when every update is seen through."""
        await self.world.feed.drained()
        await self.app.service.settled()


@asynccontextmanager
async def living(folder: Path, world: MemoryApp, clock: Clock | None = None) -> AsyncIterator[Life]:
    home, clock = Home(folder), clock or SystemClock()
    home.prepare()
    kinds, engines = {"memory": MemoryKind(clock, world, button_limit=8)}, [ScriptedEngine(clock, script)]
    settings = ProgramSettings.model_validate({"gather_ms": 0})
    async with composed(home, settings, clock=clock, kinds=kinds, engines=engines) as app:
        await app.start()
        connected = await app.registry.add("memory", world.key)
        ada, bob = world.private_chat("Ada"), world.private_chat("Bob")
        assert connected.link is not None
        ada.open_link(connected.link)
        await ada.wait_until(lambda chat: chat.texts)
        await app.people.let_in(connected.channel_id, "bob", by="console", name="Bob")
        yield Life(app, world, connected.channel_id, ada, bob)
        for conversation in await EventLog(app.database).page(10):
            await app.conversations.stop(conversation.id)
        await app.drain()


@pytest.fixture
async def life(tmp_path: Path) -> AsyncIterator[Life]:
    async with living(tmp_path, MemoryApp(SystemClock())) as life:
        yield life


async def card(chat: MemoryChat, words: str) -> SeenMessage:
    """The message with these words, once it has buttons."""
    await chat.wait_until(lambda chat: any(words in m.text and m.buttons for m in chat.answers))
    return next(m for m in reversed(chat.answers) if words in m.text and m.buttons)


async def says(chat: MemoryChat, words: str) -> None:
    await chat.wait_until(lambda chat: any(words in text for text in chat.texts))


async def noted(chat: MemoryChat, message: SeenMessage, label: str, **how: Any) -> str:
    """Press, and read the note."""
    before = len(chat.notes)
    chat.press(message, label, **how)
    await chat.wait_until(lambda chat: len(chat.notes) > before)
    return chat.notes[before]


def press_of(life: Life, chat: MemoryChat, token: str, message: SeenMessage, person: str = "Ada") -> Update:
    """A press as the app tells it, whatever is seen in the room."""
    place = {"id": chat.id, "kind": "private", "thread": None, "title": None}
    by = {"id": person.lower(), "name": person, "username": None, "is_bot": False}
    update_id = life.world.new_id()
    pressed = {"id": update_id, "token": token, "message_id": message.id}
    at = SystemClock().now().isoformat()
    payload = {"update_id": update_id, "kind": "press", "at": at, "chat": place, "by": by, "press": pressed}
    return Update(update_id, payload)


# ---- who may press ---------------------------------------------------------------------------------------------------


@pytest.mark.report("R079", "R109")
async def test_somebody_else_s_press_gets_nothing_and_the_right_one_still_counts(life: Life) -> None:
    life.ada.say("a drink please")
    question = await card(life.ada, "Which drink?")
    token = question.buttons[0].token
    assert token is not None

    life.world.feed.put(press_of(life, life.bob, token, question, "Bob"))
    await life.bob.wait_until(lambda chat: chat.notes)
    before = await life.logged(QuestionAnswered)
    note = await noted(life.ada, question, "Tea")
    await says(life.ada, "heard: ")

    assert life.bob.notes == (NOTES[Denied.FOREIGN],)
    assert (before, note) == ([], "Tea")


@pytest.mark.parametrize("field", ["key", "handle", "what"])
async def test_a_made_up_button_does_nothing(life: Life, field: str) -> None:
    life.ada.say("a drink please")
    question = await card(life.ada, "Which drink?")
    token = CardToken.read(question.buttons[0].token or "")
    assert token is not None
    made_up = {"key": replace(token, key="A" * 16), "handle": replace(token, handle="A" * 8)}

    pressed = made_up.get(field, replace(token, what="o7"))
    life.world.feed.put(press_of(life, life.ada, str(pressed), question))
    await life.ada.wait_until(lambda chat: chat.notes)

    assert life.ada.notes == (NOTES[Denied.UNKNOWN],)
    assert await life.logged(QuestionAnswered) == []


async def test_a_key_is_stored_as_a_hash_with_its_card(life: Life) -> None:
    life.ada.say("a drink please")
    question = await card(life.ada, "Which drink?")
    token = CardToken.read(question.buttons[0].token or "")
    assert token is not None

    rows = await life.app.database.read(lambda connection: connection.execute(text("SELECT * FROM card")).all())

    assert len(rows) == 1
    assert token.key not in repr(rows)


@pytest.mark.report("R083")
async def test_every_token_is_short_enough(life: Life) -> None:
    life.ada.say("a drink please")
    question = await card(life.ada, "Which drink?")

    assert all(len((button.token or "").encode()) <= 64 for button in question.buttons)


async def test_somebody_who_was_removed_answers_nothing(life: Life) -> None:
    life.bob.say("a drink please")
    question = await card(life.bob, "Which drink?")
    token = question.buttons[0].token
    assert token is not None

    await life.app.people.remove(life.channel_id, "bob")
    life.world.feed.put(press_of(life, life.bob, token, question, "Bob"))
    await life.bob.wait_until(lambda chat: chat.notes)

    assert life.bob.notes == (NOTES[Denied.UNKNOWN],)
    assert await life.logged(QuestionAnswered) == []


# ---- the same again --------------------------------------------------------------------------------------------------


async def test_words_that_come_twice_answer_once_and_are_no_message_after_it(life: Life) -> None:
    life.ada.say("a drink please")
    await card(life.ada, "Which drink?")
    life.ada.say("tea")
    await says(life.ada, "heard: ")
    await life.inbox_is_empty()

    # as after a crash: the update that answered was not seen through
    await life.app.database.write(
        lambda connection: connection.execute(
            text("UPDATE inbox SET done_at = NULL WHERE arrival = (SELECT MAX(arrival) FROM inbox)")
        )
    )
    channel = life.app.outbox.channel(life.channel_id)
    assert channel is not None
    await life.app.service.recover(channel)
    await life.app.service.settled()

    assert len(await life.logged(QuestionAnswered)) == 1
    assert len(await life.logged(TurnStarted)) == 1


async def test_of_a_press_and_typed_words_at_once_one_answers(life: Life) -> None:
    life.ada.say("a drink please")
    question = await card(life.ada, "Which drink?")

    life.ada.press(question, "Tea")
    life.ada.say("coffee")
    await says(life.ada, "heard: ")
    await life.inbox_is_empty()

    [answered] = await life.logged(QuestionAnswered)
    assert answered.words == "Tea"


async def test_of_presses_from_many_devices_one_counts_and_all_hear_it(life: Life) -> None:
    life.ada.say("write it down")
    asked = await card(life.ada, "May I do this?")

    for label in ["Allow", "Don't allow"] * 10:
        life.ada.press(asked, label)
    await life.ada.wait_until(lambda chat: len(chat.notes) == 20)
    await says(life.ada, "done")

    assert life.ada.notes == ("Allow", *["Ada allowed it."] * 19)


# ---- whose turn it is ------------------------------------------------------------------------------------------------


async def test_what_holds_back_a_let_in_person_s_turn_is_asked_of_the_owner(life: Life) -> None:
    life.bob.say("write it down")
    asked = await card(life.ada, "May I do this?")
    await says(life.bob, "That is for the owner to allow")

    note = await noted(life.ada, asked, "Allow")
    await says(life.bob, "done")

    assert asked.text.startswith("For Bob:\n\nMay I do this?")
    assert sum("owner" in text for text in life.bob.texts) == 1
    assert [button.label for button in asked.buttons] == ["Allow", "Don't allow"]
    assert note == "Allow"
    assert not any("May I do this?" in text for text in life.bob.texts)


async def test_a_yes_of_the_owner_s_to_their_own_chat_is_none_for_somebody_else(life: Life) -> None:
    life.bob.say("write it down")
    asked = await card(life.ada, "May I do this?")

    life.ada.say("yes")
    await says(life.ada, "echo: yes")
    life.ada.say("no", reply_to=asked)
    await says(life.bob, "not done")


async def test_who_cannot_be_asked_is_not_waited_for(life: Life) -> None:
    await life.app.people.remove(life.channel_id, "ada")
    life.bob.say("write it down")

    await says(life.bob, "not done")

    assert any("we have no private chat yet" in one for one in life.bob.texts)


async def test_a_card_that_the_app_does_not_take_is_not_waited_for(life: Life) -> None:
    life.world.faults.add(Call.SEND, Refused("Blocked.", RefusedReason.GONE), chat_id="bob")
    life.bob.say("a drink please")

    async with asyncio.timeout(10):
        while not await life.logged(QuestionAnswered):  # noqa: ASYNC110 - nothing is seen of it anywhere
            await asyncio.sleep(0)


# ---- nobody answers --------------------------------------------------------------------------------------------------


@pytest.mark.report("R067", "R069")
async def test_when_its_time_is_over_a_card_says_so_and_so_does_a_late_press(tmp_path: Path) -> None:
    clock = FastClock()
    async with living(tmp_path, MemoryApp(clock), clock) as life:
        life.ada.say("a drink please")
        question = await card(life.ada, "Which drink?")

        clock.skip(ATTENDED_WAIT.total_seconds())
        await says(life.ada, "Skipped: nobody answered in time.")
        life.world.feed.put(press_of(life, life.ada, question.buttons[0].token or "", question))
        await life.ada.wait_until(lambda chat: chat.notes)

    assert not any(message.buttons for message in life.ada.answers)
    assert life.ada.notes == ("Skipped: nobody answered in time.",)


async def test_nothing_is_shown_as_being_written_while_a_person_is_asked(tmp_path: Path) -> None:
    clock = FastClock()
    async with living(tmp_path, MemoryApp(clock), clock) as life:
        life.ada.say("a drink please")
        question = await card(life.ada, "Which drink?")
        await clock.sleep(20)  # longer than typing is seen

        asked = (life.ada.typing, life.ada.draft)
        await noted(life.ada, question, "Tea")
        await says(life.ada, "heard: ")

    assert asked == (False, None)
