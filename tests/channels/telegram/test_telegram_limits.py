"""Both sides of each of Telegram's limits, with the pretend Telegram as the judge: it has a list of its own."""

from pathlib import Path

import pytest

from channels.base import (
    AttachmentKind,
    Button,
    ChatRef,
    Identity,
    InboundAttachment,
    InboundMessage,
    OutboundFile,
    OutboundMessage,
)
from channels.emulators.telegram.pictures import TINY_PNG
from channels.formatting import limits as formatting_limits
from channels.telegram import limits
from commands.command import Section
from commands.menus import LIMITS, MenuEntry, NativeMenu
from core.errors import Refused, RefusedReason, UsageError
from tests.channels.telegram.connected import Connected, listening

SMILE = "😀"
"""One character, two of the units in which Telegram measures."""


def ada(connected: Connected) -> ChatRef:
    return ChatRef("tg", str(connected.ada.id))


def plain(text: str, **more: object) -> OutboundMessage:
    return OutboundMessage(text, text, "key", **more)  # type: ignore[arg-type]  # any field of the message


async def refused(connected: Connected, message: OutboundMessage) -> RefusedReason:
    with pytest.raises(Refused) as error:
        await connected.channel.send(ada(connected), message)
    return error.value.reason


def file(folder: Path, name: str, mime: str, size: int, start: bytes = b"") -> OutboundFile:
    with (folder / name).open("wb") as hollow:
        hollow.write(start)
        hollow.truncate(size)  # a hole on disk
    return OutboundFile(folder / name, name, mime)


# ---- words ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("letters", ["x" * limits.MAX_TEXT, SMILE * (limits.MAX_TEXT // 2)])
async def test_a_text_may_be_as_long_as_this_after_its_markup(connected: Connected, letters: str) -> None:
    await connected.channel.send(ada(connected), plain(f"<b>{letters}</b>"))

    assert connected.chat.answers[-1].text == letters
    assert await refused(connected, plain(f"<b>{letters}x</b>")) is RefusedReason.BAD_PAYLOAD


def test_parts_are_made_no_longer_than_a_message_may_be() -> None:
    assert formatting_limits.TELEGRAM_TEXT == limits.CAPABILITIES.max_text == limits.MAX_TEXT


