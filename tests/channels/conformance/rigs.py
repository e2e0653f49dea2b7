"""The rigs of our own adapters, by what each is called."""

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Final

from channels.conformance.rig import Rig
from tests.channels.discord.discord_rig import discord_rig
from tests.channels.memory.memory_rig import (
    memory_bare_rig,
    memory_fields_rig,
    memory_forms_rig,
    memory_rig,
    memory_streaming_rig,
)
from tests.channels.slack.slack_rig import slack_http_rig, slack_rig
from tests.channels.teams.teams_rig import teams_rig
from tests.channels.telegram.telegram_rig import telegram_rig, telegram_webhook_rig

RIGS: Final[Mapping[str, Callable[[], AbstractAsyncContextManager[Rig]]]] = {
    "telegram": telegram_rig,
    "telegram webhook": telegram_webhook_rig,
    "discord": discord_rig,
    "slack": slack_rig,
    "slack by http": slack_http_rig,
    "teams": teams_rig,
    "memory": memory_rig,
    "memory with streams": memory_streaming_rig,
    "memory with forms": memory_forms_rig,
    "memory with fields": memory_fields_rig,
    "memory without buttons": memory_bare_rig,
}
