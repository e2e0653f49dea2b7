"""Where things are said: guilds, their channels and threads, private chats, and the messages in them.

Belongs here: the state and how Discord speaks of it. What changes it belongs to `world`.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from channels.emulators.discord import permissions
from channels.emulators.discord.people import Account, Bot, Person

TEXT, DM, THREAD = 0, 1, 11
"""Kinds of channel, by Discord's numbers."""

EPHEMERAL, LOADING, HAS_THREAD, SUPPRESS_EMBEDS, SILENT, V2 = 1 << 6, 1 << 7, 1 << 5, 1 << 2, 1 << 12, 1 << 15
"""Flags of a message."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file under a message; `size` in bytes may be claimed, so that a huge one need not be in memory."""

    id: str
    name: str
    mime: str
    size: int
    data: bytes = field(repr=False)
    description: str | None = None


@dataclass(frozen=True, slots=True)
class Content:
    """What an edit can change. `embeds` and `components` are as Discord keeps them: checked, with ids."""

    text: str = ""
    embeds: tuple[dict[str, Any], ...] = ()
    components: tuple[dict[str, Any], ...] = ()
    attachments: tuple[Attachment, ...] = ()


@dataclass(eq=False)
class Message:
    """Something said. `only_for` is the one person who sees it; `pings` are who was notified."""

    id: str
    channel: "Channel"
    author: Account
    content: Content
    at: datetime
    flags: int = 0
    reply_to: "Message | None" = None
    mentions: tuple[Account, ...] = ()
    pings: tuple[str, ...] = ()
    everyone: bool = False
    only_for: Person | None = None
    interaction: dict[str, Any] | None = None
    nonce: str | int | None = None
    edited_at: datetime | None = None
    history: list[Content] = field(default_factory=list)
    reactions: dict[str, list[Account]] = field(default_factory=dict)
    deleted: bool = False
    kind: int = 0


@dataclass(eq=False)
class Channel:
    """A room. A private chat has `person` and `bot`, everything else a `guild`, a thread also a `parent`."""

    id: str
    kind: int
    name: str = ""
    guild: "Guild | None" = None
    person: Person | None = None
    bot: Bot | None = None
    parent: "Channel | None" = None
    archived: bool = False
    at: datetime | None = None
    owner_id: str = ""
    messages: dict[str, Message] = field(default_factory=dict)
    denied: dict[str, int] = field(default_factory=dict)
    given: dict[str, int] = field(default_factory=dict)
    typing: dict[str, float] = field(default_factory=dict)
    acts: dict[str, str] = field(default_factory=dict)
    """When each person last said something, as a snowflake."""
    asked: dict[str, str] = field(default_factory=dict)
    """The command that each person gave last, as it would be typed."""

    @property
    def private(self) -> bool:
        """Whether only one person and one bot are in it."""
        return self.kind == DM

    def allowed(self, bot: Bot) -> int:
        """The permissions of a bot here; threads have those of their channel."""
        if self.guild is None:
            return permissions.EVERYONE
        denied = (self.parent or self).denied.get(bot.id, 0) | self.guild.denied.get(bot.id, 0)
        given = (self.parent or self).given.get(bot.id, 0) | self.guild.given.get(bot.id, 0)
        return permissions.EVERYONE & ~denied | given

    def may(self, bot: Bot, bits: int) -> bool:
        """Whether a bot has all these permissions here."""
        return self.allowed(bot) & bits == bits

    def bots(self) -> list[Bot]:
        """Who of the bots sees it."""
        if self.guild is None:
            return [self.bot] if self.bot is not None else []
        return [bot for bot in self.guild.bots.values() if self.may(bot, permissions.VIEW_CHANNEL)]

    def json(self, bot: Bot) -> dict[str, Any]:
        """As Discord speaks of it to a bot."""
        last = next(reversed(self.messages), None)
        if self.person is not None:
            shared = {"id": self.id, "type": self.kind, "last_message_id": last, "flags": 0}
            return shared | {"recipients": [self.person.user]}
        common = self._in_a_guild(last)
        if self.parent is not None:
            return common | self._as_thread(bot)
        return common | {
            "position": 0,
            "topic": None,
            "nsfw": False,
            "permission_overwrites": [
                {
                    "id": who,
                    "type": 1,
                    "allow": str(self.given.get(who, 0)),
                    "deny": str(self.denied.get(who, 0)),
                }
                for who in {**self.denied, **self.given}
                if self.denied.get(who) or self.given.get(who)
            ],
        }

    def _in_a_guild(self, last: str | None) -> dict[str, Any]:
        guild, parent = self.guild, self.parent
        return {
            "id": self.id,
            "type": self.kind,
            "name": self.name,
            "guild_id": guild.id if guild is not None else None,
            "parent_id": parent.id if parent is not None else None,
            "last_message_id": last,
            "rate_limit_per_user": 0,
            "flags": 0,
        }

    def _as_thread(self, bot: Bot) -> dict[str, Any]:
        began = self.at.isoformat() if self.at is not None else None
        metadata = {
            "archived": self.archived,
            "auto_archive_duration": 1440,
            "archive_timestamp": began,
            "locked": False,
            "create_timestamp": began,
        }
        return {
            "owner_id": self.owner_id,
            "message_count": len(self.messages),
            "member_count": 1,
            "total_message_sent": len(self.messages),
            "thread_metadata": metadata,
            "member": {"id": self.id, "user_id": bot.id, "join_timestamp": began, "flags": 0},
        }