@pytest.mark.parametrize(
    "letters", ["x" * limits.MAX_CAPTION, SMILE * (limits.MAX_CAPTION // 2), "&amp;" * limits.MAX_CAPTION]
)
async def test_words_stay_with_their_file_as_long_as_they_fit(
    connected: Connected, tmp_path: Path, letters: str
) -> None:
    document = file(tmp_path, "a.pdf", "application/pdf", 3)

    await connected.channel.send(ada(connected), plain(f"<i>{letters}</i>", file=document))
    await connected.channel.send(ada(connected), plain(f"<i>{letters}.</i>", file=document))

    together, words, alone = connected.chat.answers
    assert (together.file is not None, words.file, alone.file is not None, alone.text) == (True, None, True, "")
    assert words.text == together.text + "."


async def test_a_note_is_cut_where_telegram_would_refuse_it(connected: Connected) -> None:
    async with listening(connected) as ear:
        await connected.channel.send(ada(connected), plain("May I?", buttons=(Button("Yes", token="t"),)))
        first = await connected.chat.press(connected.chat.answers[-1], "Yes")
        await connected.channel.answer_press(await ear.press(), "x" * limits.MAX_PRESS_NOTE)
        ear.heard.clear()
        second = await connected.chat.press(connected.chat.answers[-1], "Yes")
        await connected.channel.answer_press(await ear.press(), SMILE * (limits.MAX_PRESS_NOTE // 2) + "x")

    assert (await connected.chat.answer_to(first)).text == "x" * limits.MAX_PRESS_NOTE
    assert (await connected.chat.answer_to(second)).text == SMILE * (limits.MAX_PRESS_NOTE // 2 - 1) + "…"


@pytest.mark.parametrize("newest", [limits.CAPABILITIES.preview_newest, limits.MAX_TEXT])
async def test_a_draft_may_be_as_long_as_a_message(connected: Connected, newest: int) -> None:
    await connected.channel.draft(ada(connected), 1, "x" * newest, "x" * newest)

    assert connected.chat.draft is not None
    assert len(connected.chat.draft.text) == newest


# ---- buttons -------------------------------------------------------------------------------------------------------


@pytest.mark.report("R083")
@pytest.mark.report("R085")
@pytest.mark.parametrize("letter", ["x", "é"])
async def test_a_buttons_token_may_have_this_many_bytes(connected: Connected, letter: str) -> None:
    token = letter * (limits.MAX_CALLBACK_DATA // len(letter.encode()))

    await connected.channel.send(ada(connected), plain("May I?", buttons=(Button("Yes", token=token),)))

    assert connected.chat.button(connected.chat.answers[-1], "Yes").value == token
    too_long = plain("May I?", buttons=(Button("Yes", token=token + letter),))
    assert await refused(connected, too_long) is RefusedReason.BAD_PAYLOAD


async def test_as_many_buttons_as_are_promised_fit_under_a_message(connected: Connected) -> None:
    labels = [f"Choice number {number}" for number in range(limits.CAPABILITIES.button_limit)]

    await connected.channel.send(
        ada(connected), plain("Which?", buttons=tuple(Button(label, token=label) for label in labels))
    )

    assert [label for row in connected.chat.answers[-1].labels for label in row] == labels


# ---- menus ---------------------------------------------------------------------------------------------------------


@pytest.mark.report("R157")
async def test_a_menu_as_large_as_the_registry_makes_one_is_taken_whole(connected: Connected) -> None:
    most = LIMITS["telegram"]
    entries = tuple(
        MenuEntry(f"c{number}", "d" * (most.total_bytes // most.commands - 3), Section.CONCH)
        for number in range(most.commands)
    )

    await connected.channel.set_menu(NativeMenu("telegram", entries))

    assert len(connected.chat.menu) == most.commands


# ---- files ---------------------------------------------------------------------------------------------------------


async def test_a_picture_is_a_photo_up_to_its_limit_and_a_file_above(connected: Connected, tmp_path: Path) -> None:
    largest = file(tmp_path, "a.png", "image/png", limits.MAX_PHOTO, TINY_PNG)
    larger = file(tmp_path, "b.png", "image/png", limits.MAX_PHOTO + 1, TINY_PNG)

    await connected.channel.send(ada(connected), plain("", file=largest))
    await connected.channel.send(ada(connected), plain("", file=larger))

    kinds = [message.file.kind for message in connected.chat.answers if message.file]
    assert kinds == ["photo", "document"]


@pytest.mark.report("R179")
async def test_a_file_may_be_sent_up_to_its_limit(connected: Connected, tmp_path: Path) -> None:
    largest = file(tmp_path, "a.bin", "application/octet-stream", limits.MAX_UPLOAD)
    larger = file(tmp_path, "b.bin", "application/octet-stream", limits.MAX_UPLOAD + 1)

    await connected.channel.send(ada(connected), plain("", file=largest))
    with pytest.raises(Refused, match=r"b\.bin is 50 MB; Telegram lets a bot send 50 MB at most"):
        await connected.channel.send(ada(connected), plain("", file=larger))

    assert len(connected.telegram.calls("sendDocument")) == 1


@pytest.mark.report("R179")
async def test_a_file_may_be_fetched_up_to_its_limit(connected: Connected) -> None:
    async with listening(connected) as ear:
        await connected.chat.file("a.bin", caption="largest", size=limits.MAX_DOWNLOAD)
        (largest,) = (await ear.message("largest")).attachments
        await connected.chat.file("b.bin", caption="larger", size=limits.MAX_DOWNLOAD + 1)
        (larger,) = (await ear.message("larger")).attachments

    assert sum([len(chunk) async for chunk in connected.channel.download(largest)]) == limits.MAX_DOWNLOAD
    for claimed in (larger, InboundAttachment(larger.handle, "b.bin", AttachmentKind.FILE)):
        with pytest.raises(Refused, match="20 MB at most"):
            [chunk async for chunk in connected.channel.download(claimed)]


# ---- links and polls -----------------------------------------------------------------------------------------------


def test_a_hello_code_may_have_this_many_characters(connected: Connected) -> None:
    identity = Identity("1", "Conch", "conch_bot")

    link = connected.kind.hello_link(identity, "x" * limits.MAX_START_PARAMETER)

    assert link == "https://t.me/conch_bot?start=" + "x" * limits.MAX_START_PARAMETER
    for code in ("x" * (limits.MAX_START_PARAMETER + 1), "", "a b", "ü"):
        with pytest.raises(UsageError):
            connected.kind.hello_link(identity, code)


async def test_more_updates_than_one_answer_holds_all_arrive_in_order(connected: Connected) -> None:
    for number in range(limits.POLL_LIMIT + 5):
        await connected.chat.say(str(number))

    async with listening(connected) as ear:
        await ear.message(str(limits.POLL_LIMIT + 4))

    said = [item.text for item in ear.heard if isinstance(item, InboundMessage)]
    assert said == ["/start", *map(str, range(limits.POLL_LIMIT + 5))]


def test_every_kind_of_update_that_is_asked_for_is_read() -> None:
    assert set(limits.ALLOWED_UPDATES) == {"message", "edited_message", "callback_query", "my_chat_member"}
