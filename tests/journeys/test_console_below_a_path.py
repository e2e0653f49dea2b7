"""The whole console below a path of a proxy: every page, every address on it, forms, the API, and who is believed."""

import re
from pathlib import Path

import pytest

from tests.journeys.consoles import Owner, console_of
from tests.journeys.living import living
from tests.web.asgi import Browser

ROOT = "/conch"

PAGES = (
    *("/chats", "/chats/new", "/channels", "/bots/new", "/bots/new/telegram", "/people", "/groups", "/engines"),
    *("/engines/new", "/apps", "/skills", "/settings", "/usage", "/health", "/devices", "/commands", "/activity"),
    *("/sign-in", "/welcome"),
)

ADDRESS = re.compile(r'(?:href|src|action|data-live|data-menu|data-ask|data-tell)="([^"]*)"')


def astray(page: str) -> list[str]:
    """Addresses on a page that lead out of the path."""
    ours = [address for address in ADDRESS.findall(page) if not re.match(r"[a-z]+:|#|\?", address)]
    assert ours
    return [address for address in ours if address and not address.startswith(f"{ROOT}/")]


async def followed(browser: Browser, path: str) -> str:
    """A page, after being led on."""
    answer = await browser.get(path, accept="text/html")
    for _ in range(3):
        if answer.status != 303:
            break
        where = answer.headers["location"]
        assert where.startswith(f"{ROOT}/"), (path, where)
        answer = await browser.get(where, accept="text/html")
    assert answer.status == 200, (path, answer.status)
    return answer.text


async def test_every_address_on_every_page_stays_below_the_path(tmp_path: Path) -> None:
    async with living(tmp_path, lambda _: {}) as app, console_of(app, root=ROOT) as owner:
        found = {path: astray(await followed(owner.browser, f"{ROOT}{path}")) for path in PAGES}
        missing = await owner.browser.get(f"{ROOT}/nowhere", accept="text/html")

    assert {path: wrong for path, wrong in found.items() if wrong} == {}
    assert (missing.status, astray(missing.text)) == (404, [])


@pytest.mark.parametrize("prefix", [ROOT, ""], ids=["the proxy leaves it on", "the proxy takes it off"])
async def test_a_chat_is_begun_said_and_saved_there(tmp_path: Path, prefix: str) -> None:
    async with living(tmp_path, lambda _: {}) as app, console_of(app, root=ROOT) as owner:
        made = await owner.send(f"{prefix}/chats/new", {})
        chat = made.headers["location"].removeprefix(ROOT if not prefix else "")
        said = await owner.say(chat, "hello")
        page = await owner.sees(chat, "echo: hello")
        listed = await owner.browser.get(f"{prefix}/api/conversations")
        described = await owner.browser.get(f"{prefix}/api/openapi.json")
        style = await owner.browser.get(f"{prefix}/static/base.css")

    assert made.headers["location"].startswith(f"{ROOT}/chats/")
    assert said.headers["location"] == made.headers["location"]
    assert astray(page) == []
    assert len(listed.json["conversations"]) == 1
    assert described.json["servers"] == [{"url": f"{ROOT}/api"}]
    assert style.status == 200


async def test_the_cookie_is_for_the_path_and_goes_when_one_signs_out(tmp_path: Path) -> None:
    async with living(tmp_path, lambda _: {}) as app, console_of(app, root=ROOT) as owner:
        out = await owner.send(f"{ROOT}/sign-out", {})

    assert out.headers["location"] == f"{ROOT}/sign-in"
    assert f"Path={ROOT};" in out.headers["set-cookie"]


async def test_a_proxy_that_is_not_trusted_changes_nothing(tmp_path: Path) -> None:
    spoofed: dict[str, str | None] = {
        "x_forwarded_for": "203.0.113.9",
        "x_forwarded_host": "evil.example",
        "x_forwarded_proto": "https",
        "x_forwarded_prefix": "/evil",
    }
    async with living(tmp_path, lambda _: {}) as app, console_of(app) as owner:
        page = await owner.browser.get("/chats", accept="text/html", **spoofed)
        led = await owner.send("/chats/new", {})
        attack = Owner(Browser(owner.browser.app, {**owner.browser.headers, **spoofed}))
        posted = await attack.browser.post("/chats/new", b"", origin="https://evil.example")

    assert "/evil" not in page.text
    assert led.headers["location"].startswith("/chats/")
    assert posted.status == 403


async def test_a_trusted_proxy_says_where_browsers_are(tmp_path: Path) -> None:
    told: dict[str, str | None] = {
        "x_forwarded_proto": "https",
        "x_forwarded_prefix": ROOT,
        "x_forwarded_for": "203.0.113.9",
    }
    async with living(tmp_path, lambda _: {}) as app, console_of(app, trusted="127.0.0.1") as owner:
        page = await owner.browser.get("/chats", accept="text/html", **told)
        form = {**told, "content_type": "application/x-www-form-urlencoded", "origin": "https://127.0.0.1:7654"}
        password = await owner.browser.post("/devices/password", b"password=correct+horse+battery", **form)
        came = await owner.browser.post("/sign-in", b"password=correct+horse+battery", **form)

    assert astray(page.text) == []
    assert (password.status, came.status) == (303, 303)
    assert "Secure" in came.headers["set-cookie"]
    assert f"Path={ROOT};" in came.headers["set-cookie"]
