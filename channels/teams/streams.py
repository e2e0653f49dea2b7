"""Answers that are written bit by bit into the message that they will be.

Each piece repeats all that was said before it, with a number that only grows; what does not go on from what stands
there waits for the message's end. Teams ends what takes longer than two minutes: from then on the message waits for
its last words, which are put in by a change. What stands there is known in memory only.
Source: learn.microsoft.com/microsoftteams/platform/bots/streaming-ux.
"""

from dataclasses import dataclass
from typing import Final

from channels.base import OutboundMessage
from channels.teams import limits, render
from channels.teams.answers import NotStreaming
from channels.teams.client import TeamsClient
from channels.teams.fields import text
from core.clock import Clock
from core.errors import MaybeDone

_REMEMBERED: Final = 1_000


@dataclass(slots=True)
class _Written:
    """What stands in a message; `until` is of the monotonic clock."""

    words: str
    until: float
    sequence: int = 1


class Streams:
    """The messages that are being written."""

    def __init__(self, client: TeamsClient, clock: Clock) -> None:
        self._client = client
        self._clock = clock
        self._written: dict[str, _Written] = {}

    async def open(self, service_url: str, conversation: str, message: OutboundMessage) -> str:
        """Begin one; its id is returned.

        Raises:
            TryLater, MaybeDone, Refused: as for `TeamsClient.call`.
        """
        answer = await self._client.call(service_url, render.write(conversation, message.text, 1))
        stream_id = text(answer, "id")
        if stream_id is None:
            raise MaybeDone("Teams' answer does not name the message.")
        self._written[stream_id] = _Written(message.text, self._clock.monotonic() + limits.STREAM_SECONDS)
        if len(self._written) > _REMEMBERED:
            del self._written[next(iter(self._written))]
        return stream_id

    async def add(self, service_url: str, conversation: str, stream_id: str, words: str) -> None:
        """Show this where it goes on from what stands there and its time is not over.

        Raises:
            TryLater, Refused: as for `TeamsClient.call`.
        """
        written = self._written.get(stream_id)
        if written is None or self._clock.monotonic() >= written.until:
            return
        if words == written.words or not words.startswith(written.words.rstrip()):
            return
        # The number is used up even where nobody knows whether the piece arrived.
        written.sequence += 1
        call = render.write(conversation, words, written.sequence, stream_id)
        try:
            await self._client.call(service_url, call)
        except MaybeDone:
            return
        written.words = words

    async def finish(self, service_url: str, conversation: str, stream_id: str, message: OutboundMessage) -> bool:
        """End it as the message that it is; False where that still has to be said by a change of the message.

        Raises:
            TryLater, Refused: as for `TeamsClient.call`; saying it again is harmless.
        """
        try:
            await self._client.call(service_url, render.finish(conversation, stream_id, message))
        except NotStreaming:
            return False
        finally:
            self._written.pop(stream_id, None)
        return True
