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


class Page:
    """What the page does, over the same routes."""

    def __init__(self, session: aiohttp.ClientSession, origin: str) -> None:
        self._session = session
        self._headers = {"Origin": origin}

    async def state(self) -> Any:
        async with self._session.get(f"{API}/state") as answer:
            return await answer.json()

    async def do(self, route: str, /, **given: object) -> int:
        async with self._session.post(f"{API}/{route}", json=given, headers=self._headers) as answer:
            return answer.status

    async def attach(self, content: bytes, **query: str) -> int:
        url = f"{API}/attach"
        async with self._session.post(url, params=query, data=content, headers=self._headers) as answer:
            return answer.status

    async def file(self, file_id: str) -> bytes:
        async with self._session.get(f"{API}/files/{file_id}") as answer:
            return await answer.read()

    async def events(self, after: int) -> AsyncIterator[Any]:
        """What the stream says, without an end."""
        headers = {"Accept": "text/event-stream"}
        async with self._session.get(f"{API}/events", params={"after": after}, headers=headers) as stream:
            async for line in stream.content:
                if line.startswith(b"data: "):
                    yield json.loads(line.removeprefix(b"data: "))

    async def told_to_look_again(self, after: int) -> None:
        """Come back when the stream says that everything is new."""
        async with asyncio.timeout(PATIENCE):
            async for event in self.events(after):
                if event["kind"] == "again":
                    return
        raise AssertionError("the stream ended")

    async def answer(self, after: int, person: str) -> Any:
        """The first message of the bot to a person."""
        async with asyncio.timeout(PATIENCE):
            async for event in self.events(after):
                if event["kind"] == "message" and event["person"] == person and event["message"]["by_bot"]:
                    return event["message"]
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
        nonsense = await page.do("press", person=ada, message=1, label="no such button")
        end = await page.state()
        ended = await program.ends()

    files = [message["file"] for message in end["screens"][ada]["messages"] if message["file"]]
    assert (came.status, came.url.path) == (200, "/playground")
    assert "is yours now" in start["screens"][ada]["messages"][-1]["text"]
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

    assert "is yours now" in after["screens"][ada]["messages"][-1]["text"]
    assert answer["text"].startswith("Demo")
