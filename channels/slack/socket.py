"""Receiving by Socket Mode: one connection, over which Slack brings envelopes that want to be acknowledged.

The SDK reads envelopes and acknowledges them, Bolt says what they are (`dispatch`), and `intake` sees to them. When
there is a connection is decided here: the SDK would try for ever, and nobody would hear that a key stopped working.
Source: docs.slack.dev/apis/events-api/using-socket-mode.
"""

import asyncio
import json
import time
from contextlib import suppress
from typing import Any, Final, NoReturn

import structlog
from slack_bolt.adapter.socket_mode.async_internals import send_async_response
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.socket_mode.async_client import AsyncBaseSocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.web.async_client import AsyncWebClient

from channels.base import Conflict, Sink
from channels.slack import answers
from channels.slack.client import SlackClient
from channels.slack.dispatch import QUIET, Dispatch
from core.clock import Clock
from core.errors import TryLater

SHORT_SECONDS: Final = 5.0
SHORT_IN_A_ROW: Final = 3
"""When Slack ends so many connections in a row that were as short as that, it is asked again only after a pause."""
LOOK_SECONDS: Final = 1.0
"""Between two looks whether the connection is still one: of some ends the SDK tells only after a while."""
GRACE_SECONDS: Final = 1.0
"""What is being stored when Slack ends a connection may still be acknowledged over it within this time."""

_log = structlog.get_logger(__name__)


class SocketReceiver:
    """The one receiver of a bot's envelopes."""

    def __init__(self, client: SlackClient, dispatch: Dispatch, clock: Clock) -> None:
        self._client = client
        self._dispatch = dispatch
        self._clock = clock
        self._under_way: set[asyncio.Task[Any]] = set()

    async def run(self, sink: Sink) -> NoReturn:
        """Receive until cancelled; where Slack wants another connection it is opened at once.

        Raises:
            TryLater: the connection broke, or Slack cannot be reached.
            Refused: the app's key stopped working, or Socket Mode was turned off.
            Conflict: the app has as many connections as it may.
        """
        self._dispatch.begin(sink)
        try:
            short = 0
            while short < SHORT_IN_A_ROW:
                opened = self._clock.monotonic()
                _follow(await self._listen(sink))
                short = short + 1 if self._clock.monotonic() - opened < SHORT_SECONDS else 0
            raise TryLater("Slack ends every connection after a moment.")
        finally:
            self._dispatch.end()
            for task in self._under_way:
                task.cancel()
            await asyncio.gather(*self._under_way, return_exceptions=True)

    async def _listen(self, sink: Sink) -> str:
        """One connection until its end; Slack's reason for it is returned."""
        line = _Line(self._client, sink)
        line.socket_mode_request_listeners.append(self._take)
        try:
            await line.connect()
            watching = asyncio.create_task(self._watch(line))
            try:
                return await line.over
            finally:
                watching.cancel()
                if self._under_way and line.over.done() and not line.over.cancelled():
                    await asyncio.wait(self._under_way, timeout=GRACE_SECONDS)
        finally:
            await line.close()

    async def _take(self, line: AsyncBaseSocketModeClient, request: SocketModeRequest) -> None:
        """Have it stored, then acknowledged. The SDK gives each envelope a task of its own and keeps none of them."""
        if (task := asyncio.current_task()) is not None:
            self._under_way.add(task)
            task.add_done_callback(self._under_way.discard)
        answer = await self._dispatch.answer(AsyncBoltRequest(mode="socket_mode", body=request.payload))
        try:
            await send_async_response(line, request, answer, time.time())
        except (OSError, RuntimeError) as reason:
            # It is stored; Slack brings it again, and then it is known.
            _log.info("an envelope could not be acknowledged", reason=type(reason).__name__)

    async def _watch(self, line: "_Line") -> None:
        while await line.is_connected():
            await self._clock.sleep(LOOK_SECONDS)
        line.broke()


def _follow(reason: str) -> None:
    """What Slack's reason for ending a connection means; most of them only mean that it wants a new one."""
    if reason == "link_disabled":
        raise answers.explain(200, {"ok": False, "error": reason})
    if reason == "too_many_websockets":
        raise Conflict("the app has as many connections as it may")
    _log.info("Slack wants a new connection", reason=reason)


class _Line(SocketModeClient):
    """The SDK's client for one connection: it is opened once, and what ends it is told and not followed."""

    def __init__(self, client: SlackClient, sink: Sink) -> None:
        super().__init__(app_token="", logger=QUIET, web_client=AsyncWebClient(logger=QUIET))
        self._client = client
        self.over: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        """Slack's reason for ending it; an error where it broke."""
        self.message_listeners.append(_told_of_hello(sink))

    def broke(self) -> None:
        """It ended without a word."""
        if not self.over.done():
            self.over.set_exception(TryLater("The connection to Slack ended."))

    async def connect(self) -> None:
        """Open it.

        Raises:
            TryLater, Refused: as for `SlackClient.connect`.
        """
        self.current_session = await self._client.connect()
        self.message_receiver = asyncio.ensure_future(self.receive_messages())

    async def connect_to_new_endpoint(self, force: bool = False) -> None:
        """It ended: by now what was said before that is noted."""
        self.broke()

    async def enqueue_message(self, message: str) -> None:
        """A goodbye is noted before the end that follows it is seen."""
        if '"disconnect"' not in message or (reason := _goodbye(message)) is None:
            await super().enqueue_message(message)
        elif not self.over.done():
            self.over.set_result(reason)

    async def close(self) -> None:
        """Let go of it, and come back when nothing of it goes on."""
        await super().close()  # type: ignore[no-untyped-call]
        tasks = [task for task in (self.message_processor, self.message_receiver) if task is not None]
        await asyncio.gather(*tasks, return_exceptions=True)
        if not self.over.done():
            self.over.cancel()
        with suppress(asyncio.CancelledError, TryLater):
            self.over.exception()


def _told_of_hello(sink: Sink) -> Any:  # noqa: ANN401 - the SDK's type for these is wrong
    async def hear(_: AsyncBaseSocketModeClient, message: dict[str, Any], raw: str | None = None) -> None:
        if message.get("type") == "hello":
            sink.online()

    return hear


def _goodbye(message: str) -> str | None:
    """Slack's reason for ending the connection; None where this is something else."""
    try:
        said = json.loads(message)
    except (ValueError, RecursionError):
        return None
    return str(said.get("reason")) if isinstance(said, dict) and said.get("type") == "disconnect" else None
