"""Pictures, files and albums, in both directions."""

import struct
from datetime import timedelta

import pytest
from telegram import Bot, InputMediaAudio, InputMediaDocument, InputMediaPhoto
from telegram.error import BadRequest, InvalidToken

from channels.emulators.telegram import limits
from channels.emulators.telegram.pictures import TINY_PNG, picture
from channels.emulators.telegram.pretend import PretendTelegram
from channels.emulators.telegram.screen import Player, Screen
from core.clock import ManualClock
from tests.channels.emulators.conftest import Refused


def png(width: int, height: int) -> bytes:
    """The head of a picture; nobody here looks further."""
    return TINY_PNG[:16] + struct.pack(">II", width, height) + TINY_PNG[24:]


async def test_a_picture_is_shown_with_its_caption(bot: Bot, ada: Player, chat: Screen) -> None:
    await bot.send_photo(ada.id, png(640, 480), caption="<b>look</b>", parse_mode="HTML", filename="a.png")

    seen = chat.answers[-1]
    assert seen.file is not None
    assert (seen.file.kind, seen.file.mime, seen.text, seen.marked("bold")) == ("photo", "image/png", "look", ["look"])


@pytest.mark.parametrize("length", [1024, 1025])
async def test_a_caption_has_1024_units(bot: Bot, ada: Player, chat: Screen, length: int) -> None:
    try:
        await bot.send_document(ada.id, b"x", caption="<i>" + "a" * length + "</i>", parse_mode="HTML")
        outcome = "taken"
    except BadRequest as error:
        outcome = error.message

    assert outcome == ("taken" if length == 1024 else "Message caption is too long")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"no picture", "IMAGE_PROCESS_FAILED"),
        (png(9000, 1001), "PHOTO_INVALID_DIMENSIONS"),
        (png(2100, 100), "PHOTO_INVALID_DIMENSIONS"),
        (png(0, 100), "PHOTO_INVALID_DIMENSIONS"),
        (b"", "file must be non-empty"),
    ],
)
async def test_a_picture_that_telegram_refuses(
    bot: Bot, ada: Player, chat: Screen, refused: Refused, data: bytes, words: str
) -> None:
    assert await refused(bot.send_photo(ada.id, data)) == f"Bad Request: {words}"


@pytest.mark.parametrize("data", [png(9000, 1000), png(2000, 100)])
async def test_a_picture_at_the_edge_is_taken(bot: Bot, ada: Player, chat: Screen, data: bytes) -> None:
    assert (await bot.send_photo(ada.id, data)).photo


async def test_the_size_of_an_upload_is_limited(
    bot: Bot, ada: Player, chat: Screen, refused: Refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "UPLOAD_BYTES", 100)

    await bot.send_document(ada.id, bytes(100))
    description = await refused(bot.send_document(ada.id, bytes(101)))

    assert description == "Request Entity Too Large"


async def test_the_size_of_a_photo_is_limited(
    bot: Bot, ada: Player, chat: Screen, refused: Refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "PHOTO_BYTES", len(TINY_PNG))

    await bot.send_photo(ada.id, TINY_PNG)
    description = await refused(bot.send_photo(ada.id, TINY_PNG + b"1"))

    assert description == "Bad Request: file of size 70 bytes is too big for a photo; the maximum size is 69 bytes"


async def test_an_album_arrives_as_one(bot: Bot, ada: Player, chat: Screen) -> None:
    sent = await bot.send_media_group(ada.id, [InputMediaPhoto(TINY_PNG, caption="both"), InputMediaPhoto(TINY_PNG)])

    assert [message.text for message in chat.answers] == ["both", ""]
    assert {message.album for message in chat.answers} == {sent[0].media_group_id} != {None}


async def send_album(bot: Bot, ada: Player, *parts: InputMediaPhoto | InputMediaDocument | InputMediaAudio) -> str:
    try:
        await bot.send_media_group(ada.id, parts)
    except BadRequest as error:
        return error.message
    return "taken"


@pytest.mark.parametrize(
    ("count", "outcome"),
    [
        (1, "Strict: an album has at least 2 parts"),
        (2, "taken"),
        (10, "taken"),
        (11, "Too many messages to send as an album"),
    ],
)
async def test_an_album_has_2_to_10_parts(bot: Bot, ada: Player, chat: Screen, count: int, outcome: str) -> None:
    parts = [InputMediaDocument(b"x", filename=f"{place}.txt") for place in range(count)]

    assert await send_album(bot, ada, *parts) == outcome


async def test_files_do_not_mix_with_pictures(bot: Bot, ada: Player, chat: Screen) -> None:
    files = await send_album(bot, ada, InputMediaPhoto(TINY_PNG), InputMediaDocument(b"x"))
    music = await send_album(bot, ada, InputMediaAudio(b"x"), InputMediaPhoto(TINY_PNG))

    assert files == "Document can't be mixed with other media types"
    assert music == "Audio can't be mixed with other media types"
    assert chat.answers == []


