"""What a press comes to, from the app to its effect: for the right person, once, and the same as what is typed."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text

from channels.actions import LASTS, Action, LabelledAction, RunCommand, SendText
from channels.base import ChatRef, InboundMessage, Press, Update
from channels.commands.call import Reply
from channels.composing import compose
from channels.fading import SOON
from channels.memory.app import MemoryApp
from channels.memory.channel import CAPABILITIES, MemoryChannel
from channels.memory.chat import MemoryChat, SeenMessage
from channels.memory.faults import Call
from channels.memory.kind import MemoryKind
from channels.notices import Notices
from channels.pressing import NOTES
from conch.app import App, composed
from conch.home import Home
from conch.settings import ProgramSettings
from core.clock import ManualClock
from core.engines.base import Text, TurnInput
from core.engines.script import Steps
from core.engines.scripted import ScriptedEngine
from core.errors import TryLater
from core.events import ChatKind, UserMessage
from core.store.actions import Denied
from core.store.inbox import Inbox, Received
from core.store.log import EventLog

HELP, HI = RunCommand(name="help"), SendText(text="hi")


def echo(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
    yield Text(f"echo: {turn.text}")


class Life:
    """A running Conch with a bot of the in-memory app, its owner Ada and Bob, who was let in."""

    def __init__(self, app: App, world: MemoryApp, channel_id: str) -> None:
        self.app, self.world, self.channel_id = app, world, channel_id
        self.ada, self.bob = world.private_chat("Ada"), world.private_chat("Bob")

    async def offer(self, *actions: Action, to: MemoryChat | None = None, person: str = "") -> SeenMessage:
        """Say something with a button for each action, labelled by its place, and return it as it is seen."""
        to = to or self.ada
        key = self.world.new_id()
        chat = ChatRef(self.channel_id, to.id)
        labelled = [LabelledAction(str(place), action) for place, action in enumerate(actions)]
        offered = self.app.actions.offer(chat, person or to.id, key, labelled)
        posts = compose(replace(CAPABILITIES, button_limit=8), chat, key, "Choose.", buttons=offered.buttons)
        await self.app.outbox.post(posts, offered.change)
        await to.wait_until(lambda chat: any(message.key == f"{key}:0" for message in chat.answers))
        return next(message for message in to.answers if message.key == f"{key}:0")

    async def note_to(self, message: SeenMessage, label: str = "0", *, chat: MemoryChat | None = None) -> str:
        """Press, and return what the person is told at once."""
        chat = chat or self.ada
        before = len(chat.notes)
        chat.press(message, label)
        await chat.wait_until(lambda chat: len(chat.notes) > before)
        return chat.notes[before]

    async def inbox_is_empty(self) -> None:
        async with asyncio.timeout(10):
            while (await Inbox(self.app.database).counts(self.channel_id)).pending:
                await self.app.service.settled()


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def world(clock: ManualClock) -> MemoryApp:
    return MemoryApp(clock)


@asynccontextmanager
async def living(folder: Path, clock: ManualClock, world: MemoryApp, button_limit: int = 8) -> AsyncIterator[App]:
    kinds = {"memory": MemoryKind(clock, world, button_limit=button_limit)}
    engines = [ScriptedEngine(clock, echo)]
    home = Home(folder)
    home.prepare()
    async with composed(home, ProgramSettings(), clock=clock, kinds=kinds, engines=engines) as app:
        await app.start()
        yield app


async def settle_in(app: App, world: MemoryApp) -> Life:
    """Connect the bot, and let Ada and Bob in."""
    connected = await app.registry.add("memory", world.key)
    for name in ("Ada", "Bob"):
        world.private_chat(name)
        await app.people.let_in(connected.channel_id, name.lower(), by="console", name=name)
    return Life(app, world, connected.channel_id)


@pytest.fixture
async def life(tmp_path: Path, clock: ManualClock, world: MemoryApp) -> AsyncIterator[Life]:
    async with living(tmp_path, clock, world) as app:
        yield await settle_in(app, world)


# ---- what a press does ---------------------------------------------------------------------------------------------


async def test_a_pressed_command_says_what_the_typed_one_says(life: Life) -> None:
    life.ada.say("/help")
    await life.ada.wait_until(lambda chat: chat.texts)
    message = await life.offer(HELP)

    note = await life.note_to(message)
    await life.ada.wait_until(lambda chat: len(chat.texts) == 3)

    assert note == "0"
    assert life.ada.texts[2] == life.ada.texts[0]


async def test_a_pressed_text_is_sent_as_the_persons_own_message(life: Life) -> None:
    message = await life.offer(SendText(text="/help is what I say"), to=life.bob)

    await life.note_to(message, chat=life.bob)
    await life.bob.wait_until(lambda chat: chat.texts[-1] == "echo: /help is what I say")

    [conversation] = await EventLog(life.app.database).page(10)
    [said] = [
        e.data for e in await EventLog(life.app.database).read(conversation.id) if isinstance(e.data, UserMessage)
    ]
    assert (said.text, said.origin.person_id, said.origin.role) == ("/help is what I say", "bob", "let-in")


async def test_a_pressed_command_meets_the_checks_of_a_typed_one(life: Life) -> None:
    message = await life.offer(RunCommand(name="goal", arguments="rule the world"), to=life.bob)

    await life.note_to(message, chat=life.bob)
    await life.bob.wait_until(lambda chat: len(chat.texts) == 2)

    assert "only its owner can use it" in life.bob.texts[1]


async def test_a_replys_actions_stand_under_it_until_one_is_pressed(life: Life, clock: ManualClock) -> None:
    life.ada.say("/hepl")
    await life.ada.wait_until(lambda chat: chat.texts)
    before = life.ada.answers[0]

    await life.note_to(before, "/help")
    await life.ada.wait_until(lambda chat: len(chat.texts) == 2)
    await clock.advance(SOON.total_seconds())
    await life.ada.wait_until(lambda chat: not chat.answers[0].buttons)

    assert before.text == life.ada.answers[0].text
    assert "/new" in life.ada.texts[1]


@pytest.mark.report("R087")
async def test_nobody_waits_for_the_app_to_hear_that_a_press_arrived(
    life: Life, monkeypatch: pytest.MonkeyPatch
) -> None:
    message = await life.offer(HI)
    asked = asyncio.Event()

    async def never(self: MemoryChannel, press: Press, note: str | None = None) -> None:
        asked.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(MemoryChannel, "answer_press", never)

    life.ada.press(message, "0")

    await life.ada.wait_until(lambda chat: chat.texts[-1] == "echo: hi")
    assert asked.is_set()


async def test_a_press_that_the_app_does_not_hear_of_counts_all_the_same(life: Life) -> None:
    message = await life.offer(HI)
    life.world.faults.add(Call.ANSWER_PRESS, TryLater("down"))

    life.ada.press(message, "0")

    await life.ada.wait_until(lambda chat: chat.texts[-1] == "echo: hi")


async def test_a_press_that_breaks_something_is_not_met_with_silence(
    life: Life, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object) -> Reply:
        raise RuntimeError("a bug")

    message = await life.offer(HELP)
    monkeypatch.setattr("channels.commands.chat.ChatCommands.run", broken)

    life.ada.press(message, "0")
    await life.ada.wait_until(lambda chat: len(chat.texts) == 2)

    assert life.ada.texts[1].startswith("Something went wrong with that")
    assert (await Inbox(life.app.database).counts(life.channel_id)).poisoned == 1


# ---- who may, and how long -----------------------------------------------------------------------------------------


async def test_what_is_not_theirs_hears_so_and_the_right_person_can_still_press(life: Life) -> None:
    message = await life.offer(HI)

    life.ada.press(message, "0", by=life.bob.people[0])
    await life.ada.wait_until(lambda chat: chat.notes)
    note = await life.note_to(message)
    await life.ada.wait_until(lambda chat: chat.texts[-1] == "echo: hi")

    assert life.ada.notes == (NOTES[Denied.FOREIGN], note) == ("This button is not yours.", "0")


@pytest.mark.report("R067", "R079")
async def test_a_press_that_comes_too_late_hears_why(life: Life, clock: ManualClock) -> None:
    used, replaced = await life.offer(HI, HELP), await life.offer(HI, to=life.bob)
    life.world.faults.add(Call.EDIT, TryLater("down"), times=1_000)  # as on a slow phone: buttons stay in sight
    await life.note_to(used)
    life.bob.say("/new")
    await life.bob.wait_until(lambda chat: len(chat.texts) == 2)
    expired = await life.offer(HI)
    late, replacing = await life.note_to(used, "1"), await life.note_to(replaced, chat=life.bob)
    await clock.advance(LASTS.total_seconds())

    notes = [late, replacing, await life.note_to(expired)]

    assert notes == [
        "This was used already.",
        "Something newer took this button's place.",
        "This button's time is over.",
    ]
    await life.inbox_is_empty()


async def test_an_unknown_button_hears_so(life: Life) -> None:
    message = await life.offer(HI)
    await life.app.database.write(lambda connection: connection.execute(text("DELETE FROM action_set")))

    assert await life.note_to(message) == "This button does nothing any more."
    await life.inbox_is_empty()


async def test_the_tokens_of_somebody_removed_end(life: Life) -> None:
    message = await life.offer(HI, to=life.bob)
    life.world.faults.add(Call.EDIT, TryLater("down"), times=1_000)

    await life.app.people.remove(life.channel_id, "bob")
    await life.app.service.forget_person(life.channel_id, "bob")
    while_removed = await life.note_to(message, chat=life.bob)
    await life.app.people.let_in(life.channel_id, "bob", by="console", name="Bob")
    when_back = await life.note_to(message, chat=life.bob)

    assert (while_removed, when_back) == (NOTES[Denied.UNKNOWN], NOTES[Denied.REPLACED])
    assert life.bob.texts == ("Choose.",)


async def test_a_stranger_hears_nothing_of_whose_button_it_is(life: Life) -> None:
    message = await life.offer(HI)
    eve = life.world.private_chat("Eve").people[0]

    life.ada.press(message, "0", by=eve)
    await life.ada.wait_until(lambda chat: chat.notes)

    assert life.ada.notes == (NOTES[Denied.UNKNOWN],)


async def test_somebody_blocked_hears_nothing(life: Life) -> None:
    message = await life.offer(HI, to=life.bob)
    await life.app.people.block(life.channel_id, "bob")

    life.bob.press(message, "0")
    life.ada.say("anyone?")
    await life.ada.wait_until(lambda chat: chat.texts)
    await life.inbox_is_empty()

    assert (life.bob.notes, life.bob.texts) == ((), ("Choose.",))


async def test_a_press_in_a_group_hears_that_it_is_not_theirs_there(life: Life) -> None:
    message = await life.offer(HI)
    group = life.world.group("Friends", *life.ada.people)
    group.show(message)

    group.press(message, "0")
    await group.wait_until(lambda chat: chat.notes)

    assert group.notes == (NOTES[Denied.FOREIGN],)


# ---- where there are no buttons ------------------------------------------------------------------------------------


async def test_in_an_app_without_buttons_the_words_say_what_to_type(
    tmp_path: Path, clock: ManualClock, world: MemoryApp
) -> None:
    async with living(tmp_path, clock, world, button_limit=0) as app:
        life = await settle_in(app, world)

        life.ada.say("/hepl")
        await life.ada.wait_until(lambda chat: chat.texts)

    assert "Did you mean" in life.ada.texts[0]
    assert life.ada.answers[0].buttons == ()


@pytest.mark.parametrize(("kind", "buttons"), [(ChatKind.PRIVATE, 1), (ChatKind.GROUP, 0)])
async def test_a_group_gets_the_words_alone(life: Life, kind: ChatKind, buttons: int) -> None:
    ada = life.ada.people[0]
    room = life.world.group("Friends", ada) if kind is ChatKind.GROUP else life.ada
    chat, now = ChatRef(life.channel_id, room.id, kind), life.app.clock.now()
    message = InboundMessage(chat=chat, sender=ada, message_id="1", text="/hepl", update_id="1", at=now)
    notices = Notices(life.app.outbox, life.app.actions, life.app.fading, life.app.redrawing)
    reply = Reply("Did you mean /help?", actions=(LabelledAction("/help", HELP),))

    await notices.answer(channel_of(life), message, reply)
    await room.wait_until(lambda room: room.texts)

    assert (room.texts, len(room.answers[0].buttons)) == (("Did you mean /help?",), buttons)


# ---- restarts, doubles, channels that are off ----------------------------------------------------------------------


def press_update(life: Life, message: SeenMessage, update_id: str = "u1") -> Update:
    payload = {
        "update_id": update_id,
        "kind": "press",
        "at": life.app.clock.now().isoformat(),
        "chat": {"id": life.ada.id, "kind": "private"},
        "by": {"id": life.ada.id, "name": "Ada"},
        "press": {"id": "p1", "token": message.buttons[0].token, "message_id": message.id},
    }
    return Update(update_id, payload)


def channel_of(life: Life) -> MemoryChannel:
    channel = life.app.outbox.channel(life.channel_id)
    assert isinstance(channel, MemoryChannel)
    return channel


@pytest.mark.report("R075")
async def test_a_press_after_a_restart_counts(tmp_path: Path, clock: ManualClock, world: MemoryApp) -> None:
    async with living(tmp_path, clock, world) as app:
        message = await (await settle_in(app, world)).offer(HI)

    async with living(tmp_path, clock, world):
        ada = world.private_chat("Ada")
        ada.press(message, "0")
        await ada.wait_until(lambda chat: chat.texts[-1] == "echo: hi")


async def test_a_press_that_a_crash_cut_off_is_seen_through_once(
    tmp_path: Path, clock: ManualClock, world: MemoryApp
) -> None:
    async with living(tmp_path, clock, world) as app:
        life = await settle_in(app, world)
        message = await life.offer(HI)
        update = press_update(life, message)
        # received and claimed, and then the program ended
        await app.database.commit(Received(life.channel_id, update.update_id, update.payload))
        [press] = channel_of(life).parse(update.payload)
        assert isinstance(press, Press)
        await app.actions.claim(press)

    async with living(tmp_path, clock, world):
        ada = world.private_chat("Ada")
        await ada.wait_until(lambda chat: chat.texts[-1] == "echo: hi")
    async with living(tmp_path, clock, world) as app:
        await app.service.settled()

    assert ada.texts == ("Choose.", "echo: hi")


async def test_a_redelivered_press_counts_once(life: Life) -> None:
    message = await life.offer(HELP)
    update = press_update(life, message)

    await life.app.service.receive(channel_of(life), [update])
    await life.app.service.receive(channel_of(life), [update])
    await life.inbox_is_empty()
    life.ada.say("end")
    await life.ada.wait_until(lambda chat: chat.texts[-1] == "echo: end")

    assert len(life.ada.texts) == 3
    assert life.ada.notes == ("0",)


async def test_a_press_waits_while_its_channel_is_off(life: Life) -> None:
    message = await life.offer(HI)
    channel = channel_of(life)
    life.app.outbox.disconnect(life.channel_id)

    await life.app.service.receive(channel, [press_update(life, message)])
    await life.app.service.settled()
    while_off = (await Inbox(life.app.database).counts(life.channel_id)).pending
    await life.app.registry.set_enabled(life.channel_id, enabled=False)
    await life.app.registry.set_enabled(life.channel_id, enabled=True)
    await life.ada.wait_until(lambda chat: chat.texts[-1] == "echo: hi")

    assert while_off == 1
