"""The road to Telegram: what went out, what came back, and what is told about what did not."""

import asyncio
import contextlib
import socket
import traceback
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import telegram
from telegram.request import BaseRequest

from channels.telegram.request import AiohttpRequest, Declined, NoAnswer, NotSent
from tests.channels.telegram import servers
from tests.channels.telegram.servers import SECRET, TOKEN, ScriptedServer

HELLO = {"chat_id": 42, "text": "привет 😀", "reply_parameters": {"message_id": 7}}


@pytest.fixture
async def request_(server: ScriptedServer) -> AsyncIterator[AiohttpRequest]:
    request = AiohttpRequest(TOKEN, server.base_url, server.base_file_url, connections=10, read_seconds=0.2)
    async with request:
        yield request


def bot(request: BaseRequest) -> telegram.Bot:
    """The SDK, as the client uses it."""
    return telegram.Bot("none", base_url=lambda _: "", request=request, get_updates_request=request)


async def ask(request: BaseRequest, method: str = "sendmessage", **parameters: Any) -> Any:
    return await bot(request).do_api_request(method, parameters or dict(HELLO))


def everything_told(error: BaseException) -> str:
    """The error as a log would show it, with all of its causes."""
    return "".join(traceback.format_exception(error)) + repr(error)


async def test_parameters_go_out_as_one_json_object(server: ScriptedServer, request_: AiohttpRequest) -> None:
    server.expect("sendMessage", servers.success({"message_id": 9}))

    answer = await ask(request_)

    assert answer == {"message_id": 9}
    assert server.received == [servers.Received("sendmessage", HELLO)]


async def test_a_file_goes_out_as_it_is_with_its_name(
    server: ScriptedServer, request_: AiohttpRequest, tmp_path: Path
) -> None:
    (tmp_path / "a").write_bytes(b"%PDF" * 1000)
    with (tmp_path / "a").open("rb") as content:
        file = telegram.InputFile(content, filename='plän "1".pdf', read_file_handle=False)

        await ask(request_, "senddocument", chat_id=42, caption="ü", document=file)

    (call,) = server.received
    assert call.parameters == {"chat_id": "42", "caption": "ü"}
    assert call.files == {"document": ("plän '1'.pdf", "application/pdf", b"%PDF" * 1000)}


async def test_a_file_name_cannot_end_its_header(
    server: ScriptedServer, request_: AiohttpRequest, tmp_path: Path
) -> None:
    (tmp_path / "a").write_bytes(b"x")
    with (tmp_path / "a").open("rb") as content:
        file = telegram.InputFile(content, filename='a"\r\nX-Evil: 1\r\n\r\n.txt', read_file_handle=False)

        await ask(request_, "senddocument", chat_id=42, document=file)

    assert server.received[0].files["document"][0] == "a'__X-Evil: 1____.txt"


async def test_what_telegram_declines_comes_with_its_answer(server: ScriptedServer, request_: AiohttpRequest) -> None:
    server.expect("sendMessage", servers.refusal(429, "Too Many Requests: retry after 5", retry_after=5))

    with pytest.raises(Declined) as declined:
        await ask(request_)

    assert declined.value.status == 429
    assert declined.value.answer is not None
    assert declined.value.answer["parameters"] == {"retry_after": 5}


@pytest.mark.parametrize("status", [302, 403, 502])
async def test_an_answer_that_is_no_json_comes_without(
    server: ScriptedServer, request_: AiohttpRequest, status: int
) -> None:
    server.expect("sendMessage", servers.raw(status, b"<html>Sign in to the Wi-Fi", Location="http://127.0.0.1:1/"))

    with pytest.raises(Declined) as declined:
        await ask(request_)

    assert (declined.value.status, declined.value.answer) == (status, None)


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b'{"ok":true}', b"\xff\xfe", b"[" * 100_000])
async def test_success_that_cannot_be_read_is_no_answer(
    server: ScriptedServer, request_: AiohttpRequest, body: bytes
) -> None:
    server.expect("sendMessage", servers.raw(200, body))

    with pytest.raises(NoAnswer):
        await ask(request_)


# ---- sent or not ---------------------------------------------------------------------------------------------------


@pytest.mark.report("R127")
async def test_when_nobody_listens_nothing_was_sent() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{taken.getsockname()[1]}/bot"

        async with AiohttpRequest(TOKEN, address, address, connections=1) as request:
            with pytest.raises(NotSent, match="cannot be reached"):
                await ask(request)


async def test_while_no_connection_is_free_nothing_was_sent(server: ScriptedServer) -> None:
    server.expect("sendMessage", servers.hang)
    slow = AiohttpRequest(TOKEN, server.base_url, server.base_file_url, connections=1, connect_seconds=0.05)
    async with slow:
        first = asyncio.create_task(ask(slow))
        await server.arrived.wait()

        with pytest.raises(NotSent, match="in time") as not_sent:
            await ask(slow)

        first.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await first

    assert SECRET not in everything_told(not_sent.value)


async def test_before_it_is_opened_nothing_is_sent(server: ScriptedServer) -> None:
    with pytest.raises(NotSent):
        await ask(AiohttpRequest(TOKEN, server.base_url, server.base_file_url, connections=1))


