"""Deleting a chat, with a way back: for ten minutes it is only out of sight, then it is gone with its files.

What waits to be gone is in memory: a program that ends meanwhile deletes nothing, and the chat is there again. So it is
where somebody says something in it after all.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import structlog

from core.clock import Clock
from core.conversations import Conversations
from core.errors import Busy, ConchError
from core.events import AssistantMessage, Attachment, UserMessage
from core.files import FileStore
from core.store.audit import Audit, Deed
from core.store.log import EventLog

_log = structlog.get_logger(__name__)

UNDO_SECONDS: Final = 600.0
PAGE: Final = 500
"""Events that are read at once."""


@dataclass(frozen=True, slots=True)
class Leaving:
    """A chat that is about to be gone, as it was when somebody deleted it."""

    title: str
    last_seq: int
    task: asyncio.Task[None]


class Deleting:
    """Chats that are about to be gone."""

    def __init__(
        self, conversations: Conversations, log: EventLog, files: FileStore, clock: Clock, audit: Audit
    ) -> None:
        self._conversations = conversations
        self._log = log
        self._files = files
        self._clock = clock
        self._audit = audit
        self._leaving: dict[str, Leaving] = {}

    @property
    def leaving(self) -> Mapping[str, str]:
        """Their titles, by id; the newest last."""
        return {chat: one.title for chat, one in self._leaving.items()}

    async def begin(self, chat: str, title: str) -> None:
        """Take a chat out of sight, and delete it when the time is over.

        Raises:
            Busy: something goes on in it.
        """
        if self._conversations.is_active(chat):
            raise Busy("Something goes on in this chat. Stop it first.")
        state = await self._log.state(chat)
        self.undo(chat)
        task = asyncio.create_task(self._later(chat, state.last_seq, title), name="deleting a chat")
        self._leaving[chat] = Leaving(title, state.last_seq, task)

    def undo(self, chat: str) -> bool:
        """Leave it where it is; False where it is not about to be gone (any more)."""
        leaving = self._leaving.pop(chat, None)
        if leaving is not None:
            leaving.task.cancel()
        return leaving is not None

    async def close(self) -> None:
        """Delete nothing more."""
        tasks = [one.task for one in self._leaving.values()]
        self._leaving.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _later(self, chat: str, last_seq: int, title: str) -> None:
        await self._clock.sleep(UNDO_SECONDS)
        try:
            files = await self._files_of(chat)
            if await self._conversations.delete(chat, last_seq):
                await self._audit.note(Deed.CHAT_DELETED, "The console", f"“{title}”")
                for file in files:
                    await self._files.remove(file)
        except ConchError as reason:
            _log.warning("a chat was not deleted", chat=chat, reason=str(reason))
        self._leaving.pop(chat, None)

    async def _files_of(self, chat: str) -> list[Attachment]:
        files: list[Attachment] = []
        after = -1
        while events := await self._log.read(chat, after=after, limit=PAGE):
            after = events[-1].seq
            for event in events:
                if isinstance(event.data, UserMessage | AssistantMessage):
                    files += event.data.attachments
        return files
