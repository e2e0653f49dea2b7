"""The gate: who is what to a bot, hello codes, and how often a stranger is answered."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from channels.base import ChatRef, InboundMessage, Sender
from channels.gate import CODE_GONE, STRANGER, Gate, Standing
from core.clock import ManualClock
from core.events import ChatKind
from core.store.database import Database
from core.store.groups import Groups
from core.store.people import People

ADA, EVE = Sender("1", "Ada"), Sender("2", "Eve")


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def gate(tmp_path: Path, clock: ManualClock) -> AsyncIterator[Gate]:
    database = await Database.open(f"sqlite:///{tmp_path / 'conch.sqlite'}", clock)
    yield Gate(People(database), Groups(database), clock)
    await database.close()


def message(sender: Sender, text: str = "hello", kind: ChatKind = ChatKind.PRIVATE) -> InboundMessage:
    return InboundMessage(
        chat=ChatRef("c1", sender.id, kind),
        sender=sender,
        message_id="1",
        text=text,
        update_id="1",
        at=datetime(2026, 1, 1, tzinfo=UTC),
    )


async def test_nobody_is_let_in_at_first(gate: Gate) -> None:
    standing = await gate.standing("c1", ADA.id)

    assert standing is Standing.STRANGER
    assert not standing.let_in


async def test_a_code_lets_its_sender_in_and_the_first_one_owns_the_bot(gate: Gate) -> None:
    first, second = await gate.new_hello_code("c1"), await gate.new_hello_code("c1")

    ada, eve = await gate.hello("c1", ADA, first), await gate.hello("c1", EVE, second)

    assert ada.let_in
    assert eve.let_in
    assert await gate.standing("c1", ADA.id) is Standing.OWNER
    assert await gate.standing("c1", EVE.id) is Standing.PERSON


async def test_a_code_is_good_for_ten_minutes(gate: Gate, clock: ManualClock) -> None:
    early, late = await gate.new_hello_code("c1"), await gate.new_hello_code("c1")

    await clock.advance(599)
    in_time = await gate.hello("c1", ADA, early)
    await clock.advance(2)
    too_late = await gate.hello("c1", EVE, late)

    assert in_time.let_in
    assert (too_late.let_in, too_late.words) == (False, CODE_GONE)
    assert await gate.standing("c1", EVE.id) is Standing.STRANGER


@pytest.mark.parametrize("code", ["", "nonsense", "x" * 5_000, "' OR 1=1 --"])
async def test_a_wrong_code_lets_nobody_in(gate: Gate, code: str) -> None:
    await gate.new_hello_code("c1")

    welcome = await gate.hello("c1", EVE, code)

    assert not welcome.let_in


async def test_a_code_of_another_bot_lets_nobody_in(gate: Gate) -> None:
    code = await gate.new_hello_code("c2")

    welcome = await gate.hello("c1", EVE, code)

    assert not welcome.let_in


async def test_a_hello_code_has_96_random_bits(gate: Gate) -> None:
    codes = {await gate.new_hello_code("c1") for _ in range(20)}

    assert len(codes) == 20
    assert {len(code) for code in codes} == {16}


async def test_a_stranger_is_answered_every_half_hour_at_most(gate: Gate, clock: ManualClock) -> None:
    answers = []

    for _ in range(4):
        answers.append(await gate.stranger("c1", message(EVE)))
        await clock.advance(15 * 60)

    assert answers == [STRANGER, None, STRANGER, None]


async def test_a_stranger_in_a_group_is_not_answered(gate: Gate) -> None:
    assert await gate.stranger("c1", message(EVE, kind=ChatKind.GROUP)) is None