@pytest.mark.report("R205")
@pytest.mark.parametrize("fault", [servers.lose, servers.cut, servers.hang])
async def test_without_an_answer_it_may_have_been_taken(
    server: ScriptedServer, request_: AiohttpRequest, fault: servers.Reaction
) -> None:
    server.expect("sendMessage", fault)

    with pytest.raises(NoAnswer):
        await ask(request_)

    assert len(server.received) == 1


async def test_a_file_that_broke_off_on_its_way_was_not_taken(
    server: ScriptedServer, request_: AiohttpRequest, tmp_path: Path
) -> None:
    server.expect("sendDocument", servers.break_off)
    (tmp_path / "large").write_bytes(bytes(30_000_000))
    with (tmp_path / "large").open("rb") as content:
        file = telegram.InputFile(content, filename="large.bin", read_file_handle=False)

        with pytest.raises(NotSent):
            await ask(request_, "senddocument", chat_id=42, document=file)


async def test_closing_fails_what_is_under_way(server: ScriptedServer) -> None:
    server.expect("sendMessage", servers.hang)
    request = AiohttpRequest(TOKEN, server.base_url, server.base_file_url, connections=1)
    await request.initialize()
    asked = asyncio.create_task(ask(request))
    await server.arrived.wait()

    await request.shutdown()

    with pytest.raises(NoAnswer):
        await asked


# ---- secrets -------------------------------------------------------------------------------------------------------


@pytest.mark.report("R121")
@pytest.mark.parametrize(
    "fault",
    [
        servers.lose,
        servers.cut,
        servers.hang,
        servers.refusal(404, f"Not Found: /bot{TOKEN}/sendmessage"),
        servers.raw(502, f"bad gateway for /bot{TOKEN}/".encode()),
        servers.raw(200, f"<a href='/bot{TOKEN}/'>".encode()),
    ],
)
async def test_no_error_tells_the_key(
    server: ScriptedServer, request_: AiohttpRequest, fault: servers.Reaction, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    server.expect("sendMessage", fault)

    with pytest.raises((NoAnswer, NotSent, Declined)) as error:
        await ask(request_)

    shown = getattr(error.value, "answer", None)
    assert SECRET not in everything_told(error.value) + str(shown) + caplog.text


@pytest.mark.report("R121")
async def test_the_sdk_never_has_the_key(
    server: ScriptedServer, request_: AiohttpRequest, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")

    await ask(request_)

    assert SECRET not in caplog.text + repr(bot(request_)) + bot(request_).token


# ---- files of Telegram ---------------------------------------------------------------------------------------------


async def read(request: AiohttpRequest, path: str) -> bytes:
    return b"".join([chunk async for chunk in request.stream(path)])


async def test_a_file_comes_from_the_file_address(server: ScriptedServer, request_: AiohttpRequest) -> None:
    server.files["documents/a file?.pdf"] = servers.raw(200, b"%PDF" * 50_000)

    assert await read(request_, "documents/a file?.pdf") == b"%PDF" * 50_000


async def test_a_file_address_that_points_elsewhere_is_not_followed(
    server: ScriptedServer, request_: AiohttpRequest
) -> None:
    server.files["a"] = servers.raw(302, b"", Location=server.base_file_url + TOKEN + "/b")
    server.files["b"] = servers.raw(200, b"somewhere else")

    with pytest.raises(Declined) as declined:
        await read(request_, "a")

    assert declined.value.status == 302


@pytest.mark.parametrize("fault", [servers.lose, servers.cut, servers.hang])
async def test_a_file_that_breaks_off_is_an_error(
    server: ScriptedServer, request_: AiohttpRequest, fault: servers.Reaction
) -> None:
    server.files["a"] = fault

    with pytest.raises(NoAnswer) as error:
        await read(request_, "a")

    assert SECRET not in everything_told(error.value)


# ---- proxies -------------------------------------------------------------------------------------------------------


@pytest.fixture
def proxy(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    return monkeypatch


async def test_the_proxy_that_the_environment_names_is_used(server: ScriptedServer, proxy: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    async def stand_in(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.append((await reader.readline()).decode())
        writer.close()

    listener = await asyncio.start_server(stand_in, "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]
    proxy.setenv("https_proxy", f"http://127.0.0.1:{port}")
    async with AiohttpRequest(TOKEN, "https://api.telegram.org/bot", "x", connections=1) as request:
        with pytest.raises(NotSent):
            await ask(request)

    listener.close()
    await listener.wait_closed()
    assert seen == ["CONNECT api.telegram.org:443 HTTP/1.1\r\n"]


async def test_no_proxy_stands_between_us_and_this_machine(server: ScriptedServer, proxy: pytest.MonkeyPatch) -> None:
    proxy.setenv("http_proxy", "http://127.0.0.1:1")

    async with AiohttpRequest(TOKEN, server.base_url, server.base_file_url, connections=1) as request:
        assert await ask(request) == {"message_id": 1}


async def test_a_proxy_that_cannot_be_used_is_not_passed_over(proxy: pytest.MonkeyPatch) -> None:
    proxy.setenv("all_proxy", "socks5://127.0.0.1:1080")
    request = AiohttpRequest(TOKEN, "https://api.telegram.org/bot", "x", connections=1)

    with pytest.raises(ValueError, match="socks5"):
        await request.initialize()
