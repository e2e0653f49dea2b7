"""The chat apps whose bots can be connected: ours, and those of installed packages."""

from collections.abc import Mapping
from importlib.metadata import entry_points
from typing import Final

import structlog

from channels.base import ChannelKind
from channels.discord.kind import DiscordKind
from channels.slack.kind import SlackKind
from channels.teams.addresses import Addresses
from channels.teams.kind import TeamsKind
from channels.telegram.kind import TelegramKind
from conch.settings import ProgramSettings
from core.clock import Clock

_log = structlog.get_logger(__name__)

NAMES: Final = ("telegram", "discord", "slack", "teams")
"""Ours, by what is typed to connect one."""

CONNECT_ONE: Final = f"`conch channels add {NAMES[0]}` (or {', '.join(NAMES[1:])})"
"""How a bot is connected, within a sentence."""

ENTRY_POINTS = "conch.channels"
"""The group in which an installed package names a callable that takes the clock and gives a `ChannelKind`."""


def connectable(settings: ProgramSettings, clock: Clock, *, beside: str | None = None) -> Mapping[str, ChannelKind]:
    """Every chat app by its name. One of ours is never replaced, and a package that fails is left out and logged.

    `beside` is our own address on this machine, to which a pretend Teams brings messages instead of the public one.
    """
    telegram = TelegramKind(
        clock,
        base_url=settings.telegram_base_url,
        base_file_url=settings.telegram_base_file_url,
        allow_remote=settings.allow_remote_endpoints,
        webhooks=_webhooks(settings.public_url, "telegram") if settings.telegram_webhook else None,
    )
    discord = DiscordKind(
        clock,
        base_url=settings.discord_base_url,
        gateway_url=settings.discord_gateway_url,
        allow_remote=settings.allow_remote_endpoints,
    )
    slack = SlackKind(
        clock,
        base_url=settings.slack_base_url,
        allow_remote=settings.allow_remote_endpoints,
        webhooks=_webhooks(settings.public_url, "slack") if settings.public_url else None,
        console=settings.public_url,
    )
    reached = beside or settings.public_url
    teams = TeamsKind(clock, _addresses(settings), webhooks=_webhooks(reached, "teams") if reached else None)
    ours: tuple[ChannelKind, ...] = (telegram, discord, slack, teams)
    return _installed(clock) | {kind.kind: kind for kind in ours}


def _addresses(settings: ProgramSettings) -> Addresses:
    """Where Teams is; what is not set is Microsoft's."""
    named = {
        "login": settings.teams_login_url,
        "openid": settings.teams_openid_url,
        "service": settings.teams_service_url,
        "issuer": settings.teams_issuer,
    }
    given = {name: words for name, words in named.items() if words is not None}
    return Addresses(**given, allow_remote=settings.allow_remote_endpoints)


def _webhooks(reached: str | None, kind: str) -> str:
    """Where a chat app brings messages, as seen from outside; the route is in `web.webhooks`."""
    return f"{(reached or '').rstrip('/')}/channels/{kind}"


def _installed(clock: Clock) -> dict[str, ChannelKind]:
    found: dict[str, ChannelKind] = {}
    for entry in entry_points(group=ENTRY_POINTS):
        try:
            kind: ChannelKind = entry.load()(clock)
            found[kind.kind] = kind
        except Exception:  # noqa: BLE001 - a stranger's package does not keep Conch from starting
            _log.exception("a package's chat app could not be loaded", package=entry.value)
    return found
