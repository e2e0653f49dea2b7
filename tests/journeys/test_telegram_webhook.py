"""Messages that Telegram brings: answered once, refused from anybody else, and nothing lost when we are not there."""

import json
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, closing, contextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from channels.base import HealthState
from channels.emulators.telegram.pretend import PretendTelegram
from channels.emulators.telegram.webhook import HEADER
from conch.app import App
from conch.health import HealthLook
from conch.home import Home
from core.clock import SystemClock
from tests.journeys.living import FastClock, Owner, living, owner_of, said, until
from tests.web.fakes import FakeAdministration
from web.app import Backend, create_app
from web.security import Gate
from web.serving import listen, serving
from web.sessions import Sessions


@pytest.fixture
async def pretend() -> AsyncIterator[PretendTelegram]:
    """A pretend Telegram whose time runs as fast as the bot's."""
    async with PretendTelegram(clock=FastClock()) as telegram:
        yield telegram
        assert telegram.problems == []


@asynccontextmanager
async def hooked(folder: Path, pretend: PretendTelegram) -> AsyncIterator[App]:
    """A Conch to which Telegram brings messages, with its web side on a free port."""
    async with AsyncExitStack() as stack:
        listener = stack.enter_context(closing(listen("127.0.0.1", 0)))
        where = f"http://127.0.0.1:{listener.getsockname()[1]}/channels/telegram"
        app = await stack.enter_async_context(living(folder, pretend, clock=FastClock(), webhooks=where, gather_ms=0))
        health = HealthLook(app.database, app.registry, app.clock)
        web = create_app(
            Gate(Sessions(SystemClock()), 0), Backend(FakeAdministration(), health, push=app.registry.pushed)
        )
        await stack.enter_async_context(serving(web, [listener]))
        yield app


def calls(pretend: PretendTelegram, method: str) -> int:
    return len(pretend.calls(method))


