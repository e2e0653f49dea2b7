"""What is sensitive wants somebody who came in not long ago; what makes less possible never asks."""

from urllib.parse import urlencode

import pytest

from core.clock import ManualClock
from tests.web.asgi import Answer, Browser
from tests.web.fakes import FakeAdministration
from web.sessions import RECENT

SENSITIVE = {
    "/bots/new/telegram": {"pasted": "123:abc"},
    "/bots/c1/link": {},
    "/people/let-in": {"bot": "c1", "person": "77"},
    "/groups/on": {"bot": "c1", "group": "-1001"},
    "/engines/new": {"kind": "openai", "pasted": "sk-1"},
    "/settings/default_mode": {"value": "full"},
    "/apps/demo-calendar/connect": {},
}
ALWAYS = {
    "/bots/c1/off": {},
    "/people/block": {"bot": "c1", "person": "77"},
    "/people/remove": {"bot": "c1", "person": "77"},
    "/groups/off": {"bot": "c1", "group": "-1001"},
}


async def send(browser: Browser, path: str, given: dict[str, str]) -> Answer:
    kind = "application/x-www-form-urlencoded"
    return await browser.post(path, urlencode(given).encode(), content_type=kind, accept="text/html")


@pytest.mark.parametrize("path", SENSITIVE)
async def test_who_came_in_long_ago_comes_in_again_first(
    owner: Browser, administration: FakeAdministration, clock: ManualClock, path: str
) -> None:
    await clock.advance(RECENT.total_seconds())

    answer = await send(owner, path, SENSITIVE[path])

    assert answer.status == 403
    assert "Is it still you?" in answer.text
    assert "conch console" in answer.text
    assert not administration.asked


@pytest.mark.parametrize("path", SENSITIVE)
async def test_who_came_in_just_now_is_not_asked(owner: Browser, path: str) -> None:
    answer = await send(owner, path, SENSITIVE[path])

    assert answer.status != 403


@pytest.mark.parametrize("path", ALWAYS)
async def test_turning_something_off_never_asks(
    owner: Browser, administration: FakeAdministration, clock: ManualClock, path: str
) -> None:
    await clock.advance(RECENT.total_seconds() * 100)

    answer = await send(owner, path, ALWAYS[path])

    assert answer.status == 303
    assert administration.asked
