"""The webhook: what proves itself is stored before Telegram hears 200, and whether Telegram reaches us is known."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.base import ChatRef, Conflict, Form, Identity, Press, Sender, Update
from channels.reach import Pushed, Pushes
from channels.telegram import webhook
from channels.telegram.channel import TelegramChannel
from channels.telegram.client import TelegramClient
from channels.telegram.webhook import HEADER, Webhook, WebhookAddress, WebhookState, webhook_troubles
from commands.values import ValueItem
from core.clock import ManualClock
from core.errors import NotAllowed, Refused, RefusedReason, StoreUnavailable, TryLater
from tests.channels.telegram import servers
from tests.channels.telegram.clocks import HurriedClock
from tests.channels.telegram.servers import TOKEN, Reaction, ScriptedServer

BASE = "https://conch.example/channels/telegram"
ADDRESS = WebhookAddress.of(BASE, "c1", TOKEN)
KEY_REVOKED = servers.refusal(401, "Unauthorized")


class MemorySink:
    """Keeps what it is given, unless its disk is full."""

    def __init__(self) -> None:
        self.stored: list[Update] = []
        self.full = False
        self.online_calls = 0

    async def store(self, updates: Sequence[Update]) -> None:
        if self.full:
            raise StoreUnavailable("the disk is full")
        self.stored.extend(updates)

    def online(self) -> None:
        self.online_calls += 1

    async def form(self, press: Press) -> Form | None:
        return None

    async def faults(self, press: Press) -> Mapping[str, str]:
        return {}

    async def suggest(self, chat: ChatRef, sender: Sender, command: str) -> Sequence[ValueItem]:
        return ()


@pytest.fixture
def sink() -> MemorySink:
    return MemorySink()


@pytest.fixture
def clock() -> HurriedClock:
    return HurriedClock()


@pytest.fixture
def hook(client: TelegramClient, clock: HurriedClock) -> Webhook:
    return Webhook(ADDRESS, client, clock)


def state(url: str = ADDRESS.url, waiting: int = 0, failed_at: int | None = None, error: str = "") -> Reaction:
    info: dict[str, Any] = {"url": url, "pending_update_count": waiting, "has_custom_certificate": False}
    return servers.success(info | ({"last_error_date": failed_at, "last_error_message": error} if failed_at else {}))


def pushed(payload: object, secret: str | None = ADDRESS.secret) -> Pushed:
    async def body() -> bytes:
        return payload if isinstance(payload, bytes) else json.dumps(payload).encode()

    return Pushed({} if secret is None else {HEADER: secret}, body)


async def listening(hook: Webhook, sink: MemorySink, server: ScriptedServer) -> None:
    """The hook has a sink; its key was revoked, so that it does not go on by itself."""
    server.expect("setWebhook", KEY_REVOKED)
    with pytest.raises(Refused):
        await hook.run(sink)


# ---- what comes ----------------------------------------------------------------------------------------------------


async def test_an_update_with_the_secret_is_stored_as_it_came(
    hook: Webhook, sink: MemorySink, server: ScriptedServer
) -> None:
    await listening(hook, sink, server)

    await hook.take(pushed({"update_id": 7, "message": {"text": "hello"}}))

    assert sink.stored == [Update("7", {"update_id": 7, "message": {"text": "hello"}})]
    assert sink.online_calls == 1


@pytest.mark.parametrize(
    "secret", [None, "", "x", ADDRESS.secret[:-1], ADDRESS.secret + "0", ADDRESS.secret.upper(), "é"]
)
async def test_without_the_secret_the_body_is_not_even_read(
    hook: Webhook, sink: MemorySink, server: ScriptedServer, secret: str | None
) -> None:
    async def never() -> bytes:
        raise AssertionError("the body was read")

    await listening(hook, sink, server)

    with pytest.raises(NotAllowed):
        await hook.take(Pushed({} if secret is None else {HEADER: secret}, never))

    assert sink.stored == []


async def test_what_cannot_be_stored_is_not_acknowledged(
    hook: Webhook, sink: MemorySink, server: ScriptedServer
) -> None:
    await listening(hook, sink, server)
    sink.full = True

    with pytest.raises(StoreUnavailable):
        await hook.take(pushed({"update_id": 7}))

    assert sink.online_calls == 0


async def test_before_the_bot_receives_nothing_is_acknowledged(hook: Webhook) -> None:
    with pytest.raises(TryLater):
        await hook.take(pushed({"update_id": 7}))


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"null", b"[]", b'"x"', b"{}", b'{"update_id": "7"}', b'{"update_id": true}', b"\xff", b"[" * 99_999],
)
async def test_what_is_no_update_is_not_acknowledged(
    hook: Webhook, sink: MemorySink, server: ScriptedServer, body: bytes
) -> None:
    await listening(hook, sink, server)

    with pytest.raises(ValueError):  # noqa: PT011 - the words are whatever JSON is told
        await hook.take(pushed(body))

    assert sink.stored == []


async def test_a_bot_that_asks_for_its_messages_takes_none_that_are_brought(channel: TelegramChannel) -> None:
    assert isinstance(channel, Pushes)

    with pytest.raises(NotAllowed):
        await channel.pushed(pushed({"update_id": 7}))


# ---- the address ---------------------------------------------------------------------------------------------------


def test_the_secret_is_the_bots_own_fits_telegram_and_does_not_show() -> None:
    others = [WebhookAddress.of(BASE, "c2", TOKEN), WebhookAddress.of(BASE, "c1", TOKEN[:-1] + "x")]

    assert WebhookAddress.of(BASE, "c1", TOKEN) == ADDRESS
    assert ADDRESS.secret not in {other.secret for other in others}
    assert len(ADDRESS.secret) <= 256
    assert set(ADDRESS.secret) <= set("0123456789abcdef")
    assert ADDRESS.secret not in repr(ADDRESS)
    assert TOKEN.partition(":")[2] not in ADDRESS.secret


async def test_telegram_is_told_the_address_the_secret_and_what_we_read(
    hook: Webhook, sink: MemorySink, server: ScriptedServer
) -> None:
    await listening(hook, sink, server)

    [call] = server.calls("setWebhook")

    assert call.parameters == {
        "url": f"{BASE}/c1",
        "secret_token": ADDRESS.secret,
        "allowed_updates": ["message", "edited_message", "callback_query", "my_chat_member"],
    }


async def test_with_an_address_the_channel_has_messages_brought(
    client: TelegramClient, server: ScriptedServer, sink: MemorySink
) -> None:
    channel = TelegramChannel("c1", Identity("123456789", "Conch"), client, ManualClock(), ADDRESS)
    server.expect("setWebhook", KEY_REVOKED)

    with pytest.raises(Refused):
        await channel.listen(sink)
    await channel.pushed(pushed({"update_id": 7}))

    assert [update.update_id for update in sink.stored] == ["7"]
    assert server.calls("getUpdates") == []


# ---- whether Telegram reaches it -----------------------------------------------------------------------------------


async def test_with_nothing_waiting_the_bot_is_online_and_is_looked_at_every_minute(
    hook: Webhook, sink: MemorySink, server: ScriptedServer, clock: HurriedClock
) -> None:
    server.expect("getWebhookInfo", state(), state(waiting=1), state(), KEY_REVOKED)

    with pytest.raises(Refused) as refused:
        await hook.run(sink)

    assert refused.value.reason is RefusedReason.AUTH
    assert sink.online_calls > 0
    assert clock.waits == [webhook.LOOK_SECONDS] * 3


async def test_what_waits_must_come_before_the_bot_counts_as_online(
    hook: Webhook, sink: MemorySink, server: ScriptedServer, clock: HurriedClock
) -> None:
    server.expect("getWebhookInfo", state(waiting=2), state(waiting=1), KEY_REVOKED)

    with pytest.raises(Refused):
        await hook.run(sink)
    before = sink.online_calls
    await hook.take(pushed({"update_id": 7}))

    assert (before, sink.online_calls) == (0, 1)
    assert clock.waits == [webhook.FIRST_LOOK_SECONDS] * 2


@pytest.mark.report("R125")
@pytest.mark.parametrize(
    "first", [state(), state(waiting=1), state(waiting=1, failed_at=50, error="Connection refused")]
)
async def test_an_address_that_telegram_does_not_reach_is_told_with_what_to_do(
    hook: Webhook, sink: MemorySink, server: ScriptedServer, first: Reaction
) -> None:
    server.expect("getWebhookInfo", first, state(waiting=3, failed_at=100, error="Connection refused"))

    with pytest.raises(TryLater) as trouble:
        await hook.run(sink)

    assert str(trouble.value) == (
        f"Telegram cannot deliver to {BASE}/c1 (Connection refused); 3 waiting there. "
        "Look at the proxy in front of Conch, and at public_url."
    )


@pytest.mark.parametrize(
    "now", [state(failed_at=100, error="Timeout"), state(waiting=1, failed_at=50, error="Timeout")]
)
async def test_a_failure_that_is_over_or_old_is_none(
    hook: Webhook, sink: MemorySink, server: ScriptedServer, now: Reaction
) -> None:
    server.expect("getWebhookInfo", state(failed_at=50, error="Timeout"), now, KEY_REVOKED)

    with pytest.raises(Refused):
        await hook.run(sink)


@pytest.mark.report("R125")
async def test_what_is_brought_while_trouble_is_waited_out_is_taken(
    hook: Webhook, sink: MemorySink, server: ScriptedServer
) -> None:
    server.expect("getWebhookInfo", state(), state(waiting=1, failed_at=100, error="Timeout"))
    with pytest.raises(TryLater):
        await hook.run(sink)

    await hook.take(pushed({"update_id": 7}))

    assert [update.update_id for update in sink.stored] == ["7"]


async def test_an_address_that_telegram_does_not_take_is_offered_again_later(
    hook: Webhook, sink: MemorySink, server: ScriptedServer
) -> None:
    server.expect("setWebhook", servers.refusal(400, "Bad Request: bad webhook: Failed to resolve host"))

    with pytest.raises(TryLater, match=r"Failed to resolve host.*public_url"):
        await hook.run(sink)


async def test_a_flood_wait_is_waited_out(
    hook: Webhook, sink: MemorySink, server: ScriptedServer, clock: HurriedClock
) -> None:
    flood = servers.refusal(429, "Too Many Requests: retry after 1", retry_after=1)
    server.expect("setWebhook", flood, flood)
    server.expect("getWebhookInfo", KEY_REVOKED)

    with pytest.raises(Refused):
        await hook.run(sink)

    assert len(server.calls("setWebhook")) == 3
    assert clock.waits == [1.0, 1.0]


@pytest.mark.parametrize("answer", ["x", {}, {"url": None}, []])
async def test_an_answer_that_cannot_be_read_is_trouble_and_no_more(
    hook: Webhook, sink: MemorySink, server: ScriptedServer, answer: object
) -> None:
    server.expect("getWebhookInfo", servers.success(answer))

    with pytest.raises(TryLater):
        await hook.run(sink)


# ---- others who want the same updates ------------------------------------------------------------------------------


@pytest.mark.report("R123")
async def test_a_webhook_that_is_taken_away_once_is_set_again(
    hook: Webhook, sink: MemorySink, server: ScriptedServer
) -> None:
    stands, gone = state(), state(url="")
    server.expect(
        "getWebhookInfo", stands, stands, gone, stands, stands, gone, stands, stands, gone, stands, KEY_REVOKED
    )

    with pytest.raises(Refused):
        await hook.run(sink)

    assert len(server.calls("setWebhook")) == 4


@pytest.mark.report("R123")
@pytest.mark.parametrize("url", ["", "https://other.example/hook"])
async def test_two_programs_do_not_fight_over_it_for_ever(
    hook: Webhook, sink: MemorySink, server: ScriptedServer, url: str
) -> None:
    server.expect("getWebhookInfo", state(), state(url=url), state(url=url), state(), state(url=url))

    with pytest.raises(Conflict):
        await hook.run(sink)

    assert len(server.calls("setWebhook")) == webhook.REMOVALS_IN_A_ROW


# ---- what the owner is told ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("found", "ours", "told"),
    [
        (WebhookState(), "", ()),
        (WebhookState(url="u"), "u", ()),
        (WebhookState(url="u", waiting=1), "u", ()),
        (WebhookState(url="u", error="Timeout"), "u", ()),
        (WebhookState(url="u", waiting=1, error="Timeout"), "u", ("cannot deliver to u (Timeout); 1 waiting",)),
        (WebhookState(), "u", ("does not bring messages to Conch yet",)),
        (WebhookState(url="https://other.example/hook"), "", ("to other.example, not here",)),
        (WebhookState(url="https://other.example/hook"), "u", ("to other.example, not here",)),
    ],
)
def test_what_is_wrong_with_a_webhook_is_a_sentence(found: WebhookState, ours: str, told: Sequence[str]) -> None:
    troubles = webhook_troubles(found, ours)

    assert len(troubles) == len(told)
    assert all(part in trouble for part, trouble in zip(told, troubles, strict=True))


def test_of_somebody_elses_address_only_the_name_is_told() -> None:
    [trouble] = webhook_troubles(WebhookState(url=f"https://other.example/{TOKEN}"), "")

    assert TOKEN not in trouble


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["url", "last_error_date", "x"]), inner),
    max_leaves=8,
)


@given(info=JSON)
def test_whatever_telegram_says_of_a_webhook_is_read_or_trouble(info: object) -> None:
    try:
        read: Mapping[str, Any] | None = {"url": WebhookState.read(info).url}
    except TryLater:
        read = None

    assert read is None or isinstance(read["url"], str)


async def test_the_receiver_ends_when_it_is_told_to(hook: Webhook, sink: MemorySink, server: ScriptedServer) -> None:
    server.expect("getWebhookInfo", servers.hang)
    running = asyncio.create_task(hook.run(sink))
    await server.arrived.wait()

    running.cancel()
    [ended] = await asyncio.gather(running, return_exceptions=True)

    assert isinstance(ended, asyncio.CancelledError)
    with pytest.raises(TryLater):
        await hook.take(pushed({"update_id": 7}))
