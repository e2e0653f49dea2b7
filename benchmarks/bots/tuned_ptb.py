"""python-telegram-bot as fast as it goes: a loop of its own, a lane for each chat, aiohttp under the SDK, uvloop."""

import asyncio
import os
from collections import defaultdict, deque

import uvloop
from telegram import Bot, Message
from telegram.error import TelegramError

from benchmarks.bots.plain_ptb import HELP
from channels.telegram.request import AiohttpRequest


class Lanes:
    """One task for each chat that has something to do."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot
        self._waiting: dict[int, deque[Message]] = defaultdict(deque)
        self._tasks: dict[int, asyncio.Task[None]] = {}

    def put(self, message: Message) -> None:
        chat = message.chat.id
        self._waiting[chat].append(message)
        if chat not in self._tasks:
            self._tasks[chat] = asyncio.create_task(self._work(chat))

    async def _work(self, chat: int) -> None:
        waiting = self._waiting[chat]
        while waiting:
            text = waiting.popleft().text or ""
            await self._bot.send_message(chat, HELP if text.startswith("/help") else f"echo: {text}")
        del self._tasks[chat], self._waiting[chat]


async def run() -> None:
    token, url = os.environ["BENCH_TOKEN"], os.environ["BENCH_URL"]
    request = AiohttpRequest(token, url, url, connections=100)
    bot = Bot("kept-elsewhere", base_url=lambda _: "", request=request, get_updates_request=request)
    await bot.initialize()
    lanes, offset = Lanes(bot), 0
    while True:
        try:
            updates = await bot.get_updates(offset, timeout=50, read_timeout=60)
        except TelegramError:
            return
        for update in updates:
            offset = update.update_id + 1
            if update.message is not None:
                lanes.put(update.message)


if __name__ == "__main__":
    uvloop.run(run())
