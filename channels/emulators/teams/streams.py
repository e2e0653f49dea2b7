"""Messages that a bot writes piece by piece: typing activities with `streaminfo`, and one message at the end.

Belongs here: which piece may follow which, and what is seen of it (bots/streaming-ux). Other messages are `methods`'.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from channels.emulators.teams import acting, limits
from channels.emulators.teams.chats import Chat, Content, Message
from channels.emulators.teams.contents import content_of
from channels.emulators.teams.errors import ApiError
from channels.emulators.teams.people import Bot
from channels.emulators.teams.world import World

Json = Mapping[str, Any]

INFORMATIVE, STREAMING, FINAL = "informative", "streaming", "final"

COMPLETED = "Content stream is not allowed on an already completed streamed message."

_INFORMATIVE_LENGTH = 1000


@dataclass(slots=True)
class Stream:
    """One message being written; `since` and `paced` are monotonic."""

    message: Message
    since: float
    sequence: int
    paced: float
    shown: str = ""


class Streams:
    """All of them, by their ids."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._streams: dict[str, Stream] = {}

    def take(self, bot: Bot, chat: Chat, activity: Json) -> tuple[int, Any]:
        """A piece, or the end; status and answer.

        Raises:
            ApiError: it may not come, or not now.
        """
        info = about(activity)
        assert info is not None  # noqa: S101 asked before
        _check(chat, activity, info)
        stream_id = info.get("streamId")
        if stream_id is None:
            return self._begin(bot, chat, activity, info)
        stream = self._streams.get(str(stream_id))
        if stream is None or stream.message.chat is not chat:
            raise ApiError("ContentStreamNotAllowed", "Content stream is not found.")
        self._check_time(stream)
        if info["streamType"] == FINAL:
            return self._end(stream, activity)
        return self._go_on(stream, activity, info)

    def _begin(self, bot: Bot, chat: Chat, activity: Json, info: Json) -> tuple[int, Any]:
        if info["streamType"] == FINAL:
            raise ApiError("BadArgument", "streamId is required to end a stream.")
        if info.get("streamSequence") != 1:
            raise ApiError("ContentStreamSequenceOrderPreConditionFailed", "The first streamSequence is 1.")
        if self._world.strict and any(message.streaming for message in chat.messages.values()):
            raise ApiError("ContentStreamNotAllowed", "strict: another message is being written in this chat")
        text = str(activity["text"])
        informative = info["streamType"] == INFORMATIVE
        message = self._world.post(chat, bot, Content("" if informative else text), streaming=True)
        message.informative = text if informative else ""
        now = self._world.clock.monotonic()
        self._streams[message.id] = Stream(message, now, 1, now, "" if informative else text)
        return 201, {"id": message.id}

    def _go_on(self, stream: Stream, activity: Json, info: Json) -> tuple[int, Any]:
        if int(info["streamSequence"]) <= stream.sequence:
            raise ApiError("ContentStreamSequenceOrderPreConditionFailed")
        self._check_pace(stream)
        text = str(activity["text"])
        if info["streamType"] == INFORMATIVE:
            if stream.shown:
                raise ApiError("ContentStreamNotAllowed", "No informative update after content.")
            stream.message.informative = text
            self._world.write_on(stream.message, stream.message.content)
        else:
            if self._world.strict and not text.startswith(stream.shown.rstrip()):
                raise ApiError("BadArgument", "strict: each piece repeats everything before it")
            stream.message.informative, stream.shown = "", text
            self._world.write_on(stream.message, Content(text))
        stream.sequence = int(info["streamSequence"])
        return 202, {}

    def _end(self, stream: Stream, activity: Json) -> tuple[int, Any]:
        message = stream.message
        content = content_of(activity, is_strict=self._world.strict, private=True)
        message.informative, message.streaming, message.stopped = "", False, COMPLETED
        self._world.write_on(message, content)
        acting.refresh(self._world, message)
        return 202, {"id": message.id}

    def _check_time(self, stream: Stream) -> None:
        too_long = self._world.clock.monotonic() - stream.since > limits.STREAM_SECONDS
        if too_long and stream.message.streaming:
            self._world.stop(stream.message, "Content stream finished due to exceeded streaming time.")
        if stream.message.stopped:
            raise ApiError("ContentStreamNotAllowed", stream.message.stopped)

    def _check_pace(self, stream: Stream) -> None:
        """One a second, of which one may be early."""
        now = self._world.clock.monotonic()
        if stream.paced > now:
            raise ApiError("Throttled", "API calls quota exceeded.")
        stream.paced = now + limits.STREAM_PACE if stream.paced + limits.STREAM_PACE > now else now


def about(activity: Json) -> Json | None:
    """The `streaminfo` of an activity."""
    entities = activity.get("entities") or ()
    return next((entity for entity in entities if entity.get("type") == "streaminfo"), None)


def _check(chat: Chat, activity: Json, info: Json) -> None:
    if not chat.private:
        raise ApiError("ContentStreamNotAllowed", "Content stream is allowed in one-on-one chats only.")
    kind, final = info.get("streamType"), activity["type"] == "message"
    if kind not in (INFORMATIVE, STREAMING, FINAL) or final is not (kind == FINAL):
        raise ApiError("BadArgument", "streamType is informative or streaming while typing, and final in a message.")
    if final:
        if "streamSequence" in info:
            raise ApiError("BadArgument", "The final message has no streamSequence.")
        return
    if not isinstance(info.get("streamSequence"), int):
        raise ApiError("BadArgument", "streamSequence is required.")
    if not str(activity.get("text") or "").strip():
        raise ApiError("BadArgument", "Streaming activities should include text.")
    if kind == INFORMATIVE and len(str(activity["text"])) > _INFORMATIVE_LENGTH:
        raise ApiError("BadArgument", "An informative update has at most 1000 characters.")
    if activity.get("attachments"):
        raise ApiError("BadArgument", "Attachments come with the final message only.")
