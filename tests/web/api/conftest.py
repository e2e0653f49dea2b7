"""The API over a whole Conch in this process: a real database, an engine that plays a script, time that tests move."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from channels.memory.app import MemoryApp
from channels.memory.kind import MemoryKind
from conch.admin import Admin
from conch.api import parts_of
from conch.app import App, composed
from conch.home import Home
from conch.settings import ProgramSettings
from core.clock import ManualClock
from core.engines.base import ModelInfo, Text, TurnInput
from core.engines.script import AskPermission, CallTool, Steps, Until
from core.engines.scripted import ScriptedEngine
from core.store.tokens import ApiTokens, TokenScope
from tests.core.lives import until
from tests.web.asgi import Answer, Browser
from web.api.app import create_api
from web.api.following import Followers
from web.api.parts import Parts
from web.app import Backend, create_app
from web.callers import TokenCallers
from web.health import HealthReport
from web.security import API, Gate, Guarded
from web.sessions import Sessions

DRINK = {
    "id": "drink",
    "label": "Which drink?",
    "kind": "choice",
    "options": [{"id": "tea", "label": "Tea"}, {"id": "coffee", "label": "Coffee"}],
}


@dataclass
class Script:
    """Echoes; words that begin in a certain way make it wait, ask, or want to do something."""

    gate: asyncio.Event = field(default_factory=asyncio.Event)

    def __call__(self, turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        match turn.text.split()[0]:
            case "Wait":
                yield Text("One moment. ")
                yield Until(self.gate)
                yield Text("Done.")
            case "Ask":
                answer = yield CallTool("1", "ask", {"fields": [DRINK]})
                yield Text(f"heard: {answer.text}")
            case "Write":
                allowed = yield AskPermission("1", "write_note", {"text": "hello"}, ("yes", "no"), "yes")
                yield Text("done" if allowed else "not done")
            case _:
                yield Text(f"echo: {turn.text}")


@dataclass
class Program:
    """A program that uses the API with its token."""

    browser: Browser

    async def get(self, path: str) -> Answer:
        return await self.browser.send("GET", f"{API}{path}")

    async def post(self, path: str, body: object = None, method: str = "POST") -> Answer:
        headers = {"content_type": "application/json"}
        return await self.browser.send(method, f"{API}{path}", json.dumps(body).encode(), headers)

    async def patch(self, path: str, body: object) -> Answer:
        return await self.post(path, body, "PATCH")

    async def begin(self, text: str = "Hello", **more: object) -> str:
        """Begin a conversation; its id."""
        answer = await self.post("/conversations", {"text": text, **more})
        assert answer.status == 202, answer.text
        conversation_id: str = answer.json["conversation_id"]
        return conversation_id

    async def events(self, conversation_id: str) -> list[Any]:
        return list((await self.get(f"/conversations/{conversation_id}/events?limit=500")).json["events"])


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def script() -> Script:
    return Script()


@pytest.fixture
async def built(tmp_path: Path, clock: ManualClock, script: Script) -> AsyncIterator[App]:
    home = Home(tmp_path)
    home.prepare()
    models = (ModelInfo("big-one", "Big One"), ModelInfo("small-one", "Small One"))
    engines = [ScriptedEngine(clock, script, models=models), ScriptedEngine(clock, script, name="spare")]
    kinds = {"shell": MemoryKind(clock, MemoryApp(clock))}
    settings = ProgramSettings.model_validate({"assistant_name": "Shelly"})
    async with composed(home, settings, clock=clock, kinds=kinds, engines=engines) as app:
        yield app
        script.gate.set()
        await app.conversations.drain(0)


@pytest.fixture
def parts(built: App) -> Parts:
    return parts_of(built, Admin(built))


@pytest.fixture
def streams(parts: Parts) -> Followers:
    return Followers(parts)


@pytest.fixture
def gate(built: App, clock: ManualClock) -> Gate:
    return Gate(Sessions(clock), 7654, tokens=TokenCallers(ApiTokens(built.database), clock))


@pytest.fixture
def app(gate: Gate, parts: Parts, streams: Followers) -> Guarded:
    async def health() -> HealthReport:
        return HealthReport(can_store=True, channels={})

    return create_app(gate, Backend(parts.administration, health, api=create_api(parts, streams, API, "1.2.3")))


@pytest.fixture
async def token(built: App) -> str:
    return (await ApiTokens(built.database).add("laptop", TokenScope.FULL))[0]


@pytest.fixture
async def reading_token(built: App) -> str:
    return (await ApiTokens(built.database).add("viewer", TokenScope.READ))[0]


@pytest.fixture
def program(app: Guarded, token: str) -> Program:
    return Program(Browser(app, {"authorization": f"Bearer {token}"}))


@pytest.fixture
def viewer(app: Guarded, reading_token: str) -> Program:
    return Program(Browser(app, {"authorization": f"Bearer {reading_token}"}))


@pytest.fixture
def stranger(app: Guarded) -> Program:
    return Program(Browser(app))


@pytest.fixture
def owner(app: Guarded, gate: Gate) -> Browser:
    """The owner's browser, on the console's own pages."""
    session = gate.sessions.exchange(gate.sessions.new_link_token())
    return Browser(app, {"cookie": f"{gate.cookie}={session}"})


async def quiet(built: App) -> None:
    """Come back when nothing is being answered."""
    await until(lambda: built.conversations.active == 0)


async def waits(program: Program, conversation_id: str) -> Any:
    """The overview of a conversation, once something in it waits for a person."""
    async with asyncio.timeout(10):
        while True:
            now = (await program.get(f"/conversations/{conversation_id}")).json
            if now["status"] == "waiting":
                return now
            await asyncio.sleep(0)
