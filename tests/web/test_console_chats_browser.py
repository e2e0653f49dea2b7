"""Chats of the console in a real browser, on a real `conch serve` with the demo: live, cut, asleep, in eight tabs."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Browser, FilePayload, async_playwright, expect

from tests.conch.programs import conch
from tests.web.console_tabs import FLAGS, HIDE, SHOW, Console, answers, done, grows, length, say, written_before

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    async with async_playwright() as playwright:
        started = await playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield started
        await started.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def console(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Console]:
    home = tmp_path_factory.mktemp("home")
    await written_before(home)
    async with conch(home, "serve", "--port", "0") as program:
        link = await program.started()
        context = await browser.new_context()
        page = await context.new_page()
        await page.goto(link)
        await page.get_by_role("link", name="Later").click()
        await page.close()
        yield Console(browser, home, link.partition("/?")[0], context, program)
        await context.close()


@pytest.fixture(autouse=True)
def quiet(console: Console) -> Iterator[None]:
    """The browser has nothing to complain about: no policy is broken, and no script fails."""
    console.complaints.clear()
    yield
    assert console.complaints == []


# ---- every card ------------------------------------------------------------------------------------------------------


async def test_what_is_said_is_answered_while_one_looks(console: Console) -> None:
    page = await console.chat()

    await say(page, "What can you do?")

    await expect(page.locator("#items .said")).to_contain_text("What can you do?")
    await expect(answers(page)).to_contain_text("I play scripts")
    await expect(page.locator("#said")).to_contain_text("I play scripts")
    await expect(page.get_by_label("Message", exact=True)).to_have_value("")
    await page.close()


async def test_a_question_is_answered_by_one_press(console: Console) -> None:
    page = await console.chat()
    await say(page, "Ask me something")

    await page.get_by_role("button", name="Tea").click()

    await expect(page.locator(".ask")).to_contain_text("The console chose “Tea”.")
    await done(page)
    await page.close()


async def test_several_fields_are_filled_in_and_what_does_not_fit_is_said(console: Console) -> None:
    page = await console.chat()
    await say(page, "Ask me several things")
    card = page.locator(".ask").first
    await expect(card.get_by_role("button", name="Send").first).to_be_visible()

    for group in await card.get_by_role("group").all():
        await group.locator("input").first.check()
    for box in await card.locator("input[type=text]:not([name^='o.']), input:not([type])[name^='f.']").all():
        await box.fill("Lisbon")
    await card.get_by_role("button", name="Send").first.click()

    await expect(card).to_contain_text("The console answered")
    await done(page)
    await page.close()


async def test_a_permission_and_a_plan_are_decided(console: Console) -> None:
    page = await console.chat()
    await say(page, "Write a note")
    await page.get_by_role("button", name="Allow", exact=True).click()
    await expect(page.locator(".ask")).to_contain_text("The console allowed it.")
    await done(page)

    await say(page, "/plan Make a plan")
    await page.get_by_role("button", name="Start").click()

    await expect(page.locator(".ask").last).to_contain_text("The console said: start.")
    await done(page)
    await expect(page.locator(".plan")).to_contain_text("3 of 3 done")
    await page.close()


async def test_a_chip_sends_its_words(console: Console) -> None:
    page = await console.chat()
    await say(page, "Suggest what to send next")
    chip = page.locator(".chips button").first
    words = (await chip.text_content() or "").strip()

    await chip.click()

    await expect(page.locator("#items .said").last).to_contain_text(words)
    await expect(page.locator(".chips").get_by_text(words)).to_have_count(0)
    await page.close()


async def test_an_offer_taken_on_two_devices_at_once_carries_on_once(console: Console) -> None:
    page = await console.chat()
    await say(page, "Offer me a skill")
    button = page.locator(".offer .button.main")
    await expect(button).to_be_visible()
    async with console.another_device() as context:
        other = await console.page(context)
        await other.goto(page.url)
        there = other.locator(".offer .button.main")
        await expect(there).to_be_visible()

        presses = [await each.element_handle() for each in (button, there)]
        await asyncio.gather(*(press.evaluate("button => button.click()") for press in presses if press))

        for each in (page, other):
            await expect(each.get_by_text("Carrying on with what you asked")).to_have_count(1)
            await expect(each.locator(".offered")).to_have_count(1)
        await done(page)
        await expect(other.get_by_text("Carrying on with what you asked")).to_have_count(1)
    console.complaints.clear()  # Chromium counts the refusal of the second press as one
    await page.close()


async def test_an_app_is_connected_on_the_way_and_the_answer_goes_on_by_itself(console: Console) -> None:
    page = await console.chat()
    await say(page, "What's on my calendar today?")

    await page.get_by_role("button", name="Connect").click()
    await page.get_by_role("button", name="Go to Demo Calendar").click()
    await page.get_by_role("button", name="Yes, allow it").click()
    await page.get_by_role("link", name="Back to the chat").click()

    await expect(page.locator(".view")).to_contain_text("Agenda")
    await page.close()


async def test_a_file_that_is_dropped_goes_along_with_the_next_message(console: Console) -> None:
    page = await console.chat()
    await page.evaluate(
        """() => {
          const data = new DataTransfer();
          data.items.add(new File(["hello"], "plan <b>.txt", { type: "text/plain" }));
          dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true }));
        }"""
    )
    await expect(page.locator("#attached")).to_contain_text("plan _b_.txt")
    await page.locator("#files").set_input_files(FilePayload(name="x.txt", mimeType="text/plain", buffer=b"x"))
    await page.get_by_role("button", name="Leave out x.txt").click()

    await page.get_by_role("button", name="Send", exact=True).click()

    await expect(page.locator("#items .said .file")).to_have_count(1)
    await expect(page.locator("#attached li")).to_have_count(0)
    async with page.expect_download() as saved:
        await page.get_by_role("link", name="plan _b_.txt").click()
    assert (await saved.value).suggested_filename == "plan _b_.txt"
    await page.close()


# ---- the line --------------------------------------------------------------------------------------------------------


@pytest.mark.report("R171", "R177")
async def test_a_page_that_is_loaded_again_in_mid_reply_goes_on(console: Console) -> None:
    page = await console.chat()
    await say(page, "Give me a slow answer")
    await expect(page.locator("#running")).to_contain_text("slow answer")

    await page.reload()

    await expect(page.locator("#running")).to_contain_text("slow answer")
    before = len(await page.locator("#running").inner_text())
    await grows(page, before)
    await page.get_by_role("button", name="Stop").click()
    await expect(page.get_by_text("Stopped.")).to_be_visible()
    await page.close()


async def test_a_line_that_is_cut_in_mid_reply_is_taken_up_again(console: Console) -> None:
    page = await console.chat()
    await say(page, "Give me a slow answer")
    await expect(page.locator("#running")).to_contain_text("slow answer")

    await console.context.set_offline(True)
    await page.evaluate("() => dispatchEvent(new Event('pagehide'))")
    await console.context.set_offline(False)
    before = await length(page)
    await page.evaluate("() => dispatchEvent(new Event('online'))")

    await grows(page, before)
    await page.get_by_role("button", name="Stop").click()
    await expect(page.get_by_text("Stopped.")).to_have_count(1)
    await expect(answers(page)).to_have_count(1)
    console.complaints.clear()  # the lost line
    await page.close()


@pytest.mark.report("R173", "R175")
async def test_a_page_that_slept_shows_what_happened_meanwhile(console: Console) -> None:
    page = await console.chat()
    await page.clock.install()
    await page.reload()
    await page.evaluate(HIDE)
    await page.clock.fast_forward(11_000)
    async with console.another_device() as context:
        other = await console.page(context)
        await other.goto(page.url)
        await say(other, "Echo while you slept")
        await expect(answers(other)).to_contain_text("while you slept")
    asleep = await answers(page).count()

    await page.evaluate(SHOW)

    await expect(answers(page)).to_contain_text("while you slept")
    assert asleep == 0
    await page.close()


async def test_eight_tabs_of_one_chat_show_the_same(console: Console) -> None:
    first = await console.chat()
    tabs = [first]
    for _ in range(7):  # a browser allows six lines to a server: tabs that nobody sees let go of theirs
        await tabs[-1].clock.install()
        await tabs[-1].reload()
        await tabs[-1].evaluate(HIDE)
        await tabs[-1].clock.fast_forward(11_000)
        tabs.append(await console.page())
        await tabs[-1].goto(first.url)

    await say(tabs[-1], "Echo in eight tabs")
    await expect(answers(tabs[-1])).to_contain_text("in eight tabs")
    for tab in tabs[:-1]:
        await tab.evaluate(SHOW)
        await expect(answers(tab)).to_contain_text("in eight tabs")
        await tab.close()
    await tabs[-1].close()


async def test_two_tabs_never_say_a_message_twice(console: Console) -> None:
    page = await console.chat()
    await page.get_by_label("Message", exact=True).fill("Echo only once")

    await page.evaluate("() => { const form = document.getElementById('compose'); form.requestSubmit(); }")
    await expect(answers(page)).to_contain_text("only once")

    await expect(page.locator("#items .said")).to_have_count(1)
    await page.close()


async def test_what_somebody_types_ticks_or_opens_stays_while_things_happen(console: Console) -> None:
    page = await console.chat()
    await say(page, "Give me a slow answer")
    await expect(page.locator("#running")).to_contain_text("slow answer")
    await page.get_by_label("Message", exact=True).fill("half a sent")
    await page.get_by_text("More", exact=True).click()
    before = await length(page)

    await grows(page, before)

    await expect(page.get_by_label("Message", exact=True)).to_have_value("half a sent")
    await expect(page.get_by_label("Name of this chat")).to_be_visible()
    await page.locator("#stop button").click()
    await page.close()


# ---- commands --------------------------------------------------------------------------------------------------------


async def test_every_command_is_chosen_by_keyboard(console: Console) -> None:
    page = await console.chat()
    await say(page, "Echo hello")
    await expect(answers(page)).to_contain_text("hello")
    names = [one["name"] for one in await (await page.request.get(f"{page.url}/commands")).json()]
    field = page.get_by_label("Message", exact=True)

    for name in names:
        await field.fill("/")
        await expect(page.get_by_role("listbox")).to_be_visible()
        await field.press_sequentially(name)
        row = page.get_by_role("option").first
        await expect(row).to_contain_text(f"/{name}")
        await expect(field).to_have_attribute("aria-activedescendant", await row.get_attribute("id") or "")
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("listbox")).to_be_hidden()

    assert len(names) >= 20
    await page.close()


async def test_a_value_is_chosen_in_two_steps_by_keyboard_and_never_stands_in_the_chat(console: Console) -> None:
    page = await console.chat()
    field = page.get_by_label("Message", exact=True)
    await field.fill("/mode")
    await expect(page.get_by_role("option").first).to_contain_text("/mode")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("option", name="Ask first")).to_contain_text("in use")

    await field.press_sequentially("edit")
    await page.keyboard.press("Enter")
    await page.get_by_role("button", name="Yes, Edit freely").click()

    await expect(page.locator("#told")).to_contain_text("Mode is Edit freely here now.")
    await expect(page.locator("#items .said")).to_have_count(0)
    await page.close()


async def test_values_that_only_suggest_do_nothing_by_themselves(console: Console) -> None:
    page = await console.chat()
    field = page.get_by_label("Message", exact=True)
    await field.fill("/goal c")
    await expect(page.get_by_role("option").first).to_contain_text("Clear the goal")

    await field.fill("/goal c minor")
    await page.keyboard.press("Enter")

    await expect(page.locator("#told")).to_contain_text("The goal is now “c minor”.")
    await page.close()


async def test_by_touch_a_sheet_with_high_rows_leads_through_both_steps(console: Console) -> None:
    async with console.another_device(viewport={"width": 390, "height": 700}, has_touch=True, is_mobile=True) as phone:
        page = await console.page(phone)
        await page.goto(f"{console.address}/chats/new")
        await page.get_by_label("Message", exact=True).tap()
        await page.keyboard.type("/")
        rows = page.get_by_role("option")
        await expect(rows.first).to_be_visible()
        heights = [box["height"] for row in await rows.all() if (box := await row.bounding_box())]
        await page.get_by_role("option", name="/theme").tap()
        await page.get_by_role("option", name="Dark").tap()

        await expect(page.locator("html")).to_have_attribute("data-theme", "dark")
        await page.get_by_label("Message", exact=True).tap()
        await page.keyboard.type("/")
        await page.get_by_role("button", name="Close").tap()
        await expect(page.get_by_role("listbox")).to_be_hidden()

    assert min(heights) >= 52


# ---- long, and for everybody -----------------------------------------------------------------------------------------


async def test_ten_thousand_messages_are_opened_from_their_end_and_read_backwards(console: Console) -> None:
    page = await console.page()

    await page.goto(f"{console.address}/chats/long")
    await expect(page.get_by_text("number 9999.", exact=True)).to_be_in_viewport()
    shown = await page.locator("#items > *").count()
    await page.get_by_role("link", name="Earlier messages").click()
    await page.wait_for_function("shown => document.querySelectorAll('#items > *').length > shown", arg=shown)
    await say(page, "Echo still quick")

    await expect(answers(page)).to_contain_text("still quick")
    assert shown <= 400
    await page.close()


@pytest.mark.timeout(240)
async def test_no_page_of_chats_and_signing_in_keeps_anybody_out(console: Console) -> None:
    """As axe sees it: light and dark, on a desktop and a phone, with a menu, a list and cards open."""
    page, found = await console.chat(), list[str]()
    await say(page, "Ask me several things")
    await expect(page.locator(".ask")).to_be_visible()
    chat = page.url.removeprefix(console.address)

    for scheme, width in (("light", 1280), ("dark", 390)):
        await page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]  # one of these two
        await page.set_viewport_size({"width": width, "height": 900})
        for path in ("/chats", chat, f"{chat}?menu", "/commands", "/devices", "/sign-in", "/welcome"):
            await page.goto(f"{console.address}{path}")
            if path.endswith("?menu"):
                await page.get_by_text("More", exact=True).click()
                await page.get_by_label("Message", exact=True).fill("/")
                await expect(page.get_by_role("listbox")).to_be_visible()
            violations = (await Axe().run(page)).response["violations"]
            found += [f"{scheme} {width} {path}: {each['id']} {each['nodes'][0]['html'][:120]}" for each in violations]
            assert await page.evaluate("document.documentElement.scrollWidth") <= width, path

    assert found == []
    await page.close()


# ---- last, for it ends the program -----------------------------------------------------------------------------------


async def test_a_page_stays_good_when_the_program_is_started_anew(console: Console) -> None:
    page = await console.chat()
    await say(page, "Echo before")
    await expect(answers(page)).to_contain_text("before")
    port = console.address.rpartition(":")[2]

    await console.program.ends()
    await expect(page.get_by_text("No connection; trying again.")).to_be_visible()
    async with conch(console.home, "serve", "--port", port) as again:
        await again.started()
        await page.evaluate("() => dispatchEvent(new Event('online'))")
        await expect(page.get_by_text("No connection; trying again.")).to_be_hidden()
        await say(page, "Echo after")
        await expect(answers(page).last).to_contain_text("after")
        await page.close()
        await again.ends()

    console.complaints.clear()  # the lost line
