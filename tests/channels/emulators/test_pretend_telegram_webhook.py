"""How a bot gets its updates by webhook: pushed, with a secret, in order, until it says that it has them."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from aiohttp import web
from telegram import Bot

from channels.emulators.listener import Listener
from channels.emulators.telegram.pretend import PretendTelegram
from channels.emulators.telegram.screen import Player, Screen
from core.clock import ManualClock
from tests.channels.emulators.conftest import Refused, Wire, asleep


@dataclass
class Hook:
    """The bot's end: takes what comes, or refuses with the statuses lined up."""

    statuses: list[int] = field(default_factory=list)
    taken: list[dict[str, Any]] = field(default_factory=list)
    secrets: list[str | None] = field(default_factory=list)
    tried: int = 0
    came: asyncio.Event = field(default_factory=asyncio.Event)
    url: str = ""

    async def __call__(self, request: web.BaseRequest) -> web.StreamResponse:
        self.tried += 1
        self.secrets.append(request.headers.get("X-Telegram-Bot-Api-Secret-Token"))
        body = await request.read()
        status = self.statuses.pop(0) if self.statuses else 200
        if status == 200:
            self.taken.append(json.loads(body))
        self.came.set()
        return web.Response(status=status)

    async def has(self, count: int) -> list[str]:
        """The texts that came, once there are so many."""
        async with asyncio.timeout(5):
            while len(self.taken) < count:
                self.came.clear()
                await self.came.wait()
        return [update["message"]["text"] for update in self.taken]


@pytest.fixture
async def hook() -> AsyncIterator[Hook]:
    hook = Hook()
    listener = Listener(hook)
    await listener.start()
    hook.url = f"http://127.0.0.1:{listener.port}/hook"
    yield hook
    await listener.stop()


async def test_updates_are_pushed_with_the_secret(bot: Bot, chat: Screen, hook: Hook) -> None:
    await bot.set_webhook(hook.url, secret_token="s3cret_-")
    await chat.say("hello")

    assert await hook.has(1) == ["hello"]
    assert hook.secrets == ["s3cret_-"]


async def test_what_waited_is_pushed_first(bot: Bot, chat: Screen, hook: Hook) -> None:
    await chat.say("one")
    await bot.set_webhook(hook.url)
    await chat.say("two")

    assert await hook.has(2) == ["one", "two"]


async def test_what_waited_can_be_dropped(bot: Bot, chat: Screen, hook: Hook) -> None:
    await chat.say("one")
    await bot.set_webhook(hook.url, drop_pending_updates=True)
    await chat.say("two")

    assert await hook.has(1) == ["two"]


async def test_a_refused_update_comes_again_and_the_rest_waits(
    bot: Bot, chat: Screen, hook: Hook, clock: ManualClock
) -> None:
    hook.statuses = [500, 302]
    await bot.set_webhook(hook.url)
    await chat.say("one")
    await chat.say("two")

    for pause in (1, 2):
        await asleep(clock)
        await clock.advance(pause)

    assert await hook.has(2) == ["one", "two"]
    assert hook.tried == 4


async def test_one_chat_does_not_wait_for_another(
    bot: Bot, telegram: PretendTelegram, chat: Screen, hook: Hook, clock: ManualClock
) -> None:
    hook.statuses = [500]
    await bot.set_webhook(hook.url)
    await chat.say("refused")
    await asleep(clock)

    await telegram.person("Bob").private_chat().say("taken")

    assert await hook.has(1) == ["taken"]


async def test_what_went_wrong_can_be_looked_up(bot: Bot, chat: Screen, hook: Hook, clock: ManualClock) -> None:
    hook.statuses = [503]
    await bot.set_webhook(hook.url, max_connections=5, allowed_updates=["message"])
    await chat.say("one")
    await asleep(clock)

    info = await bot.get_webhook_info()

    assert info.last_error_message == "Wrong response from the webhook: 503 Service Unavailable"
    assert (info.url, info.max_connections, info.pending_update_count) == (hook.url, 5, 1)
    assert info.allowed_updates == ("message",)


async def test_a_webhook_that_nobody_answers_is_tried_again(bot: Bot, chat: Screen, clock: ManualClock) -> None:
    await bot.set_webhook("http://127.0.0.1:9/hook")
    await chat.say("one")
    await asleep(clock)

    assert (await bot.get_webhook_info()).last_error_message == "Connection refused"


async def test_without_the_webhook_what_was_not_taken_can_be_polled(
    bot: Bot, chat: Screen, hook: Hook, clock: ManualClock
) -> None:
    hook.statuses = [500]
    await bot.set_webhook(hook.url)
    await chat.say("one")
    await asleep(clock)
    await bot.delete_webhook()

    updates = await bot.get_updates()

    assert [update.message.text for update in updates if update.message] == ["one"]
    assert (await bot.get_webhook_info()).url == ""


async def test_an_empty_address_ends_the_webhook(wire: Wire, bot: Bot, hook: Hook) -> None:
    await bot.set_webhook(hook.url)

    assert (await wire("setWebhook", url=""))["result"] is True
    assert (await bot.get_webhook_info()).url == ""


async def test_setting_a_webhook_ends_a_poll(telegram: PretendTelegram, bot: Bot, hook: Hook, refused: Refused) -> None:
    poll = asyncio.create_task(bot.get_updates(timeout=30))
    await telegram.bot.queue.polling.wait()

    await bot.set_webhook(hook.url)

    assert await refused(poll) == "Conflict: terminated by setWebhook request"


async def test_a_webhook_is_set_once_a_second(wire: Wire, hook: Hook, clock: ManualClock) -> None:
    await wire("setWebhook", url=hook.url)
    at_once = await wire("setWebhook", url=hook.url)
    await clock.advance(1)
    later = await wire("setWebhook", url=hook.url)

    assert (at_once["error_code"], at_once["parameters"]) == (429, {"retry_after": 1})
    assert at_once["description"] == "Too Many Requests: retry after 1"
    assert later["ok"]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"url": "nonsense"}, "invalid webhook URL specified"),
        ({"url": "ftp://127.0.0.1/"}, "invalid webhook URL specified"),
        ({"url": "http://example.com/"}, "bad webhook: An HTTPS URL must be provided for webhook"),
        ({"url": "https://example.com:1234/"}, "bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443"),
        (
            {"url": "https://example.com/"},
            "strict: the pretend Telegram delivers to this machine only, not to example.com",
        ),
        ({"url": "http://127.0.0.1/", "secret_token": "a" * 257}, "secret token is too long"),
        ({"url": "http://127.0.0.1/", "secret_token": "a b"}, "secret token contains unallowed characters"),
    ],
)
async def test_a_webhook_that_telegram_refuses(wire: Wire, values: dict[str, str], words: str) -> None:
    answer = await wire("setWebhook", **values)

    assert answer["description"] == f"Bad Request: {words}"


async def test_a_secret_of_256_characters_is_taken(wire: Wire, hook: Hook) -> None:
    assert (await wire("setWebhook", url=hook.url, secret_token="a" * 256))["ok"]


async def test_a_press_is_pushed_too(bot: Bot, ada: Player, chat: Screen, hook: Hook, wire: Wire) -> None:
    await bot.set_webhook(hook.url)
    markup = {"inline_keyboard": [[{"text": "x", "callback_data": "d"}]]}
    await wire("sendMessage", chat_id=ada.id, text="sure?", reply_markup=markup)

    await chat.press(chat.answers[-1], "x")
    await hook.came.wait()

    assert [update["callback_query"]["data"] for update in hook.taken] == ["d"]
