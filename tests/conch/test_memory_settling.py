"""Once everything is built, the collector leaves it alone."""

import gc
from collections.abc import Iterator

import pytest

from conch import memory


@pytest.fixture
def collector() -> Iterator[None]:
    """The collector as it was, afterwards."""
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)
    gc.unfreeze()


@pytest.mark.usefixtures("collector")
def test_what_was_built_is_not_looked_through_any_more() -> None:
    built = [[number] for number in range(1_000)]

    memory.settle()

    assert gc.get_freeze_count() >= len(built)
    assert not any(one is built for one in gc.get_objects())


@pytest.mark.usefixtures("collector")
def test_new_garbage_is_still_found() -> None:
    memory.settle()

    loop: list[object] = []
    loop.append(loop)
    del loop

    assert gc.isenabled()
    assert gc.collect() >= 1
