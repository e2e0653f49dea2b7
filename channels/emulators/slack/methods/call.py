"""One call of one method by one bot: what it carries and what it may touch.

Belongs here: the call, reading its values, what a method says of itself. The methods are the neighbours of this module.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from channels.emulators.slack.chats import Chat, Message
from channels.emulators.slack.errors import ApiError, invalid_arguments
from channels.emulators.slack.people import Bot
from channels.emulators.slack.world import World

TEXT, FLAG, NUMBER, JSON, NOT_PLAYED = "text", "flag", "number", "json", "not played"
"""What a parameter is; one that is not played is refused where the pretend Slack is strict."""


@dataclass(frozen=True, slots=True)
class Call:
    """What a method gets. `values` has been read by the method's parameters; `warnings` go into the answer."""

    world: World
    bot: Bot
    values: Mapping[str, Any]
    warnings: list[str] = field(default_factory=list)

    def text(self, name: str) -> str:
        """Text, empty when it is left out."""
        value: str = self.values.get(name) or ""
        return value

    def flag(self, name: str) -> bool:
        """A boolean, False when it is left out."""
        return bool(self.values.get(name))

    def number(self, name: str, otherwise: int) -> int:
        """A whole number."""
        value: int = self.values.get(name, otherwise)
        return value

    def chat_to_write(self, name: str = "channel") -> Chat:
        """The room to say something in."""
        return self.world.chat_to_write(self.bot, self.text(name))

    def chat_to_read(self, name: str = "channel") -> Chat:
        """The room to look at; the bot is in it.

        Raises:
            ApiError: `not_in_channel`.
        """
        chat = self.world.chat_to_read(self.bot, self.text(name))
        if self.bot.id not in chat.members:
            raise ApiError("not_in_channel")
        return chat

    def message(self, chat: Chat, ts: str) -> Message:
        """A message that everybody in a room sees.

        Raises:
            ApiError: `message_not_found`.
        """
        message = chat.messages.get(ts)
        if message is None or message.deleted or message.only_for is not None:
            raise ApiError("message_not_found")
        return message

    def complain(self, words: str) -> None:
        """Refuse, when strict, what Slack would let pass."""
        if self.world.strict:
            raise invalid_arguments(f"strict: {words}")


Run = Callable[[Call], Awaitable[Mapping[str, Any]]]


@dataclass(frozen=True, slots=True)
class Method:
    """A method by its name, what it takes, what it wants, and what it does.

    `scopes`: one of them is enough. `app_level`: it is called with the app's own token.
    """

    name: str
    parameters: Mapping[str, str]
    run: Run
    required: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()
    app_level: bool = False
