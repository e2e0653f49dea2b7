"""Telegram's Bot API through python-telegram-bot: calls go out, raw JSON comes back, errors are Conch's own.

What is called with what is said in `render`, what a refusal means in `answers`; when to try again is the caller's
business. Imported only when a Telegram bot is used, because the SDK is.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import ExitStack
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import IO, Any

import telegram
from telegram.error import TelegramError
from telegram.request import BaseRequest

from channels.base import OutboundFile
from channels.telegram import answers, render
from channels.telegram.answers import UnknownMethod
from channels.telegram.render import ApiCall
from channels.telegram.request import AiohttpRequest, Declined, NotSent
from core.errors import ConchError, MaybeDone, Refused, RefusedReason, TryLater

SEND_CONNECTIONS = 100
"""Enough for a call in each of a hundred chats at once; Telegram takes 30 messages a second."""
POLL_SECONDS_MORE = 15.0
"""How much longer than Telegram holds a poll open its answer may take."""

_NO_TOKEN = "kept-elsewhere"  # noqa: S105 - what the SDK gets instead of a key


class TelegramClient:
    """Calls with one bot's key.

    The SDK's typed methods build an object for every answer (70 µs for one update), so its `do_api_request` is used,
    which gives back the JSON. It warns about a name for which the SDK has a method, so names go out in lower case; to
    Telegram that is the same ("All methods in the Bot API are case-insensitive", core.telegram.org/bots/api). The SDK
    knows the poll by its exact name only; so the poll has an SDK bot of its own, over one connection of its own, where
    nothing holds it up.
    """

    def __init__(self, token: str, base_url: str, base_file_url: str) -> None:
        self._sends = AiohttpRequest(token, base_url, base_file_url, connections=SEND_CONNECTIONS)
        self._polls = AiohttpRequest(token, base_url, base_file_url, connections=1)
        self._bot = _bot(self._sends)
        self._poll_bot = _bot(self._polls)

    async def open(self) -> None:
        """Make ready to call; nothing is sent. Harmless when it is open.

        Raises:
            TryLater: the environment names a proxy that cannot be used.
        """
        try:
            await self._sends.initialize()
            await self._polls.initialize()
        except ValueError as error:
            await self.close()
            raise TryLater(str(error)) from error

    async def close(self) -> None:
        """Let go of every connection. Harmless when it is closed."""
        await self._sends.shutdown()
        await self._polls.shutdown()

    async def call(self, call: ApiCall) -> object:
        """Make the call and return Telegram's `result`.

        Raises:
            TryLater: surely not taken, or harmless to say again.
            MaybeDone: it went out, and no receipt came back.
            Refused: it will never work; `answers` has the finer kinds.
        """
        if call.files:
            return await self._upload(call)
        return await self._ask(self._bot, call, dict(call.parameters))

    @property
    def clock(self) -> datetime | None:
        """Telegram's own time, to the second, when it last answered a call."""
        try:
            return parsedate_to_datetime(self._sends.date).astimezone(UTC) if self._sends.date else None
        except ValueError:
            return None

    async def poll(self, offset: int, seconds: int) -> list[Any]:
        """The updates from `offset` on; waits up to `seconds` for the first one.

        Raises:
            TryLater, Refused: as for `call`; `answers.TakenByOther` where somebody else receives.
        """
        call = render.get_updates(offset, seconds)
        found = await self._ask(self._poll_bot, call, dict(call.parameters), read_seconds=seconds + POLL_SECONDS_MORE)
        if not isinstance(found, list):
            raise TryLater("Telegram's answer could not be read.")
        return found

    async def stream(self, path: str) -> AsyncIterator[bytes]:
        """The bytes of a file by the path that `getFile` gave.

        Raises:
            TryLater, Refused: as for `call`.
        """
        try:
            async for chunk in self._sends.stream(path):
                yield chunk
        except TelegramError as error:
            explained = _explained(error, repeatable=True)
            if isinstance(explained, UnknownMethod):
                explained = Refused("Telegram does not have this file any more.", RefusedReason.GONE)
            raise explained from error

    async def _ask(
        self, bot: telegram.Bot, call: ApiCall, parameters: dict[str, Any], *, read_seconds: float | None = None
    ) -> object:
        read_timeout = BaseRequest.DEFAULT_NONE if read_seconds is None else read_seconds
        try:
            return await bot.do_api_request(call.method.lower(), parameters, read_timeout=read_timeout)
        except TelegramError as error:
            raise _explained(error, repeatable=call.repeatable) from error

    async def _upload(self, call: ApiCall) -> object:
        """Files are read while they are sent, never as a whole."""
        with ExitStack() as open_files:
            files = {}
            for name, file in call.files.items():
                handle = open_files.enter_context(await _opened(file))
                upload = telegram.InputFile(handle, filename=file.name, read_file_handle=False)
                upload.mimetype = file.mime  # the SDK guesses it from the name
                files[name] = upload
            return await self._ask(self._bot, call, {**call.parameters, **files})


def _bot(request: AiohttpRequest) -> telegram.Bot:
    return telegram.Bot(_NO_TOKEN, base_url=lambda _: "", request=request, get_updates_request=request)


async def _opened(file: OutboundFile) -> IO[bytes]:
    try:
        return await asyncio.to_thread(file.path.open, "rb")
    except OSError as error:
        raise Refused(f"The file {file.name} cannot be read.", RefusedReason.BAD_PAYLOAD) from error


def _explained(error: TelegramError, *, repeatable: bool) -> ConchError:
    """Our error for the SDK's; a call that may be repeated is never in doubt."""
    if isinstance(error, Declined):
        explained = answers.explain(error.status, error.answer)
    elif isinstance(error, NotSent):
        explained = TryLater(str(error))
    else:
        explained = MaybeDone(str(error))
    if repeatable and isinstance(explained, MaybeDone):
        return TryLater(str(explained))
    return explained
