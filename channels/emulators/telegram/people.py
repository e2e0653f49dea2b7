"""Who there is: people, and bots as Telegram knows them.

Belongs here: identities, and a bot's own settings. Where they meet belongs to `chats`.
"""

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from channels.emulators.telegram.menus import CommandMenus
from channels.emulators.telegram.updates import UpdateQueue

TOKEN_SHAPE = re.compile(r"(\d{1,16}):[A-Za-z0-9_-]{35,}")
"""A bot's token: its id, then at least 35 characters of secret."""


@dataclass(frozen=True)
class Person:
    """Someone with a Telegram account. Ids are above 2^32 on purpose: Telegram promises no less than 52 bits."""

    id: int
    first_name: str
    last_name: str | None = None
    username: str | None = None
    language_code: str | None = "en"

    @property
    def name(self) -> str:
        """What stands above their messages."""
        return f"{self.first_name} {self.last_name}" if self.last_name else self.first_name

    @cached_property
    def user(self) -> dict[str, Any]:
        """The `User` object."""
        user = {"id": self.id, "is_bot": False, "first_name": self.first_name}
        return user | _given(last_name=self.last_name, username=self.username, language_code=self.language_code)


@dataclass(frozen=True, slots=True)
class WebhookSettings:
    """Where a bot wants its updates. `secret` goes into the header of each."""

    url: str
    secret: str = ""
    connections: int = 40


@dataclass(eq=False)
class Bot:
    """A bot's account. `reads_all` is what BotFather calls privacy mode off."""

    token: str
    first_name: str
    username: str
    queue: UpdateQueue
    reads_all: bool = False
    menus: CommandMenus = field(default_factory=CommandMenus)
    webhook: WebhookSettings | None = None
    webhook_error: tuple[int, str] | None = None
    """When delivery last failed, in seconds since 1970, and why."""
    next_webhook_at: float = 0.0
    """Before this (monotonic) setWebhook is refused."""
    next_conflict_at: float = 0.0
    """Before this (monotonic) a conflict is answered late."""

    @cached_property
    def id(self) -> int:
        """The number before the colon of the token."""
        return bot_id(self.token)

    @property
    def name(self) -> str:
        """What stands above its messages."""
        return self.first_name

    @cached_property
    def user(self) -> dict[str, Any]:
        """The `User` object as it stands in messages."""
        return {"id": self.id, "is_bot": True, "first_name": self.first_name, "username": self.username}

    @property
    def me(self) -> dict[str, Any]:
        """The `User` object as getMe gives it, with what only getMe tells."""
        no = dict.fromkeys(
            (
                "supports_inline_queries",
                "supports_guest_queries",
                "can_connect_to_business",
                "has_main_web_app",
                "has_topics_enabled",
                "allows_users_to_create_topics",
                "can_manage_bots",
                "supports_join_request_queries",
            ),
            False,
        )
        return self.user | {"can_join_groups": True, "can_read_all_group_messages": self.reads_all} | no


Account = Person | Bot


def bot_id(token: str) -> int:
    """The bot's id.

    Raises:
        ValueError: not the shape of a token.
    """
    match = TOKEN_SHAPE.fullmatch(token)
    if match is None:
        raise ValueError("a bot's token is digits, a colon and at least 35 letters, digits, _ or -")
    return int(match[1])


def _given(**fields: str | None) -> dict[str, str]:
    return {name: value for name, value in fields.items() if value is not None}
