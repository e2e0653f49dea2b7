"""The list of conversations: its order, its pages, where each began, and a search over what was said."""

import pytest

from core.clock import ManualClock
from core.events import Address, ChatKind, EventData, Origin, TitleSet, UserMessage
from core.store.conversation_list import ConversationList
from core.store.database import Database
from core.store.log import Append
from tests.core.event_logs import answered, completed, started

TELEGRAM = Origin(
    kind="channel",
    person_id="7",
    person_name="Ada",
    app="Telegram",
    address=Address(channel_id="bot", chat_id="7", chat_kind=ChatKind.PRIVATE),
)


def message(text: str, origin: Origin | None = None) -> UserMessage:
    return UserMessage(message_id="m", text=text, origin=origin or Origin(kind="console"))


@pytest.fixture
def found(database: Database) -> ConversationList:
    return ConversationList(database)


async def add(database: Database, clock: ManualClock, name: str, *data: EventData) -> None:
    await clock.advance(1)
    await database.commit(Append(name, data))


async def test_the_one_changed_last_stands_first_and_pages_follow_each_other(
    database: Database, clock: ManualClock, found: ConversationList
) -> None:
    for name in ("a", "b", "c"):
        await add(database, clock, name, message(name))
    await add(database, clock, "a", message("again"))

    first = await found.page(2)
    second = await found.page(2, first[-1].summary)

    assert [one.summary.id for one in (*first, *second)] == ["a", "c", "b"]


async def test_each_says_where_it_began_and_with_which_words(
    database: Database, clock: ManualClock, found: ConversationList
) -> None:
    await add(database, clock, "theirs", message("hello bot", TELEGRAM), started(), answered(), completed())
    await add(database, clock, "mine", TitleSet(title="Plans"), message("what now?"))
    await add(database, clock, "empty", TitleSet(title="Nothing yet"))

    empty, mine, theirs = await found.page(9)

    assert (theirs.first, theirs.channel_id, theirs.origin) == ("hello bot", "bot", TELEGRAM)
    assert (mine.first, mine.channel_id, mine.summary.title) == ("what now?", None, "Plans")
    assert (empty.first, empty.origin) == ("", None)
    assert await found.of("mine") == mine
    assert await found.of("nowhere") is None


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("SEA", ["sea", "title"]),
        ("salt sea", ["sea"]),
        ("answer", ["sea"]),
        ("100%", ["percent"]),
        ("100_", []),
        ("console", []),
        ('say "no"', ["percent"]),
        ("über", ["percent"]),
        ("", ["title", "percent", "sea"]),
    ],
)
async def test_every_word_of_a_search_stands_in_the_title_or_in_what_was_said(
    database: Database, clock: ManualClock, found: ConversationList, words: str, expected: list[str]
) -> None:
    await add(database, clock, "sea", message("The salt\nof the sea"), answered("An answer"))
    await add(database, clock, "percent", message('100% sure; say "no" über'))
    await add(database, clock, "title", TitleSet(title="By the sea"), message("hi"))

    names = [one.summary.id for one in await found.page(9, words=words)]

    assert sorted(names) == sorted(expected)
