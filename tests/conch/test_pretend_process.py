import asyncio
from collections.abc import Mapping

import aiohttp
import pytest

from channels.emulators.remote import ControlError, RemoteApp
from conch.pretend import keep_alive, pretend_apps
from core.clock import ManualClock


class Hasty(ManualClock):
    """Every wait is over at once."""

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(0)


async def state(url: str, secret: str) -> Mapping[str, object]:
    async with RemoteApp(url, secret) as remote:
        return await remote.state()


async def test_a_child_that_dies_is_started_again_at_the_same_addresses(capfd: pytest.CaptureFixture[str]) -> None:
    born = asyncio.Event()

    async def on_new_life() -> None:
        born.set()

    async with pretend_apps() as child:
        before = child.addresses
        keeper = asyncio.create_task(keep_alive(child, Hasty(), on_new_life))
        child.process.kill()
        async with asyncio.timeout(60):
            await born.wait()
        keeper.cancel()
        await asyncio.gather(keeper, return_exceptions=True)

        alive = {name: await state(where.control_url, child.secret) for name, where in child.addresses.items()}

    assert child.addresses == before
    assert {name: each["base_url"] for name, each in alive.items()} == {
        n: where.base_url for n, where in before.items()
    }
    assert child.secret not in "".join(capfd.readouterr())


async def test_the_child_wants_its_secret_and_is_gone_when_its_parent_is() -> None:
    async with pretend_apps() as child:
        url = child.addresses["telegram"].control_url
        with pytest.raises(ControlError, match="401"):
            await state(url, "guess")

    assert child.process.returncode == 0
    with pytest.raises(aiohttp.ClientConnectionError):
        await state(url, child.secret)