@dataclass(eq=False)
class Guild:
    """A server. `denied` are permissions that a bot lost everywhere in it, `given` those it has beyond a member's."""

    id: str
    name: str
    at: datetime
    people: dict[str, Person] = field(default_factory=dict)
    bots: dict[str, Bot] = field(default_factory=dict)
    channels: dict[str, Channel] = field(default_factory=dict)
    denied: dict[str, int] = field(default_factory=dict)
    given: dict[str, int] = field(default_factory=dict)
    since: dict[str, datetime] = field(default_factory=dict)
    """When a bot that was not there from the start came, by its id."""

    def member(self, account: Account) -> dict[str, Any]:
        """Someone as a member; without who they are, as messages carry it."""
        return {
            "roles": [],
            "joined_at": self.at.isoformat(),
            "deaf": False,
            "mute": False,
            "flags": 0,
            "nick": None,
            "avatar": None,
            "banner": None,
            "premium_since": None,
            "pending": False,
            "communication_disabled_until": None,
        }

    def channel_named(self, name: str) -> Channel:
        """A channel by what stands in the list.

        Raises:
            LookupError: there is none.
        """
        for channel in self.channels.values():
            if channel.name == name and channel.kind == TEXT:
                return channel
        raise LookupError(f"no channel {name!r} in {self.name}")

    def partial(self) -> dict[str, Any]:
        """As interactions speak of it."""
        return {"id": self.id, "features": [], "locale": "en-US"}

    def json(self, bot: Bot) -> dict[str, Any]:
        """As GUILD_CREATE tells a bot."""
        seen = [c for c in self.channels.values() if c.may(bot, permissions.VIEW_CHANNEL)]
        accounts: list[Account] = [*self.people.values(), *self.bots.values()]
        owner = next(iter(self.people.values()), None)
        return {
            "id": self.id,
            "name": self.name,
            "owner_id": owner.id if owner is not None else bot.id,
            "member_count": len(accounts),
            "large": False,
            "unavailable": False,
            "joined_at": self.since.get(bot.id, self.at).isoformat(),
            "roles": [self._everyone(bot)],
            "channels": [c.json(bot) for c in seen if c.kind == TEXT],
            "threads": [c.json(bot) for c in seen if c.kind == THREAD and not c.archived],
            "members": [self.member(account) | {"user": account.user} for account in accounts],
            **_UNUSED,
        }

    def _everyone(self, bot: Bot) -> dict[str, Any]:
        allowed = permissions.EVERYONE & ~self.denied.get(bot.id, 0) | self.given.get(bot.id, 0)
        plain = {"primary_color": 0, "secondary_color": None, "tertiary_color": None}
        shown = {"color": 0, "colors": plain, "hoist": False, "managed": False, "mentionable": False, "flags": 0}
        return {"id": self.id, "name": "@everyone", "permissions": str(allowed), "position": 0, **shown}


_UNUSED: dict[str, Any] = {
    "features": [],
    "emojis": [],
    "stickers": [],
    "presences": [],
    "voice_states": [],
    "stage_instances": [],
    "guild_scheduled_events": [],
    "soundboard_sounds": [],
    "icon": None,
    "splash": None,
    "discovery_splash": None,
    "banner": None,
    "description": None,
    "afk_channel_id": None,
    "afk_timeout": 300,
    "verification_level": 0,
    "default_message_notifications": 0,
    "explicit_content_filter": 0,
    "mfa_level": 0,
    "application_id": None,
    "system_channel_id": None,
    "system_channel_flags": 0,
    "rules_channel_id": None,
    "public_updates_channel_id": None,
    "safety_alerts_channel_id": None,
    "vanity_url_code": None,
    "premium_tier": 0,
    "premium_subscription_count": 0,
    "premium_progress_bar_enabled": False,
    "preferred_locale": "en-US",
    "nsfw_level": 0,
    "max_members": 500000,
    "region": "us",
}
"""What GUILD_CREATE must carry and nobody here uses."""
