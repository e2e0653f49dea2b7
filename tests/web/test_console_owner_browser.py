"""The owner's pages in a real browser, on a real `conch serve` beside a pretend Telegram."""

import shutil
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field

import pytest
import pytest_asyncio
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Browser, Locator, Page, async_playwright, expect

from channels.emulators.telegram.pretend import DEFAULT_BOT, PretendTelegram
from channels.emulators.telegram.screen import Player
from tests.conch.programs import conch

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync", "--no-first-run"]
SECONDS = 30_000
"""In milliseconds: how long something may take before it counts as not coming."""

FROM_BOTFATHER = (
    f"Done! Congratulations on your new bot.\n\nUse this token to access the HTTP API:\n{DEFAULT_BOT}\nKeep it."
)
ATTACK = '<img src=x onerror="alert(1)">'

PAGES = ("channels", "people", "groups", "engines", "apps", "skills", "settings", "usage", "activity", "health")
INNER = (
    "bots/new",
    "bots/new/telegram",
    "bots/new/slack",
    "bots/new/teams",
    "engines/new",
    "engine/demo",
)


@dataclass(slots=True)
class Owner:
    """Somebody at the console, whose clicks and typed fields are counted, also those in Telegram."""

    page: Page
    address: str
    complaints: list[str] = field(default_factory=list)
    clicks: int = 0
    typed: int = 0

    async def click(self, what: Locator) -> None:
        self.clicks += 1
        await what.click()

    async def type(self, where: Locator, words: str) -> None:
        self.typed += 1
        await where.fill(words)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    async with async_playwright() as playwright:
        started = await playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield started
        await started.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def telegram() -> AsyncIterator[PretendTelegram]:
    async with PretendTelegram() as pretend:
        yield pretend


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def owner(
    browser: Browser, telegram: PretendTelegram, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Owner]:
    """Somebody who opened the link of a new Conch. What the tests of this file do, they do one after the other."""
    where = {"CONCH_TELEGRAM_BASE_URL": telegram.base_url, "CONCH_TELEGRAM_BASE_FILE_URL": telegram.base_file_url}
    async with conch(tmp_path_factory.mktemp("home"), "serve", "--port", "0", **where) as program:
        link = await program.started()
        page = await browser.new_page()
        page.set_default_timeout(SECONDS)
        found = Owner(page, link.partition("?")[0])
        page.on("console", lambda said: found.complaints.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda fault: found.complaints.append(str(fault)))
        await page.goto(link)
        yield found
        await page.close()
        await program.ends()


@pytest.fixture(autouse=True)
def quiet(owner: Owner) -> Iterator[None]:
    """The browser has nothing to complain about."""
    yield
    assert owner.complaints == []


async def test_the_first_message_is_answered_within_twelve_clicks_and_three_fields(
    owner: Owner, telegram: PretendTelegram
) -> None:
    page, ada = owner.page, telegram.person("Ada")
    await owner.click(page.get_by_role("link", name="Later"))
    await owner.click(page.get_by_role("link", name="Telegram"))
    await owner.type(page.get_by_label("What BotFather sent you"), FROM_BOTFATHER)
    await owner.click(page.get_by_role("button", name="Connect", exact=True))
    await expect(page.locator(".note")).to_contain_text("@pretend_bot is connected.")
    hello = await page.get_by_role("link", name="Open @pretend_bot").get_attribute("href")
    assert hello is not None

    chat = ada.private_chat()
    owner.clicks += 2  # the link, and Start in Telegram
    await chat.start(hello.partition("?start=")[2])
    await chat.wait_for_answer()
    owner.typed, owner.clicks = owner.typed + 1, owner.clicks + 1
    await chat.say("What can you do?")
    answer = await chat.wait_for_answer()

    assert "Demo" in answer.text
    assert (owner.clicks <= 12, owner.typed <= 3) == (True, True), f"{owner.clicks} clicks, {owner.typed} fields"


