"""Asked in Telegram, answered by a program through the API: the card in Telegram says so, and its buttons go."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from channels.emulators.telegram.pretend import PretendTelegram
from conch.admin import Admin
from conch.api import parts_of
from conch.app import App
from core.clock import SystemClock
from core.engines.base import Text, TurnInput
from core.engines.script import AskPermission, CallTool, Steps
from core.store.tokens import ApiTokens, TokenScope
from tests.journeys.living import living, owner_of, said, until
from tests.web.asgi import Answer, Browser
from web.api.app import create_api
from web.api.stream import Streams
from web.app import Backend, create_app
from web.callers import TokenCallers
from web.health import HealthReport
from web.security import API, Gate
from web.sessions import Sessions

DRINK = {
    "id": "drink",
    "label": "Which drink?",
    "kind": "choice",
    "options": [{"id": "tea", "label": "Tea"}, {"id": "coffee", "label": "Coffee"}],
}


def asking(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
    """Asks about a drink, wants to write a note, or echoes."""
    if turn.text.startswith("Get"):
        answer = yield CallTool("1", "ask", {"fields": [DRINK]})
        yield Text(f"heard: {answer.text}")
    elif turn.text.startswith("Write"):
        allowed = yield AskPermission("1", "write_note", {"text": "hello"}, ("yes", "no"), "yes")
        yield Text("done" if allowed else "not done")
    else:
        yield Text(f"echo: {turn.text}")


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
    async def health() -> HealthReport:
        return HealthReport(can_store=True, channels={})

    token, _ = await ApiTokens(app.database).add("laptop", TokenScope.FULL)
    parts = parts_of(app, Admin(app))
    streams = Streams(parts)
    gate = Gate(Sessions(SystemClock()), 0, tokens=TokenCallers(ApiTokens(app.database), app.clock))
    web = create_app(gate, Backend(parts.administration, health, api=create_api(parts, streams, API)))
    yield Program(Browser(web, {"authorization": f"Bearer {token}"}))
    streams.close()


@pytest.mark.report("R081")
async def test_a_question_of_a_chat_is_answered_by_a_program_and_closed_there(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    async with living(tmp_path, pretend, script=asking) as app, program_of(app) as program:
        ada = await owner_of(app, pretend)
        await ada.chat.say("Get me a drink")
        await ada.chat.wait_for(lambda messages: messages[-1].labels)
        question = (await program.now())["question"]["question"]

        answered = await program.post(f"/questions/{question['question_id']}/answer", {"values": {"drink": "tea"}})
        await ada.chat.wait_for(lambda messages: messages[-1].text.startswith("heard: "))
        await ada.chat.wait_for(lambda messages: not any(message.labels for message in messages))

    assert answered.json == {"outcome": "answered", "words": "Tea"}
    assert said(ada.chat)[1] == "Which drink?\n\nThe API (laptop) chose “Tea”."
    assert '"tea"' in said(ada.chat)[2]


async def test_what_a_program_allows_is_done_and_said_in_the_chat(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend, script=asking) as app, program_of(app) as program:
        ada = await owner_of(app, pretend)
        await ada.chat.say("Write it down")
        await ada.chat.wait_for(lambda messages: messages[-1].labels)
        [waiting] = (await program.now())["permissions"]

        await program.post(f"/permissions/{waiting['permission_id']}", {"decision": "allow"})
        await ada.chat.wait_for(lambda messages: messages[-1].text == "done")
        await ada.chat.wait_for(lambda messages: not any(message.labels for message in messages))

    assert said(ada.chat)[1].endswith("\n\nThe API (laptop) allowed it.")


async def test_whoever_taps_too_late_is_told_who_was_first(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend, script=asking) as app, program_of(app) as program:
        ada = await owner_of(app, pretend)
        await ada.chat.say("Get me a drink")
        await ada.chat.wait_for(lambda messages: messages[-1].labels)
        card = ada.chat.messages[-1]
        question = (await program.now())["question"]["question"]

        await program.post(f"/questions/{question['question_id']}/answer", {"text": "coffee"})
        await ada.chat.wait_for(lambda messages: messages[-1].text.startswith("heard: "))
        note = (await ada.chat.answer_to(await ada.chat.press(card, "Tea", stale=True))).text

    assert note == "The API (laptop) chose “Coffee”."


async def test_what_a_program_says_in_a_chats_conversation_is_not_told_in_the_chat(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    async with living(tmp_path, pretend, script=asking) as app, program_of(app) as program:
        ada = await owner_of(app, pretend)
        await ada.chat.say("Hello")
        await ada.chat.wait_for_answer()

        await program.post("/messages", {"text": "From a program"})
        await until(lambda: app.conversations.active == 0)
        await ada.chat.say("And you?")
        await ada.chat.wait_for_answer()

    assert said(ada.chat)[1:] == ["echo: Hello", "echo: And you?"]
