"""Buttons that do nothing any more go away: when pressed or replaced, when their time is over, and after a restart."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from channels.actions import LASTS, ChatActions, LabelledAction, SendText
from channels.base import ChatRef, MessageRef, Pace, Press, Sender
from channels.composing import MadeFile, compose
from channels.fading import ROOM_LATER, SOON, UNSENT, Fading
from channels.memory.app import MemoryApp
from channels.memory.channel import MemoryChannel
from channels.memory.chat import MemoryChat, SeenMessage
from channels.memory.faults import Call
from channels.outbox import EXPIRES, Outbox
from channels.rates import Rates
from channels.rounds import TROUBLE
from core.checkpoints import NO_CHECKPOINTS
from core.clock import ManualClock
from core.errors import MaybeDone, Refused, RefusedReason, TryLater
from core.store.actions import ActionRows, CloseActions
from core.store.database import Database
from core.store.outbox import OutboxRows

LONG = LASTS.total_seconds()


class Desk:
    """Ada's and Bob's chats with a bot that offers them buttons, and whoever takes them away."""

    def __init__(self, database: Database, clock: ManualClock, app: MemoryApp | None = None) -> None:
        self.database, self.clock = database, clock
        self.app = app or MemoryApp(clock)
        self.ada, self.bob = self.app.private_chat("Ada"), self.app.private_chat("Bob")
        self.channel = MemoryChannel("c1", self.app, clock, key=self.app.key, button_limit=8)
        self.rates = Rates(self.channel.capabilities.pace, clock)
        self.outbox = Outbox(database=database, clock=clock, checkpoints=NO_CHECKPOINTS, owner="this life")
        self.actions = ChatActions(database, clock)
        self.fading = Fading(database, self.outbox, clock)

    async def connect(self) -> None:
        await self.outbox.connect(self.channel, self.rates)
        self.outbox.open("c1")

    async def say(self, text: str, *, to: MemoryChat | None = None, files: Sequence[MadeFile] = ()) -> str:
        """Say something with a button under it, and see it said; returns the button's token."""
        chat = ChatRef("c1", (to or self.ada).id)
        offered = self.actions.offer(chat, chat.id, text, [LabelledAction("Go", SendText(text="go"))])
        posts = compose(self.channel.capabilities, chat, text, text, files=files, buttons=offered.buttons)
        await self.outbox.post(posts, offered.change)
        return offered.buttons[0].token or ""

    async def press(self, token: str, message: SeenMessage) -> None:
        where = MessageRef(ChatRef("c1", self.ada.id), message.id)
        await self.actions.claim(Press("p", token, where, Sender(self.ada.id, "Ada"), token, self.clock.now()))
        self.fading.wake()

    async def passes(self, seconds: float) -> None:
        """Let time go by, and whoever takes buttons away do what is due, until they sleep."""
        await self.clock.advance(seconds)
        await self.rest()

    async def rest(self) -> None:
        """Come back when there is nothing to do now: what was said has its receipt or waits, and the fader sleeps."""
        rows, quiet = OutboxRows(self.database), 0
        async with asyncio.timeout(10):
            while quiet < 5:
                now, letters = self.clock.now(), await rows.unfinished("c1")
                sent = all(letter.not_before is not None and letter.not_before > now for letter in letters)
                quiet = quiet + 1 if sent and self.clock.sleeping else 0

    async def edits_wanted(self) -> int:
        """How many buttons are still to be taken away, now or later."""
        rows = ActionRows(self.database)
        return len(await rows.fading(["c1"], self.clock.now() + 2 * EXPIRES))


def buttons(chat: MemoryChat) -> list[bool]:
    """Of each message that the bot said, whether it has any."""
    return [bool(message.buttons) for message in chat.answers]


@pytest.fixture
async def database(tmp_path: Path, clock: ManualClock) -> AsyncIterator[Database]:
    database = await Database.open(f"sqlite:///{tmp_path / 'conch.sqlite'}", clock)
    yield database
    await database.close()


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def desk(database: Database, clock: ManualClock) -> AsyncIterator[Desk]:
    desk = Desk(database, clock)
    await desk.connect()
    desk.fading.start()
    yield desk
    await desk.fading.close()
    await desk.outbox.settle(0)


