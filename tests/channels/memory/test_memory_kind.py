"""How a bot of the in-memory app is connected."""

import pytest

from channels.base import ChannelKind, ChatRef, OutboundMessage
from channels.memory.app import MemoryApp
from channels.memory.kind import MemoryKind
from core.clock import ManualClock
from core.errors import Refused, RefusedReason


@pytest.fixture
def app() -> MemoryApp:
    return MemoryApp(ManualClock())


@pytest.fixture
def kind(app: MemoryApp) -> ChannelKind:
    return MemoryKind(ManualClock(), app, button_limit=5)


@pytest.mark.parametrize("around", ["{}", "Done! Use this key:\n{}\nKeep it safe.", "memory:an-older-one {}"])
def test_the_key_is_found_in_whatever_was_pasted(app: MemoryApp, kind: ChannelKind, around: str) -> None:
    assert kind.find_credentials(around.format(app.key)) == {"key": app.key}


@pytest.mark.parametrize("pasted", ["", "hello", "memory:", "123456:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"])
def test_what_is_no_key_is_none(kind: ChannelKind, pasted: str) -> None:
    assert kind.find_credentials(pasted) is None


async def test_a_key_is_checked(app: MemoryApp, kind: ChannelKind) -> None:
    old = app.key

    new = app.renew_key()

    assert await kind.check({"key": new}) == app.identity
    with pytest.raises(Refused) as refused:
        await kind.check({"key": old})
    assert refused.value.reason is RefusedReason.AUTH


async def test_a_connected_channel_reaches_its_app(app: MemoryApp, kind: ChannelKind) -> None:
    chat = app.private_chat("Ada")
    channel = kind.connect("c1", {"key": app.key}, app.identity)

    await channel.start()
    await channel.send(ChatRef("c1", "ada"), OutboundMessage("hello", "hello", "k"))

    assert chat.texts == ("hello",)
    assert (channel.id, channel.capabilities.kind, channel.capabilities.button_limit) == ("c1", kind.kind, 5)


async def test_a_bot_of_an_earlier_process_needs_a_new_key(app: MemoryApp) -> None:
    kind = MemoryKind(ManualClock())

    channel = kind.connect("c1", {"key": app.key}, app.identity)

    with pytest.raises(Refused) as refused:
        await channel.start()
    assert refused.value.reason is RefusedReason.AUTH


def test_a_hello_link_sends_its_code(app: MemoryApp, kind: ChannelKind) -> None:
    link = kind.hello_link(app.identity, "c0-D_e")

    app.private_chat("Ada").open_link(link or "")

    assert app.feed.waiting[0].payload["message"]["text"] == "/start c0-D_e"
