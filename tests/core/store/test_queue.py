"""The queue: first in, first out, once, and never silently full."""

import asyncio

import pytest

from core.clock import ManualClock
from core.events import Address, Attachment, Origin
from core.store.database import Database
from core.store.log import AlreadySent, Append
from core.store.queue import MAX_WAITING, Dequeue, EmptyQueue, Enqueue, Queue, QueuedMessage, QueueFull
from tests.core.event_logs import said
from tests.core.store.conftest import Open

ADA = Origin(kind="channel", person_id="7", address=Address(channel_id="telegram", chat_id="7", thread="3"))


@pytest.fixture
def queue(database: Database) -> Queue:
    return Queue(database)


def message(text: str, *client_ids: str) -> QueuedMessage:
    return QueuedMessage(text=text, origin=ADA, client_ids=client_ids)


async def texts(queue: Queue, conversation_id: str = "c") -> list[str]:
    return [item.message.text for item in await queue.waiting(conversation_id)]


@pytest.mark.report("R039")
async def test_messages_wait_in_the_order_in_which_they_came(database: Database, queue: Queue) -> None:
    places = [await database.commit_one(Enqueue("c", message(text))) for text in ("a", "b", "c")]

    assert places == [1, 2, 3]
    assert await texts(queue) == ["a", "b", "c"]


async def test_messages_that_come_at_once_each_get_a_place(database: Database, queue: Queue) -> None:
    places = await asyncio.gather(*(database.commit_one(Enqueue("c", message(str(n)))) for n in range(5)))

    assert places == [1, 2, 3, 4, 5]


async def test_a_message_waits_whole(database: Database, queue: Queue, clock: ManualClock) -> None:
    file = Attachment(name="a.txt", mime="text/plain", size=3, path="ab/cd", caption="é")
    whole = QueuedMessage(
        text="hi", origin=ADA, attachments=(file,), client_ids=("m1", "m2"), others_words=True, goal="to sleep"
    )

    await database.commit(Enqueue("c", whole))

    (item,) = await queue.waiting("c")
    assert (item.message, item.at) == (whole, clock.now())


@pytest.mark.report("R027")
@pytest.mark.report("R037")
async def test_what_waits_is_still_there_after_a_restart(database: Database, reopen: Open) -> None:
    await database.commit(Enqueue("b", message("1")), Enqueue("a", message("2")))
    await database.close()

    again = Queue(await reopen())

    assert await again.conversations_waiting() == ("b", "a")
    assert await texts(again, "a") == ["2"]


@pytest.mark.report("R033")
async def test_a_full_queue_says_how_many_wait_and_keeps_nothing(database: Database, queue: Queue) -> None:
    await database.commit(*(Enqueue("c", message(str(n), f"m{n}")) for n in range(MAX_WAITING - 1)))

    last, over = await database.commit(Enqueue("c", message("last")), Enqueue("c", message("over", "m99")))
    elsewhere = await database.commit_one(Enqueue("d", message("elsewhere")))

    assert (last, over, elsewhere) == (MAX_WAITING, QueueFull(MAX_WAITING), 1)
    assert len(await queue.waiting("c")) == MAX_WAITING


async def test_what_a_full_queue_refused_may_be_sent_again(database: Database) -> None:
    await database.commit(*(Enqueue("c", message(str(n))) for n in range(MAX_WAITING)))
    await database.commit(Enqueue("c", message("over", "m1")))
    await database.commit(EmptyQueue("c"))

    assert await database.commit_one(Enqueue("c", message("over", "m1"))) == 1


async def test_a_message_is_accepted_once_by_the_queue(database: Database, queue: Queue) -> None:
    first, second = await asyncio.gather(*(database.commit_one(Enqueue("c", message("a", "m1"))) for _ in range(2)))
    again = await database.commit_one(Enqueue("c", message("a", "m2", "m1")))

    assert (first, second, again) == (1, AlreadySent(("m1",)), AlreadySent(("m1",)))
    assert await texts(queue) == ["a"]


async def test_a_message_is_accepted_once_whether_it_is_queued_or_logged(database: Database) -> None:
    await database.commit(Append("c", (said(),), ("m1",)))
    await database.commit(Enqueue("c", message("b", "m2")))

    assert await database.commit_one(Enqueue("c", message("a", "m1"))) == AlreadySent(("m1",))
    assert await database.commit_one(Append("c", (said(),), ("m2",))) == AlreadySent(("m2",))


async def test_a_message_leaves_the_queue_with_the_append_that_says_it(database: Database, queue: Queue) -> None:
    await database.commit(Enqueue("c", message("a", "m1")), Enqueue("c", message("b", "m2")))
    first = (await queue.waiting("c"))[0]

    events, gone = await database.commit(Append("c", (said("a"),)), Dequeue("c", (first.id,)))

    assert isinstance(events, tuple)
    assert (gone, await texts(queue)) == (1, ["b"])
    assert await database.commit_one(Dequeue("c", (first.id,))) == 0
    assert await database.commit_one(Enqueue("c", message("a", "m1"))) == AlreadySent(("m1",))


async def test_nobody_takes_a_message_of_another_conversation(database: Database, queue: Queue) -> None:
    await database.commit(Enqueue("c", message("a")))
    (item,) = await queue.waiting("c")

    assert await database.commit_one(Dequeue("d", (item.id,))) == 0
    assert await texts(queue) == ["a"]


async def test_stop_empties_one_conversations_queue(database: Database, queue: Queue) -> None:
    await database.commit(Enqueue("c", message("a")), Enqueue("c", message("b")), Enqueue("d", message("x")))

    assert await database.commit_one(EmptyQueue("c")) == 2
    assert (await texts(queue), await texts(queue, "d")) == ([], ["x"])
    assert await queue.conversations_waiting() == ("d",)


async def test_an_edit_changes_what_still_waits(database: Database, queue: Queue) -> None:
    await database.commit(Enqueue("c", message("a", "m1")), Enqueue("c", message("b", "m2")))

    edited = await queue.edit("c", "m2", "better")

    assert (edited, await texts(queue)) == (True, ["a", "better"])


async def test_an_edit_of_what_does_not_wait_changes_nothing(database: Database, queue: Queue) -> None:
    await database.commit(Enqueue("c", message("a", "m1")))

    assert await queue.edit("c", "m9", "x") is False
    assert await queue.edit("d", "m1", "x") is False
    assert await texts(queue) == ["a"]


async def test_an_edit_leaves_a_message_gathered_from_several_alone(database: Database, queue: Queue) -> None:
    await database.commit(Enqueue("c", message("a\n\nb", "m1", "m2")))

    assert await queue.edit("c", "m1", "x") is False
    assert await texts(queue) == ["a\n\nb"]
