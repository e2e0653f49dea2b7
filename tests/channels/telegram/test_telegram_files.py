"""Files both ways, against a server that refuses and breaks off."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from channels.base import AttachmentKind, ChatRef, FileTooLarge, InboundAttachment, OutboundFile, OutboundMessage
from channels.telegram import limits
from channels.telegram.channel import TelegramChannel
from core.errors import Refused, RefusedReason, TryLater
from tests.channels.telegram import servers
from tests.channels.telegram.servers import Reaction, ScriptedServer

CHAT = ChatRef("tg", "42")
BAD_MARKUP = servers.refusal(400, "Bad Request: can't parse entities: Can't find end tag for b")
FLOOD = servers.refusal(429, "Too Many Requests: retry after 9", retry_after=9)


def file(folder: Path, name: str = "plan.pdf", mime: str = "application/pdf", size: int = 3) -> OutboundFile:
    path = folder / name
    with path.open("wb") as hollow:
        hollow.truncate(size)  # a hole on disk: a large file costs nothing
    return OutboundFile(path, name, mime)


def sent(server: ScriptedServer) -> list[tuple[str, object]]:
    """Every call that says something, with its words."""
    return [(call.method, call.parameters.get("text", call.parameters.get("caption"))) for call in server.received]


# ---- files out -----------------------------------------------------------------------------------------------------


async def test_a_picture_that_telegram_cannot_show_goes_as_a_file(
    server: ScriptedServer, channel: TelegramChannel, tmp_path: Path
) -> None:
    server.expect("sendPhoto", servers.refusal(400, "Bad Request: PHOTO_INVALID_DIMENSIONS"))
    picture = OutboundMessage("<b>map</b>", "map", "k", file=file(tmp_path, "map.png", "image/png"))

    await channel.send(CHAT, picture)

    assert sent(server) == [("sendphoto", "<b>map</b>"), ("senddocument", "<b>map</b>")]
    assert server.received[1].files["document"][0] == "map.png"


async def test_a_refused_caption_goes_without_markup(
    server: ScriptedServer, channel: TelegramChannel, tmp_path: Path
) -> None:
    server.expect("sendDocument", BAD_MARKUP)

    await channel.send(CHAT, OutboundMessage("<b>plan", "plan", "k", file=file(tmp_path)))

    assert sent(server) == [("senddocument", "<b>plan"), ("senddocument", "plan")]


@pytest.mark.report("R001")
async def test_words_that_went_before_their_file_are_not_said_again_with_it(
    server: ScriptedServer, channel: TelegramChannel, tmp_path: Path
) -> None:
    long = "x" * (limits.MAX_CAPTION + 1)
    message = OutboundMessage(long, long, "turn 1/0", file=file(tmp_path))
    server.expect("sendDocument", FLOOD, servers.success({"message_id": 8}))

    with pytest.raises(TryLater):
        await channel.send(CHAT, message)
    reference = await channel.send(CHAT, message)

    assert sent(server) == [("sendmessage", long), ("senddocument", None), ("senddocument", None)]
    assert reference.message_id == "8"


async def test_the_same_words_in_another_message_are_said(
    server: ScriptedServer, channel: TelegramChannel, tmp_path: Path
) -> None:
    long = "x" * (limits.MAX_CAPTION + 1)

    await channel.send(CHAT, OutboundMessage(long, long, "turn 1/0", file=file(tmp_path)))
    await channel.send(CHAT, OutboundMessage(long, long, "turn 2/0", file=file(tmp_path)))

    assert [method for method, _ in sent(server)] == ["sendmessage", "senddocument"] * 2


async def test_a_file_that_is_not_there_is_refused_before_anything_is_sent(
    server: ScriptedServer, channel: TelegramChannel, tmp_path: Path
) -> None:
    gone = OutboundFile(tmp_path / "gone", "plan.pdf", "application/pdf")

    with pytest.raises(Refused, match=r"plan\.pdf"):
        await channel.send(CHAT, OutboundMessage("", "", "k", file=gone))

    assert server.received == []


# ---- files in ------------------------------------------------------------------------------------------------------


def attachment(size: int | None = 10) -> InboundAttachment:
    return InboundAttachment("F1", "plan.pdf", AttachmentKind.FILE, "application/pdf", size)


async def read(chunks: AsyncIterator[bytes]) -> bytes:
    return b"".join([chunk async for chunk in chunks])


async def test_a_file_is_fetched_from_where_telegram_says(server: ScriptedServer, channel: TelegramChannel) -> None:
    server.expect("getFile", servers.success({"file_id": "F1", "file_path": "documents/f1.pdf"}))
    server.files["documents/f1.pdf"] = servers.raw(200, b"%PDF-1.7")

    assert await read(channel.download(attachment())) == b"%PDF-1.7"
    assert server.received[0].parameters == {"file_id": "F1"}


@pytest.mark.report("R179")
@pytest.mark.parametrize("size", [limits.MAX_DOWNLOAD + 1, None])
async def test_a_file_that_is_too_large_is_refused_with_limit_and_size(
    server: ScriptedServer, channel: TelegramChannel, size: int | None
) -> None:
    server.expect("getFile", servers.refusal(400, "Bad Request: file is too big"))

    with pytest.raises(FileTooLarge, match=r"plan\.pdf is (too large|20 MB); Telegram lets a bot fetch 20 MB at most"):
        await read(channel.download(attachment(size)))


@pytest.mark.report("R179")
async def test_a_file_that_is_larger_than_anyone_said_is_given_up_while_it_comes(
    server: ScriptedServer, channel: TelegramChannel
) -> None:
    server.expect("getFile", servers.success({"file_id": "F1", "file_path": "f"}))
    server.files["f"] = servers.raw(200, bytes(limits.MAX_DOWNLOAD + 1))
    received: list[bytes] = []

    async def take() -> None:
        async for chunk in channel.download(attachment(size=None)):
            received.append(chunk)

    with pytest.raises(FileTooLarge, match="20 MB at most"):
        await take()

    assert len(b"".join(received)) <= limits.MAX_DOWNLOAD


@pytest.mark.parametrize(
    "path",
    ["/etc/passwd", "../../secret", "a/../../b", "http://example.org/x", "file:///etc/passwd"],
)
async def test_a_path_outside_telegrams_files_is_not_followed(
    server: ScriptedServer, channel: TelegramChannel, path: str
) -> None:
    server.expect("getFile", servers.success({"file_id": "F1", "file_path": path}))

    with pytest.raises(Refused) as refused:
        await read(channel.download(attachment()))

    assert refused.value.reason is RefusedReason.FORBIDDEN


@pytest.mark.parametrize("answer", [servers.success({"file_id": "F1"}), servers.success(True)])
async def test_a_file_without_a_place_can_be_asked_for_again(
    server: ScriptedServer, channel: TelegramChannel, answer: Reaction
) -> None:
    server.expect("getFile", answer)

    with pytest.raises(TryLater):
        await read(channel.download(attachment()))


@pytest.mark.parametrize("fault", [servers.cut, servers.lose, servers.raw(500, b"")])
async def test_a_file_that_does_not_come_can_be_asked_for_again(
    server: ScriptedServer, channel: TelegramChannel, fault: Reaction
) -> None:
    server.expect("getFile", servers.success({"file_id": "F1", "file_path": "f"}))
    server.files["f"] = fault

    with pytest.raises(TryLater):
        await read(channel.download(attachment()))


async def test_a_file_that_telegram_has_dropped_is_gone_and_the_key_still_good(
    server: ScriptedServer, channel: TelegramChannel
) -> None:
    server.expect("getFile", servers.success({"file_id": "F1", "file_path": "f"}))
    server.files["f"] = servers.refusal(404, "Not Found")

    with pytest.raises(Refused) as refused:
        await read(channel.download(attachment()))

    assert refused.value.reason is RefusedReason.GONE
