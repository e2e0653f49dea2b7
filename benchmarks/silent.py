"""A chat app in this process that shows nothing and counts what it is told: for benches of what is behind a channel."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from channels.base import (
    Capabilities,
    Channel,
    ChatRef,
    Identity,
    Inbound,
    InboundMessage,
    MessageRef,
    OutboundMessage,
    Sender,
    Sink,
    Update,
)
from channels.telegram.limits import CAPABILITIES

KEY: Mapping[str, str] = {"token": "silent"}


def update(number: int, person: int, text: str) -> Update:
    """Somebody wrote this."""
    return Update(str(number), {"number": number, "person": str(person), "text": text})


@dataclass(slots=True)
class Silent:
    """The channel. `said` is set with every message that goes out."""

    id: str
    count: int = 0
    said: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def capabilities(self) -> Capabilities:
        return CAPABILITIES

    async def start(self) -> None:
        """There is nothing to open."""

    async def listen(self, sink: Sink) -> None:
        sink.online()
        await asyncio.Event().wait()

    async def stop(self) -> None:
        """There is nothing to close."""

    def parse(self, payload: Mapping[str, Any]) -> Sequence[Inbound]:
        number, person = str(payload["number"]), payload["person"]
        chat, sender = ChatRef(self.id, person), Sender(person, "Ada")
        return (InboundMessage(chat, sender, number, payload["text"], number, datetime.now(UTC)),)

    async def send(self, chat: ChatRef, message: OutboundMessage) -> MessageRef:
        self.count += 1
        self.said.set()
        return MessageRef(chat, str(self.count))


@dataclass(slots=True)
class SilentKind:
    """Connects it."""

    kind: str = "silent"
    channel: Silent | None = None

    def find_credentials(self, pasted: str) -> Mapping[str, str] | None:
        return KEY

    async def check(self, credentials: Mapping[str, str]) -> Identity:
        return Identity("1", "Silent")

    def connect(self, channel_id: str, credentials: Mapping[str, str], identity: Identity) -> Channel:
        self.channel = Silent(channel_id)
        return self.channel

    def hello_link(self, identity: Identity, code: str) -> str | None:
        return None
