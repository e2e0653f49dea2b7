"""One call of the REST API with everything read, and what it may reach.

Belongs here: what every route is handed, and finding channels and messages with Discord's refusals.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from channels.emulators.discord import permissions
from channels.emulators.discord.errors import closed_to_bots, missing_access, missing_permissions, unauthorized, unknown
from channels.emulators.discord.files import Upload
from channels.emulators.discord.people import Bot
from channels.emulators.discord.places import Channel, Message
from channels.emulators.discord.telling import message_json, readable_by
from channels.emulators.discord.world import World


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer that works; without a body it is 204. `new`: something was made for which Discord answers 201."""

    body: object = None
    new: bool = False

    @property
    def status(self) -> int:
        """200 or 201, or 204 where there is nothing to say."""
        if self.body is None:
            return 204
        return 201 if self.new else 200


@dataclass(frozen=True, slots=True)
class Call:
    """A request. `place` are the parts of its address by the names that the route gives them."""

    world: World
    caller: Bot | None
    place: Mapping[str, str]
    query: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    uploads: Mapping[str, Upload] = field(default_factory=dict)

    @property
    def bot(self) -> Bot:
        """Who calls.

        Raises:
            ApiError: 401 where the call has no token.
        """
        if self.caller is None:
            raise unauthorized()
        return self.caller

    @property
    def fields(self) -> dict[str, Any]:
        """The body as an object; empty where it is none."""
        return self.body if isinstance(self.body, dict) else {}

    def channel(self, *needed: int) -> Channel:
        """The channel that the address names, where the bot has these permissions.

        Raises:
            ApiError: there is none (10003), it cannot see it (50001), or may not do that (50013).
        """
        channel = self.world.channels.get(self.place["channel_id"])
        if channel is None:
            raise unknown("Channel")
        if self.bot not in channel.bots():
            raise missing_access()
        if not channel.may(self.bot, sum(needed)):
            raise missing_permissions()
        return channel

    def channel_to_write(self) -> Channel:
        """The same, where something is to be said.

        Raises:
            ApiError: as `channel`, or the person takes no private messages (50007).
        """
        channel = self.channel()
        if channel.person is not None and self.bot.id in channel.person.closed_to:
            raise closed_to_bots()
        needed = permissions.SEND_MESSAGES if channel.parent is None else permissions.SEND_MESSAGES_IN_THREADS
        return self.channel(needed)

    def message(self, channel: Channel) -> Message:
        """The message that the address names. What one person alone sees is not reached this way.

        Raises:
            ApiError: 10008.
        """
        message = channel.messages.get(self.place["message_id"])
        if message is None or message.deleted or message.only_for is not None:
            raise unknown("Message")
        return message

    def told(self, message: Message) -> dict[str, Any]:
        """A message as this bot is told of it."""
        allowed = self.caller is None or self.caller.reads_content
        readable = self.caller is None or readable_by(self.caller, message, allowed=allowed)
        return message_json(message, base=self.world.base, readable=readable)
