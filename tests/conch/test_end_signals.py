import os
import signal
from collections.abc import Iterator

import pytest

from conch.signals import SIGNALS, asked_to_end


@pytest.fixture(autouse=True)
def handlers_as_before() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in SIGNALS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", SIGNALS)
async def test_the_first_signal_asks_and_the_second_is_the_systems(number: signal.Signals) -> None:
    with asked_to_end() as ending:
        os.kill(os.getpid(), number)
        await ending.wait()

        assert signal.getsignal(number) is signal.SIG_DFL


async def test_without_a_signal_nobody_is_asked(handlers_as_before: None) -> None:
    with asked_to_end() as ending:
        pass

    assert not ending.is_set()
