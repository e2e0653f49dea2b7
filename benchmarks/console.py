"""A chat of the console in Chromium: what it loads first and how soon it can be used, and whether it ever hangs.

The page follows an answer of 500 tokens a second on a processor that is slowed down four times; a long task is one of
over 50 ms, in which nothing else can happen (w3.org/TR/longtasks). Needs Chromium.
"""

import argparse
import asyncio
import gzip
import shutil
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from playwright.async_api import Page, Request, async_playwright

from benchmarks import machine
from conch.admin import Admin
from conch.api import parts_of
from conch.app import composed
from conch.console import chats_of
from conch.home import Home
from conch.settings import ProgramSettings
from core.clock import SystemClock
from core.engines.base import Text, TurnInput
from core.engines.script import Steps, Wait
from core.engines.scripted import ScriptedEngine
from web.api.following import Followers
from web.app import Backend, create_app
from web.health import HealthReport
from web.security import Gate
from web.serving import listen, serving
from web.sessions import Sessions
from web.ways_back import WaysBack

TOKENS_A_SECOND = 500
SLOWED = 4
WATCH = """() => {
  window.long = [];
  new PerformanceObserver((list) => window.long.push(...list.getEntries().map((one) => one.duration)))
    .observe({ type: "longtask", buffered: true });
}"""


def fast(seconds: float) -> Steps:
    """Markdown, a token at a time."""
    for number in range(int(seconds * TOKENS_A_SECOND)):
        yield Text("\n\n- **point** " if number % 40 == 0 else f"word{number % 7} ")
        if number % 10 == 0:
            yield Wait(10 / TOKENS_A_SECOND)


@asynccontextmanager
async def console(folder: Path, seconds: float) -> AsyncIterator[str]:
    """A Conch whose engine is that fast; the link to its console."""

    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        yield from fast(seconds)

    async def health() -> HealthReport:
        return HealthReport(can_store=True, channels={})

    clock, home = SystemClock(), Home(folder)
    home.prepare()
    engine = ScriptedEngine(clock, script)
    async with composed(home, ProgramSettings(), clock=clock, kinds={}, engines=[engine]) as app:
        await app.start()
        parts, sessions = parts_of(app, Admin(app)), Sessions(clock)
        followers = Followers(parts)
        with listen("127.0.0.1", 0) as listener:
            port = listener.getsockname()[1]
            backend = Backend(parts.administration, health, chats=chats_of(app, parts, followers, WaysBack()))
            async with serving(create_app(Gate(sessions, port), backend), [listener]):
                yield f"http://127.0.0.1:{port}/?token={sessions.new_link_token()}"
                followers.close()


async def first_load(page: Page, address: str) -> None:
    """What a chat loads first, and how long until it can be used."""
    sizes: list[int] = []

    page.on("requestfinished", lambda request: _weigh(request, sizes))
    began = time.perf_counter()
    await page.goto(address)
    await page.locator(".slash").wait_for(state="attached")
    took = time.perf_counter() - began
    await asyncio.sleep(0.5)
    print(f"first load: {sum(sizes) / 1000:.1f} kB compressed in {len(sizes)} files, usable after {took:.2f} s")


async def _weigh(request: Request, sizes: list[int]) -> None:
    response = await request.response()
    if response is not None and "/live/" not in response.url and response.status == 200:
        sizes.append(len(gzip.compress(await response.body())))


async def long_tasks(page: Page, seconds: float) -> None:
    """How long the page hung while an answer was written."""
    client = await page.context.new_cdp_session(page)
    await client.send("Emulation.setCPUThrottlingRate", {"rate": SLOWED})
    await page.evaluate(WATCH)
    await page.fill("#words", "go")
    await page.keyboard.press("Enter")
    await page.locator("#items .answer").wait_for(timeout=(seconds * 4 + 30) * 1000)
    await asyncio.sleep(0.5)
    found = await page.evaluate("window.long")
    worst = f", the longest {max(found):.0f} ms" if found else ""
    print(f"{TOKENS_A_SECOND} tokens/s for {seconds:.0f} s, CPU {SLOWED}x slower: {len(found)} long tasks{worst}")


async def run(asked: argparse.Namespace) -> None:
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        print("left out: there is no Chromium here")
        return
    print(f"{machine.described()}; {machine.load():.1f} processes wanted it")
    with tempfile.TemporaryDirectory(prefix="conch-bench-", ignore_cleanup_errors=True) as name:
        async with console(Path(name), asked.seconds) as link, async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
            page = await browser.new_page()
            await page.goto(link)
            await first_load(page, f"{link.partition('/?')[0]}/chats/new")
            await long_tasks(page, asked.seconds)
            await browser.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=6.0, help="how long the answer is written")
    asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
