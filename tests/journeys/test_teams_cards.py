"""Every kind of card in Teams, held against its published schema and drawn by Microsoft's own renderer."""

import hashlib
import os
import shutil
import subprocess
import tarfile
from base64 import b64encode
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.async_api import Page, ViewportSize, async_playwright

from channels.emulators.teams import cards as seen_cards
from channels.emulators.teams.pretend import PretendTeams
from channels.emulators.teams.schema import SchemaCheck
from conch.admin import Admin
from core.clock import SystemClock
from core.engines.base import Engine
from core.engines.demo.engine import DemoEngine
from tests.journeys.apps import Seen, labels, now
from tests.journeys.cards import card, fill_in, says, tap
from tests.journeys.menus import three
from tests.journeys.teams_under_test import TeamsUnderTest, pretend_teams

RENDERER: Final = "adaptivecards@3.0.5"
INTEGRITY: Final = "MCj9tJY/G3X8T4aUHM2MOQliKSqsXEyxmIca1FoKXCiJpgSgLPhSifsmjMoz1nb+2HbSCqvvkZ12fxJwvkdtXA=="
"""SHA-512 of the package, as the npm registry has it."""

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
PHONE: Final[ViewportSize] = {"width": 390, "height": 800}

# Teams shows six actions: learn.microsoft.com/microsoftteams/platform/task-modules-and-cards/cards/cards-actions
DRAWN: Final = """
card => {
  const drawn = new AdaptiveCards.AdaptiveCard();
  drawn.hostConfig = new AdaptiveCards.HostConfig({actions: {maxActions: 6}});
  const context = new AdaptiveCards.SerializationContext();
  AdaptiveCards.AdaptiveCard.onProcessMarkdown = (words, result) => {
    result.outputHtml = words.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
    result.didProcess = true;
  };
  drawn.parse(card, context);
  const element = drawn.render();
  document.body.replaceChildren(element);
  const said = [];
  for (let i = 0; i < context.eventCount; i++) said.push(context.getEventAt(i).message);
  said.push(...drawn.validateProperties().validationEvents.map(event => event.message));
  return {
    complaints: said,
    words: element.innerText,
    buttons: [...element.querySelectorAll("button, [role=button]")].map(button => button.innerText),
    inputs: element.querySelectorAll("input, textarea, select").length,
    wide: document.documentElement.scrollWidth,
  };
}
"""


async def every_card(folder: Path, pretend: PretendTeams) -> list[Mapping[str, Any]]:
    """A conversation in which each kind of card comes and is settled: the cards, also as they were before."""
    teams = TeamsUnderTest(pretend)
    engines: list[Engine] = [DemoEngine(SystemClock(), "connect one"), *three()]
    async with teams.living(folder, engines=engines, gather_ms=0, local_url="http://127.0.0.1:9") as app:
        await Admin(app).settings.set("default_engine", "demo")
        ada = await teams.owner_of(app)
        chat: Any = ada.chat
        await chat.say("What's on my calendar today?")
        await card(chat, "Demo Calendar: ")
        for words in ("/model", "/settings", "/status", "/effort"):
            await teams.asked(chat, words)
        await chat.say("Ask me something")
        await tap(chat, await card(chat, "What may I bring you?"), "Skip")
        await says(chat, "I got no answer")
        await chat.say("Ask me several things")
        question = await card(chat, "A pretended trip")
        await fill_in(chat, question, {"What do you like?": ["Food", "Hiking"]})
        await shows_no_button(chat, question)
        await teams.asked(chat, "hello")
        await chat.say("Write a note")
        note = await card(chat, "May I do this?")
        await tap(chat, note, "Allow")
        await shows_no_button(chat, note)
        await chat.say("Make a plan")
        await says(chat, "All 3 steps are done.")
        await chat.say("/plan Make a plan")
        plan = await card(chat, "Shall I start with this plan?")
        await tap(chat, plan, "Start")
        await shows_no_button(chat, plan)
    assert pretend.problems == []
    return [
        found
        for room in pretend.world.chats.values()
        for message in room.messages.values()
        for content in (message.content, *message.history)
        for found in seen_cards.cards_of(content.attachments)
    ]


async def shows_no_button(chat: Any, message: Seen) -> None:
    """Wait until a card is settled."""
    await chat.wait_for(lambda _: not labels(now(chat, message)))


@pytest.mark.specs
async def test_every_card_and_call_is_as_published(tmp_path: Path) -> None:
    judge = SchemaCheck(Path(os.environ["CONCH_PLATFORM_SPECS"]))
    async with PretendTeams(judge=judge) as pretend:
        found = await every_card(tmp_path, pretend)

    assert len(found) >= 10
    assert {one["version"] for one in found} == {"1.5"}
    assert [words for one in found for words in judge.card(one)] == []


@pytest.fixture(scope="module")
def renderer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Microsoft's renderer as a script, from the npm registry."""
    folder = tmp_path_factory.mktemp("renderer")
    npm = shutil.which("npm") or "npm"
    subprocess.run([npm, "pack", RENDERER, "--silent"], cwd=folder, check=True, capture_output=True, timeout=120)
    [package] = folder.glob("*.tgz")
    assert b64encode(hashlib.sha512(package.read_bytes()).digest()).decode() == INTEGRITY
    with tarfile.open(package) as files:
        script = files.extractfile("package/dist/adaptivecards.js")
        assert script is not None
        yield script.read().decode()


@pytest.fixture
async def page(renderer: str) -> AsyncIterator[Page]:
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=program, args=FLAGS)
        opened = await browser.new_page(viewport=PHONE)
        await opened.set_content("<meta name=viewport content='width=device-width'><body style='margin:0'></body>")
        await opened.add_script_tag(content=renderer)
        yield opened
        await browser.close()


@pytest.mark.browser
@pytest.mark.node
async def test_every_card_is_drawn_whole_by_the_renderer_of_teams(tmp_path: Path, page: Page) -> None:
    async with pretend_teams() as pretend:
        found = await every_card(tmp_path, pretend)

    for one in found:
        drawn = await page.evaluate(DRAWN, one)
        said = drawn["words"].replace("\\n", " ")

        assert drawn["complaints"] == [], one
        assert drawn["wide"] <= PHONE["width"], one
        assert [label for label in _buttons(one) if label not in drawn["buttons"]] == [], drawn
        assert [label for label in _inputs(one) if label not in said] == [], drawn
        assert bool(drawn["inputs"]) is bool(seen_cards.inputs(one)), drawn


def _buttons(found: Mapping[str, Any]) -> Sequence[str]:
    return [action["title"] for action in found.get("actions", ())]


def _inputs(found: Mapping[str, Any]) -> Sequence[str]:
    return [str(one["label"]) for one in seen_cards.inputs(found) if one.get("label")]
