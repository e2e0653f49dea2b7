"""Files, both ways: fetched from where Teams says that they lie; sent inside a message, or put among the person's own.

A small picture stands in the message itself. Any other file is offered by a card; once the person agrees, its bytes go
where Teams says, and a card shows it. What was offered is noted down, so that it can be agreed to after a restart.
Source: learn.microsoft.com/microsoftteams/platform/bots/how-to/bots-filesv4.
"""

import asyncio
import json
import secrets
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from channels.base import FileTooLarge, InboundAttachment, OutboundFile, OutboundMessage
from channels.reach import Notebook
from channels.teams import limits, render
from channels.teams.answers import TooBig
from channels.teams.client import Json, TeamsClient
from channels.teams.fields import need_text, need_thing, text, thing
from core.errors import ConchError, MaybeDone, Refused, RefusedReason

NOT_HERE = "I don't have that file any more. Ask me for it again."
FAILED = "The file did not get through. Press Allow once more, or ask me for it again."
_NAME = "file:"


async def fetch(client: TeamsClient, attachment: InboundAttachment) -> AsyncIterator[bytes]:
    """The file's bytes, counted while they come.

    Raises:
        FileTooLarge: there are more than `limits.MAX_DOWNLOAD`.
        TryLater, Refused: as for `TeamsClient.call`.
    """
    received = attachment.size or 0
    if received <= limits.MAX_DOWNLOAD:
        received = 0
        async for chunk in client.stream(attachment.handle):
            received += len(chunk)
            if received > limits.MAX_DOWNLOAD:
                break
            yield chunk
    if received > limits.MAX_DOWNLOAD:
        most = limits.MAX_DOWNLOAD // (1024 * 1024)
        raise FileTooLarge(f"{attachment.name} is too large; from Teams, I can fetch {most} MB at most.")


@dataclass(frozen=True, slots=True)
class Offered:
    """A file that a person was asked about."""

    path: str
    name: str


class Files:
    """What goes out to one bot's chats."""

    def __init__(self, client: TeamsClient) -> None:
        self._client = client
        self._notebook: Notebook | None = None
        self._offered: dict[str, Offered] = {}

    def remember_in(self, notebook: Notebook) -> None:
        """Note there what was offered."""
        self._notebook = notebook

    async def send(self, service_url: str, conversation: str, message: OutboundMessage, file: OutboundFile) -> str:
        """Show or offer it; the id of the message is returned.

        Raises:
            TryLater, MaybeDone, Refused: as for `TeamsClient.call`.
        """
        size = await _size(file)
        if file.mime in limits.PICTURES and size <= limits.MAX_PICTURE:
            data = await asyncio.to_thread(file.path.read_bytes)
            try:
                return await self._posted(service_url, render.picture(conversation, message, file, data))
            except TooBig:
                pass  # as a file it may be of any size
        key = secrets.token_urlsafe(9)
        await self._keep(key, Offered(str(file.path), file.name))
        return await self._posted(service_url, render.consent(conversation, message, file, size, key))

    async def answered(self, service_url: str, conversation: str, answer: Json) -> None:
        """A person was asked about a file, and said this; where it went wrong, they are told."""
        key = text(thing(answer, "context") or {}, "file") or ""
        if answer.get("action") != "accept":
            await self._drop(key)
            return
        try:
            words = await self._bring(service_url, conversation, key, need_thing(answer, "uploadInfo"))
        except ConchError:
            words = FAILED
        if words:
            await self._client.call(service_url, render.plain(conversation, words))

    async def _bring(self, service_url: str, conversation: str, key: str, info: Json) -> str | None:
        offered = await self._find(key)
        if offered is None or not await asyncio.to_thread(Path(offered.path).is_file):
            return NOT_HERE
        path = Path(offered.path)
        size = (await asyncio.to_thread(path.stat)).st_size
        await self._client.upload(need_text(info, "uploadUrl"), path, size)
        await self._drop(key)
        await self._client.call(service_url, render.file_info(conversation, info))
        return None

    async def _posted(self, service_url: str, call: render.ApiCall) -> str:
        message_id = text(await self._client.call(service_url, call), "id")
        if message_id is None:
            raise MaybeDone("Teams' answer does not name the message.")
        return message_id

    # ---- what was offered ------------------------------------------------------------------------------------------

    async def _keep(self, key: str, offered: Offered) -> None:
        self._offered[key] = offered
        if self._notebook is not None:
            await self._notebook.note(f"{_NAME}{key}", json.dumps([offered.path, offered.name]))

    async def _find(self, key: str) -> Offered | None:
        if key in self._offered or self._notebook is None:
            return self._offered.get(key)
        words = (await self._notebook.recall()).get(f"{_NAME}{key}")
        return Offered(*json.loads(words)) if words is not None else None

    async def _drop(self, key: str) -> None:
        self._offered.pop(key, None)
        if self._notebook is not None:
            await self._notebook.forget(f"{_NAME}{key}")


async def _size(file: OutboundFile) -> int:
    """In bytes; Teams takes no empty file."""
    try:
        size = (await asyncio.to_thread(file.path.stat)).st_size
    except OSError as error:
        raise Refused(f"The file {file.name} cannot be read.", RefusedReason.BAD_PAYLOAD) from error
    if not size:
        raise Refused(f"The file {file.name} is empty, and Teams takes no empty files.", RefusedReason.BAD_PAYLOAD)
    if size > limits.MAX_UPLOAD:
        most = limits.MAX_UPLOAD // (1024 * 1024)
        words = f"{file.name} is too large; in Teams, I can send {most} MB at most."
        raise Refused(words, RefusedReason.BAD_PAYLOAD)
    return size
