"""Every promise, kept by every adapter of ours."""

import pytest

from channels.conformance.promises import PROMISES, Promise
from tests.channels.conformance.rigs import RIGS


@pytest.mark.report("R071", "R125")
@pytest.mark.parametrize("app", RIGS)
@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise.__name__)
async def test_an_adapter_keeps_its_promise(app: str, promise: Promise) -> None:
    async with RIGS[app]() as rig:
        await promise(rig)
