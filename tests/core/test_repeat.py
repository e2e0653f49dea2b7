"""Which message is sent once more, and as what."""

from collections.abc import Sequence

import pytest

from core import events as ev
from core.projections import fold
from core.repeat import repeated, seq_to_repeat
from tests.core.event_logs import completed, log, said, started

OWNER = ev.Origin(kind="channel", role="owner")
BOB = ev.Origin(kind="channel", role="let-in")
A_TURN = (said(), started(), completed())


@pytest.mark.parametrize(
    ("data", "of_turn", "seq"),
    [
        pytest.param((), None, None, id="nothing was said"),
        pytest.param(A_TURN, None, 0, id="the only one"),
        pytest.param((*A_TURN, *A_TURN), None, 3, id="the newest"),
        pytest.param((*A_TURN, ev.ContextCleared()), None, None, id="cleared"),
        pytest.param((*A_TURN, ev.ContextCleared(), ev.ContextRestored(cleared_seq=3)), None, 0, id="clear undone"),
        pytest.param((*A_TURN, ev.ContextCleared(), *A_TURN), None, 4, id="said after a clear"),
        pytest.param(A_TURN, 1, 0, id="of the turn that is meant"),
        pytest.param((*A_TURN, *A_TURN), 1, None, id="of an earlier turn"),
        pytest.param((*A_TURN, said()), 1, None, id="something was said since"),
    ],
)
def test_the_newest_message_since_the_newest_clear_is_meant(
    data: Sequence[ev.EventData], of_turn: int | None, seq: int | None
) -> None:
    assert seq_to_repeat(fold(log(*data)), of_turn) == seq


@pytest.mark.parametrize(
    ("others_words", "origin", "still"), [(False, OWNER, False), (True, OWNER, True), (False, BOB, True)]
)
def test_what_is_someone_elses_stays_someone_elses(others_words: bool, origin: ev.Origin, still: bool) -> None:
    marks = [ev.Tainted(source="person", label="Eve"), ev.Tainted(source="web", label="a page")]
    state = fold(log(said(others_words=others_words), *marks))

    again = repeated(said(others_words=others_words), state, origin, "again")

    assert (again.others_words, again.words_of) == (still, "Eve")
    assert (again.trigger, again.client_ids, again.origin) == (ev.Trigger.RETRY, ("again",), origin)
