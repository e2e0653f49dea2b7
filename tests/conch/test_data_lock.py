import os

import pytest

from conch import lock
from conch.home import Home
from conch.lock import DataInUse
from core.clock import ManualClock


def test_a_second_one_is_refused_and_told_who_holds_it(place: Home) -> None:
    clock = ManualClock()

    with lock.hold(place, "conch serve", clock) as held:
        held.announce(address="http://127.0.0.1:7654", control=place.path / "control.sock")
        with pytest.raises(DataInUse) as fault, lock.hold(place, "conch chat", clock):
            pass

    assert fault.value.holder is not None
    assert fault.value.holder.control == place.path / "control.sock"
    assert f"`conch serve` (process {os.getpid()}, since 2026-01-01 00:00 UTC, at http://127.0.0.1:7654)" in str(
        fault.value
    )


def test_the_refused_one_leaves_the_holder_as_it_was(place: Home) -> None:
    with lock.hold(place, "conch serve", ManualClock()):
        before = lock.holder(place)
        with pytest.raises(DataInUse), lock.hold(place, "conch chat", ManualClock()):
            pass

        assert lock.holder(place) == before


def test_after_the_end_the_next_one_may(place: Home) -> None:
    with lock.hold(place, "conch serve", ManualClock()):
        pass

    assert lock.holder(place) is None
    with lock.hold(place, "conch chat", ManualClock()):
        holder = lock.holder(place)
    assert holder is not None
    assert holder.program == "conch chat"


def test_what_a_killed_holder_left_behind_does_not_matter(place: Home) -> None:
    with lock.hold(place, "conch serve", ManualClock()):
        left = place.holder.read_text()
    place.holder.write_text(left)

    with lock.hold(place, "conch chat", ManualClock()):
        holder = lock.holder(place)

    assert holder is not None
    assert holder.program == "conch chat"


@pytest.mark.parametrize("content", ["", "{", '{"pid": 1}'])
def test_an_unreadable_note_is_no_holder(place: Home, content: str) -> None:
    place.holder.write_text(content)

    assert lock.holder(place) is None


def test_before_the_holder_said_who_it_is_the_refusal_still_says_what_to_do(place: Home) -> None:
    with lock.hold(place, "conch serve", ManualClock()):
        place.holder.unlink()
        with pytest.raises(DataInUse, match=r"just starting.*CONCH_HOME"), lock.hold(place, "x", ManualClock()):
            pass
