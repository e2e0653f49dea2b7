"""The in-memory channel keeps what `channels.base` promises, and fails as it is told to."""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from dataclasses import replace
from pathlib import Path

import pytest

from channels.abilities import Drafts, Edits, Files, Presses, Typing
from channels.base import (
    AttachmentKind,
    Button,
    Channel,
    ChatRef,
    InboundAttachment,
    InboundMessage,
    MessageRef,
    OutboundFile,
    OutboundMessage,
    Press,
)
from channels.memory.app import MemoryApp
from channels.memory.channel import MemoryChannel
from channels.memory.chat import MemoryChat, SentFile, Unseen
from channels.memory.faults import Call
from core.clock import ManualClock
from core.errors import MaybeDone, Refused, RefusedReason, TryLater
from core.events import ChatKind

ADA = ChatRef("c1", "ada")


def saying(text: str, key: str = "k", **more: object) -> OutboundMessage:
    return replace(OutboundMessage(text, text, key), **more)  # type: ignore[arg-type]


def test_it_has_every_ability_but_menus_and_history(channel: MemoryChannel) -> None:
    as_channel: Channel = channel

    assert all(isinstance(as_channel, ability) for ability in (Edits, Drafts, Typing, Presses, Files))


# ---- sending -------------------------------------------------------------------------------------------------------


async def test_what_is_sent_is_seen(chat: MemoryChat, channel: MemoryChannel) -> None:
    sent = await channel.send(ADA, saying("hello", silent=True))

    (seen,) = chat.answers
    assert sent == MessageRef(ADA, seen.id)
    assert (seen.text, seen.key, seen.silent, seen.author.is_bot) == ("hello", "k", True, True)


@pytest.mark.report("R181")
async def test_a_file_arrives_with_its_bytes(chat: MemoryChat, channel: MemoryChannel, tmp_path: Path) -> None:
    path = tmp_path / "stored-name"
    path.write_bytes(b"a,b\r\n")

    await channel.send(ADA, saying("", file=OutboundFile(path, "table.csv", "text/csv")))

    file = chat.answers[0].file
    assert file is not None
    assert (file.name, file.mime, file.content, file.size) == ("table.csv", "text/csv", b"a,b\r\n", 5)


@pytest.mark.parametrize("text", ["", " \n"])
async def test_nothing_to_show_is_refused(chat: MemoryChat, channel: MemoryChannel, text: str) -> None:
    with pytest.raises(Refused) as refused:
        await channel.send(ADA, saying(text))

    assert refused.value.reason is RefusedReason.BAD_PAYLOAD
    assert chat.messages == ()


@pytest.mark.parametrize("size", [None, 50 * 1024 * 1024 + 1], ids=["missing", "too large"])
async def test_a_file_that_cannot_go_is_refused(
    chat: MemoryChat, channel: MemoryChannel, tmp_path: Path, size: int | None
) -> None:
    path = tmp_path / "file"
    if size:
        with path.open("wb") as file:
            file.truncate(size)

    with pytest.raises(Refused) as refused:
        await channel.send(ADA, saying("", file=OutboundFile(path, "f", "text/plain")))

    assert refused.value.reason is RefusedReason.BAD_PAYLOAD


async def test_an_unknown_chat_and_one_that_blocked_the_bot_are_gone(chat: MemoryChat, channel: MemoryChannel) -> None:
    chat.block()

    for ref in (ADA, ChatRef("c1", "nobody")):
        with pytest.raises(Refused) as refused:
            await channel.send(ref, saying("hello"))
        assert refused.value.reason is RefusedReason.GONE


@pytest.mark.report("R093")
async def test_an_answer_in_a_thread_stays_in_the_thread(app: MemoryApp, channel: MemoryChannel) -> None:
    group = app.group("Team", app.private_chat("Ada").people[0])
    thread = app.thread(group, "t1")

    await channel.send(ChatRef("c1", group.id, ChatKind.GROUP, "t1"), saying("here"))

    assert (thread.texts, group.texts) == (("here",), ())


# ---- edits, drafts, typing, presses ----------------------------------------------------------------------------------


async def test_an_edit_changes_the_message_in_its_place(chat: MemoryChat, channel: MemoryChannel) -> None:
    first = await channel.send(ADA, saying("one"))
    await channel.send(ADA, saying("two"))

    await channel.edit(first, saying("ONE"))

    assert chat.texts == ("ONE", "two")
    assert chat.answers[0].edits == 1


