"""The playground's page in a real browser, on a real `conch serve --playground`."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import (
    Browser,
    BrowserContext,
    Locator,
    Page,
    Route,
    StorageState,
    async_playwright,
    expect,
)

from tests.conch.programs import conch

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
APPS = ("telegram", "discord", "slack", "teams")
WITH_GROUPS = ("telegram", "discord", "slack")
WITH_FORMS = ("discord", "slack")
"""The others ask one thing after the other, or on the card itself."""

ANSWER = ".said:not(.mine):not(.draft)"
SECONDS = 30_000
"""In milliseconds: how long something may take before it counts as not coming."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    async with async_playwright() as playwright:
        started = await playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield started
        await started.close()


@pytest.fixture
def complaints() -> list[str]:
    """What the browser complains about: broken script, refused addresses, the policy."""
    return []


@pytest_asyncio.fixture(loop_scope="module")
async def page(browser: Browser, tmp_path: Path, complaints: list[str]) -> AsyncIterator[Page]:
    """The page of a playground of one's own, come by its link."""
    async with conch(tmp_path, "serve", "--playground", "--port", "0") as program:
        link = await program.started()
        async with browser_page(await browser.new_context(), link, complaints) as opened:
            yield opened
        await program.ends()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def signed_in(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[tuple[str, StorageState]]:
    """A playground for all who do not mind what was said there before: its address, and the cookie for it."""
    async with conch(tmp_path_factory.mktemp("shared"), "serve", "--playground", "--port", "0") as program:
        link = await program.started()
        context = await browser.new_context()
        await (await context.new_page()).goto(link)
        state = await context.storage_state()
        await context.close()
        yield link.partition("?")[0], state
        await program.ends()


@pytest_asyncio.fixture(loop_scope="module")
async def shared(browser: Browser, signed_in: tuple[str, StorageState], complaints: list[str]) -> AsyncIterator[Page]:
    """The page of the shared playground."""
    address, state = signed_in
    async with browser_page(await browser.new_context(storage_state=state), address, complaints) as opened:
        yield opened


@asynccontextmanager
async def browser_page(context: BrowserContext, address: str, complaints: list[str]) -> AsyncIterator[Page]:
    """A page once its phones are there. A complaint that is left at the end fails the test."""
    opened = await context.new_page()
    opened.set_default_timeout(SECONDS)
    opened.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    await opened.goto(address)
    for app in APPS:
        places = 2 if app in WITH_GROUPS else 1
        await expect(phone(opened, app).locator("[data-part=places] button")).to_have_count(places, timeout=SECONDS)
    yield opened
    await context.close()
    assert complaints == []


def phone(page: Page, app: str) -> Locator:
    return page.locator(f".phone[data-app={app}]")


def box(page: Page, app: str = "telegram") -> Locator:
    return phone(page, app).locator("[data-part=words]")


def answers(page: Page, app: str = "telegram") -> Locator:
    return phone(page, app).locator(ANSWER)


async def say(page: Page, text: str, app: str = "telegram") -> None:
    await box(page, app).fill(text)
    await box(page, app).press("Enter")


async def hold_sends(page: Page, *, fail: bool = False) -> asyncio.Event:
    """Let no words reach Conch before the event is set, and with `fail` none at all."""
    go_on = asyncio.Event()

    async def hold(route: Route) -> None:
        await go_on.wait()
        await (route.abort() if fail else route.continue_())

    await page.route("**/playground/api/*/say", hold)
    return go_on


async def test_a_person_types_presses_breaks_and_sees(page: Page, tmp_path: Path) -> None:
    """One journey, because a server and a browser take long to start."""
    telegram = phone(page, "telegram")
    assert "token" not in page.url

    await say(page, "What can you do?")
    await expect(answers(page).last).to_contain_text("Demo", timeout=SECONDS)
    await expect(page.locator("#aloud")).to_contain_text("Demo")

    await say(page, "Make me a file")
    await expect(telegram.locator("a.file")).to_contain_text("journeys.csv", timeout=SECONDS)

    await say(page, "Write a note")
    allow = telegram.get_by_role("button", name="Allow", exact=True)
    await expect(allow).to_have_class("button primary", timeout=SECONDS)
    await allow.click()
    await expect(answers(page).filter(has_text="May I do this?")).to_contain_text("Ada allowed it.")
    await expect(telegram.locator(".keys")).to_have_count(0)

    await say(page, "<b>no</b> <img src=x onerror=alert(1)>")
    await expect(telegram.locator(".mine").last).to_contain_text("<b>no</b> <img src=x onerror=alert(1)>")
    await expect(answers(page).last).to_contain_text("<b>no</b> <img src=x", timeout=SECONDS)

    edited = telegram.locator(".mine").last
    await edited.hover()
    await edited.get_by_role("button", name="Edit").click()
    await say(page, "changed")
    await expect(edited).to_contain_text("edited")

    await say(page, "/clear")
    await telegram.get_by_role("button", name="Undo", exact=True).click()
    await expect(telegram.locator(".keys")).to_have_count(0, timeout=SECONDS)
    await expect(page.locator("#toast")).to_be_hidden()

    await telegram.get_by_text("Break Telegram").click()
    await telegram.get_by_role("button", name="Slow").click()
    await expect(telegram.locator("[data-part=faults]")).to_contain_text("Slow")
    await telegram.get_by_role("button", name="Mend Telegram").click()
    await expect(telegram.locator("[data-part=faults] li")).to_have_count(0)

    await page.get_by_label("Sam").check()
    await expect(telegram.locator(".empty")).to_be_visible()
    await say(page, "Hello?")
    await expect(answers(page).last).to_contain_text("private assistant", timeout=SECONDS)


async def test_one_journey_is_played_in_all_phones_at_once(page: Page) -> None:
    """A question, a form, a card, a thread: each app in its own way."""
    await page.get_by_role("button", name="Ask me several things", exact=True).click()
    for app in APPS:
        await expect(answers(page, app).last).to_contain_text("A pretended trip", timeout=SECONDS)
    await expect(phone(page, "telegram").get_by_role("button", name="Skip", exact=True)).to_be_visible()

    for app in WITH_FORMS:
        await phone(page, app).get_by_role("button", name="Answer…", exact=True).click()
        form = page.get_by_role("dialog")
        await expect(form).to_contain_text("What do you like?", timeout=SECONDS)
        await form.get_by_label("Food").check()
        await form.get_by_role("button", name="Send").or_(form.get_by_role("button", name="Submit")).click()
        await expect(form).to_have_count(0, timeout=SECONDS)
        await expect(answers(page, app).last).to_contain_text("Food", timeout=SECONDS)
    teams = phone(page, "teams")
    await teams.get_by_label("Food").check()
    await teams.get_by_label("How long do you stay").fill("99")
    await teams.get_by_role("button", name="Send", exact=True).click()
    await expect(teams.locator(".card-of-app .trouble").last).to_contain_text("A number", timeout=SECONDS)
    await teams.get_by_label("How long do you stay").fill("4")
    await teams.get_by_role("button", name="Send", exact=True).click()
    await expect(answers(page, "teams").last).to_contain_text("Food", timeout=SECONDS)
    await answers(page, "teams").last.hover()
    await answers(page, "teams").last.get_by_role("button", name="Like “").click()
    await expect(teams.locator(".reactions")).to_contain_text("👍")

    for app in WITH_GROUPS:
        await phone(page, app).locator("[data-part=places] button").last.click()
    await page.get_by_label("Words for every app").fill("What can you do?")
    await page.get_by_role("button", name="Play in all").click()
    await expect(answers(page, "telegram").last).to_contain_text("Demo", timeout=SECONDS)
    await expect(answers(page, "teams").last).to_contain_text("Demo", timeout=SECONDS)
    for app in ("discord", "slack"):
        await phone(page, app).locator(".replies").click(timeout=SECONDS)
        await expect(answers(page, app).last).to_contain_text("Demo", timeout=SECONDS)
        await expect(phone(page, app).locator("[data-part=title]")).to_contain_text("Thread")


async def test_a_file_comes_on_teams_once_it_is_wanted(page: Page) -> None:
    teams = phone(page, "teams")

    await say(page, "Make me a file", "teams")
    await expect(teams.locator(".card-of-app .title")).to_have_text("journeys.csv", timeout=SECONDS)
    await teams.get_by_role("button", name="Allow", exact=True).click()

    await expect(teams.locator("a.file")).to_contain_text("journeys.csv", timeout=SECONDS)


async def test_what_is_broken_in_one_app_leaves_the_others(page: Page) -> None:
    await phone(page, "teams").get_by_text("Break Teams").click()
    await phone(page, "teams").get_by_role("button", name="No connection").click()
    await expect(phone(page, "teams").locator("[data-part=faults]")).to_contain_text("No connection")

    await page.get_by_role("button", name="What can you do?", exact=True).click()
    for app in WITH_GROUPS:
        await expect(answers(page, app).last).to_contain_text("Demo", timeout=SECONDS)
        await expect(phone(page, app).locator("[data-part=faults] li")).to_have_count(0)
    await expect(answers(page, "teams")).to_have_count(0)
    await phone(page, "teams").get_by_role("button", name="Mend Teams").click()

    await expect(answers(page, "teams").last).to_contain_text("Demo", timeout=SECONDS)


@pytest.mark.timeout(180)
async def test_nothing_on_the_page_keeps_anybody_out(page: Page) -> None:
    """With an offer, a card and an open form, light and dark, wide and narrow; as axe sees it."""
    found = []
    for words, seen in (
        ("What's on my calendar today?", "Demo Calendar"),
        ("Ask me several things", "A pretended trip"),
    ):
        await page.get_by_role("button", name=words, exact=True).click()
        for app in APPS:
            await expect(answers(page, app).filter(has_text=seen).last).to_be_visible(timeout=SECONDS)

    for scheme in ("light", "dark"):
        await page.emulate_media(color_scheme=scheme)
        for width in (1440, 390):
            await page.set_viewport_size({"width": width, "height": 900})
            for app in APPS if width == 390 else ("teams",):
                if width == 390:
                    await page.locator(f"[data-show={app}]").click()
                found += await findings(page, f"{scheme} {width} {app}")
            if width == 390:
                await page.locator("[data-show=discord]").click()
            await phone(page, "discord").get_by_role("button", name="Answer…", exact=True).click()
            await expect(page.get_by_role("dialog")).to_be_visible(timeout=SECONDS)
            found += await findings(page, f"{scheme} {width} form")
            await page.get_by_role("dialog").get_by_role("button", name="Cancel").click()

    assert found == []


@pytest.mark.timeout(120)
async def test_no_card_keeps_anybody_out(shared: Page) -> None:
    """Every card in every state, with all there is to unfold; as axe sees it, and from 320 px on."""
    page, found = shared, list[str]()
    await page.goto(page.url.partition("/playground")[0].rstrip("/") + "/_patterns")
    await page.evaluate("() => document.querySelectorAll('details').forEach(each => { each.open = true })")

    for scheme, width in (("light", 1280), ("dark", 390), ("dark", 320)):
        await page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
        await page.set_viewport_size({"width": width, "height": 900})
        found += await findings(page, f"{scheme} {width}")
        assert await page.evaluate("document.documentElement.scrollWidth") <= width

    assert await page.locator(".items > *").count() > 40
    assert found == []


async def findings(page: Page, scene: str) -> list[str]:
    """What axe has to say, a line for each rule."""
    violations = (await Axe().run(page)).response["violations"]
    return [f"{scene}: {each['id']} {[node['target'] for node in each['nodes']]}" for each in violations]


async def test_a_command_is_given_in_each_apps_own_way(page: Page) -> None:
    await page.get_by_label("Words for every app").fill("/status")
    await page.get_by_role("button", name="Play in all").click()

    for app in APPS:
        await expect(answers(page, app).last).to_contain_text("Demo", timeout=SECONDS)
    await expect(phone(page, "telegram").locator(".mine").last).to_contain_text("/status")
    await expect(phone(page, "slack").locator(".mine")).to_have_count(0)  # there a command leaves nothing in the chat


async def test_a_narrow_screen_shows_one_phone_at_a_time(shared: Page) -> None:
    await shared.set_viewport_size({"width": 390, "height": 844})

    await shared.get_by_role("button", name="Slack", exact=True).click()

    await expect(phone(shared, "slack")).to_be_visible()
    await expect(phone(shared, "telegram")).to_be_hidden()
    assert await shared.evaluate("document.documentElement.scrollWidth") == 390


@pytest.mark.parametrize("app", APPS)
async def test_a_long_answer_keeps_its_code_and_fits_a_phone(shared: Page, app: str) -> None:
    code = answers(shared, app).locator("pre[data-language=python]")
    await shared.set_viewport_size({"width": 390, "height": 844})
    await shared.locator(f"[data-show={app}]").click()

    await say(shared, "Show me a long answer with code", app)
    await expect(phone(shared, app).locator("[aria-busy=true], .said .when").first).to_be_visible(timeout=SECONDS)
    await expect(code.first).to_be_visible(timeout=SECONDS)
    await shared.reload()
    await shared.locator(f"[data-show={app}]").click()
    await expect(code.first).to_be_visible(timeout=SECONDS)

    assert await shared.evaluate("document.documentElement.scrollWidth") == 390


async def test_what_is_sent_quickly_arrives_once_and_in_order(page: Page) -> None:
    sent = phone(page, "telegram").locator(".mine .words").filter(has_not_text="/start")
    go_on = await hold_sends(page)

    await box(page).fill("twice")
    await page.get_by_role("button", name="Send in Telegram").dblclick()
    await expect(box(page)).to_have_value("")
    for number in range(30):
        await say(page, f"number {number}")
    await box(page).press_sequentially("typed meanwhile")
    go_on.set()

    await expect(sent).to_have_text(["twice", *(f"number {number}" for number in range(30))], timeout=SECONDS)
    await expect(box(page)).to_have_value("typed meanwhile")


async def test_words_that_were_not_sent_come_back_in_front(page: Page, complaints: list[str]) -> None:
    telegram = phone(page, "telegram")
    go_on = await hold_sends(page, fail=True)

    await say(page, "first")
    await telegram.locator("[data-part=file]").set_input_files(
        {"name": "a.txt", "mimeType": "text/plain", "buffer": b"a"}
    )
    await say(page, "second")
    await box(page).press_sequentially("typed meanwhile")
    go_on.set()

    await expect(box(page)).to_have_value("first\nsecond\ntyped meanwhile")
    await expect(page.locator("#toast")).to_contain_text("cannot be reached")
    await expect(telegram.locator("a.file")).to_have_count(1)
    assert [words for words in complaints if "ERR_FAILED" not in words] == []
    complaints.clear()


async def test_words_that_are_too_long_stay_in_the_box_and_are_told_beside_it(shared: Page) -> None:
    toast = shared.locator("#toast")

    await say(shared, "x" * 10_001)

    await expect(toast).to_have_text("That is too long: at most 10,000 characters.")
    await expect(box(shared)).to_have_value("x" * 10_001)
    told, compose = await toast.bounding_box(), await phone(shared, "telegram").locator(".compose").bounding_box()
    assert told is not None
    assert compose is not None
    assert told["y"] + told["height"] <= compose["y"]


async def test_the_browser_keeps_to_the_policy(shared: Page, complaints: list[str]) -> None:
    refused = await shared.evaluate(
        """() => {
          try { document.body.innerHTML = "<b>x</b>"; return "taken"; }
          catch (fault) { return fault.name; }
        }"""
    )

    assert refused == "TypeError"
    assert "TrustedHTML" in complaints.pop()
