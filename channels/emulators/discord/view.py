"""A channel as one person sees it, and waiting for what comes.

Belongs here: looking and waiting. What the person does there belongs to `screen`.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from channels.emulators.clock import wait_or
from channels.emulators.discord import limits
from channels.emulators.discord.interactions import Interaction
from channels.emulators.discord.menus import Command, as_seen
from channels.emulators.discord.people import Bot, Person
from channels.emulators.discord.places import HAS_THREAD, Channel, Message
from channels.emulators.discord.seen import SeenButton, SeenMessage, rows, seen_message
from channels.emulators.discord.world import World

T = TypeVar("T")
Which = SeenMessage | str
"""A message on the screen, or its id."""

PATIENCE = 5.0
"""Seconds of real time that a wait lasts unless it says otherwise."""

FAILED = "This interaction failed"
"""What the phone shows where a bot did not answer in time."""


class View:
    """One person looking at one channel."""

    def __init__(self, world: World, channel: Channel, person: Person) -> None:
        self.world = world
        self.channel = channel
        self.person = person

    # ---- looking ---------------------------------------------------------------------------------------------------

    @property
    def messages(self) -> list[SeenMessage]:
        """What is there now, oldest first, also what only this person sees; without what was deleted."""
        there = [m for m in self.channel.messages.values() if not m.deleted and m.only_for in (None, self.person)]
        return [self._seen(message) for message in there]

    @property
    def answers(self) -> list[SeenMessage]:
        """What bots said."""
        return [message for message in self.messages if message.by_bot]

    @property
    def typing(self) -> bool:
        """Whether a bot is shown as typing; gone after ten seconds."""
        now, bots = self.world.clock.monotonic(), {bot.id for bot in self.channel.bots()}
        return any(now - at < limits.TYPING_SECONDS for who, at in self.channel.typing.items() if who in bots)

    @property
    def menu(self) -> tuple[Command, ...]:
        """The commands that the person finds behind the slash."""
        return as_seen(command for _, command in self._commands())

    def button(self, message: Which, label: str, *, stale: bool = False) -> SeenButton:
        """What can be pressed, by what stands on it. `stale`: also what an edit took away, as on a slow phone.

        Raises:
            LookupError: there is none.
        """
        shown = self._message(message, stale=stale)
        for content in [shown.content, *reversed(shown.history)] if stale else [shown.content]:
            for row in rows(content.components):
                for button in row:
                    if button.label == label:
                        return button
        raise LookupError(f"nothing says {label!r} under {self._seen(shown).labels}")

    # ---- waiting ---------------------------------------------------------------------------------------------------

    async def wait_for(self, condition: Callable[[list[SeenMessage]], T], *, timeout: float = PATIENCE) -> T:
        """Come back once `condition` holds of the messages, with what it gave.

        Raises:
            TimeoutError: naming what was seen instead.
        """
        return await self.wait_until(lambda: condition(self.messages), timeout=timeout)

    async def wait_until(self, condition: Callable[[], T], *, timeout: float = PATIENCE) -> T:
        """The same for anything on the screen; looked at again with every change anywhere."""
        try:
            async with asyncio.timeout(timeout):
                while True:
                    since = self.world.journal.last
                    if value := condition():
                        return value
                    await self.world.journal.changed(since)
        except TimeoutError:
            shown = [f"{message.sender}: {message.text!r} {message.labels or ''}" for message in self.messages]
            raise TimeoutError("waited in vain; seen: " + " | ".join(shown)) from None

    async def wait_for_answer(self, count: int = 1, *, timeout: float = PATIENCE) -> SeenMessage:
        """The newest message of a bot, once there are `count` of them since the person last said something.

        A command is something said. What only says that the bot is thinking, or repeats the command to the person who
        gave it, is no answer.
        """

        def answers(messages: list[SeenMessage]) -> list[SeenMessage]:
            last = int(self.channel.acts.get(self.person.id, "0"))
            since = [m for m in messages if m.answers(self.channel.asked.get(self.person.id)) and int(m.id) > last]
            return since if len(since) >= count else []

        return (await self.wait_for(answers, timeout=timeout))[-1]

    # ---- inside ----------------------------------------------------------------------------------------------------

    def _seen(self, message: Message) -> SeenMessage:
        names = {account.id: account.name for account in self.world.accounts.values()}
        if self.channel.guild is not None:
            names |= {channel.id: channel.name for channel in self.channel.guild.channels.values()}
        return seen_message(message, names, thread=message.id if message.flags & HAS_THREAD else None)

    def _message(self, message: Which, *, stale: bool = False) -> Message:
        found = self.channel.messages.get(message.id if isinstance(message, SeenMessage) else message)
        if found is None or (found.deleted and not stale) or found.only_for not in (None, self.person):
            raise LookupError("that message is not on the screen")
        return found

    def _bots(self) -> list[Bot]:
        bots = self.channel.bots()
        if not bots:
            raise LookupError("no bot is here")
        return bots

    def _commands(self) -> list[tuple[Bot, dict[str, Any]]]:
        guild = self.channel.guild
        found = []
        for bot in self.channel.bots():
            own = bot.guild_commands.get(guild.id, {}) if guild is not None else {}
            found += [(bot, command) for command in [*bot.commands.values(), *own.values()]]
        return [(bot, c) for bot, c in found if _offered(c, private=guild is None)]

    def _command(self, name: str) -> tuple[Bot, dict[str, Any]]:
        for bot, command in self._commands():
            if command["name"] == name and command["type"] == 1:
                return bot, command
        raise LookupError(f"no command /{name}; there are {[command.name for command in self.menu]}")

    async def _answered(self, press: Interaction, timeout: float) -> None:
        left = press.at + limits.FIRST_ANSWER_SECONDS - self.world.clock.monotonic()
        answered = asyncio.ensure_future(press.answered.wait())
        try:
            async with asyncio.timeout(timeout):
                done = press.answered.is_set() or await wait_or(self.world.clock, answered, max(left, 0.0))
        finally:
            answered.cancel()
        if not done:
            raise LookupError(FAILED)


def _offered(command: Mapping[str, Any], *, private: bool) -> bool:
    contexts = command.get("contexts")
    if contexts is not None:
        return (1 if private else 0) in contexts
    return bool(command.get("dm_permission", True)) or not private
