"""The gate: who is what to a bot, hello codes, and how often a stranger is answered."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
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
async def database(tmp_path: Path, clock: ManualClock) -> AsyncIterator[Database]:
    database = await Database.open(f"sqlite:///{tmp_path / 'conch.sqlite'}", clock)
    yield database
    await database.close()


@pytest.fixture
def people(database: Database) -> People:
    return People(database)


@pytest.fixture
def gate(database: Database, people: People, clock: ManualClock) -> Gate:
    return Gate(people, Groups(database), clock)


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


async def test_what_a_person_is_called_now_is_noted_when_they_write(gate: Gate, people: People) -> None:
    await gate.hello("c1", ADA, await gate.new_hello_code("c1"))
    renamed = Sender(ADA.id, "Ada L.", "ada")

    standing = await gate.arrives(ChatRef("c1", ADA.id), renamed)

    known = await people.get("c1", ADA.id)
    assert standing is Standing.OWNER
    assert known is not None
    assert (known.name, known.username, known.last_seen) == ("Ada L.", "ada", known.since)


async def test_that_somebody_wrote_is_noted_once_a_minute(gate: Gate, people: People, clock: ManualClock) -> None:
    await gate.hello("c1", ADA, await gate.new_hello_code("c1"))
    noted = []

    for _ in range(4):
        await gate.arrives(ChatRef("c1", ADA.id), ADA)
        known = await people.get("c1", ADA.id)
        noted.append(known.last_seen - known.since if known and known.last_seen else None)
        await clock.advance(40)

    assert noted == [timedelta(0), timedelta(0), timedelta(seconds=80), timedelta(seconds=80)]


async def test_nothing_is_noted_of_a_stranger(gate: Gate, people: People) -> None:
    standing = await gate.arrives(ChatRef("c1", EVE.id), EVE)

    assert standing is Standing.STRANGER
    assert await people.get("c1", EVE.id) is None
