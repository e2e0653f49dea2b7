"""The owner's console over a whole Conch in this process: a browser that came in by the link, without JavaScript."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from html import unescape
from urllib.parse import urlencode

from conch.admin import Admin
from conch.api import parts_of
from conch.app import App
from conch.console import Backing, chats_of
from conch.health import HealthLook
from conch.levels import LevelsLook
from core.clock import SystemClock
from core.store.audit import Audit
from core.store.owner_keys import OwnerKeyRows
from tests.web.asgi import Answer, Browser
from web.api.app import create_api
from web.api.following import Followers
from web.app import Backend, create_app
from web.health import HealthReport
from web.proxies import Proxies
from web.security import API, Gate
from web.sessions import Sessions
from web.signing.keys import OwnerKeys
from web.signing.pages import SignIn
from web.ways_back import WaysBack

PORT = 7654


@dataclass(frozen=True, slots=True)
class Owner:
    """A browser on the console, and what it sees there."""

    browser: Browser

    async def look(self, path: str) -> str:
        """A page that is there."""
        answer = await self.browser.get(path, accept="text/html")
        assert answer.status == 200, (path, answer.status, answer.text)
        return answer.text

    async def send(self, path: str, form: Mapping[str, object], *, live: bool = False) -> Answer:
        """A form as a browser sends it, or (`live`) as the page's own script does."""
        headers: dict[str, str | None] = {"content_type": "application/x-www-form-urlencoded", "accept": "text/html"}
        body = urlencode(form, doseq=True).encode()
        return await self.browser.post(path, body, **headers, **({"x_conch_live": "1"} if live else {}))

    async def new_chat(self) -> str:
        """The address of a chat in which nothing was said."""
        answer = await self.send("/chats/new", {})
        assert answer.status == 303
        return answer.headers["location"]

    async def say(self, chat: str, words: str, **more: object) -> Answer:
        """Write something there."""
        return await self.send(f"{chat}/messages", {"text": words, **more})

    async def sees(self, chat: str, wanted: str | Callable[[str], object]) -> str:
        """The page, once it shows these words; only a test that fails ever waits that long."""
        async with asyncio.timeout(10):
            while True:
                page = await self.look(chat)
                if wanted in words_of(page) if isinstance(wanted, str) else wanted(page):
                    return page
                await asyncio.sleep(0.01)


def words_of(page: str) -> str:
    """What a person reads on a page."""
    return unescape(" ".join(re.sub(r"<[^>]*>", " ", page).split()))


def actions(page: str) -> list[str]:
    """Where the forms of a page go."""
    return re.findall(r'action="([^"]*)"', page)


@asynccontextmanager
async def console_of(app: App, root: str = "", trusted: str = "") -> AsyncIterator[Owner]:
    """The console, for as long as the block; below a path where one is given."""

    async def health() -> HealthReport:
        return HealthReport(can_store=True, channels={})

    admin = Admin(app)
    parts = parts_of(app, admin)
    sessions = Sessions(SystemClock())
    gate = Gate(sessions, PORT)
    followers = Followers(parts)
    levels = LevelsLook(app, HealthLook(app.database, app.registry, app.clock))
    chats = chats_of(app, parts, followers, WaysBack())
    backend = Backend(
        admin,
        health,
        api=create_api(parts, followers, API),
        backing=Backing(app, admin, levels, None),
        chats=chats,
        sign_in=SignIn(OwnerKeys(OwnerKeyRows(app.database), app.clock), Audit(app.database), app.clock),
        version="1.2.3",
    )
    web = Proxies(create_app(gate, backend), trusted, root)
    came = await Browser(web).get(f"{root}/?token={sessions.new_link_token()}")
    cookie = came.headers["set-cookie"].partition(";")[0]
    yield Owner(Browser(web, {"cookie": cookie}))
    followers.close()
    await chats.deleting.close()
