"""Who has an account on the pretend Discord: people, and the bots that the developer portal knows.

Belongs here: accounts and how Discord speaks of them. What a person does belongs to `screen`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from channels.emulators.discord import limits
from channels.emulators.discord.sessions import MESSAGE_CONTENT, Session


@dataclass(eq=False)
class Account:
    """Someone. `name` is what stands over their messages, `username` what is unique."""

    id: str
    name: str
    username: str

    @property
    def is_bot(self) -> bool:
        """Whether a program speaks for it."""
        return False

    @property
    def user(self) -> dict[str, Any]:
        """As Discord speaks of it."""
        return {
            "id": self.id,
            "username": self.username,
            "discriminator": "0",
            "global_name": None if self.is_bot else self.name,
            "avatar": None,
            "public_flags": 0,
            "flags": 0,
            "primary_guild": None,
            "clan": None,
            **({"bot": True} if self.is_bot else {}),
        }


@dataclass(eq=False)
class Person(Account):
    """A human. `closed_to` are the bots (by id) whose private messages they do not take."""

    locale: str = "en-US"
    closed_to: set[str] = field(default_factory=set)


@dataclass(eq=False)
class Bot(Account):
    """A program. `allowed_intents` are the privileged intents that are switched on in the developer portal."""

    token: str = field(default="", repr=False)
    allowed_intents: int = MESSAGE_CONTENT
    identifies_left: int = limits.IDENTIFIES_A_DAY
    sessions: list[Session] = field(default_factory=list)
    commands: dict[str, dict[str, Any]] = field(default_factory=dict)
    guild_commands: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)

    @property
    def is_bot(self) -> bool:
        """It is one."""
        return True

    @property
    def application_id(self) -> str:
        """The application's id; Discord gives a bot the same."""
        return self.id

    @property
    def me(self) -> dict[str, Any]:
        """What the bot is told of itself."""
        return self.user | {"mfa_enabled": False, "locale": "en-US", "verified": True, "email": None, "bio": ""}

    @property
    def online(self) -> bool:
        """Whether people see it as there: it is connected now."""
        return any(session.link is not None for session in self.sessions)

    @property
    def reads_content(self) -> bool:
        """Whether the portal lets it read what people write without naming it."""
        return bool(self.allowed_intents & MESSAGE_CONTENT)

    def dispatch(self, event: str, data: Mapping[str, Any], intent: int = 0) -> None:
        """Tell every session that asked for `intent`; 0 needs none."""
        for session in self.sessions:
            if not intent or session.intents & intent:
                session.dispatch(event, data)
