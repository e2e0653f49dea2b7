"""The real Slack SDK as an app of the pretend Slack."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from channels.emulators.slack.people import Bot
from channels.emulators.slack.pretend import PretendSlack


def web(slack: PretendSlack, bot: Bot | None = None) -> AsyncWebClient:
    """The client of the Web API as anyone would set it up."""
    return AsyncWebClient(token=(bot or slack.bot).token, base_url=slack.base_url)


class Heard(asyncio.Queue[dict[str, Any]]):
    """What an app was told, oldest first."""

    async def next(self) -> dict[str, Any]:
        """The next one, within five seconds."""
        async with asyncio.timeout(5):
            return await self.get()


def app(slack: PretendSlack, bot: Bot | None = None) -> AsyncApp:
    """An app that acknowledges once its listeners are done, as an inbox that is written first wants it."""
    client = web(slack, bot)
    return AsyncApp(client=client, process_before_response=True, ignoring_self_events_enabled=False)


@asynccontextmanager
async def connected(slack: PretendSlack, bolt: AsyncApp, bot: Bot | None = None) -> AsyncIterator[None]:
    """The app connected by Socket Mode for the length of a block."""
    handler = AsyncSocketModeHandler(bolt, app_token=(bot or slack.bot).app_token, ping_interval=5)
    await handler.connect_async()  # type: ignore[no-untyped-call]  # untyped there
    try:
        async with asyncio.timeout(5):
            await slack.connected(bot=bot)
        yield
    finally:
        await handler.close_async()  # type: ignore[no-untyped-call]  # untyped there
