"""A Conch that dies: the program as it is composed, killed by `kill -9` at a marked point. Run by `nursery`.

It echoes what it is told in two messages, so that a death can fall between the parts of one answer. Words that begin
with "slow" take a moment; ones that begin with "ask" or "permit" ask the person in between, and wait. "offer 7" has it
offer the skill `skill-7`, and what it carries on with is echoed with a word about that.
"""

import asyncio
import os
import re
import signal
import sys
from collections.abc import Mapping
from contextlib import AsyncExitStack, closing
from importlib import import_module
from pathlib import Path

import structlog

from channels.base import ChannelKind
from channels.discord.kind import DiscordKind
from channels.slack.kind import SlackKind
from channels.teams.addresses import Addresses
from channels.telegram.kind import TelegramKind
from conch.app import composed
from conch.home import Home
from conch.settings import ProgramSettings
from core.cards import Question, TextField
from core.checkpoints import Checkpoint
from core.clock import Clock, SystemClock
from core.engines.base import MessageEnd, Text, TurnInput
from core.engines.script import AskPermission, AskPerson, CallTool, Steps, Wait
from core.engines.scripted import ScriptedEngine
from tests.journeys.nursery import READY, Say, bear
from tests.journeys.teams_under_test import brought_to, kind_at
from web.serving import listen


class DiesAt:
    """Kills the process when a point is reached for the nth time; without a point, never."""

    def __init__(self, point: str | None, times: int) -> None:
        self._point = Checkpoint(point) if point else None
        self._left = times

    async def reach(self, point: Checkpoint) -> None:
        """Die here, or go on."""
        if point is self._point:
            self._left -= 1
            if self._left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
                await asyncio.Event().wait()


def two_messages(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
    """The first and the second half of an echo."""
    _, carries, asked = turn.text.rpartition("They asked:\n\n")
    words = f"{asked} (carried on)" if carries else turn.text
    yield Text(f"first: {words}")
    yield MessageEnd()
    if (offers := re.search(r"offer (\d+)", turn.text)) and not carries:
        args = {"kind": "skill", "target": f"skill-{offers[1]}", "why": "It helps"}
        yield CallTool(f"offer-{offers[1]}", "offer", args)
    if turn.text.startswith("slow"):
        yield Wait(0.05)
    if turn.text.startswith("ask"):
        yield AskPerson(Question(question_id="q", fields=(TextField(id="name", label="Your name?"),)))
    if turn.text.startswith("permit"):
        yield AskPermission("p", "run", {"command": "git push"}, ("Yes", "No"), "Yes")
    yield Text(f"second: {words}")


def kinds_of(given: Mapping[str, object], clock: Clock) -> Mapping[str, ChannelKind]:
    """The chat app that it is to live in."""
    base_url = str(given.get("base_url"))
    if given["kind"] == "slack":
        return {"slack": SlackKind(clock, base_url=base_url)}
    if given["kind"] == "discord":
        return {"discord": DiscordKind(clock, base_url=base_url, gateway_url=str(given["gateway_url"]))}
    if given["kind"] == "teams":
        login, openid, issuer, service = (str(given[name]) for name in ("login", "openid", "issuer", "service"))
        addresses = Addresses(login=login, openid=openid, issuer=issuer, service=service)
        return {"teams": kind_at(int(str(given["port"])), addresses, clock)}
    return {"telegram": TelegramKind(clock, base_url=base_url, base_file_url=str(given["base_file_url"]))}


async def main(given: dict[str, object], say: Say) -> None:
    """Live until SIGTERM, or the marked point."""
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    ended = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
    clock = SystemClock()
    home = Home(Path(str(given["home"])))
    home.prepare()
    settings = ProgramSettings.model_validate(
        {"rate_per_chat": 0, "rate_global": 0, "gather_ms": 20, "messages_per_minute": 0}
    )
    point = given.get("die_at")
    checkpoints = DiesAt(str(point) if point else None, int(str(given.get("times", 1))))
    engine = ScriptedEngine(clock, two_messages)
    async with AsyncExitStack() as stack:
        kinds = kinds_of(given, clock)
        app = await stack.enter_async_context(
            composed(home, settings, clock=clock, kinds=kinds, engines=[engine], checkpoints=checkpoints)
        )
        await app.start()
        if given["kind"] == "teams":  # which brings messages
            listener = stack.enter_context(closing(listen("127.0.0.1", int(str(given["port"])))))
            await stack.enter_async_context(brought_to(app, listener))
        say(READY)
        await ended.wait()
        await app.drain()


if __name__ == "__main__":
    for kind in ("telegram", "discord", "slack", "teams"):
        import_module(f"channels.{kind}.channel")  # with its SDK, which is loaded only when it is used
    bear(sys.argv[1], lambda given, say: asyncio.run(main(given, say)))
