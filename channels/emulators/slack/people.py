"""Who there is: people, and apps as Slack knows them.

Belongs here: identities, an app's tokens, scopes and subscriptions. Where they meet belongs to `chats`.
"""

from dataclasses import dataclass, field
from typing import Any

TEAM_ID = "T0PRETEND"
TEAM_NAME = "Pretend"
TEAM_DOMAIN = "pretend"

SCOPES = frozenset(
    {
        "app_mentions:read",
        "assistant:write",
        "channels:history",
        "channels:join",
        "channels:read",
        "chat:write",
        "commands",
        "files:read",
        "files:write",
        "groups:history",
        "groups:read",
        "groups:write",
        "im:history",
        "im:read",
        "im:write",
        "mpim:history",
        "mpim:read",
        "mpim:write",
        "reactions:read",
        "reactions:write",
        "team:read",
        "users:read",
    }
)
"""What a bot may do unless it is taken away."""

EVENTS = frozenset(
    {
        "app_home_opened",
        "app_mention",
        "member_joined_channel",
        "member_left_channel",
        "message.channels",
        "message.groups",
        "message.im",
        "reaction_added",
        "reaction_removed",
    }
)
"""What an app is told of unless it subscribes to less."""


@dataclass(frozen=True)
class Person:
    """Someone in the workspace. `handle` is what Slack calls their name, `name` what they are shown as."""

    id: str
    name: str
    handle: str
    locale: str = "en-US"
    timezone: str = "Europe/London"

    @property
    def user(self) -> dict[str, Any]:
        """The `user` object of users.info."""
        profile = {"real_name": self.name, "display_name": self.name, "team": TEAM_ID}
        return {
            "id": self.id,
            "team_id": TEAM_ID,
            "name": self.handle,
            "deleted": False,
            "real_name": self.name,
            "tz": self.timezone,
            "profile": profile,
            "is_admin": False,
            "is_owner": False,
            "is_restricted": False,
            "is_ultra_restricted": False,
            "is_bot": False,
            "is_app_user": False,
            "updated": 1,
        }

    @property
    def brief(self) -> dict[str, Any]:
        """The `user` of an interaction."""
        return {"id": self.id, "username": self.handle, "name": self.handle, "team_id": TEAM_ID}


@dataclass(eq=False)
class Bot:
    """An app with its bot user. Everything that it holds is worth nothing anywhere else."""

    token: str
    app_token: str
    signing_secret: str
    app_id: str
    bot_id: str
    user_id: str
    name: str
    team_id: str = TEAM_ID
    commands: set[str] = field(default_factory=lambda: {"/conch"})
    """The slash commands that the app has, with the slash."""
    scopes: set[str] = field(default_factory=lambda: set(SCOPES))
    """What it may do; take one away to see `missing_scope`."""
    events: set[str] = field(default_factory=lambda: set(EVENTS))
    """What it is told of, by the names of the subscription page."""
    revoked: bool = False
    """Whether its tokens work no more."""
    request_url: str | None = None
    """Where its events are posted; None is Socket Mode."""

    @property
    def id(self) -> str:
        """Of its user."""
        return self.user_id

    @property
    def user(self) -> dict[str, Any]:
        """The `user` object of users.info."""
        profile = {"real_name": self.name, "display_name": "", "bot_id": self.bot_id, "api_app_id": self.app_id}
        return {
            "id": self.user_id,
            "team_id": self.team_id,
            "name": self.name.lower().replace(" ", "_"),
            "deleted": False,
            "real_name": self.name,
            "profile": profile | {"team": self.team_id},
            "is_bot": True,
            "is_app_user": False,
            "updated": 1,
        }

    @property
    def profile(self) -> dict[str, Any]:
        """The `bot_profile` of its messages."""
        return {
            "id": self.bot_id,
            "app_id": self.app_id,
            "user_id": self.user_id,
            "name": self.name,
            "deleted": False,
            "updated": 1,
            "team_id": self.team_id,
        }


Account = Person | Bot
