"""Answers that are written bit by bit into the message that they will be.

Slack only takes more words, never other ones: what does not go on from what stands there waits for the message's end,
which says all of it anew where it has to. What stands there is known in memory only; after a restart it is said anew.
Source: docs.slack.dev/reference/methods/chat.startStream, …/chat.appendStream, …/chat.stopStream.
"""

from dataclasses import dataclass
from typing import Final

from channels.base import OutboundMessage
from channels.slack import blocks, render
from channels.slack.answers import NotStreaming
from channels.slack.client import SlackClient
from channels.slack.fields import text
from channels.slack.render import Place
from channels.slack.responding import Asked
from core.errors import MaybeDone, Refused, RefusedReason, TryLater

_REMEMBERED: Final = 1_000


@dataclass(slots=True)
class _Written:
    """What stands in a message so far; None once that is in doubt."""

    words: str | None


class Streams:
    """The messages that are being written."""

    def __init__(self, client: SlackClient) -> None:
        self._client = client
        self._written: dict[str, _Written] = {}

    async def open(self, place: Place, message: OutboundMessage, asked: Asked | None) -> str:
        """Begin one in a thread; its `ts` is returned.

        Raises:
            TryLater, MaybeDone, Refused: as for `SlackClient.call`.
        """
        person, team = (asked.person_id, asked.team_id) if asked else (None, None)
        answer = await self._client.call(render.start_stream(place, message.text, person, team))
        ts = text(answer, "ts")
        if ts is None:
            raise MaybeDone("Slack's answer does not name the message.")
        self._written[ts] = _Written(message.text)
        if len(self._written) > _REMEMBERED:
            del self._written[next(iter(self._written))]
        return ts

    async def add(self, room: str, ts: str, words: str) -> None:
        """Write on where the words go on from what stands there.

        Raises:
            TryLater, Refused: as for `SlackClient.call`.
        """
        written = self._written.get(ts)
        if written is None or written.words is None or not words.startswith(written.words):
            return
        more = words[len(written.words) :]
        if not more:
            return
        try:
            await self._client.call(render.append_stream(room, ts, more))
        except MaybeDone:
            written.words = None
        except NotStreaming:  # the person stopped it, say
            written.words = None
        else:
            written.words = words

    async def finish(self, room: str, ts: str, message: OutboundMessage) -> bool:
        """End it as the message that it is; False where that still has to be said by a change of the message.

        Raises:
            TryLater, Refused: as for `SlackClient.call`; `MessageGone` where somebody took it away.
        """
        written = self._written.get(ts)
        so_far = written.words if written is not None else None
        goes_on = so_far is not None and message.text.startswith(so_far)
        more, shown = "", []
        if goes_on and so_far is not None:
            more, shown = message.text[len(so_far) :], blocks.of_buttons(message.buttons)
        try:
            await self._client.call(render.stop_stream(room, ts, more, shown))
        except NotStreaming:
            goes_on = False
        except (MaybeDone, Refused) as trouble:
            if isinstance(trouble, Refused) and trouble.reason is not RefusedReason.BAD_PAYLOAD:
                raise
            if written is not None:
                written.words = None
            await self._stop(room, ts)
            goes_on = False
        self._written.pop(ts, None)
        return goes_on

    async def _stop(self, room: str, ts: str) -> None:
        """End it as it stands: while it is being written Slack lets nobody change it.

        Raises:
            TryLater, Refused: as for `SlackClient.call`.
        """
        try:
            await self._client.call(render.stop_stream(room, ts, "", []))
        except NotStreaming:
            return
        except MaybeDone as doubt:
            raise TryLater(str(doubt)) from doubt