@pytest.mark.report("R169")
async def test_an_edit_to_the_same_words_counts_as_done(chat: MemoryChat, channel: MemoryChannel) -> None:
    sent = await channel.send(ADA, saying("one"))

    await channel.edit(sent, saying("one", key="another"))

    assert chat.answers[0].edits == 0


async def test_a_message_that_is_gone_can_be_deleted_and_not_edited(chat: MemoryChat, channel: MemoryChannel) -> None:
    sent = await channel.send(ADA, saying("one"))
    await channel.delete(sent)

    await channel.delete(sent)
    with pytest.raises(Refused) as refused:
        await channel.edit(sent, saying("two"))

    assert chat.messages == ()
    assert refused.value.reason is RefusedReason.GONE


@pytest.mark.report("R023")
async def test_the_final_message_takes_the_drafts_place(chat: MemoryChat, channel: MemoryChannel) -> None:
    await channel.draft(ADA, 7, "hel", "hel")
    await channel.draft(ADA, 7, "hello", "hello")
    while_writing = (chat.draft, chat.texts)

    await channel.send(ADA, saying("hello there"))

    assert while_writing == ("hello", ())
    assert (chat.draft, chat.texts) == (None, ("hello there",))


async def test_drafts_are_for_private_chats(channel: MemoryChannel) -> None:
    assert channel.drafts_in(ADA)
    assert not channel.drafts_in(ChatRef("c1", "g", ChatKind.GROUP))


async def test_typing_shows_for_a_few_seconds(chat: MemoryChat, channel: MemoryChannel, clock: ManualClock) -> None:
    await channel.typing(ADA)
    at_once = chat.typing
    await clock.advance(channel.capabilities.typing_every)
    still = chat.typing
    await clock.advance(1)

    assert (at_once, still, chat.typing) == (True, True, False)


@pytest.mark.report("R071")
async def test_a_press_comes_back_with_its_token_and_can_be_answered(
    app: MemoryApp, chat: MemoryChat, channel: MemoryChannel
) -> None:
    sent = await channel.send(ADA, saying("well?", buttons=(Button("Yes", "tok"), Button("Look", url="https://a.b"))))

    chat.press(chat.answers[0], "Yes")
    (press,) = channel.parse(app.feed.waiting[0].payload)
    assert isinstance(press, Press)
    await channel.answer_press(press, "thanks")
    await channel.answer_press(press)

    assert (press.token, press.message, press.sender.id) == ("tok", sent, "ada")
    assert chat.notes == ("thanks",)


@pytest.mark.parametrize("label", ["Look", "No"], ids=["a link", "no such button"])
async def test_what_is_no_button_cannot_be_pressed(chat: MemoryChat, channel: MemoryChannel, label: str) -> None:
    await channel.send(ADA, saying("well?", buttons=(Button("Yes", "tok"), Button("Look", url="https://a.b"))))

    with pytest.raises(LookupError):
        chat.press(chat.answers[0], label)


async def test_buttons_that_an_edit_took_away_cannot_be_pressed(chat: MemoryChat, channel: MemoryChannel) -> None:
    sent = await channel.send(ADA, saying("well?", buttons=(Button("Yes", "tok"),)))
    shown = chat.answers[0]

    await channel.edit(sent, saying("yes it is"))

    with pytest.raises(LookupError):
        chat.press(shown, "Yes")


async def test_without_buttons_they_are_refused(app: MemoryApp, chat: MemoryChat, clock: ManualClock) -> None:
    plain = MemoryChannel("c1", app, clock, key=app.key)

    with pytest.raises(Refused):
        await plain.send(ADA, saying("well?", buttons=(Button("Yes", "tok"),)))

    assert plain.capabilities.button_limit == 0


# ---- files ---------------------------------------------------------------------------------------------------------


async def read(pieces: AsyncIterator[bytes]) -> list[bytes]:
    return [piece async for piece in pieces]


async def test_a_persons_file_is_read_in_pieces(app: MemoryApp, chat: MemoryChat, channel: MemoryChannel) -> None:
    content = bytes(range(256)) * 1000
    chat.say("look", files=[SentFile("big.bin", content)])

    (message,) = channel.parse(app.feed.waiting[0].payload)
    assert isinstance(message, InboundMessage)
    pieces = await read(channel.download(message.attachments[0]))

    assert len(pieces) > 1
    assert b"".join(pieces) == content


async def test_a_file_that_the_app_does_not_have_is_gone(app: MemoryApp, channel: MemoryChannel) -> None:
    with pytest.raises(Refused) as refused:
        await read(channel.download(InboundAttachment("unknown", "f", AttachmentKind.FILE)))

    assert refused.value.reason is RefusedReason.GONE


