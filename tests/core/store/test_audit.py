"""What was done is written down, looked up in pages, and thrown away in time."""

from datetime import timedelta

import pytest
import structlog

from core.clock import ManualClock
from core.store import audit as lines
from core.store.audit import KEPT, LONGEST, Audit, Deed
from core.store.database import Database
from core.store.people import People
from core.store.retention import throw_away


@pytest.fixture
def audit(database: Database) -> Audit:
    return Audit(database)


async def abouts(audit: Audit) -> list[str]:
    return [line.about for line in await audit.page(100)]


async def test_a_deed_is_kept_with_who_did_it_and_when(audit: Audit, clock: ManualClock) -> None:
    await audit.note(Deed.LET_IN, "The terminal", "Ada, for @my_bot", "127.0.0.1")

    [line] = await audit.page(10)
    assert (line.what, line.by, line.about) == ("let-in", "The terminal", "Ada, for @my_bot")
    assert (line.at, line.address) == (clock.now(), "127.0.0.1")


async def test_pages_follow_each_other_without_a_gap_the_newest_first(audit: Audit) -> None:
    for number in range(7):
        await audit.note(Deed.BOT_ON, "The console", str(number))

    first = await audit.page(3)
    await audit.note(Deed.BOT_ON, "The console", "later")
    second = await audit.page(3, first[-1].id)
    third = await audit.page(3, second[-1].id)

    assert [line.about for line in (*first, *second, *third)] == ["6", "5", "4", "3", "2", "1", "0"]


async def test_one_kind_of_deeds_can_be_looked_at_alone(audit: Audit) -> None:
    for what in (Deed.ALLOWED, Deed.BOT_ON, Deed.DENIED):
        await audit.note(what, "Ada", what.value)

    found = await audit.page(10, what=(Deed.ALLOWED, Deed.DENIED))

    assert [line.about for line in found] == ["denied", "allowed"]


async def test_words_from_outside_become_one_short_line(audit: Audit) -> None:
    await audit.note(Deed.BLOCKED, "Eve\n\0\u202e" + "x" * 5_000, "a\ud800b", "y" * 5_000)

    [line] = await audit.page(10)
    assert line.by.startswith("Eve xxx")
    assert line.about == "ab"
    assert max(map(len, (line.by, line.about, line.address or ""))) == LONGEST


async def test_what_cannot_be_written_down_never_stops_the_deed(database: Database, audit: Audit) -> None:
    await database.close()

    with structlog.testing.capture_logs() as logs:
        await audit.note(Deed.BOT_OFF, "The console", "@my_bot")

    assert [(each["log_level"], each["what"]) for each in logs] == [("warning", "bot-off")]


async def test_a_line_stays_ninety_days_and_longer_where_the_settings_say_so(
    database: Database, audit: Audit, clock: ManualClock
) -> None:
    await audit.note(Deed.BOT_ON, "The console", "old")
    await clock.advance((KEPT - timedelta(minutes=1)).total_seconds())
    await audit.note(Deed.BOT_ON, "The console", "new")

    kept_short = await throw_away(database, timedelta(days=1))
    await clock.advance(120)
    kept_long = await throw_away(database, KEPT + timedelta(days=1))
    gone = await throw_away(database, timedelta(days=1))

    assert (kept_short, kept_long, gone) == (0, 0, 1)
    assert await abouts(audit) == ["new"]


async def test_too_many_lines_push_the_oldest_out(
    database: Database, audit: Audit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "MOST", 3)
    for number in range(5):
        await audit.note(Deed.BOT_ON, "The console", str(number))

    assert await throw_away(database) == 2
    assert await abouts(audit) == ["4", "3", "2"]


async def test_who_comes_in_by_a_hello_link_is_written_down_with_it_and_once(database: Database, audit: Audit) -> None:
    people, until = People(database), database.now() + timedelta(minutes=1)
    for code in ("one", "two", "three"):
        await people.keep_hello("telegram", code, until)

    for code, who in (("one", "Ada"), ("one", "Eve"), ("two", "Bob"), ("three", "Ada")):
        await people.claim_hello("telegram", code, who, who, None)

    assert [(line.what, line.by, line.about) for line in reversed(await audit.page(10))] == [
        ("came-in", "Ada", "a bot, as its owner"),
        ("came-in", "Bob", "a bot"),
    ]
