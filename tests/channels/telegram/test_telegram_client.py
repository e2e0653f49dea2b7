"""Calls through the SDK: raw JSON comes back, and every fault in Conch's own class."""

import inspect
from pathlib import Path

import pytest
import telegram

from channels.base import OutboundFile
from channels.telegram import render
from channels.telegram.answers import MarkupRefused, TakenByOther
from channels.telegram.client import TelegramClient
from channels.telegram.render import ApiCall
from core.errors import ConchError, MaybeDone, Refused, RefusedReason, TryLater
from tests.channels.telegram import servers
from tests.channels.telegram.servers import TOKEN, Reaction, ScriptedServer

SEND = ApiCall("sendMessage", {"chat_id": 42, "text": "hi"})
TYPING = ApiCall("sendChatAction", {"chat_id": 42, "action": "typing"}, repeatable=True)


async def test_a_call_gives_telegrams_raw_result(server: ScriptedServer, client: TelegramClient) -> None:
    server.expect("sendMessage", servers.success({"message_id": 9, "new_field": {"of": "tomorrow"}}))

    answer = await client.call(SEND)

    assert answer == {"message_id": 9, "new_field": {"of": "tomorrow"}}


async def test_a_poll_gives_raw_updates(server: ScriptedServer, client: TelegramClient) -> None:
    server.expect("getUpdates", servers.success([{"update_id": 1, "unheard_of": {}}]))

    assert await client.poll(7, 50) == [{"update_id": 1, "unheard_of": {}}]
    assert server.received[0].parameters == {
        "offset": 7,
        "timeout": 50,
        "limit": 100,
        "allowed_updates": ["message", "edited_message", "callback_query", "my_chat_member"],
    }


@pytest.mark.parametrize(
    ("reaction", "expected"),
    [
        (servers.refusal(429, "Too Many Requests: retry after 3", retry_after=3), TryLater),
        (servers.refusal(503, "Service Unavailable"), TryLater),
        (servers.refusal(412, "Precondition Failed"), TryLater),
        (servers.refusal(408, "Request Timeout"), MaybeDone),
        (servers.refusal(500, "Internal Server Error"), MaybeDone),
        (servers.raw(502, b"<html>"), MaybeDone),
        (servers.refusal(504, "Gateway Timeout"), MaybeDone),
        (servers.lose, MaybeDone),
        (servers.cut, MaybeDone),
        (servers.raw(200, b"<html>"), MaybeDone),
        (servers.refusal(401, "Unauthorized"), Refused),
        (servers.refusal(403, "Forbidden: bot was blocked by the user"), Refused),
        (servers.refusal(400, "Bad Request: chat not found"), Refused),
        (servers.refusal(400, "Bad Request: can't parse entities: x"), MarkupRefused),
        (servers.refusal(409, "Conflict: terminated by other getUpdates request"), TakenByOther),
    ],
)
async def test_a_fault_of_a_send_has_its_class(
    server: ScriptedServer, client: TelegramClient, reaction: Reaction, expected: type[ConchError]
) -> None:
    server.expect("sendMessage", reaction)

    with pytest.raises(ConchError) as error:
        await client.call(SEND)

    assert type(error.value) is expected
    assert error.value.__cause__ is not None


@pytest.mark.parametrize("reaction", [servers.lose, servers.cut, servers.refusal(502, "Bad Gateway")])
async def test_what_may_be_said_twice_is_never_in_doubt(
    server: ScriptedServer, client: TelegramClient, reaction: Reaction
) -> None:
    server.expect("sendChatAction", reaction)

    with pytest.raises(TryLater):
        await client.call(TYPING)


async def test_a_closed_client_sends_nothing(server: ScriptedServer, client: TelegramClient) -> None:
    await client.close()

    with pytest.raises(TryLater):
        await client.call(SEND)

    assert server.received == []


async def test_a_client_can_be_opened_and_closed_again_and_again(
    server: ScriptedServer, client: TelegramClient
) -> None:
    await client.open()
    await client.close()
    await client.close()
    await client.open()

    assert await client.call(SEND) == {"message_id": 1}


async def test_a_file_is_sent_with_the_type_that_it_has(
    server: ScriptedServer, client: TelegramClient, tmp_path: Path
) -> None:
    (tmp_path / "f").write_bytes(b"abc")
    file = OutboundFile(tmp_path / "f", "numbers.dat", "text/csv")

    await client.call(ApiCall("sendDocument", {"chat_id": 42}, {"document": file}))

    assert server.received[0].files == {"document": ("numbers.dat", "text/csv", b"abc")}


async def test_a_file_that_is_gone_is_refused(client: TelegramClient, tmp_path: Path) -> None:
    file = OutboundFile(tmp_path / "nowhere", "plan.pdf", "application/pdf")

    with pytest.raises(Refused, match=r"plan\.pdf") as refused:
        await client.call(ApiCall("sendDocument", {"chat_id": 42}, {"document": file}))

    assert refused.value.reason is RefusedReason.BAD_PAYLOAD


async def test_a_poll_with_an_odd_result_is_tried_again(server: ScriptedServer, client: TelegramClient) -> None:
    server.expect("getUpdates", servers.success({"not": "a list"}))

    with pytest.raises(TryLater):
        await client.poll(0, 0)


async def test_a_proxy_that_cannot_be_used_is_named_and_nothing_is_left_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("all_proxy", "socks5://127.0.0.1:1080")
    client = TelegramClient(TOKEN, "https://api.telegram.org/bot", "https://api.telegram.org/file/bot")

    with pytest.raises(TryLater, match="socks5"):
        await client.open()


def test_no_method_is_called_by_a_name_that_the_sdk_warns_about() -> None:
    methods = {name for name, _ in inspect.getmembers(telegram.Bot)}

    called = {call.method.lower() for call in (render.get_me(), render.get_webhook(), render.get_updates(0, 0), SEND)}

    assert not called & methods
