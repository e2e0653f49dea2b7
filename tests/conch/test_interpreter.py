"""Once everything is built, the collector leaves it alone, and no thread keeps another waiting for long."""

import gc
import sys
from collections.abc import Iterator

import pytest

from conch import interpreter


@pytest.fixture
def as_before() -> Iterator[None]:
    """The interpreter as it was, afterwards."""
    threshold, interval = gc.get_threshold(), sys.getswitchinterval()
    yield
    gc.set_threshold(*threshold)
    gc.unfreeze()
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("as_before")
def test_what_was_built_is_not_looked_through_any_more() -> None:
    built = [[number] for number in range(1_000)]

    interpreter.settle()

    assert gc.get_freeze_count() >= len(built)
    assert not any(one is built for one in gc.get_objects())


@pytest.mark.usefixtures("as_before")
def test_modules_load_without_many_looks_for_garbage() -> None:
    interpreter.load()

    assert gc.isenabled()
    assert gc.get_threshold()[0] == interpreter.YOUNG


@pytest.mark.usefixtures("as_before")
def test_new_garbage_is_still_found() -> None:
    interpreter.settle()

    loop: list[object] = []
    loop.append(loop)
    del loop

    assert gc.isenabled()
    assert gc.collect() >= 1


@pytest.mark.usefixtures("as_before")
def test_a_thread_gets_the_interpreter_within_a_millisecond() -> None:
    interpreter.settle()

    assert sys.getswitchinterval() < 0.001
