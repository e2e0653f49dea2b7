"""Engines to choose from, and how a person opens menus and presses their buttons in Telegram."""

import asyncio
from functools import partial

from channels.emulators.telegram.pretend import PretendTelegram
from channels.emulators.telegram.screen import Screen
from channels.emulators.telegram.seen import SeenMessage
from conch.app import App
from core.clock import SystemClock
from core.engines.base import ModelInfo, Text, TurnInput
from core.engines.script import Steps, Until
from core.engines.scripted import ScriptedEngine
from core.events import Effort
from tests.journeys.living import Owner

EFFORTS = (Effort.LOW, Effort.HIGH)
MANY = tuple(ModelInfo(f"big-{n}", f"Big {n}", efforts=EFFORTS, fast=n == 1) for n in range(1, 11))
FEW = (ModelInfo("small", "Small"), ModelInfo("tiny", "Tiny"))


class Answering(ScriptedEngine):
    """Echoes under a name of its own, and holds each turn that begins with "wait" until it may go."""

    def __init__(self, name: str, models: tuple[ModelInfo, ...] = ()) -> None:
        super().__init__(SystemClock(), self._script_of_turn, name=name, models=models)
        self.go = asyncio.Event()

    def _script_of_turn(self, turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        if turn.text.startswith("wait"):
            yield Until(self.go)
        yield Text(f"{self.id}: {turn.text}")


def three() -> list[Answering]:
    return [Answering("alpha", MANY), Answering("beta", FEW), Answering("gamma")]


async def asked(chat: Screen, text: str) -> SeenMessage:
    """Write, and come back with the answer."""
    await chat.say(text)
    return await chat.wait_for_answer()


def shown(chat: Screen, menu: SeenMessage) -> SeenMessage:
    """What a message shows now."""
    return next(message for message in chat.messages if message.id == menu.id)


def labels(message: SeenMessage) -> list[str]:
    return [label for row in message.labels for label in row]


def ticked(message: SeenMessage) -> list[str]:
    return [label.removeprefix("✓ ") for label in labels(message) if label.startswith("✓ ")]


def _changed(chat: Screen, before: SeenMessage) -> bool:
    return shown(chat, before) != before


async def press(chat: Screen, menu: SeenMessage, *path: str) -> tuple[SeenMessage, str | None]:
    """Press one button after the other, each under the menu as it is then; the menu after it, and the last note."""
    note = None
    for label in path:
        before = shown(chat, menu)
        note = (await chat.answer_to(await chat.press(before, label))).text
        await chat.wait_until(partial(_changed, chat, before))
    return shown(chat, menu), note


async def let_in(app: App, pretend: PretendTelegram, owner: Owner, name: str) -> Screen:
    """The private chat of somebody whom the owner let in."""
    code = await app.gate.new_hello_code(owner.channel_id)
    chat = pretend.person(name).private_chat()
    await chat.start(code)
    await chat.wait_for_answer()
    return chat
