"""A program with a token beside a chat: what it asks of the API, of a whole Conch in this process."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from conch.admin import Admin
from conch.api import parts_of
from conch.app import App
from core.clock import SystemClock
from core.store.tokens import ApiTokens, TokenScope
from tests.web.asgi import Answer, Browser
from web.api.app import create_api
from web.api.following import Followers
from web.app import Backend, create_app
from web.callers import TokenCallers
from web.health import HealthReport
from web.security import API, Gate
from web.sessions import Sessions


@dataclass
class Program:
    """A program with a token, and the only conversation that there is."""

    browser: Browser

    async def post(self, path: str, body: object) -> Answer:
        return await self.browser.post(f"{API}/conversations/{await self.chat()}{path}", body, origin=None)

    async def chat(self) -> str:
        [only] = (await self.browser.get(f"{API}/conversations")).json["conversations"]
        conversation_id: str = only["id"]
        return conversation_id

    async def now(self) -> Any:
        return (await self.browser.get(f"{API}/conversations/{await self.chat()}")).json


@asynccontextmanager
async def program_of(app: App) -> AsyncIterator[Program]:
    """The program, for as long as its token counts."""

    async def health() -> HealthReport:
        return HealthReport(can_store=True, channels={})

    token, _ = await ApiTokens(app.database).add("laptop", TokenScope.FULL)
    parts = parts_of(app, Admin(app))
    followers = Followers(parts)
    gate = Gate(Sessions(SystemClock()), 0, tokens=TokenCallers(ApiTokens(app.database), app.clock))
    web = create_app(gate, Backend(parts.administration, health, api=create_api(parts, followers, API)))
    yield Program(Browser(web, {"authorization": f"Bearer {token}"}))
    followers.close()