@pytest.mark.report("R067", "R069")
async def test_when_the_time_is_over_the_buttons_go_and_the_words_stay(desk: Desk) -> None:
    await desk.say("hello")
    await desk.rest()

    await desk.passes(LONG - 0.001)
    before = buttons(desk.ada)
    await desk.passes(0.001)

    assert (before, buttons(desk.ada)) == ([True], [False])
    assert (desk.ada.texts, desk.ada.answers[0].edits) == (("hello",), 1)
    assert await desk.edits_wanted() == 0


async def test_pressed_buttons_go_soon(desk: Desk) -> None:
    token = await desk.say("hello")
    await desk.say("other")
    await desk.rest()

    await desk.press(token, desk.ada.answers[0])
    await desk.passes(SOON.total_seconds())

    assert buttons(desk.ada) == [False, True]


async def test_replaced_buttons_go_soon(desk: Desk) -> None:
    await desk.say("hello")
    await desk.say("for Bob", to=desk.bob)
    await desk.rest()

    await desk.database.commit(CloseActions("c1", desk.ada.id))
    desk.fading.wake()
    await desk.passes(SOON.total_seconds())

    assert (buttons(desk.ada), buttons(desk.bob)) == ([False], [True])


async def test_of_several_parts_the_last_one_has_the_buttons_and_loses_them(desk: Desk, tmp_path: Path) -> None:
    made = tmp_path / "a.txt"
    made.write_text("words")
    await desk.say("hello", files=[MadeFile(made, "a.txt", "text/plain", 5, caption="the file")])
    await desk.rest()
    before = buttons(desk.ada)

    await desk.passes(LONG)

    assert (before, buttons(desk.ada)) == ([False, True], [False, False])
    assert desk.ada.texts == ("hello", "the file")
    assert desk.ada.answers[1].file is not None


async def test_a_message_that_went_out_late_loses_its_dead_buttons_soon(desk: Desk) -> None:
    desk.app.faults.add(Call.SEND, TryLater("down", retry_after=LONG + 5), times=1)
    await desk.say("hello")
    await desk.rest()

    await desk.passes(LONG)  # first the fader, which finds no message yet
    await desk.passes(5)
    on_arrival = buttons(desk.ada)
    await desk.passes(UNSENT.total_seconds())

    assert (on_arrival, buttons(desk.ada)) == ([True], [False])


async def test_a_message_that_never_went_out_is_forgotten(desk: Desk) -> None:
    desk.app.faults.add(Call.SEND, Refused("no", RefusedReason.GONE), times=1)
    await desk.say("hello")
    await desk.rest()

    await desk.passes(LONG)

    assert await desk.edits_wanted() == 0


# ---- best effort ---------------------------------------------------------------------------------------------------


async def test_nothing_is_edited_before_a_time_that_the_app_gave(desk: Desk) -> None:
    desk.app.faults.add(Call.EDIT, TryLater("slow down", retry_after=90), times=1)
    await desk.say("hello")
    await desk.rest()

    await desk.passes(LONG)
    await desk.passes(89)
    before = buttons(desk.ada)
    await desk.passes(1)

    assert (before, buttons(desk.ada)) == ([True], [False])


@pytest.mark.parametrize("trouble", [TryLater("down"), MaybeDone("no answer")])
async def test_an_app_that_cannot_be_reached_is_asked_once_and_then_left_alone(
    desk: Desk, trouble: TryLater | MaybeDone
) -> None:
    await desk.say("hello")
    await desk.say("hello, Bob", to=desk.bob)
    await desk.rest()
    desk.app.faults.add(Call.EDIT, trouble, times=1)

    await desk.passes(LONG)
    at_once = buttons(desk.ada) + buttons(desk.bob)
    await desk.passes(TROUBLE.total_seconds())

    assert at_once == [True, True]
    assert buttons(desk.ada) + buttons(desk.bob) == [False, False]