@contextmanager
def locked(folder: Path) -> Any:
    """Another program holds the database for the length of the block."""
    with closing(sqlite3.connect(Home(folder).database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


async def test_what_is_brought_is_answered_and_nothing_is_asked_for(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with hooked(tmp_path, pretend) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say("hello")
        await ada.chat.wait_for_answer()
        health = app.registry.health()[ada.channel_id]

    assert said(ada.chat)[1:] == ["echo: hello"]
    assert calls(pretend, "getUpdates") == 0
    assert health.state is HealthState.ONLINE
    assert health.last_event is not None


@pytest.mark.report("R031")
async def test_what_is_brought_twice_is_answered_once(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with hooked(tmp_path, pretend) as app:
        ada = await owner_of(app, pretend)
        body = message(pretend, ada, "again?")

        statuses = [await bring(pretend, body) for _ in range(3)]
        await ada.chat.say("and now")
        await until(lambda: "echo: and now" in said(ada.chat))

    assert statuses == [200, 200, 200]
    assert said(ada.chat)[1:] == ["echo: again?", "echo: and now"]


@pytest.mark.parametrize("forge", [lambda _: "", lambda secret: secret[:-1], lambda secret: secret[::-1]])
async def test_what_anybody_else_brings_is_refused_and_never_kept(
    tmp_path: Path, pretend: PretendTelegram, forge: Callable[[str], str]
) -> None:
    async with hooked(tmp_path, pretend) as app:
        ada = await owner_of(app, pretend)
        webhook = pretend.bot.webhook
        assert webhook is not None

        status = await bring(pretend, message(pretend, ada, "let me in"), secret=forge(webhook.secret))
        elsewhere = await bring(pretend, message(pretend, ada, "let me in"), channel="c0ffee")
        await ada.chat.say("hello")
        await until(lambda: len(said(ada.chat)) > 1)

    assert (status, elsewhere) == (403, 403)
    assert said(ada.chat)[1:] == ["echo: hello"]


async def test_a_locked_database_acknowledges_nothing_and_loses_nothing(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    async with hooked(tmp_path, pretend) as app:
        ada = await owner_of(app, pretend)
        with locked(tmp_path):
            await ada.chat.say("hello")
            await until(lambda: pretend.bot.webhook_error is not None)
            left, error = len(pretend.bot.queue), pretend.bot.webhook_error
        await ada.chat.wait_for_answer(timeout=20)

    assert left == 1, 'Telegram was told "got it"'
    assert error is not None
    assert "503" in error[1]
    assert said(ada.chat)[1:] == ["echo: hello"]


async def test_what_was_written_while_conch_was_off_is_brought_when_it_is_back(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    async with hooked(tmp_path, pretend) as app:
        ada = await owner_of(app, pretend)
    await ada.chat.say("are you there?")
    await until(lambda: pretend.bot.webhook_error is not None)

    async with hooked(tmp_path, pretend):
        await ada.chat.wait_for_answer(timeout=20)

    assert said(ada.chat)[1:] == ["echo: are you there?"]


@pytest.mark.report("R125", "R131")
async def test_an_address_that_telegram_cannot_reach_shows_in_the_bots_health_and_heals(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    async with hooked(tmp_path, pretend) as app:
        ada = await owner_of(app, pretend)
        good = pretend.bot.webhook
        assert good is not None
        pretend.faults.add("server_error", method="setWebhook", times=3)
        await pretend.webhooks.set(pretend.bot, type(good)("http://127.0.0.1:9/nobody", good.secret, good.connections))
        await ada.chat.say("hello?")

        await until(lambda: app.registry.health()[ada.channel_id].state is HealthState.RECONNECTING)
        await ada.chat.wait_for_answer(timeout=20)
        await until(lambda: app.registry.health()[ada.channel_id].state is HealthState.ONLINE)

    assert said(ada.chat)[1:] == ["echo: hello?"]


@pytest.mark.report("R125", "R131")
async def test_what_telegram_cannot_deliver_is_told_with_the_reason(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend, clock=FastClock(), webhooks="http://127.0.0.1:9/channels/telegram") as app:
        connected = await app.registry.add("telegram", pretend.bot.token)
        await pretend.person("Ada").private_chat().start()

        await until(lambda: app.registry.health()[connected.channel_id].state is HealthState.RECONNECTING)
        detail = app.registry.health()[connected.channel_id].detail

    assert detail is not None
    assert "Connection refused" in detail
    assert "public_url" in detail


async def test_back_to_polling_the_webhook_is_gone_and_what_waited_is_answered(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    async with hooked(tmp_path, pretend) as app:
        ada = await owner_of(app, pretend)
    await ada.chat.say("hello")

    async with living(tmp_path, pretend, clock=FastClock()):
        await ada.chat.wait_for_answer(timeout=20)

    assert pretend.bot.webhook is None
    assert pretend.calls("deleteWebhook")[0].parameters == {"drop_pending_updates": False}
    assert said(ada.chat)[1:] == ["echo: hello"]


def message(pretend: PretendTelegram, of: Owner, text: str) -> bytes:
    """An update as Telegram would bring it, with a number of its own."""
    chat = {"id": of.player.id, "type": "private", "first_name": "Ada"}
    author = {"id": of.player.id, "is_bot": False, "first_name": "Ada"}
    written = {"message_id": 900, "date": 1_700_000_000, "chat": chat, "from": author, "text": text}
    return json.dumps({"update_id": 400_000_001, "message": written}).encode()


async def bring(pretend: PretendTelegram, body: bytes, *, secret: str | None = None, channel: str | None = None) -> int:
    """Bring an update to the bot's address by hand; returns the status."""
    webhook = pretend.bot.webhook
    assert webhook is not None
    base, _, own = webhook.url.rpartition("/")
    headers = {HEADER: webhook.secret if secret is None else secret}
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{base}/{channel or own}", data=body, headers=headers) as answer,
    ):
        return answer.status
