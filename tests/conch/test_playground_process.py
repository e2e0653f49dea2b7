"""`conch serve --playground`, driven as its page drives it."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.conch.programs import PATIENCE, Program, conch

API = "/playground/api"


WITH_GROUPS = ("telegram", "discord", "slack")


class Page:
    """What the page does with one phone, over the same routes."""

    def __init__(self, session: aiohttp.ClientSession, origin: str, app: str = "telegram") -> None:
        self._session = session
        self._headers = {"Origin": origin}
        self._app = app

    async def state(self) -> Any:
        """Everything, once its app is there."""
        async with asyncio.timeout(PATIENCE):
            while True:
                async with self._session.get(f"{API}/{self._app}/state") as answer:
                    state = await answer.json()
                if "starting" not in state:
                    return state
                await asyncio.sleep(0.05)

    async def do(self, route: str, /, **given: object) -> int:
        async with self._session.post(f"{API}/{self._app}/{route}", json=given, headers=self._headers) as answer:
            return answer.status

    async def attach(self, content: bytes, **query: str) -> int:
        url = f"{API}/{self._app}/attach"
        async with self._session.post(url, params=query, data=content, headers=self._headers) as answer:
            return answer.status

    async def file(self, file_id: str) -> bytes:
        async with self._session.get(f"{API}/{self._app}/files/{file_id}") as answer:
            return await answer.read()

    async def events(self, after: int) -> AsyncIterator[Any]:
        """What the stream says, without an end."""
        headers = {"Accept": "text/event-stream"}
        async with self._session.get(
            f"{API}/events", params={"after": f"{self._app}:{after}"}, headers=headers
        ) as stream:
            async for line in stream.content:
                if line.startswith(b"data: "):
                    event = json.loads(line.removeprefix(b"data: "))
                    if event["app"] == self._app:
                        yield event

    async def told_to_look_again(self, after: int) -> None:
        """Come back when the stream says that everything is new."""
        async with asyncio.timeout(PATIENCE):
            async for event in self.events(after):
                if event["kind"] == "again":
                    return
        raise AssertionError("the stream ended")

    async def answer(self, after: int, person: str | None, words: str = "") -> Any:
        """The first message of the bot to a person, or to everybody in the group, that has these words."""
        async with asyncio.timeout(PATIENCE):
            async for event in self.events(after):
                message = event.get("message")
                if message and event["person"] == person and message["by_bot"] and words in message["text"]:
                    return message
        raise AssertionError("the stream ended")


def only_child_of(pid: int) -> int:
    """As Linux tells it."""
    (child,) = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return int(child)


@pytest.fixture
async def program(tmp_path: Path) -> AsyncIterator[Program]:
    real_life = {"CONCH_DATABASE_URL": "postgresql+asyncpg://real/data", "CONCH_SECRET_KEY": "k" * 40}
    async with conch(tmp_path, "serve", "--playground", "--port", "0", CONCH_LOG_LEVEL="debug", **real_life) as running:
        yield running


async def test_the_playground_is_played_from_its_page_and_ends_in_order(program: Program, tmp_path: Path) -> None:
    link = await program.started()
    origin, token = link.split("/?token=")
    jar = aiohttp.CookieJar(unsafe=True)
    async with aiohttp.ClientSession(origin, cookie_jar=jar) as session:
        async with session.get(f"/?token={token}") as came:
            pass
        page = Page(session, origin)
        start = await page.state()
        ada, sam = (person["id"] for person in start["people"])
        said = await page.do("say", person=ada, text="What can you do?")
        answer = await page.answer(start["after"], ada)
        asked = await page.do("say", person=sam, text="Hello?")
        turned_away = await page.answer(start["after"], sam)
        before = (await page.state())["after"]
        sent = await page.attach(b"shells", person=ada, name="shells.txt", caption="look")
        echoed = await page.answer(before, ada)
        broken = await page.do("break", what="flood")
        mended = await page.do("mend")
        nonsense = await page.do("press", person=ada, message="1", labels=["no such button"])
        end = await page.state()
        ended = await program.ends()

    files = [file for message in end["screens"][ada]["private"]["messages"] for file in message["files"]]
    assert (came.status, came.url.path) == (200, "/playground")
    assert "is yours now" in start["screens"][ada]["private"]["messages"][-1]["text"]
    assert (said, asked, sent, broken, mended, nonsense) == (204, 204, 204, 204, 204, 400)
    assert answer["text"].startswith("Demo")
    assert "private assistant" in turned_away["text"]
    assert "shells.txt" in echoed["text"]
    assert files[0]["name"] == "shells.txt"
    assert ended.code == 0
    assert (tmp_path / "playground" / "conch.sqlite").exists()
    assert not (tmp_path / "conch.sqlite").exists()
    assert token not in ended.err


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux for the program's children")
async def test_a_pretend_app_that_is_killed_is_back_with_a_bot_that_answers(program: Program) -> None:
    link = await program.started()
    origin, token = link.split("/?token=")
    async with aiohttp.ClientSession(origin, cookie_jar=aiohttp.CookieJar(unsafe=True)) as session:
        async with session.get(f"/?token={token}"):
            pass
        page = Page(session, origin)
        before = await page.state()
        os.kill(only_child_of(program.process.pid), signal.SIGKILL)
        await page.told_to_look_again(before["after"])
        after = await page.state()
        ada = after["people"][0]["id"]
        await page.do("say", person=ada, text="What can you do?")
        answer = await page.answer(after["after"], ada)

    assert "is yours now" in after["screens"][ada]["private"]["messages"][-1]["text"]
    assert answer["text"].startswith("Demo")


async def test_each_phone_has_a_chat_of_its_own_and_a_group_where_the_bot_answers_its_name(program: Program) -> None:
    link = await program.started()
    origin, token = link.split("/?token=")
    async with aiohttp.ClientSession(origin, cookie_jar=aiohttp.CookieJar(unsafe=True)) as session:
        async with session.get(f"/?token={token}"):
            pass
        for app in WITH_GROUPS:
            page = Page(session, origin, app)
            start = await page.state()
            await page.do("say", person="ada", text="Make me a file")
            await page.answer(start["after"], "ada", "Demo")
            await page.do("say", person="ada", place="group", text="@Conch What can you do?")
            in_group = await page.answer(start["after"], None, "Demo")
            await page.do("say", person="sam", text="Hello?")
            turned_away = await page.answer(start["after"], "sam", "private assistant")
            refused = await page.do("say", person="eve", text="Hello?")
            nowhere = await page.do("say", person="ada", place="cellar", text="Hello?")

            assert [place["id"] for place in start["places"]] == ["private", "group"], app
            assert bool(in_group["thread"]) is (app != "telegram")
            assert turned_away["sender"] == "Conch"
            assert (refused, nowhere) == (400, 400), app
