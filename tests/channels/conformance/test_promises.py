"""Every promise, kept by every adapter of ours; one that does not concern an adapter says why."""

import pytest

from channels.conformance.promise import NotAsked, Promise
from channels.conformance.promises import PROMISES
from tests.channels.conformance.rigs import RIGS


@pytest.mark.report("R071", "R125")
@pytest.mark.parametrize("app", RIGS)
@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise.__name__)
async def test_an_adapter_keeps_its_promise(app: str, promise: Promise) -> None:
    async with RIGS[app]() as rig:
        try:
            await promise(rig)
        except NotAsked as reason:
            pytest.skip(str(reason))
