"""The shipped adapter and the pretend Telegram over real sockets: what people do arrives, what is said is seen."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from channels.base import (
    AttachmentKind,
    Button,
    ButtonStyle,
    ChatRef,
    Conflict,
    InboundMessage,
    Joined,
    Left,
    MessageRef,
    OutboundFile,
    OutboundMessage,
)
from channels.emulators.telegram.pictures import TINY_PNG
from channels.emulators.telegram.pretend import DEFAULT_BOT, PretendTelegram
from channels.formatting.parts import Dialect, format_message
from channels.telegram.client import TelegramClient
from channels.telegram.polling import CONFLICT_PAUSE
from channels.telegram.render import ApiCall
from commands.menus import native_menu
from core.errors import MaybeDone, Refused, RefusedReason, TryLater
from core.events import ChatKind
from tests.channels.telegram.clocks import HurriedClock
from tests.channels.telegram.connected import Connected, Ear, connect, listening

SECRET = DEFAULT_BOT.partition(":")[2]


@pytest.fixture
async def ear(connected: Connected) -> AsyncIterator[Ear]:
    async with listening(connected) as ear:
        yield ear


def words(markdown: str, key: str = "turn 1/0", **more: object) -> OutboundMessage:
    (part,) = format_message(markdown, Dialect.telegram)
    return OutboundMessage(part.text, part.plain, key, **more)  # type: ignore[arg-type]  # any field of the message


def private(connected: Connected) -> ChatRef:
    return ChatRef("tg", str(connected.ada.id))


# ---- connecting ----------------------------------------------------------------------------------------------------


async def test_a_pasted_key_says_which_bot_it_is(connected: Connected) -> None:
    found = connected.kind.find_credentials(f"Use this token to access the HTTP API:\n{DEFAULT_BOT}\nKeep it secure")
    assert found is not None

    identity = await connected.kind.check(found)

    assert (identity.bot_id, identity.name, identity.username) == ("7000000001", "Pretend", "pretend_bot")


@pytest.mark.report("R121")
async def test_a_key_that_does_not_work_is_said_and_not_shown(connected: Connected) -> None:
    with pytest.raises(Refused) as refused:
        await connected.kind.check({"token": f"7000000001:{'B' * 35}"})

    assert refused.value.reason is RefusedReason.AUTH
    assert "B" * 35 not in str(refused.value)


async def test_a_key_cannot_be_checked_while_telegram_is_away(connected: Connected) -> None:
    async with connected.telegram.unreachable():
        with pytest.raises(TryLater):
            await connected.kind.check({"token": DEFAULT_BOT})


async def test_the_hello_link_brings_its_code(connected: Connected, ear: Ear) -> None:
    link = connected.kind.hello_link(await connected.kind.check({"token": DEFAULT_BOT}), "c0de-_x")
    assert link is not None

    await connected.chat.start(link.partition("?start=")[2])

    assert (await ear.message("/start c0de-_x")).chat.kind is ChatKind.PRIVATE


# ---- what people do ------------------------------------------------------------------------------------------------


async def test_a_text_arrives_with_its_sender(connected: Connected, ear: Ear) -> None:
    said = await connected.chat.say("hello 😀")

    found = await ear.message("hello 😀")
    assert (found.sender.id, found.sender.name, found.sender.username) == (str(connected.ada.id), "Ada", "ada")
    assert (found.chat, found.message_id) == (private(connected), str(said.id))


async def test_an_edit_arrives_as_one(connected: Connected, ear: Ear) -> None:
    said = await connected.chat.say("helo")
    await connected.chat.edit(said, "hello")

    assert (await ear.edited("hello")).message_id == str(said.id)


async def test_a_forward_says_whose_words_it_brings(connected: Connected, ear: Ear) -> None:
    await connected.chat.forward("old words", of="Grace")

    assert (await ear.message("old words")).forwarded_from == "Grace"


async def test_a_reply_to_the_bot_brings_its_words(connected: Connected, ear: Ear) -> None:
    await connected.channel.send(private(connected), words("**two** plus two is four"))

    await connected.chat.reply(connected.chat.answers[-1], "sure?", quote="is four")

    quoted = (await ear.message("sure?")).reply_to
    assert quoted is not None
    assert (quoted.text, quoted.author, quoted.from_bot) == ("is four", "Pretend", True)


async def test_an_album_arrives_as_messages_that_belong_together(connected: Connected, ear: Ear) -> None:
    await connected.chat.album([("a.jpg", b"1"), ("b.jpg", b"2")], "both")

    first = await ear.message("both")
    second = await ear.next(InboundMessage, lambda message: message.album is not None and message is not first)
    assert first.album == second.album
    assert [part.kind for part in (*first.attachments, *second.attachments)] == [AttachmentKind.IMAGE] * 2


@pytest.mark.report("R181")
async def test_a_file_can_be_fetched(connected: Connected, ear: Ear) -> None:
    await connected.chat.file("plan ü.pdf", b"%PDF" * 100_000, "the plan")

    (attachment,) = (await ear.message("the plan")).attachments
    fetched = b"".join([chunk async for chunk in connected.channel.download(attachment)])
    assert (attachment.name, attachment.mime, attachment.size) == ("plan ü.pdf", "application/pdf", 400_000)
    assert fetched == b"%PDF" * 100_000


@pytest.mark.report("R101")
async def test_a_mention_in_a_group_is_cut_out_and_its_chat_is_the_group(connected: Connected, ear: Ear) -> None:
    group = connected.telegram.group("Engines", [connected.ada])

    await group.screen(connected.ada).mention("what is up?")

    found = await ear.message("what is up?")
    assert found.mentioned
    assert found.chat == ChatRef("tg", str(group.id), ChatKind.GROUP)
    assert found.chat.title == "Engines"


@pytest.mark.report("R093")
async def test_an_answer_in_a_topic_stays_in_the_topic(connected: Connected, ear: Ear) -> None:
    forum = connected.telegram.group("Workshop", [connected.ada], forum=True)
    topic = await forum.open_topic("Cogs")
    screen = forum.screen(connected.ada)
    await screen.mention("which cog?", thread=topic)
    asked = await ear.message("which cog?")

    await connected.channel.send(asked.chat, words("the small one", reply_to=asked.message_id))

    assert asked.chat.thread == str(topic)
    assert [message.text for message in screen.in_topic(topic) if message.by_bot] == ["the small one"]


async def test_coming_into_a_group_and_going_out_is_heard(connected: Connected, ear: Ear) -> None:
    group = connected.telegram.group("Engines", [connected.ada], bots=[])

    await group.add_bot(connected.telegram.bot)
    joined = await ear.next(Joined)
    await group.remove_bot(connected.telegram.bot)
    left = await ear.next(Left)

    assert joined.by is not None
    assert joined.by.name == "Ada"
    assert joined.chat == left.chat == ChatRef("tg", str(group.id), ChatKind.GROUP)


async def test_a_person_who_blocks_the_bot_is_heard_and_can_be_told_nothing(connected: Connected, ear: Ear) -> None:
    await connected.chat.block()

    assert (await ear.next(Left)).chat == private(connected)
    with pytest.raises(Refused) as refused:
        await connected.channel.send(private(connected), words("hello"))
    assert refused.value.reason is RefusedReason.GONE


# ---- what is said --------------------------------------------------------------------------------------------------


async def test_an_answer_is_seen_as_it_was_formatted(connected: Connected) -> None:
    message = words("**bold** and `code` and [a link](https://example.org)", silent=True)

    reference = await connected.channel.send(private(connected), message)

    (seen,) = connected.chat.answers
    assert reference == MessageRef(private(connected), str(seen.id))
    assert seen.text == "bold and code and a link"
    assert (seen.marked("bold"), seen.marked("code")) == (["bold"], ["code"])
    assert (seen.preview, seen.silent) == (False, True)


@pytest.mark.report("R071")
async def test_a_pressed_button_arrives_and_is_answered(connected: Connected, ear: Ear) -> None:
    buttons = (Button("Allow", token="t-1", style=ButtonStyle.PRIMARY), Button("Read", url="https://example.org"))
    reference = await connected.channel.send(private(connected), words("May I?", buttons=buttons))

    pressed = await connected.chat.press(connected.chat.answers[-1], "Allow")
    press = await ear.press()
    await connected.channel.answer_press(press, "Thank you")
    await connected.channel.edit(press.message, words("Allowed by Ada."))

    assert (press.token, press.message) == ("t-1", reference)
    assert (await connected.chat.answer_to(pressed)).text == "Thank you"
    assert (connected.chat.answers[-1].text, connected.chat.answers[-1].labels) == ("Allowed by Ada.", [])


@pytest.mark.report("R169")
async def test_an_edit_to_the_same_words_is_a_success(connected: Connected) -> None:
    reference = await connected.channel.send(private(connected), words("same"))

    await connected.channel.edit(reference, words("same"))

    assert connected.chat.answers[-1].revisions == ()


async def test_a_deleted_message_is_gone_and_stays_so(connected: Connected) -> None:
    reference = await connected.channel.send(private(connected), words("oops"))

    await connected.channel.delete(reference)
    await connected.channel.delete(reference)

    assert connected.chat.answers == []


@pytest.mark.report("R023")
async def test_a_draft_is_followed_by_one_message(connected: Connected) -> None:
    await connected.channel.draft(private(connected), 5, "<b>so</b> far", "so far")
    shown = connected.chat.draft
    await connected.channel.send(private(connected), words("so far, so good"))

    assert shown is not None
    assert (shown.id, shown.text) == (5, "so far")
    assert [message.text for message in connected.chat.answers] == ["so far, so good"]


async def test_typing_is_seen(connected: Connected) -> None:
    await connected.channel.typing(private(connected))

    assert connected.chat.action == "typing"


async def test_a_picture_is_shown_and_its_edit_keeps_it(connected: Connected, tmp_path: Path) -> None:
    (tmp_path / "map").write_bytes(TINY_PNG)
    picture = OutboundFile(tmp_path / "map", "map.png", "image/png")

    reference = await connected.channel.send(private(connected), words("*here*", file=picture))
    await connected.channel.edit(reference, words("there"))

    seen = connected.chat.answers[-1]
    assert seen.file is not None
    assert (seen.file.kind, seen.text, seen.revisions) == ("photo", "there", ("here",))


async def test_a_document_arrives_whole_with_its_name(connected: Connected, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"1,2\n" * 5)
    table = OutboundFile(tmp_path / "x", "таблица.csv", "text/csv")

    await connected.channel.send(private(connected), words("the numbers", file=table))

    seen = connected.chat.answers[-1].file
    assert seen is not None
    assert (seen.kind, seen.name, seen.size) == ("document", "таблица.csv", 20)


async def test_menus_differ_between_private_chats_and_groups(connected: Connected) -> None:
    group = connected.telegram.group("Engines", [connected.ada])
    menu = native_menu("telegram")
    assert menu.groups is not None

    await connected.channel.set_menu(menu)

    assert [command.command for command in connected.chat.menu] == [entry.name for entry in menu.default]
    assert [command.command for command in group.screen(connected.ada).menu] == [entry.name for entry in menu.groups]


async def test_a_group_that_became_a_supergroup_is_answered_there(connected: Connected) -> None:
    group = connected.telegram.group("Tea", [connected.ada], basic=True)
    old = ChatRef("tg", str(group.id), ChatKind.GROUP)
    larger = await group.upgrade()

    reference = await connected.channel.send(old, words("still here"))

    assert reference.chat.id == str(larger.id)
    assert larger.screen(connected.ada).answers[-1].text == "still here"


# ---- what goes wrong -----------------------------------------------------------------------------------------------


@pytest.mark.report("R061")
async def test_markup_that_telegram_refuses_is_shown_without(connected: Connected) -> None:
    await connected.channel.send(private(connected), OutboundMessage("<b>broken", "broken", "k"))

    (seen,) = connected.chat.answers
    assert (seen.text, seen.entities) == ("broken", ())


async def test_a_cut_answer_leaves_it_open_and_a_lost_one_too(connected: Connected) -> None:
    connected.telegram.faults.add("cut", method="sendMessage")
    with pytest.raises(MaybeDone):
        await connected.channel.send(private(connected), words("cut"))

    connected.telegram.faults.add("lost", method="sendMessage")
    with pytest.raises(MaybeDone):
        await connected.channel.send(private(connected), words("lost"))

    assert [message.text for message in connected.chat.answers] == ["lost"]


@pytest.mark.report("R127")
async def test_while_telegram_is_away_nothing_was_sent_and_afterwards_it_works(connected: Connected) -> None:
    async with connected.telegram.unreachable():
        with pytest.raises(TryLater):
            await connected.channel.send(private(connected), words("hello"))

    await connected.channel.send(private(connected), words("hello"))

    assert [message.text for message in connected.chat.answers] == ["hello"]


@pytest.mark.report("R059")
async def test_a_flood_wait_comes_with_its_seconds(connected: Connected) -> None:
    connected.telegram.faults.add("flood", method="sendMessage", seconds=11)

    with pytest.raises(TryLater) as later:
        await connected.channel.send(private(connected), words("hello"))

    assert later.value.retry_after == 11


@pytest.mark.parametrize(("status", "error"), [(500, MaybeDone), (502, MaybeDone), (503, TryLater), (504, MaybeDone)])
@pytest.mark.parametrize("html", [True, False])
async def test_trouble_at_telegram_is_classed(
    connected: Connected, status: int, error: type[Exception], html: bool
) -> None:
    connected.telegram.faults.add("server_error", method="sendMessage", status=status, html=html)

    with pytest.raises(error):
        await connected.channel.send(private(connected), words("hello"))


async def test_a_revoked_key_is_told_by_the_next_send(connected: Connected) -> None:
    connected.telegram.faults.add("unauthorized", method="sendMessage")

    with pytest.raises(Refused) as refused:
        await connected.channel.send(private(connected), words("hello"))

    assert refused.value.reason is RefusedReason.AUTH


@pytest.mark.report("R031")
async def test_what_was_written_while_nobody_listened_is_heard_once(connected: Connected) -> None:
    async with listening(connected):
        pass
    await connected.chat.say("are you there?")

    async with listening(connected) as ear:
        await ear.message("are you there?")
        await connected.chat.say("good")
        await ear.message("good")

    heard = [item.text for item in ear.heard if isinstance(item, InboundMessage)]
    assert heard.count("are you there?") == heard.count("good") == 1


@pytest.mark.report("R125")
@pytest.mark.parametrize("fault", ["cut", "lost", "server_error"])
async def test_a_poll_that_breaks_loses_and_doubles_nothing(telegram: PretendTelegram, fault: str) -> None:
    telegram.faults.add(fault, method="getUpdates")

    async with connect(telegram, HurriedClock()) as connected, listening(connected) as ear:
        await connected.chat.say("one")
        await ear.message("one")

    assert [update.update_id for update in ear.updates] == sorted({update.update_id for update in ear.updates})


async def test_a_webhook_left_behind_is_removed_and_its_updates_are_heard(connected: Connected) -> None:
    async with second_client(connected) as other:
        await other.call(ApiCall("setWebhook", {"url": "http://127.0.0.1:9/hook"}))
    await connected.chat.say("to the webhook")

    async with listening(connected) as ear:
        await ear.message("to the webhook")

    assert connected.telegram.calls("deleteWebhook")[0].parameters == {"drop_pending_updates": False}


@pytest.mark.report("R123")
async def test_another_poller_that_comes_once_costs_nothing(telegram: PretendTelegram) -> None:
    clock = HurriedClock()
    async with connect(telegram, clock) as connected, listening(connected) as ear, second_client(connected) as other:
        await connected.chat.say("first")
        await ear.message("first")

        await telegram.bot.queue.polling.wait()

        intruder = asyncio.create_task(other.poll(0, 50))
        await clock.waited.wait()
        await connected.chat.say("second")

        await ear.message("second")
        intruder.cancel()
        await asyncio.gather(intruder, return_exceptions=True)
    assert clock.waits == [CONFLICT_PAUSE]


@pytest.mark.report("R123")
async def test_another_poller_that_stays_gets_the_bot(telegram: PretendTelegram) -> None:
    telegram.faults.add("conflict", method="getUpdates", times=3)

    async with connect(telegram, HurriedClock()) as connected:
        with pytest.raises(Conflict):
            await connected.channel.listen(connected.ear)


@pytest.mark.report("R063")
async def test_a_flood_wait_in_one_chat_holds_no_other_chat(connected: Connected) -> None:
    bob = connected.telegram.person("Bob")
    await bob.private_chat().start()
    connected.telegram.faults.add("flood", method="sendMessage", seconds=30, chat=connected.ada.id)

    held, sent = await asyncio.gather(
        connected.channel.send(private(connected), words("for Ada")),
        connected.channel.send(ChatRef("tg", str(bob.id)), words("for Bob")),
        return_exceptions=True,
    )

    assert isinstance(held, TryLater)
    assert isinstance(sent, MessageRef)
    assert [message.text for message in bob.private_chat().answers] == ["for Bob"]


@pytest.mark.report("R109")
async def test_answers_to_many_chats_go_out_side_by_side_and_each_to_its_own(connected: Connected) -> None:
    people = [connected.telegram.person(f"Person {number}") for number in range(60)]
    for person in people:
        await person.private_chat().start()

    await asyncio.gather(
        *(connected.channel.send(ChatRef("tg", str(person.id)), words(f"for {person.id}")) for person in people)
    )

    assert [[message.text for message in person.private_chat().answers] for person in people] == [
        [f"for {person.id}"] for person in people
    ]


@asynccontextmanager
async def second_client(connected: Connected) -> AsyncIterator[TelegramClient]:
    """Somebody else with the same key."""
    client = TelegramClient(DEFAULT_BOT, connected.telegram.base_url, connected.telegram.base_file_url)
    await client.open()
    yield client
    await client.close()
