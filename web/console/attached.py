"""Files of a chat's page: attached before a message is sent, and fetched from the messages that have them.

A file goes to the data folder as soon as it is attached, and waits in memory for its message. What is fetched is always
a download, save pictures of a few kinds that browsers show and that can hold no script.
"""

import secrets
from collections import OrderedDict
from collections.abc import Sequence
from typing import Annotated, Final
from urllib.parse import quote

from fastapi import FastAPI, Query
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response

from core.errors import NotFound, UsageError
from core.events import AssistantMessage, Attachment, UserMessage
from core.files import FileStore, TooLarge
from core.store.log import EventLog
from web.cards import SHOWN
from web.live.around import possible

MOST_BYTES: Final = 20 * 1024 * 1024
"""Of one file, as in Telegram."""

MOST_FILES: Final = 10
"""Of one message."""

MOST_WAITING: Final = 100
"""Files that wait for their message; one more pushes out the oldest."""


class Attached:
    """Files that wait for their message, each for the chat it was attached in."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[str, tuple[str, Attachment]] = OrderedDict()

    def add(self, chat: str, file: Attachment) -> str:
        """Keep one; the result is what the message names it by."""
        name = secrets.token_hex(12)
        self._waiting[name] = chat, file
        while len(self._waiting) > MOST_WAITING:
            self._waiting.popitem(last=False)
        return name

    def of(self, chat: str, names: Sequence[str]) -> tuple[Attachment, ...]:
        """The files that a message names; they wait until it is sent.

        Raises:
            UsageError: there are too many, or one does not wait here (any more).
        """
        if len(names) > MOST_FILES:
            raise UsageError(f"A message has {MOST_FILES} files at most.")
        found = [self._waiting.get(name) for name in names]
        if any(one is None or one[0] != chat for one in found):
            raise UsageError("A file is not there any more. Attach it again.")
        return tuple(one[1] for one in found if one is not None)

    def forget(self, names: Sequence[str]) -> None:
        """They have gone with a message."""
        for name in names:
            self._waiting.pop(name, None)


class FileRoutes:
    """The routes."""

    def __init__(self, files: FileStore, log: EventLog, attached: Attached) -> None:
        self._files = files
        self._log = log
        self._attached = attached

    def add_to(self, app: FastAPI) -> None:
        """Register them."""
        app.add_api_route(
            "/chats/{chat}/files", self.attach, methods=["POST"], response_model=None, max_body_size=MOST_BYTES
        )
        app.add_api_route("/chats/{chat}/files/{seq}/{place}", self.fetch, methods=["GET"], response_model=None)

    async def attach(
        self, request: Request, chat: str, name: Annotated[str, Query(min_length=1, max_length=500)]
    ) -> JSONResponse:
        """Keep the body as a file for the next message."""
        try:
            file = await self._files.save(name, request.headers.get("content-type"), request.stream(), MOST_BYTES)
        except TooLarge:
            return JSONResponse({"detail": f"A file has {MOST_BYTES >> 20} MB at most."}, 413)
        except OSError as fault:
            return JSONResponse({"detail": f"The file cannot be kept: {fault.strerror}."}, 507)
        return JSONResponse({"file": self._attached.add(possible(chat), file), "name": file.name, "size": file.size})

    async def fetch(self, chat: str, seq: int, place: int) -> Response:
        """A file of a message."""
        found = await self._log.read(possible(chat), after=seq - 1, limit=1)
        data = found[0].data if found and found[0].seq == seq else None
        files = data.attachments if isinstance(data, UserMessage | AssistantMessage) else ()
        if not 0 <= place < len(files):
            raise NotFound("There is no such file.")
        file = files[place]
        try:
            path = self._files.path(file)
        except ValueError:
            raise NotFound("There is no such file.") from None
        if not path.is_file():
            raise NotFound("That file is not there any more.")
        shown = file.mime in SHOWN
        how = "inline" if shown else "attachment"
        return FileResponse(
            path,
            media_type=file.mime if shown else "application/octet-stream",
            headers={"Content-Disposition": f"{how}; filename*=UTF-8''{quote(file.name)}"},
        )
