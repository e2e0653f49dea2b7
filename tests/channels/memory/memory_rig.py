"""The in-memory app as a rig: with buttons and without, with streams, with forms."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from channels.base import ChatRef
from channels.conformance.rig import Rig, Trouble
from channels.memory.app import MemoryApp
from channels.memory.channel import MemoryChannel
from channels.memory.chat import MemoryChat
from channels.memory.faults import Call
from channels.memory.forms import FieldsChannel, FormChannel
from channels.memory.streaming import StreamingChannel
from core.errors import MaybeDone, Refused, RefusedReason, TryLater
from tests.journeys.living import FastClock


@dataclass
class MemoryRig:
    """The in-memory app, with buttons."""

    channel: MemoryChannel
    chat: ChatRef
    app: MemoryApp
    ada: MemoryChat
    group: MemoryChat | None = None
    thread: MemoryChat | None = None

    @property
    def secret(self) -> str:
        return self.app.key

    async def say(self, text: str) -> None:
        self.ada.say(text)

    async def press(self, label: str) -> None:
        self.ada.press(self.ada.answers[-1], label)

    def seen(self) -> Sequence[str]:
        return self.ada.texts

    def labels(self) -> Sequence[Sequence[str]]:
        return [[button.label for button in message.buttons] for message in self.ada.answers]

    async def open_form(self, label: str | None) -> Sequence[str]:
        message = self.ada.answers[-1]
        if label is not None:
            self.ada.press(message, label)
            await self.ada.wait_until(lambda chat: chat.form is not None and chat.form.message_id == message.id)
        asked = self.ada.form.form if self.ada.form is not None else message.form
        assert asked is not None
        return [field.label for field in asked.fields]

    async def fill_in(self, values: Mapping[str, str]) -> None:
        opened = self.ada.form or self.ada.answers[-1]
        assert opened.form is not None
        filled = {}
        for field in opened.form.fields:
            options = {option.label: option.id for option in getattr(field, "options", ())}
            filled[field.id] = options.get(values[field.label], values[field.label])
        self.ada.fill(opened, **filled)

    async def say_in_thread(self, text: str) -> None:
        self.group = self.app.group("Workshop", *self.ada.people)
        self.thread = self.app.thread(self.group, "cogs")
        self.thread.say(text, mentioned=True)

    def seen_in_thread(self) -> Sequence[str]:
        assert self.thread is not None
        return self.thread.texts

    def seen_beside(self) -> Sequence[str]:
        assert self.group is not None
        return self.group.texts

    def own_message(self) -> Mapping[str, Any] | None:
        return None

    def trouble(self, trouble: Trouble) -> None:
        match trouble:
            case Trouble.REFUSED_FOR_NOW:
                self.app.faults.add(Call.SEND, TryLater("busy", retry_after=7.0))
            case Trouble.RECEIPT_LOST:
                self.app.faults.add(Call.SEND, MaybeDone("lost"), taken=True)
            case Trouble.NEVER:
                self.app.faults.add(Call.SEND, Refused("blocked", RefusedReason.GONE))

    def revoke(self) -> None:
        self.app.renew_key()

    async def cut(self) -> None:
        self.app.faults.add(Call.SEND, TryLater("away"))
        self.app.feed.break_off(TryLater("away"))

    async def mend(self) -> None:
        """What the cut broke can be opened anew at once."""


@asynccontextmanager
async def memory_rig() -> AsyncIterator[Rig]:
    async with _memory(MemoryChannel) as rig:
        yield rig


@asynccontextmanager
async def memory_streaming_rig() -> AsyncIterator[Rig]:
    """The same with streams, signs and a history."""
    async with _memory(StreamingChannel) as rig:
        yield rig


@asynccontextmanager
async def memory_forms_rig() -> AsyncIterator[Rig]:
    """With forms that a button opens."""
    async with _memory(FormChannel) as rig:
        yield rig


@asynccontextmanager
async def memory_fields_rig() -> AsyncIterator[Rig]:
    """With fields in the message itself."""
    async with _memory(FieldsChannel) as rig:
        yield rig


@asynccontextmanager
async def memory_bare_rig() -> AsyncIterator[Rig]:
    """Without buttons, as the terminal is."""
    async with _memory(MemoryChannel, button_limit=0) as rig:
        yield rig


@asynccontextmanager
async def _memory(kind: type[MemoryChannel], button_limit: int = 8) -> AsyncIterator[Rig]:
    clock = FastClock()
    app = MemoryApp(clock)
    ada = app.private_chat("Ada")
    channel = kind("m1", app, clock, key=app.key, button_limit=button_limit)
    await channel.start()
    try:
        yield MemoryRig(channel, ChatRef("m1", ada.id), app, ada)
    finally:
        await channel.stop()
