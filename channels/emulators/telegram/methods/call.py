"""One call of one method by one bot: what it carries and what it may touch.

Belongs here: the call and reading its values. The methods are the neighbours of this module.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from channels.emulators.telegram.chats import Chat
from channels.emulators.telegram.errors import bad_request, strict
from channels.emulators.telegram.flood import FloodControl
from channels.emulators.telegram.parameters import Parameters, Upload
from channels.emulators.telegram.people import Bot
from channels.emulators.telegram.webhook import Webhooks
from channels.emulators.telegram.world import World


@dataclass(frozen=True, slots=True)
class Services:
    """What the methods work on. `strict` refuses what the real Telegram would silently repair or ignore."""

    world: World
    flood: FloodControl
    webhooks: Webhooks
    strict: bool = True


@dataclass(frozen=True, slots=True)
class Raw:
    """A result that is JSON already."""

    body: bytes


@dataclass(frozen=True, slots=True)
class Call:
    """What a method gets. `values` has been read by the method's parameters; `uploads` are files by field name."""

    services: Services
    bot: Bot
    method: str
    values: Mapping[str, Any]
    uploads: Mapping[str, Upload]

    @property
    def world(self) -> World:
        """Everything that there is."""
        return self.services.world

    def text(self, name: str) -> str:
        """A String, empty when it is left out."""
        value: str = self.values.get(name, "")
        return value

    def integer(self, name: str, otherwise: int = 0) -> int:
        """An Integer."""
        value: int = self.values.get(name, otherwise)
        return value

    def flag(self, name: str) -> bool:
        """A Boolean, False when it is left out."""
        return bool(self.values.get(name))

    def chat_id(self, name: str = "chat_id") -> int:
        """The id of a chat.

        Raises:
            ApiError: 400; nothing here has a public name, so `@name` finds nothing.
        """
        value = self.values.get(name)
        if value is None:
            raise bad_request(f"{name} is empty")
        if not isinstance(value, int):
            raise bad_request("chat not found")
        return value

    def chat_to_write(self) -> Chat:
        """The chat named by `chat_id`, to say something in it."""
        return self.world.chat_to_write(self.bot, self.chat_id())

    def chat_to_read(self) -> Chat:
        """The chat named by `chat_id`, to look at it."""
        return self.world.chat_to_read(self.bot, self.chat_id())

    def complain(self, words: str) -> None:
        """Refuse, when strict, what Telegram would let pass."""
        if self.services.strict:
            raise strict(words)


Run = Callable[[Call], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class Method:
    """A method by its name in the documentation, what it takes, and what it does; `run` returns the result as JSON."""

    name: str
    parameters: Parameters
    run: Run
