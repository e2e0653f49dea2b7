"""Receiving by Socket Mode: one connection, over which Slack brings envelopes that want to be acknowledged.

An envelope is acknowledged after it is stored and before anything else is done about it; one that could not be stored
is not, and Slack brings it again. What is done with what is inside says `intake`.
Source: docs.slack.dev/apis/events-api/using-socket-mode.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, NoReturn

import aiohttp
import structlog

from channels.base import Conflict, Sink, Update
from channels.slack import answers
from channels.slack.client import SlackClient
from channels.slack.intake import Intake
from core.clock import Clock
from core.errors import TryLater

SHORT_SECONDS: Final = 5.0
SHORT_IN_A_ROW: Final = 3
"""When Slack ends so many connections in a row that were as short as that, it is asked again only after a pause."""

_log = structlog.get_logger(__name__)


class SocketReceiver:
    """The one receiver of a bot's envelopes."""

    def __init__(self, client: SlackClient, intake: Intake, clock: Clock) -> None:
        self._client = client
        self._intake = intake
        self._clock = clock

    async def run(self, sink: Sink) -> NoReturn:
        """Receive until cancelled; where Slack wants another connection it is opened at once.

        Raises:
            TryLater: the connection broke, or Slack cannot be reached.
            Refused: the app's key stopped working, or Socket Mode was turned off.
            Conflict: the app has as many connections as it may.
        """
        short = 0
        while short < SHORT_IN_A_ROW:
            opened = self._clock.monotonic()
            connection = await self._client.connect()
            try:
                reason = await _Connection(connection, self._intake, sink).run()
            finally:
                await connection.close()
            _follow(reason)
            short = short + 1 if self._clock.monotonic() - opened < SHORT_SECONDS else 0
        raise TryLater("Slack ends every connection after a moment.")


def _follow(reason: str) -> None:
    """What Slack's reason for ending a connection means; most of them only mean that it wants a new one."""
    if reason == "link_disabled":
        raise answers.explain(200, {"ok": False, "error": reason})
    if reason == "too_many_websockets":
        raise Conflict("the app has as many connections as it may")
    _log.info("Slack wants a new connection", reason=reason)


class _Connection:
    """One connection until its end: a reader, and beside it whoever stores what was read."""

    def __init__(self, connection: aiohttp.ClientWebSocketResponse, intake: Intake, sink: Sink) -> None:
        self._connection = connection
        self._intake = intake
        self._sink = sink
        self._waiting: asyncio.Queue[Mapping[str, Any]] = asyncio.Queue()
        self._now: set[asyncio.Task[None]] = set()

    async def run(self) -> str:
        """Until Slack says that it ends the connection; what was read by then is stored. Slack's reason is returned."""
        storing = asyncio.create_task(self._store())
        reading = asyncio.create_task(self._read())
        try:
            await asyncio.wait({storing, reading}, return_when=asyncio.FIRST_COMPLETED)
            if storing.done():
                await storing
            reason = await reading
            joining = asyncio.create_task(self._waiting.join())
            await asyncio.wait({storing, joining}, return_when=asyncio.FIRST_COMPLETED)
            joining.cancel()
            return reason
        finally:
            tasks = [storing, reading, *self._now]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _read(self) -> str:
        async for message in self._connection:
            if message.type is not aiohttp.WSMsgType.TEXT:
                continue
            envelope = _read(message.data)
            kind = envelope.get("type")
            if kind == "hello":
                self._sink.online()
            elif kind == "disconnect":
                return str(envelope.get("reason"))
            elif isinstance(envelope.get("envelope_id"), str):
                self._take(envelope)
        raise TryLater("The connection to Slack ended.")

    def _take(self, envelope: Mapping[str, Any]) -> None:
        kind, payload = envelope.get("type"), envelope.get("payload")
        try:
            for_now = isinstance(payload, dict) and self._intake.is_for_now(str(kind), payload)
        except ValueError:
            for_now = False
        if not for_now:
            self._waiting.put_nowait(envelope)
            return
        task = asyncio.create_task(self._answer(envelope))
        self._now.add(task)
        task.add_done_callback(self._now.discard)

    async def _answer(self, envelope: Mapping[str, Any]) -> None:
        """What is to be answered at once waits behind nothing."""
        try:
            body = await self._intake.answer(str(envelope["type"]), envelope["payload"], self._sink)
        except TryLater as reason:
            _log.warning("an envelope could not be seen to", reason=str(reason))
        except Exception:  # noqa: BLE001 - one odd payload does not end the connection
            _log.exception("an envelope could not be read")
            await self._acknowledge(envelope)
        else:
            await self._acknowledge(envelope, body)

    async def _store(self) -> None:
        """Store all that waits, together, and acknowledge it; again and again."""
        while True:
            batch = [await self._waiting.get()]
            while not self._waiting.empty():
                batch.append(self._waiting.get_nowait())
            try:
                await self._store_batch(batch)
            finally:
                for _ in batch:
                    self._waiting.task_done()

    async def _store_batch(self, batch: Sequence[Mapping[str, Any]]) -> None:
        updates = await asyncio.gather(*(self._update(envelope) for envelope in batch))
        try:
            if found := [update for update in updates if update is not None]:
                await self._sink.store(found)
        except TryLater as reason:
            _log.warning("nothing could be stored; Slack will bring it again", reason=str(reason))
            return
        for envelope in batch:
            await self._acknowledge(envelope)

    async def _update(self, envelope: Mapping[str, Any]) -> Update | None:
        payload = envelope.get("payload")
        return await self._intake.update(str(envelope.get("type")), payload) if isinstance(payload, dict) else None

    async def _acknowledge(self, envelope: Mapping[str, Any], body: Mapping[str, Any] | None = None) -> None:
        answer: dict[str, Any] = {"envelope_id": envelope["envelope_id"]}
        try:
            await self._connection.send_str(json.dumps(answer | ({"payload": body} if body else {})))
        except (aiohttp.ClientError, OSError, RuntimeError) as reason:
            # It is stored; Slack brings it again, and then it is known.
            _log.info("an envelope could not be acknowledged", reason=type(reason).__name__)


def _read(data: str) -> Mapping[str, Any]:
    try:
        envelope = json.loads(data)
    except (ValueError, RecursionError):
        envelope = None
    return envelope if isinstance(envelope, dict) else {}
