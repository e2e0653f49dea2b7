"""A browser for journeys that leave the chat: real HTTP to Conch's own web side, with cookies and redirects."""

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from html import unescape
from socket import socket

import httpx2

from conch.app import App
from core.store.audit import Audit
from core.store.log import EventLog
from tests.web.fakes import FakeAdministration
from web.app import Backend, create_app
from web.connect import ConnectPages
from web.demo_calendar import DemoCalendarPages
from web.health import HealthReport
from web.security import Gate
from web.serving import serving
from web.sessions import Sessions


@asynccontextmanager
async def web_side(app: App, listener: socket) -> AsyncIterator[None]:
    """The web application over a Conch, answering on the socket."""

    async def health() -> HealthReport:
        return HealthReport(can_store=True, channels={})

    backend = Backend(
        FakeAdministration(),
        health,
        connect=ConnectPages(app.apps.sign_ins, app.conversations, EventLog(app.database), Audit(app.database)),
        demo_calendar=DemoCalendarPages(app.apps.demo_account),
    )
    gate = Gate(Sessions(app.clock), listener.getsockname()[1])
    async with serving(create_app(gate, backend), [listener]):
        yield


@dataclass(frozen=True, slots=True)
class Page:
    """What stands in the window."""

    url: httpx2.URL
    status: int
    html: str
    headers: Mapping[str, str]

    @property
    def heading(self) -> str:
        found = re.search(r"<h1>(.*?)</h1>", self.html)
        return unescape(found[1]) if found else ""

    @property
    def fields(self) -> Mapping[str, str]:
        """What the form sends along, hidden."""
        inputs = re.findall(r'<input type="hidden" name="(.*?)" value="(.*?)">', self.html)
        return {unescape(name): unescape(value) for name, value in inputs}


class Window:
    """One browser, with cookies of its own."""

    def __init__(self) -> None:
        self._client = httpx2.AsyncClient(follow_redirects=True, headers={"accept": "text/html"})

    async def __aenter__(self) -> "Window":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.aclose()

    async def open(self, url: str) -> Page:
        """Follow a link."""
        return _page(await self._client.get(url))

    async def submit(self, page: Page, *, follow: bool = True, origin: str | None = None, **answer: str) -> Page:
        """Press a button of the page's form; `origin` is whose page that is, where it is another site's."""
        origin = origin or f"{page.url.scheme}://{page.url.netloc.decode()}"
        target = page.url.copy_with(query=None)
        answered = await self._client.post(
            target, data={**page.fields, **answer}, headers={"origin": origin}, follow_redirects=follow
        )
        return _page(answered)


def _page(answer: httpx2.Response) -> Page:
    url = answer.headers.get("location")
    return Page(httpx2.URL(url) if url else answer.url, answer.status_code, answer.text, answer.headers)
