"""Which waiting messages go together: a run from one person in one place, and nothing is lost or moved."""

from datetime import UTC, datetime
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from core import events as ev
from core.joining import joined, together
from core.store.queue import QueuedItem, QueuedMessage
from tests.core.lives import from_chat, message

AT = datetime(2026, 1, 1, tzinfo=UTC)
ADA, BOB = from_chat("ada"), from_chat("bob")
origins = st.sampled_from([ADA, BOB, from_chat("ada", chat="10"), ev.Origin(kind="console"), ev.Origin(kind="api")])
messages = st.builds(
    lambda text, by, ids: message(text, by, tuple(ids)), st.sampled_from("abc"), origins, st.lists(st.uuids().map(str))
)


def queue(*waiting: QueuedMessage) -> list[QueuedItem]:
    return [QueuedItem(number, AT, one) for number, one in enumerate(waiting)]


@given(st.lists(messages, min_size=1, max_size=8))
def test_taken_run_by_run_everything_goes_in_order_and_changes_hands_only_between_runs(
    waiting: list[QueuedMessage],
) -> None:
    left, runs = queue(*waiting), list[list[QueuedItem]]()
    while left:
        runs.append(together(left))
        left = left[len(runs[-1]) :]

    assert [item for run in runs for item in run] == queue(*waiting)
    assert all(len({item.message.origin for item in run}) == 1 for run in runs)
    assert all(one[-1].message.origin != other[0].message.origin for one, other in pairwise(runs))


@given(st.lists(messages, min_size=1, max_size=8))
def test_joined_they_keep_every_word_and_every_id(waiting: list[QueuedMessage]) -> None:
    one = joined(queue(*waiting))

    assert one.text.split("\n\n") == [each.text for each in waiting]
    assert one.client_ids == tuple(client_id for each in waiting for client_id in each.client_ids)
    assert one.origin == waiting[-1].origin


def test_a_different_reply_does_not_keep_messages_apart() -> None:
    waiting = queue(message("a", from_chat("ada", reply_to="1")), message("b", from_chat("ada", reply_to="2")))

    assert together(waiting) == waiting


def test_what_was_said_before_and_after_someone_was_let_in_stays_apart() -> None:
    guest = ADA.model_copy(update={"role": "guest"})

    assert len(together(queue(message("a", guest), message("b", ADA)))) == 1


def test_a_thread_is_a_place_of_its_own() -> None:
    assert ADA.address is not None
    in_thread = ADA.model_copy(update={"address": ADA.address.model_copy(update={"thread": "5"})})

    assert len(together(queue(message("a", ADA), message("b", in_thread)))) == 1


def test_one_message_alone_stays_as_it_is() -> None:
    alone = message("a", ADA, ("7",), goal="win", others_words=True)

    assert joined(queue(alone)) == alone


def test_the_newest_goal_counts() -> None:
    waiting = queue(message("a", goal="first"), message("b", goal="then"), message("c"))

    assert joined(waiting).goal == "then"
