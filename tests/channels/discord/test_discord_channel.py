"""What the channel says over real sockets, and what becomes of it: once, in the right room, in order."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from channels import abilities
from channels.base import (
    AttachmentKind,
    Button,
    ChatRef,
    FileTooLarge,
    InboundAttachment,
    InboundMessage,
    Joined,
    Left,
    MessageRef,
    OutboundFile,
)
from channels.discord import limits
from channels.emulators.discord.pretend import PretendDiscord
from core.clock import ManualClock
from core.errors import MaybeDone, Refused, RefusedReason, TryLater
from core.events import ChatKind
from tests.channels.discord.connected import EDIT, SEND, Connected, connect, listening, words

ABILITIES = (
    abilities.Edits,
    abilities.Streams,
    abilities.Typing,
    abilities.Presses,
    abilities.Forms,
    abilities.Threads,
    abilities.Files,
    abilities.NativeMenus,
    abilities.PrivateChats,
    abilities.History,
)


@pytest.mark.parametrize("ability", ABILITIES, ids=lambda ability: ability.__name__)
def test_it_can_do_what_discord_can(connected: Connected, ability: type) -> None:
    assert isinstance(connected.channel, ability)


async def test_the_same_message_twice_is_said_once(connected: Connected) -> None:
    first = await connected.channel.send(connected.room, words("only once"))
    second = await connected.channel.send(connected.room, words("only once"))

    assert first == second
    assert [message.text for message in connected.chat.answers] == ["only once"]


async def test_a_message_whose_receipt_was_lost_is_not_doubled_by_a_second_try(connected: Connected) -> None:
    connected.discord.faults.add("lost", method=SEND)
    with pytest.raises(MaybeDone):
        await connected.channel.send(connected.room, words("perhaps"))

    await connected.channel.send(connected.room, words("perhaps"))

    assert [message.text for message in connected.chat.answers] == ["perhaps"]


async def test_nobody_is_called_by_what_it_says(connected: Connected, discord: PretendDiscord) -> None:
    await connected.channel.send(connected.room, words(f"@everyone <@{connected.ada.id}>"))

    (call,) = discord.calls(SEND)
    assert call.body["allowed_mentions"] == {"parse": [], "replied_user": False}


async def test_an_answer_to_a_message_that_is_gone_comes_all_the_same(connected: Connected) -> None:
    asked = await connected.chat.say("a question")
    await connected.chat.delete(asked)

    await connected.channel.send(connected.room, words("an answer", reply_to=asked.id))

    assert connected.chat.answers[-1].text == "an answer"


async def test_the_private_room_is_asked_for_once(connected: Connected, discord: PretendDiscord) -> None:
    await connected.channel.send(connected.channel.private_chat(connected.ada.id), words("one"))
    await connected.channel.send(connected.room, words("two"))

    assert len(discord.calls("POST /users/@me/channels")) == 1


async def test_a_person_who_takes_no_private_messages_is_gone(connected: Connected) -> None:
    await connected.chat.block()

    with pytest.raises(Refused, match="no private messages") as refused:
        await connected.channel.send(connected.room, words("hello"))

    assert refused.value.reason is RefusedReason.GONE


async def test_a_flood_is_the_outboxs_to_wait_for(connected: Connected, discord: PretendDiscord) -> None:
    discord.faults.add("flood", method=SEND, seconds=7)

    with pytest.raises(TryLater) as later:
        await connected.channel.send(connected.room, words("patience"))

    assert later.value.retry_after == 7
    assert len(discord.calls(SEND)) == 1


async def test_a_flood_of_everything_stops_everything_but_interactions(discord: PretendDiscord) -> None:
    clock = ManualClock()
    async with connect(discord, clock) as connected:
        discord.faults.add("flood_all", method=SEND, seconds=3)
        for _ in range(2):
            with pytest.raises(TryLater) as later:
                await connected.channel.send(connected.room, words("patience"))
        calls = len(discord.calls(SEND))
        await clock.advance(3.1)
        await connected.channel.send(connected.room, words("patience"))

    assert later.value.retry_after == 3
    assert calls == 1
    assert [message.text for message in connected.chat.answers] == ["patience"]


async def test_a_page_in_between_says_nothing_about_the_key(connected: Connected, discord: PretendDiscord) -> None:
    discord.faults.add("cloudflare", method=SEND, seconds=60)

    with pytest.raises(TryLater):
        await connected.channel.send(connected.room, words("patience"))


async def test_trouble_at_discord_is_not_slept_on(connected: Connected, discord: PretendDiscord) -> None:
    discord.faults.add("server_error", method=SEND, status=502)

    with pytest.raises(MaybeDone):
        await connected.channel.send(connected.room, words("perhaps"))

    assert len(discord.calls(SEND)) == 1


async def test_a_discord_that_is_away_has_taken_nothing(connected: Connected) -> None:
    async with connected.discord.unreachable():
        with pytest.raises(TryLater):
            await connected.channel.send(connected.room, words("hello"))


async def test_before_it_is_started_nothing_goes_out(connected: Connected) -> None:
    await connected.channel.stop()

    with pytest.raises(TryLater):
        await connected.channel.send(connected.room, words("hello"))


async def test_a_key_of_another_bot_is_refused(discord: PretendDiscord, connected: Connected) -> None:
    other = discord.add_bot("Other", "other_bot")
    identity = await connected.kind.check({"token": discord.bot.token})
    channel = connected.kind.connect("x", {"token": other.token}, identity)

    with pytest.raises(Refused) as refused:
        await channel.start()
    await channel.stop()

    assert refused.value.reason is RefusedReason.FORBIDDEN


# ---- edits and streams ---------------------------------------------------------------------------------------------


async def test_an_edit_takes_buttons_away_that_are_not_named_again(connected: Connected) -> None:
    sent = await connected.channel.send(connected.room, words("May I?", buttons=(Button("Yes", token="t"),)))

    await connected.channel.edit(sent, words("Allowed."))

    assert (connected.chat.answers[-1].text, connected.chat.answers[-1].labels) == ("Allowed.", [])


async def test_an_edit_of_what_is_gone_says_so_and_a_deletion_does_not(connected: Connected) -> None:
    sent = await connected.channel.send(connected.room, words("soon gone"))
    await connected.channel.delete(sent)

    await connected.channel.delete(sent)
    with pytest.raises(Refused) as refused:
        await connected.channel.edit(sent, words("too late"))

    assert refused.value.reason is RefusedReason.GONE


async def test_what_is_streamed_and_what_ends_it_are_one_message(connected: Connected) -> None:
    begun = await connected.channel.open_stream(connected.room, words("Once"))
    await connected.channel.stream(begun, "Once upon", "Once upon")

    sent = await connected.channel.send(connected.room, words("Once upon a time.", into=begun.message_id))

    assert sent == begun
    assert [message.text for message in connected.chat.answers] == ["Once upon a time."]


async def test_what_ends_a_stream_that_is_gone_is_a_new_message(connected: Connected) -> None:
    begun = await connected.channel.open_stream(connected.room, words("Once"))
    await connected.channel.delete(begun)

    sent = await connected.channel.send(connected.room, words("Once upon a time.", into=begun.message_id))

    assert sent != begun
    assert [message.text for message in connected.chat.answers] == ["Once upon a time."]


async def test_the_end_of_a_stream_is_repeated_without_harm(connected: Connected) -> None:
    begun = await connected.channel.open_stream(connected.room, words("Once"))
    connected.discord.faults.add("lost", method=EDIT)

    with pytest.raises(TryLater):
        await connected.channel.send(connected.room, words("The end.", into=begun.message_id))
    await connected.channel.send(connected.room, words("The end.", into=begun.message_id))

    assert [message.text for message in connected.chat.answers] == ["The end."]


async def test_typing_is_seen(connected: Connected) -> None:
    await connected.channel.typing(connected.room)

    assert connected.chat.typing


# ---- files ---------------------------------------------------------------------------------------------------------


async def test_a_file_goes_out_with_its_words(connected: Connected, tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"a,b\n1,2\n")
    file = OutboundFile(path, "table.csv", "text/csv")

    await connected.channel.send(connected.room, words("Your table", file=file))

    shown = connected.chat.answers[-1]
    assert shown.text == "Your table"
    assert [attachment.name for attachment in shown.files] == ["table.csv"]


async def test_a_files_name_cannot_break_out_of_its_header(connected: Connected, tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"x")

    await connected.channel.send(connected.room, words("", file=OutboundFile(path, 'a"\r\nb.txt', "text/plain")))

    assert [attachment.name for attachment in connected.chat.answers[-1].files] == ["a'__b.txt"]


async def test_a_file_that_is_too_large_is_not_even_begun(connected: Connected, tmp_path: Path) -> None:
    path = tmp_path / "x"
    with path.open("wb") as handle:
        handle.truncate(limits.MAX_UPLOAD + 1)

    with pytest.raises(Refused, match="lets a bot send 10 MB at most"):
        await connected.channel.send(connected.room, words("", file=OutboundFile(path, "big.bin", "x/y")))


async def test_a_file_of_just_the_size_that_is_allowed_goes_out_and_comes_in_whole(
    connected: Connected, tmp_path: Path
) -> None:
    path = tmp_path / "x"
    path.write_bytes(bytes(range(256)) * (limits.MAX_UPLOAD // 256))
    await connected.channel.send(connected.room, words("", file=OutboundFile(path, "just.bin", "x/y")))
    shown = connected.chat.answers[-1].files[0]
    address = f"{connected.discord.world.base}/attachments/{connected.chat.channel.id}/{shown.id}/just.bin"

    there = InboundAttachment(address, "just.bin", AttachmentKind.FILE, size=shown.size)
    content = b"".join([chunk async for chunk in connected.channel.download(there)])

    assert shown.size == limits.MAX_UPLOAD
    assert content == path.read_bytes()


async def test_a_file_that_comes_in_is_fetched(connected: Connected) -> None:
    async with listening(connected) as ear:
        await connected.chat.file("notes.txt", b"remember the milk", "Read this")
        message = await ear.message("Read this")

        content = b"".join([chunk async for chunk in connected.channel.download(message.attachments[0])])

    assert content == b"remember the milk"
    assert message.attachments[0].name == "notes.txt"


@pytest.mark.parametrize(
    "address",
    [
        "https://evil.example/x",
        "http://169.254.169.254/latest",
        "file:///etc/passwd",
        "https://cdn.discordapp.com.evil.example/x",
    ],
)
async def test_a_file_that_lies_elsewhere_is_not_fetched(connected: Connected, address: str) -> None:
    attachment = InboundAttachment(address, "x", AttachmentKind.FILE)

    with pytest.raises(Refused, match="own hosts"):
        _ = [chunk async for chunk in connected.channel.download(attachment)]


async def test_a_file_that_says_it_is_too_large_is_not_begun(connected: Connected) -> None:
    attachment = InboundAttachment("https://cdn.discordapp.com/x", "film.mp4", AttachmentKind.VIDEO, size=30 << 20)

    with pytest.raises(FileTooLarge, match=r"film.mp4 is 30 MB; Conch fetches 25 MB at most"):
        _ = [chunk async for chunk in connected.channel.download(attachment)]


# ---- groups and threads --------------------------------------------------------------------------------------------


async def test_a_mention_in_a_channel_opens_a_thread_where_it_is_answered(connected: Connected) -> None:
    server = connected.discord.guild("Home", [connected.ada])
    general = server.screen(connected.ada)
    async with listening(connected) as ear:
        asked = await general.mention("what is the   weather like?")
        message = await ear.message("what is the   weather like?")
        sent = await connected.channel.send(message.chat, words("Sunny."))

    thread = general.in_thread(asked)
    assert message.mentioned
    assert message.chat == ChatRef("dc", general.channel.id, ChatKind.GROUP, asked.id)
    assert [answer.text for answer in thread.answers] == ["Sunny."]
    assert thread.channel.name == "what is the weather like?"
    assert sent.chat == message.chat


async def test_the_thread_is_opened_once_also_after_a_restart(connected: Connected, discord: PretendDiscord) -> None:
    general = discord.guild("Home", [connected.ada]).screen(connected.ada)
    async with listening(connected) as ear:
        asked = await general.mention("one")
        chat = (await ear.message("one")).chat
    await connected.channel.send(chat, words("first"))
    again = connected.kind.connect(
        "dc", {"token": discord.bot.token}, await connected.kind.check({"token": discord.bot.token})
    )
    await again.start()

    await again.send(chat, words("second"))
    await again.stop()

    assert [answer.text for answer in general.in_thread(asked).answers] == ["first", "second"]


async def test_what_is_said_in_the_thread_belongs_to_it(connected: Connected) -> None:
    general = connected.discord.guild("Home", [connected.ada]).screen(connected.ada)
    async with listening(connected) as ear:
        asked = await general.mention("one")
        chat = (await ear.message("one")).chat
        await connected.channel.send(chat, words("first"))
        await general.in_thread(asked).say("and then?")
        message = await ear.message("and then?")

    assert (message.chat, message.mentioned) == (chat, False)


async def test_messages_in_the_thread_are_changed_there(connected: Connected) -> None:
    general = connected.discord.guild("Home", [connected.ada]).screen(connected.ada)
    async with listening(connected) as ear:
        asked = await general.mention("one")
        sent = await connected.channel.send((await ear.message("one")).chat, words("first"))
        await connected.channel.edit(sent, words("changed"))
        texts = [answer.text for answer in general.in_thread(asked).answers]
        await connected.channel.delete(sent)

    assert texts == ["changed"]
    assert general.in_thread(asked).answers == []


async def test_where_no_thread_can_be_opened_the_answer_is_a_reply(connected: Connected) -> None:
    server = connected.discord.guild("Home", [connected.ada])
    await server.take_away(connected.discord.bot, "create_public_threads")
    general = server.screen(connected.ada)
    async with listening(connected) as ear:
        asked = await general.mention("one")
        sent = await connected.channel.send((await ear.message("one")).chat, words("first"))
        await connected.channel.edit(sent, words("changed"))

    assert [answer.text for answer in general.answers] == ["changed"]
    assert general.channel.messages[sent.message_id].reply_to is general.channel.messages[asked.id]


async def test_a_thread_outlives_the_message_that_opened_it(connected: Connected, discord: PretendDiscord) -> None:
    general = discord.guild("Home", [connected.ada]).screen(connected.ada)
    async with listening(connected) as ear:
        asked = await general.mention("one")
        chat = (await ear.message("one")).chat
    await connected.channel.send(chat, words("first"))
    thread = general.in_thread(asked)
    await general.delete(asked)

    async with connect(discord) as restarted:
        await restarted.channel.send(chat, words("second"))

    assert [answer.text for answer in thread.answers] == ["first", "second"]
    assert general.answers == []


async def test_where_somebody_deleted_the_thread_the_answer_is_a_reply(connected: Connected) -> None:
    general = connected.discord.guild("Home", [connected.ada]).screen(connected.ada)
    async with listening(connected) as ear:
        asked = await general.mention("one")
        chat = (await ear.message("one")).chat
        await connected.channel.send(chat, words("first"))
        del connected.discord.world.channels[asked.id]
        await connected.channel.send(chat, words("second"))
        await connected.channel.send(chat, words("third"))

    assert [(answer.text, answer.reply_to) for answer in general.answers] == [("second", asked.id), ("third", asked.id)]


async def test_where_the_bot_may_not_write_it_is_said_which_right_is_missing(connected: Connected) -> None:
    server = connected.discord.guild("Home", [connected.ada])
    await server.take_away(connected.discord.bot, "send_messages")
    chat = ChatRef("dc", server.screen(connected.ada).channel.id, ChatKind.GROUP)

    with pytest.raises(Refused, match="send messages") as refused:
        await connected.channel.send(chat, words("hello"))

    assert refused.value.reason is RefusedReason.FORBIDDEN


async def test_what_people_say_among_themselves_is_not_stored(connected: Connected) -> None:
    general = connected.discord.guild("Home", [connected.ada]).screen(connected.ada)
    async with listening(connected) as ear:
        await general.say("between us")
        await general.mention("for the bot")
        await ear.message("for the bot")

    assert len(ear.updates) == 1


async def test_a_server_that_the_bot_comes_into_and_leaves_is_heard_of_once(connected: Connected) -> None:
    before = connected.discord.guild("Old", [connected.ada])
    async with listening(connected) as ear:
        server = connected.discord.guild("New", [connected.ada])
        joined = await ear.next(Joined)
        await server.remove_bot(connected.discord.bot)
        left = await ear.next(Left)

    assert (joined.chat.id, joined.chat.title) == (server.screen(connected.ada).channel.id, "#general (New)")
    assert left.chat == joined.chat
    assert len(ear.heard) == 2
    assert before.id not in str(ear.updates)


# ---- what was missed -----------------------------------------------------------------------------------------------


async def test_what_was_missed_comes_oldest_first_under_its_own_ids(connected: Connected) -> None:
    for at in range(limits.HISTORY_PAGE + 20):
        await connected.chat.say(f"message {at}")
    await connected.channel.send(connected.room, words("the bot's own"))
    since = datetime.now(UTC) - timedelta(hours=1)

    missed = [update async for update in connected.channel.missed(connected.room, since)]

    heard = [item for update in missed for item in connected.channel.parse(update.payload)]
    messages = [item for item in heard if isinstance(item, InboundMessage)]
    assert [item.text for item in messages] == [f"message {at}" for at in range(limits.HISTORY_PAGE + 20)]
    assert [update.update_id for update in missed] == [item.message_id for item in messages]
    assert {item.chat for item in messages} == {connected.room}


async def test_nothing_is_missed_that_was_there_before(connected: Connected) -> None:
    await connected.chat.say("long known")

    since = datetime.now(UTC) + timedelta(hours=1)

    assert [update async for update in connected.channel.missed(connected.room, since)] == []


async def test_a_message_that_does_not_exist_is_refused_before_it_is_asked_for(connected: Connected) -> None:
    calls = len(connected.discord.calls())

    with pytest.raises(Refused):
        await connected.channel.edit(MessageRef(ChatRef("dc", "x/y", ChatKind.GROUP), "../1"), words("hello"))

    assert len(connected.discord.calls()) == calls