async def test_a_file_can_be_sent_again_by_its_id(bot: Bot, ada: Player, chat: Screen, refused: Refused) -> None:
    message = await bot.send_document(ada.id, b"data", filename="a.txt")
    assert message.document is not None
    file_id = message.document.file_id

    await bot.send_document(ada.id, file_id)

    assert [m.file.id for m in chat.answers if m.file is not None] == [file_id, file_id]
    assert await refused(bot.send_photo(ada.id, file_id)) == "Bad Request: can't use file of type Document as Photo"
    assert await refused(bot.send_photo(ada.id, "x")) == "Bad Request: wrong file identifier/HTTP URL specified"
    assert "fetches nothing from elsewhere" in await refused(bot.send_photo(ada.id, "https://example.com/a.png"))


async def test_voice_music_and_video_say_how_long_they_are(bot: Bot, ada: Player, chat: Screen) -> None:
    voice = await bot.send_voice(ada.id, b"x", duration=3)
    audio = await bot.send_audio(ada.id, b"x", duration=4, title="Song", performer="Ada")
    video = await bot.send_video(ada.id, b"x", duration=5, width=640, height=480)

    assert voice.voice is not None
    assert audio.audio is not None
    assert video.video is not None
    assert (voice.voice.duration, audio.audio.title, video.video.width) == (timedelta(seconds=3), "Song", 640)


async def test_a_bot_fetches_what_a_person_sent(bot: Bot, chat: Screen) -> None:
    await chat.file("notes.txt", b"hello", "read this")
    message = (await bot.get_updates())[0].message
    assert message is not None
    assert message.document is not None

    file = await message.document.get_file()
    data = await file.download_as_bytearray()

    assert (bytes(data), message.document.file_name, message.caption) == (b"hello", "notes.txt", "read this")


async def test_the_last_size_of_a_photo_is_the_photo(bot: Bot, chat: Screen) -> None:
    data = png(800, 600)
    await chat.photo(data)
    message = (await bot.get_updates())[0].message
    assert message is not None

    smallest, largest = [await (await size.get_file()).download_as_bytearray() for size in message.photo]

    assert (bytes(largest), message.photo[-1].width) == (data, 800)
    assert picture(bytes(smallest)) == picture(TINY_PNG)


@pytest.mark.parametrize(("size", "fetched"), [(20 << 20, True), ((20 << 20) + 1, False)])
async def test_a_bot_fetches_up_to_20_mb(bot: Bot, chat: Screen, size: int, fetched: bool) -> None:
    await chat.file("big.bin", size=size)
    message = (await bot.get_updates())[0].message
    assert message is not None
    assert message.document is not None

    try:
        outcome = (await message.document.get_file()).file_size == size
    except BadRequest as error:
        outcome = error.message != "File is too big"

    assert outcome is fetched


async def test_an_unknown_file_cannot_be_fetched(bot: Bot, refused: Refused) -> None:
    assert await refused(bot.get_file("nonsense")) == "Bad Request: invalid file_id"


async def test_a_file_address_works_for_an_hour(
    bot: Bot, telegram: PretendTelegram, chat: Screen, clock: ManualClock
) -> None:
    sent = await chat.file("a.txt", b"hello")
    assert sent.file is not None
    file = await bot.get_file(sent.file.id)
    assert file.file_path is not None

    await clock.advance(3599)
    in_time = await file.download_as_bytearray()
    await clock.advance(1)

    assert bytes(in_time) == b"hello"
    with pytest.raises(InvalidToken, match="Not Found"):
        await file.download_as_bytearray()


async def test_an_album_of_a_person_comes_as_several_messages(bot: Bot, chat: Screen) -> None:
    await chat.album([("a.png", TINY_PNG), ("b.png", TINY_PNG)], "two")

    messages = [update.message for update in await bot.get_updates()]
    assert [message.caption for message in messages if message] == ["two", None]
    assert len({message.media_group_id for message in messages if message}) == 1


async def test_a_voice_note_of_a_person_is_one(bot: Bot, chat: Screen) -> None:
    await chat.voice(b"sound", duration=2)

    message = (await bot.get_updates())[0].message
    assert message is not None
    assert message.voice is not None
    assert message.voice.file_size == 5


@pytest.mark.parametrize(
    ("data", "sides"),
    [
        (b"GIF89a" + struct.pack("<HH", 12, 34), ("gif", 12, 34)),
        (b"\xff\xd8\xff\xe0\x00\x04ab\xff\xc0\x00\x11\x08\x00\x22\x00\x0c" + bytes(9), ("jpg", 12, 34)),
        (
            b"RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0" + (11).to_bytes(3, "little") + (33).to_bytes(3, "little"),
            ("webp", 12, 34),
        ),
        (b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f" + (11 | 33 << 14).to_bytes(4, "little") + bytes(9), ("webp", 12, 34)),
        (b"RIFF\0\0\0\0WEBPVP8 " + bytes(10) + struct.pack("<HH", 12, 34), ("webp", 12, 34)),
    ],
)
def test_the_sides_of_a_picture_are_read(data: bytes, sides: tuple[str, int, int]) -> None:
    found = picture(data)

    assert found is not None
    assert (found.kind, found.width, found.height) == sides
