"""The console in a browser: a running Conch, tabs and devices on it, and what a person does and sees there."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.async_api import Browser, BrowserContext, Locator, Page, expect

from conch.home import Home
from core.clock import SystemClock
from core.events import Origin, UserMessage
from core.store.database import Database
from core.store.log import Append
from tests.conch.programs import Program

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync", "--no-first-run"]
SECONDS = 20_000
"""In milliseconds: how long something may take before it counts as not coming."""

HIDE = """() => {
  Object.defineProperty(document, "hidden", { configurable: true, get: () => window.asleep });
  window.asleep = true;
  document.dispatchEvent(new Event("visibilitychange"));
}"""
SHOW = """() => { window.asleep = false; document.dispatchEvent(new Event("visibilitychange")); }"""


@dataclass(slots=True)
class Console:
    """A running Conch, and a browser that came in by its link."""

    browser: Browser
    home: Path
    address: str
    context: BrowserContext
    program: Program
    complaints: list[str] = field(default_factory=list)

    async def page(self, context: BrowserContext | None = None) -> Page:
        """Another tab."""
        page = await (context or self.context).new_page()
        page.set_default_timeout(SECONDS)
        page.on("console", lambda said: self.complaints.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda fault: self.complaints.append(str(fault)))
        return page

    async def chat(self) -> Page:
        """A tab on a new chat."""
        page = await self.page()
        await page.goto(f"{self.address}/chats/new")
        return page

    @asynccontextmanager
    async def another_device(self, **given: object) -> AsyncIterator[BrowserContext]:
        """A browser of its own that is signed in as this one is."""
        state = await self.context.storage_state()
        context = await self.browser.new_context(storage_state=state, **given)  # type: ignore[arg-type]
        yield context
        await context.close()


async def say(page: Page, words: str) -> None:
    await page.get_by_label("Message", exact=True).fill(words)
    await page.keyboard.press("Enter")


def answers(page: Page) -> Locator:
    return page.locator("#items .answer")


async def done(page: Page) -> None:
    """The answer is complete, and what may be typed next."""
    await expect(page.locator("#stop")).to_be_hidden(timeout=SECONDS)


async def length(page: Page) -> int:
    return len(await page.locator("#running").inner_text())


async def grows(page: Page, before: int) -> None:
    """More words came."""
    await page.wait_for_function("before => document.getElementById('running').innerText.length > before", arg=before)


async def written_before(home: Path) -> None:
    """A conversation of 10,000 messages, as an earlier life left it."""
    folder = Home(home)
    folder.prepare()
    database = await Database.open(f"sqlite:///{folder.database}", SystemClock())
    origin = Origin(kind="console", role="owner")
    for begin in range(0, 10_000, 500):
        said = (UserMessage(message_id=str(n), text=f"number {n}.", origin=origin) for n in range(begin, begin + 500))
        await database.commit(Append("long", tuple(said)))
    await database.close()