# ---- faults --------------------------------------------------------------------------------------------------------


async def test_a_call_fails_as_often_as_it_was_told_to(
    app: MemoryApp, chat: MemoryChat, channel: MemoryChannel
) -> None:
    app.faults.add(Call.SEND, TryLater("busy", retry_after=3), times=2)

    for _ in range(2):
        with pytest.raises(TryLater) as later:
            await channel.send(ADA, saying("hello"))
        assert later.value.retry_after == 3
    await channel.send(ADA, saying("hello"))

    assert chat.texts == ("hello",)


@pytest.mark.parametrize(("taken", "seen"), [(True, ("hello",)), (False, ())])
async def test_a_lost_receipt_leaves_open_whether_it_was_taken(
    app: MemoryApp, chat: MemoryChat, channel: MemoryChannel, taken: bool, seen: tuple[str, ...]
) -> None:
    app.faults.add(Call.SEND, MaybeDone("no receipt"), taken=taken)

    with pytest.raises(MaybeDone):
        await channel.send(ADA, saying("hello"))

    assert chat.texts == seen


async def test_a_fault_of_one_chat_is_not_anothers(app: MemoryApp, chat: MemoryChat, channel: MemoryChannel) -> None:
    bob = app.private_chat("Bob")
    app.faults.add(Call.SEND, Refused("no", RefusedReason.FORBIDDEN), chat_id="ada")

    await channel.send(ChatRef("c1", "bob"), saying("hello"))
    with pytest.raises(Refused):
        await channel.send(ADA, saying("hello"))

    assert (bob.texts, chat.texts) == (("hello",), ())


OF_OTHERS = {Call.OPEN_STREAM, Call.STREAM, Call.MARK, Call.UNMARK, Call.MISSED}
"""Calls that only an app with more abilities has."""


async def test_every_call_can_fail(app: MemoryApp, chat: MemoryChat, channel: MemoryChannel) -> None:
    sent = await channel.send(ADA, saying("one", buttons=(Button("Yes", "tok"),)))
    chat.press(chat.answers[0], "Yes")
    (press,) = channel.parse(app.feed.waiting[0].payload)
    assert isinstance(press, Press)
    file = InboundAttachment("f", "f", AttachmentKind.FILE)
    for call in Call:
        app.faults.add(call, TryLater(call))

    failed = [
        await _error_of(attempt)
        for attempt in (
            channel.start(),
            channel.send(ADA, saying("two")),
            channel.edit(sent, saying("two")),
            channel.delete(sent),
            channel.draft(ADA, 1, "t", "t"),
            channel.typing(ADA),
            channel.answer_press(press, "note"),
            read(channel.download(file)),
        )
    ]

    assert failed == [call.value for call in Call if call not in OF_OTHERS]
    assert chat.texts == ("one",)


async def _error_of(attempt: Awaitable[object]) -> str:
    with pytest.raises(TryLater) as later:
        await attempt
    return str(later.value)


# ---- the app -------------------------------------------------------------------------------------------------------


async def test_a_person_can_wait_for_what_they_will_see(chat: MemoryChat, channel: MemoryChannel) -> None:
    waiting = asyncio.create_task(chat.wait_until(lambda seen: "two" in seen.texts))

    await channel.send(ADA, saying("one"))
    await asyncio.sleep(0)
    before = waiting.done()
    await channel.send(ADA, saying("two"))
    await waiting

    assert not before


async def test_waiting_for_what_never_comes_says_what_came(chat: MemoryChat, channel: MemoryChannel) -> None:
    await channel.send(ADA, saying("one"))

    with pytest.raises(Unseen, match="one"):
        await chat.wait_until(lambda seen: "two" in seen.texts, within=0)


async def test_a_room_keeps_the_newest(clock: ManualClock) -> None:
    app = MemoryApp(clock, keep=3)
    chat = app.private_chat("Ada")

    for number in range(5):
        chat.say(str(number))

    assert [message.text for message in chat.messages] == ["2", "3", "4"]


async def test_a_later_life_of_the_app_uses_other_ids(clock: ManualClock) -> None:
    first = MemoryApp(clock)
    await clock.advance(1)

    second = MemoryApp(clock)

    assert first.private_chat("Ada").say("hi").id != second.private_chat("Ada").say("hi").id


def test_the_same_person_has_the_same_chat(app: MemoryApp) -> None:
    assert app.private_chat("Ada") is app.private_chat("Ada")
