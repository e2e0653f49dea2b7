"""One-tap actions: what stands on a button, what it carries, and what a press gets."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.actions import (
    LONGEST_LABEL,
    Action,
    ChatActions,
    LabelledAction,
    RunCommand,
    SendText,
    UndoClear,
    shows_actions,
)
from channels.base import ButtonStyle, ChatRef, MessageRef, OutboundMessage, Press, Sender
from channels.memory.app import MemoryApp
from channels.memory.channel import MemoryChannel
from channels.telegram import limits, render
from core.clock import ManualClock
from core.events import ChatKind
from core.store.actions import Denied
from core.store.database import Database

CHAT = ChatRef("telegram", "7")
ADA = "7"
EACH_KIND: tuple[Action, ...] = (
    RunCommand(name="goal", arguments="clear"),
    UndoClear(conversation_id="c", seq=4),
    SendText(text="And tomorrow?"),
)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "conch.sqlite"


@pytest.fixture
async def database(path: Path, clock: ManualClock) -> AsyncIterator[Database]:
    database = await Database.open(f"sqlite:///{path}", clock)
    yield database
    await database.close()


@pytest.fixture
def actions(database: Database, clock: ManualClock) -> ChatActions:
    return ChatActions(database, clock)


def press_of(token: str | None, clock: ManualClock, *, update_id: str = "1", chat: ChatRef = CHAT) -> Press:
    assert token is not None
    return Press("p1", token, MessageRef(chat, "55"), Sender(ADA, "Ada"), update_id, clock.now())


async def offered(actions: ChatActions, database: Database, *kinds: Action, key: str = "k") -> tuple[str, ...]:
    """Offer, and return the tokens."""
    offer = actions.offer(CHAT, ADA, key, [LabelledAction(kind.kind, kind) for kind in kinds])
    await database.commit(offer.change)
    return tuple(button.token or "" for button in offer.buttons)


# ---- buttons -------------------------------------------------------------------------------------------------------


def test_a_button_says_what_it_does_and_how_it_looks(actions: ChatActions) -> None:
    offer = actions.offer(CHAT, ADA, "k", [LabelledAction("Undo", EACH_KIND[1], ButtonStyle.DANGER)])

    (button,) = offer.buttons
    assert (button.label, button.style, button.url) == ("Undo", ButtonStyle.DANGER, None)


@pytest.mark.report("R083", "R085")
@given(st.lists(st.text(), min_size=1, max_size=8), st.text(), st.text())
def test_whatever_an_action_holds_its_button_is_within_every_limit(
    labels: list[str], name: str, arguments: str
) -> None:
    action = RunCommand(name=name, arguments=arguments)
    labelled = [LabelledAction(label, action) for label in labels]

    # offering touches no database
    offer = ChatActions(None, ManualClock()).offer(CHAT, ADA, "k", labelled)  # type: ignore[arg-type]

    assert len(offer.buttons) == len(labels)
    for button in offer.buttons:
        assert button.token is not None
        assert len(button.token.encode()) < limits.MAX_CALLBACK_DATA
        assert len(button.label) <= LONGEST_LABEL
        assert "\n" not in button.label


@pytest.mark.report("R083")
def test_telegram_is_given_the_token_and_not_the_data(actions: ChatActions) -> None:
    offer = actions.offer(CHAT, ADA, "k", [LabelledAction("Say it", SendText(text="x" * 4_000))])

    (call,) = render.send(CHAT, OutboundMessage("Say it?", "Say it?", "k:0", buttons=offer.buttons))

    ((drawn,),) = call.parameters["reply_markup"]["inline_keyboard"]
    assert drawn == {"text": "Say it", "callback_data": offer.buttons[0].token}


def test_tokens_are_long_random_and_never_stored(actions: ChatActions) -> None:
    offers = [actions.offer(CHAT, ADA, str(n), [LabelledAction("Go", EACH_KIND[2])]) for n in range(100)]

    secrets = {(offer.buttons[0].token or "").rpartition(".")[0] for offer in offers}

    assert len(secrets) == 100
    assert {len(secret) for secret in secrets} == {16}  # 6 bits each: 96


async def test_what_is_stored_does_not_give_the_token_away(
    actions: ChatActions, database: Database, path: Path
) -> None:
    (token,) = await offered(actions, database, EACH_KIND[0])

    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT * FROM action_set").fetchall()

    assert len(rows) == 1
    assert token.rpartition(".")[0] not in repr(rows)


@pytest.mark.parametrize(
    ("chat", "button_limit", "shown"),
    [
        (CHAT, 8, True),
        (CHAT, 0, True),
        (replace(CHAT, kind=ChatKind.GROUP), 8, False),
        (replace(CHAT, thread="3"), 8, True),
    ],
)
def test_actions_stand_in_private_chats_as_buttons_or_as_numbers(
    clock: ManualClock, chat: ChatRef, button_limit: int, shown: bool
) -> None:
    app = MemoryApp(clock)
    channel = MemoryChannel("telegram", app, clock, key=app.key, button_limit=button_limit)

    assert shows_actions(channel, chat) is shown


# ---- presses -------------------------------------------------------------------------------------------------------


@pytest.mark.report("R075")
@pytest.mark.parametrize("place", range(3))
async def test_every_kind_of_action_comes_back_as_it_was_offered(
    actions: ChatActions, database: Database, clock: ManualClock, place: int
) -> None:
    tokens = await offered(actions, database, *EACH_KIND)

    pressed = await actions.claim(press_of(tokens[place], clock))

    assert pressed == LabelledAction(EACH_KIND[place].kind, EACH_KIND[place])


async def test_one_press_uses_up_all_buttons_of_a_message(
    actions: ChatActions, database: Database, clock: ManualClock
) -> None:
    first, second, _ = await offered(actions, database, *EACH_KIND)
    await actions.claim(press_of(first, clock))

    assert await actions.claim(press_of(second, clock, update_id="2")) is Denied.USED


async def test_in_another_chat_the_same_person_gets_nothing(
    actions: ChatActions, database: Database, clock: ManualClock
) -> None:
    (token,) = await offered(actions, database, EACH_KIND[0])

    elsewhere = await actions.claim(press_of(token, clock, chat=replace(CHAT, id="8")))
    in_a_thread = await actions.claim(press_of(token, clock, chat=replace(CHAT, thread="3")))

    assert elsewhere is in_a_thread is Denied.FOREIGN
    assert isinstance(await actions.claim(press_of(token, clock)), LabelledAction)


@pytest.mark.parametrize(
    "token",
    [
        "",
        ".",
        "0",
        ".0",
        "abc",
        "abc.",
        "abc.x",
        "abc.-1",
        "abc.١",
        "abc.0",
        "a.b.c.0",
        f"abc.{10**5000:x}",
        "abc." + "9" * 5000,
    ],
)
async def test_a_token_of_any_shape_that_is_not_ours_is_unknown(
    actions: ChatActions, database: Database, clock: ManualClock, token: str
) -> None:
    await offered(actions, database, EACH_KIND[0])

    assert await actions.claim(press_of(token, clock)) is Denied.UNKNOWN


async def test_a_place_where_no_button_stood_does_nothing(
    actions: ChatActions, database: Database, clock: ManualClock
) -> None:
    (token,) = await offered(actions, database, EACH_KIND[0])

    assert await actions.claim(press_of(f"{token}9", clock)) is Denied.UNKNOWN


@pytest.mark.parametrize(
    ("stored", "action"),
    [
        ('{"kind":"command","name":"clear","arguments":"","new":1}', RunCommand(name="clear")),
        ('{"kind":"undo-clear","conversation_id":"c","seq":4}', UndoClear(conversation_id="c", seq=4)),
        ('{"kind":"text","text":"hi"}', SendText(text="hi")),
    ],
)
async def test_what_an_earlier_release_stored_can_be_pressed(
    actions: ChatActions, database: Database, path: Path, clock: ManualClock, stored: str, action: Action
) -> None:
    (token,) = await offered(actions, database, EACH_KIND[0])
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(
            "UPDATE action_set SET actions = ?", (f'[{{"label":"Go","action":{stored},"style":"plain"}}]',)
        )
        connection.commit()

    assert await actions.claim(press_of(token, clock)) == LabelledAction("Go", action)


async def test_a_kind_that_this_release_does_not_know_does_nothing(
    actions: ChatActions, database: Database, path: Path, clock: ManualClock
) -> None:
    (token,) = await offered(actions, database, EACH_KIND[0])
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE action_set SET actions = replace(actions, 'command', 'of-another-release')")
        connection.commit()

    assert await actions.claim(press_of(token, clock)) is Denied.UNKNOWN
