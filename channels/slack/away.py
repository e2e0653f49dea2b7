"""Answers to a command that was given where the bot is not: shown there, to the person alone, while that can be.

Slack takes 5 such answers within 30 minutes and keeps none, so a long answer, and what comes later, goes to the private
chat; a line in either place says so.
"""

from dataclasses import dataclass
from typing import Final

from channels.base import OutboundMessage
from channels.formatting.parts import Dialect, escape
from channels.slack import limits, render
from channels.slack.answers import MarkupRefused
from channels.slack.client import SlackClient
from channels.slack.responding import Response, Responses
from core.errors import ConchError, MaybeDone, Refused, RefusedReason, TryLater

IN_PRIVATE: Final = "The answer is in our private chat, because it does not fit here."
CAME_LATE: Final = f"You asked this with `{limits.COMMAND}` in a channel. I could not answer there any more."


@dataclass(frozen=True, slots=True)
class Said:
    """`message_id` where it was shown there; else it goes to the private chat, with a line `above` it, if any."""

    message_id: str | None = None
    above: str | None = None


class Answers:
    """The way back to where a command was given."""

    def __init__(self, client: SlackClient, responses: Responses) -> None:
        self._client = client
        self._responses = responses

    async def say(self, message: OutboundMessage) -> Said:
        """Show it there, or say where it goes instead.

        Raises:
            TryLater, MaybeDone: as for `SlackClient.call`.
        """
        command = message.answers or ""
        response = self._responses.to(command)
        if response is None:
            return Said(above=CAME_LATE if self._responses.move(command) else None)
        # The last use says where the rest is.
        fits = len(message.text) <= limits.MAX_RESPONSE and message.file is None and response.uses > 1
        if self._responses.is_moved(command) or not fits:
            if self._responses.move(command):
                await self._tell(response)
            return Said()
        return await self._show(command, message, response)

    async def note(self, press_id: str, words: str) -> bool:
        """Say a line to somebody who pressed a button there; False where that was not there."""
        response = self._responses.to(press_id)
        if response is None:
            return False
        await self._use(response, _line(words))
        return True

    async def change(self, message_id: str, new: OutboundMessage) -> None:
        """Make one say something else, which Slack lets us do when a button in it was just pressed.

        Raises:
            Refused: no button of it was pressed lately.
            TryLater, MaybeDone: as for `SlackClient.call`.
        """
        response = self._responses.to(message_id)
        if response is None:
            raise Refused("This was shown to one person only, and cannot be changed.", RefusedReason.GONE)
        await self._draw(response, new, message_id, instead=True)

    async def _show(self, command: str, message: OutboundMessage, response: Response) -> Said:
        message_id = f"{command}:{limits.RESPONSE_USES - response.uses}"
        try:
            await self._draw(response, message, message_id)
        except Refused:
            return Said(above=CAME_LATE if self._responses.move(command) else None)
        return Said(message_id)

    async def _draw(self, response: Response, message: OutboundMessage, message_id: str, instead: bool = False) -> None:
        try:
            await self._use(response, render.response(message, message_id, instead=instead))
        except MarkupRefused:
            await self._use(response, render.response(message, message_id, plainer=True, instead=instead))

    async def _tell(self, response: Response) -> None:
        """Where the answer is; it is there whether this is seen or not."""
        try:
            await self._use(response, _line(IN_PRIVATE))
        except ConchError:
            return

    async def _use(self, response: Response, body: render.Json) -> None:
        try:
            await self._client.respond(response.url, body)
        except TryLater:
            raise
        except (MaybeDone, Refused):
            response.uses -= 1
            raise
        response.uses -= 1


def _line(words: str) -> render.Json:
    return {"response_type": "ephemeral", "replace_original": False, "text": escape(words, Dialect.mrkdwn)}
