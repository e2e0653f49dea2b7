"""What was written in a private chat while nobody listened, as if it came now.

Its ids are those of the live road, so that nothing counts twice. Source: docs.slack.dev/messaging/retrieving-messages.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime
from typing import Final

from channels.base import Update
from channels.slack import render
from channels.slack.client import SlackClient
from channels.slack.fields import Json, text, thing, things
from channels.slack.intake import Intake
from channels.slack.parse import EVENT

MOST_PAGES: Final = 5
"""Of a chat: a thousand messages are more than anybody waits to be answered."""


async def read(client: SlackClient, intake: Intake, room: str, since: datetime) -> AsyncIterator[Update]:
    """What people wrote in a room after a moment, oldest first; in threads too, that were begun since then.

    Raises:
        TryLater, Refused: as for `SlackClient.call`.
    """
    oldest = f"{since.timestamp():.6f}"
    found: dict[str, Json] = {}
    cursor = ""
    for _ in range(MOST_PAGES):
        page = await client.call(render.history(room, oldest, cursor))
        for message in things(page, "messages"):
            found |= _by_ts([message])
            if message.get("reply_count") and (ts := text(message, "ts")):
                found |= _by_ts(things(await client.call(render.replies(room, ts, oldest)), "messages"))
        cursor = text(thing(page, "response_metadata") or {}, "next_cursor") or ""
        if not cursor:
            break
    for ts in sorted(found, key=float):
        event = {**found[ts], "type": "message", "channel": room, "channel_type": "im"}
        if (update := intake.update(EVENT, {"event": event})) is not None:
            yield update


def _by_ts(messages: Sequence[Json]) -> Mapping[str, Json]:
    return {ts: message for message in messages if (ts := text(message, "ts"))}