async def test_a_stranger_is_let_in_from_the_page_and_what_they_wrote_is_text(
    owner: Owner, telegram: PretendTelegram
) -> None:
    eve: Player = telegram.person(f"Eve {ATTACK}")
    chat = eve.private_chat()
    await chat.say(f"Hello {ATTACK}")
    await chat.wait_for_answer()

    await owner.page.goto(f"{owner.address}people")
    waiting = owner.page.locator("li", has_text="Hello")
    await expect(waiting.locator("blockquote")).to_contain_text(ATTACK)
    await waiting.get_by_role("button", name="Let in").click()

    await expect(owner.page.locator(".note")).to_contain_text("may talk to @pretend_bot now.")
    await expect(owner.page.locator("img[src=x]")).to_have_count(0)


async def test_a_bot_is_turned_off_and_on_and_tested(owner: Owner) -> None:
    page = owner.page
    await page.goto(f"{owner.address}channels")
    await page.get_by_role("link", name="Pretend", exact=True).click()

    await page.get_by_role("button", name="Turn it off").click()
    await expect(page.locator(".note")).to_contain_text("is off")
    await page.get_by_role("button", name="Turn it on").click()
    await expect(page.locator(".note")).to_contain_text("is on")
    await page.get_by_role("button", name="Test it").click()

    await expect(page.get_by_role("heading", name="What the test found")).to_be_visible()


async def test_a_key_that_is_none_is_told_where_it_was_typed(owner: Owner) -> None:
    page = owner.page
    await page.goto(f"{owner.address}bots/new/telegram")
    await page.get_by_label("What BotFather sent you").fill("no key in here")

    await page.get_by_role("button", name="Connect", exact=True).click()

    await expect(page.get_by_role("alert")).to_contain_text("key")
    owner.complaints.clear()  # Chromium counts the 422 as one


async def test_a_setting_and_a_skill_are_changed_and_stay(owner: Owner) -> None:
    page = owner.page
    await page.goto(f"{owner.address}settings")
    await page.get_by_label("Its name", exact=True).fill("Shell")
    await page.get_by_role("button", name="Save Its name").click()
    await expect(page.locator(".note")).to_contain_text("Its name is changed")
    await page.goto(f"{owner.address}skills")
    skill = page.get_by_role("group").first
    await skill.get_by_role("button", name="When I ask").click()

    await expect(skill.get_by_role("button", name="When I ask")).to_have_attribute("aria-pressed", "true")
    await page.goto(f"{owner.address}settings")
    await expect(page.get_by_label("Its name", exact=True)).to_have_value("Shell")
    await page.get_by_role("button", name="Back to the default of Its name").click()
    await expect(page.get_by_label("Its name", exact=True)).to_have_value("Conch")


async def test_the_menu_of_a_narrow_screen_opens_by_keyboard_and_nothing_is_wider(owner: Owner) -> None:
    page = owner.page
    await page.set_viewport_size({"width": 320, "height": 640})
    await page.goto(f"{owner.address}channels")

    await page.get_by_text("Menu", exact=True).focus()
    await page.keyboard.press("Enter")
    await page.get_by_role("navigation", name="Menu").get_by_role("link", name="Health").press("Enter")

    await expect(page.get_by_role("heading", name="Health", exact=True)).to_be_visible()
    for path in (*PAGES, *INNER):
        await page.goto(f"{owner.address}{path}")
        assert await page.evaluate("document.documentElement.scrollWidth") == 320, path


@pytest.mark.timeout(180)
async def test_no_page_keeps_anybody_out(owner: Owner) -> None:
    """As axe sees it: light and dark on a desktop, dark with the menu open on a phone."""
    page, found = owner.page, []
    await page.goto(f"{owner.address}channels")
    bot = await page.get_by_role("link", name="Pretend", exact=True).get_attribute("href")
    paths = [*PAGES, *INNER, (bot or "").removeprefix("/"), f"{bot}/remove".removeprefix("/")]

    for scheme, width in (("light", 1280), ("dark", 1280), ("light", 390), ("dark", 390)):
        await page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]  # one of these two
        await page.set_viewport_size({"width": width, "height": 900})
        for path in paths if (scheme, width) != ("light", 390) else PAGES[:3]:
            await page.goto(f"{owner.address}{path}")
            if width == 390:
                await page.get_by_text("Menu", exact=True).click()
            violations = (await Axe().run(page)).response["violations"]
            found += [f"{scheme} {width} {path}: {each['id']}" for each in violations]

    assert found == []