@pytest.mark.parametrize("fault", [Refused("gone", RefusedReason.GONE), RuntimeError("a bug")])
async def test_one_that_cannot_be_edited_is_given_up_and_the_next_is_not(desk: Desk, fault: Exception) -> None:
    await desk.say("hello")
    await desk.say("hello, Bob", to=desk.bob)
    await desk.rest()
    desk.app.faults.add(Call.EDIT, fault, times=1)

    await desk.passes(LONG)

    assert (buttons(desk.ada), buttons(desk.bob)) == ([True], [False])
    assert await desk.edits_wanted() == 0


async def test_trouble_without_end_is_given_up_after_twelve_hours(desk: Desk) -> None:
    await desk.say("hello")
    await desk.rest()
    desk.app.faults.add(Call.EDIT, TryLater("down"), times=10_000)

    await desk.passes(LONG + EXPIRES.total_seconds() - TROUBLE.total_seconds())
    before = await desk.edits_wanted()
    await desk.passes(2 * TROUBLE.total_seconds())

    assert (before, await desk.edits_wanted()) == (1, 0)


@pytest.mark.report("R055")
async def test_what_is_said_goes_before_buttons_are_taken_away(
    desk: Desk, database: Database, clock: ManualClock
) -> None:
    desk.outbox.disconnect("c1")
    await desk.outbox.connect(desk.channel, rates := Rates(Pace(per_chat=1, per_group=1, overall=0), clock))
    desk.outbox.open("c1")
    token = await desk.say("hello")
    await desk.rest()

    rates.hold(ChatRef("c1", desk.ada.id), 3)
    await desk.press(token, desk.ada.answers[0])
    await desk.passes(SOON.total_seconds())
    held = buttons(desk.ada)
    await desk.passes(ROOM_LATER.total_seconds())
    still = buttons(desk.ada)
    await desk.passes(ROOM_LATER.total_seconds())

    assert (held, still, buttons(desk.ada)) == ([True], [True], [False])


class WithoutEdits:
    """The in-memory app, as if its messages could not be changed."""

    def __init__(self, channel: MemoryChannel) -> None:
        self.id, self.capabilities, self.send = channel.id, channel.capabilities, channel.send


async def test_where_an_app_cannot_edit_buttons_stay_and_nobody_tries(desk: Desk) -> None:
    await desk.say("hello")
    await desk.rest()
    desk.outbox.disconnect("c1")
    await desk.outbox.connect(WithoutEdits(desk.channel), desk.rates)  # type: ignore[arg-type]
    desk.outbox.open("c1")

    await desk.passes(LONG)

    assert buttons(desk.ada) == [True]
    assert await desk.edits_wanted() == 0


# ---- restarts and channels that are off ----------------------------------------------------------------------------


async def test_a_restart_takes_up_what_became_due_meanwhile(database: Database, clock: ManualClock) -> None:
    first = Desk(database, clock)
    await first.connect()
    await first.say("hello")
    await first.ada.wait_until(lambda chat: chat.texts)
    await first.outbox.settle(0)
    await clock.advance(3 * LONG)

    second = Desk(database, clock, first.app)
    second.fading.start()
    await second.connect()
    await second.rest()
    await second.passes(SOON.total_seconds())
    seen = buttons(first.ada)
    await second.fading.close()
    await second.outbox.settle(0)

    assert seen == [False]


async def test_a_channel_that_is_off_is_left_alone_until_it_is_on(desk: Desk) -> None:
    await desk.say("hello")
    await desk.rest()
    desk.outbox.disconnect("c1")

    await desk.passes(2 * LONG)
    while_off = buttons(desk.ada)
    await desk.connect()
    await desk.passes(SOON.total_seconds())

    assert (while_off, buttons(desk.ada)) == ([True], [False])


async def test_a_database_that_is_in_trouble_for_a_while_ends_nothing(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    await desk.say("hello")
    await desk.rest()
    with monkeypatch.context() as broken:
        broken.setattr(ActionRows, "fading", _no_database)
        await desk.passes(LONG)
        during = buttons(desk.ada)

    await desk.passes(TROUBLE.total_seconds())

    assert (during, buttons(desk.ada)) == ([True], [False])


async def _no_database(*_: object) -> None:
    raise TryLater("The database is locked.")
