"""The adapter against a server that refuses: what has a remedy is remedied once, the rest is told."""

from datetime import UTC, datetime
from typing import Any

import pytest

from channels.base import (
    Button,
    ChatRef,
    Identity,
    MessageRef,
    OutboundMessage,
    Press,
    Sender,
)
from channels.telegram import channel as channel_module
from channels.telegram.channel import TelegramChannel
from channels.telegram.client import TelegramClient
from commands.command import Section
from commands.menus import MenuEntry, NativeMenu, native_menu
from core.clock import ManualClock
from core.errors import MaybeDone, Refused, RefusedReason, TryLater
from core.events import ChatKind
from tests.channels.telegram import servers
from tests.channels.telegram.payloads import load
from tests.channels.telegram.servers import TOKEN, Reaction, ScriptedServer

CHAT = ChatRef("tg", "42")
GROUP = ChatRef("tg", "-100", ChatKind.GROUP)
MESSAGE = MessageRef(CHAT, "7")
HELLO = OutboundMessage("<b>hello</b>", "hello", "turn 1/0")
BOT = {"id": 123456789, "is_bot": True, "first_name": "Conch", "username": "conch_bot"}

BAD_MARKUP = servers.refusal(400, 'Bad Request: can\'t parse entities: Unsupported start tag "x" at byte offset 3')
FLOOD = servers.refusal(429, "Too Many Requests: retry after 9", retry_after=9)
MOVED = servers.refusal(400, "Bad Request: group chat was upgraded to a supergroup chat", migrate_to_chat_id=-200)
BLOCKED = servers.refusal(403, "Forbidden: bot was blocked by the user")
NOT_MODIFIED = servers.refusal(400, "Bad Request: message is not modified: specified new message content …")


def sent(server: ScriptedServer) -> list[tuple[str, Any]]:
    """Every call that says something, with its words."""
    return [(call.method, call.parameters.get("text", call.parameters.get("caption"))) for call in server.received]


# ---- starting ------------------------------------------------------------------------------------------------------


async def test_a_start_asks_whose_key_it_is(server: ScriptedServer, channel: TelegramChannel) -> None:
    server.expect("getMe", servers.success(BOT))

    await channel.start()

    assert [call.method for call in server.received] == ["getme"]


async def test_a_bot_that_was_renamed_hears_its_new_name(server: ScriptedServer, channel: TelegramChannel) -> None:
    server.expect("getMe", servers.success({**BOT, "username": "other_bot"}))

    await channel.start()

    (found,) = channel.parse(load("group_command_for_another_bot"))
    assert found.text == "/help"  # type: ignore[union-attr]  # a message, or the line above fails


@pytest.mark.report("R135")
async def test_a_key_of_another_bot_is_refused(server: ScriptedServer, channel: TelegramChannel) -> None:
    server.expect("getMe", servers.success({**BOT, "id": 5}))

    with pytest.raises(Refused) as refused:
        await channel.start()

    assert refused.value.reason is RefusedReason.FORBIDDEN


@pytest.mark.parametrize(("fault", "error"), [(servers.lose, TryLater), (servers.refusal(401, "no"), Refused)])
async def test_a_start_that_fails_says_why(
    server: ScriptedServer, channel: TelegramChannel, fault: Reaction, error: type[Exception]
) -> None:
    server.expect("getMe", fault)

    with pytest.raises(error):
        await channel.start()


async def test_stopping_what_never_started_is_harmless(server: ScriptedServer) -> None:
    client = TelegramClient(TOKEN, server.base_url, server.base_file_url)
    channel = TelegramChannel("tg", Identity("123456789", "Conch"), client, ManualClock())

    await channel.stop()
    await channel.stop()

    with pytest.raises(TryLater):
        await channel.send(CHAT, HELLO)


# ---- sending -------------------------------------------------------------------------------------------------------


async def test_a_sent_message_has_telegrams_id(server: ScriptedServer, channel: TelegramChannel) -> None:
    server.expect("sendMessage", servers.success({"message_id": 99}))

    assert await channel.send(CHAT, HELLO) == MessageRef(CHAT, "99")


async def test_refused_markup_is_sent_once_more_without(server: ScriptedServer, channel: TelegramChannel) -> None:
    server.expect("sendMessage", BAD_MARKUP)

    await channel.send(CHAT, HELLO)

    assert sent(server) == [("sendmessage", "<b>hello</b>"), ("sendmessage", "hello")]
    assert "parse_mode" not in server.received[1].parameters


async def test_refused_plain_words_are_not_sent_a_third_time(server: ScriptedServer, channel: TelegramChannel) -> None:
    server.expect("sendMessage", BAD_MARKUP, BAD_MARKUP)

    with pytest.raises(Refused) as refused:
        await channel.send(CHAT, HELLO)

    assert refused.value.reason is RefusedReason.BAD_PAYLOAD
    assert len(server.received) == 2


@pytest.mark.report("R061")
@pytest.mark.report("R059")
@pytest.mark.parametrize("fault", [FLOOD, servers.refusal(503, "Service Unavailable"), servers.lose, BLOCKED])
async def test_no_other_fault_makes_a_reply_bare_or_is_tried_again_here(
    server: ScriptedServer, channel: TelegramChannel, fault: Reaction
) -> None:
    server.expect("sendMessage", fault)

    with pytest.raises((TryLater, MaybeDone, Refused)):
        await channel.send(CHAT, HELLO)

    assert sent(server) == [("sendmessage", "<b>hello</b>")]


@pytest.mark.report("R065")
async def test_a_flood_wait_is_handed_on(server: ScriptedServer, channel: TelegramChannel) -> None:
    server.expect("editMessageText", FLOOD)

    with pytest.raises(TryLater) as later:
        await channel.edit(MESSAGE, HELLO)

    assert later.value.retry_after == 9


async def test_a_receipt_that_names_no_message_leaves_it_open(server: ScriptedServer, channel: TelegramChannel) -> None:
    server.expect("sendMessage", servers.success(True))

    with pytest.raises(MaybeDone):
        await channel.send(CHAT, HELLO)


async def test_a_group_that_moved_gets_the_message_under_its_new_id(
    server: ScriptedServer, channel: TelegramChannel
) -> None:
    server.expect("sendMessage", MOVED, servers.success({"message_id": 3}))

    reference = await channel.send(GROUP, HELLO)

    assert [call.parameters["chat_id"] for call in server.received] == [-100, -200]
    assert reference == MessageRef(ChatRef("tg", "-200", ChatKind.GROUP), "3")


async def test_a_group_that_moves_on_and_on_is_given_up(server: ScriptedServer, channel: TelegramChannel) -> None:
    server.expect("sendMessage", MOVED, MOVED)

    with pytest.raises(Refused) as refused:
        await channel.send(GROUP, HELLO)

    assert refused.value.reason is RefusedReason.GONE


# ---- changing and taking away --------------------------------------------------------------------------------------


@pytest.mark.report("R169")
async def test_an_edit_that_changes_nothing_is_a_success(server: ScriptedServer, channel: TelegramChannel) -> None:
    server.expect("editMessageText", NOT_MODIFIED)

    await channel.edit(MESSAGE, HELLO)

    assert len(server.received) == 1


async def test_refused_markup_in_an_edit_goes_without(server: ScriptedServer, channel: TelegramChannel) -> None:
    server.expect("editMessageText", BAD_MARKUP)

    await channel.edit(MESSAGE, HELLO)

    assert sent(server) == [("editmessagetext", "<b>hello</b>"), ("editmessagetext", "hello")]


async def test_a_message_with_a_file_has_its_caption_edited(server: ScriptedServer, channel: TelegramChannel) -> None:
    server.expect("editMessageText", servers.refusal(400, "Bad Request: there is no text in the message to edit"))

    await channel.edit(MESSAGE, HELLO)

    assert sent(server) == [("editmessagetext", "<b>hello</b>"), ("editmessagecaption", "<b>hello</b>")]


async def test_buttons_go_when_a_card_is_decided(server: ScriptedServer, channel: TelegramChannel) -> None:
    await channel.send(CHAT, OutboundMessage("Allow?", "Allow?", "k", buttons=(Button("Yes", token="t"),)))
    await channel.edit(MESSAGE, OutboundMessage("Allowed by Ada.", "Allowed by Ada.", "k"))

    assert ["reply_markup" in call.parameters for call in server.received] == [True, False]


@pytest.mark.parametrize(
    "answer", [servers.success(True), servers.refusal(400, "Bad Request: message to delete not found")]
)
async def test_a_message_is_gone_whoever_took_it_away(
    server: ScriptedServer, channel: TelegramChannel, answer: Reaction
) -> None:
    server.expect("deleteMessage", answer)

    await channel.delete(MESSAGE)

    assert server.received[0].parameters == {"chat_id": 42, "message_id": 7}


async def test_a_message_that_is_too_old_to_be_taken_away_is_refused(
    server: ScriptedServer, channel: TelegramChannel
) -> None:
    server.expect("deleteMessage", servers.refusal(400, "Bad Request: message can't be deleted for everyone"))

    with pytest.raises(Refused) as refused:
        await channel.delete(MESSAGE)

    assert refused.value.reason is RefusedReason.FORBIDDEN


# ---- drafts and typing ---------------------------------------------------------------------------------------------


async def test_a_private_chat_shows_an_answer_while_it_is_written(
    server: ScriptedServer, channel: TelegramChannel
) -> None:
    await channel.draft(CHAT, 5, "<b>so far</b>", "so far")

    assert server.received == [
        servers.Received(
            "sendmessagedraft", {"chat_id": 42, "draft_id": 5, "text": "<b>so far</b>", "parse_mode": "HTML"}
        )
    ]
    assert channel.drafts_in(CHAT)


def test_a_group_shows_typing(channel: TelegramChannel) -> None:
    assert not channel.drafts_in(GROUP)


async def test_a_draft_with_refused_markup_is_shown_without(server: ScriptedServer, channel: TelegramChannel) -> None:
    server.expect("sendMessageDraft", BAD_MARKUP)

    await channel.draft(CHAT, 5, "<b>so far", "so far")

    assert sent(server) == [("sendmessagedraft", "<b>so far"), ("sendmessagedraft", "so far")]
    assert channel.drafts_in(CHAT)


async def test_a_chat_that_takes_no_drafts_shows_typing_from_then_on(
    server: ScriptedServer, channel: TelegramChannel
) -> None:
    server.expect("sendMessageDraft", servers.refusal(400, "Bad Request: TEXTDRAFT_PEER_INVALID"))

    await channel.draft(CHAT, 5, "so far", "so far")

    assert [call.method for call in server.received] == ["sendmessagedraft", "sendchataction"]
    assert not channel.drafts_in(CHAT)
    assert channel.drafts_in(ChatRef("tg", "43"))


async def test_a_server_that_knows_no_drafts_shows_typing_everywhere(
    server: ScriptedServer, channel: TelegramChannel
) -> None:
    server.expect("sendMessageDraft", servers.refusal(404, "Not Found"))

    await channel.draft(CHAT, 5, "so far", "so far")

    assert [call.method for call in server.received] == ["sendmessagedraft", "sendchataction"]
    assert not channel.drafts_in(ChatRef("tg", "43"))


async def test_a_chat_that_takes_no_drafts_is_known_by_the_plain_one_too(
    server: ScriptedServer, channel: TelegramChannel
) -> None:
    server.expect("sendMessageDraft", BAD_MARKUP, servers.refusal(400, "Bad Request: TEXTDRAFT_PEER_INVALID"))

    await channel.draft(CHAT, 5, "<b>so far", "so far")

    assert [call.method for call in server.received] == ["sendmessagedraft", "sendmessagedraft", "sendchataction"]
    assert not channel.drafts_in(CHAT)


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (FLOOD, TryLater),
        (servers.lose, TryLater),
        (BLOCKED, Refused),
        (servers.refusal(400, "Bad Request: message is too long"), Refused),
        (servers.refusal(401, "Unauthorized"), Refused),
    ],
)
async def test_other_faults_of_a_draft_do_not_end_drafts(
    server: ScriptedServer, channel: TelegramChannel, fault: Reaction, error: type[Exception]
) -> None:
    server.expect("sendMessageDraft", fault)

    with pytest.raises(error):
        await channel.draft(CHAT, 5, "so far", "so far")

    assert channel.drafts_in(CHAT)


async def test_what_is_remembered_about_chats_has_a_bound(
    server: ScriptedServer, channel: TelegramChannel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(channel_module, "_REMEMBERED", 2)
    refused = servers.refusal(400, "Bad Request: no drafts here")
    server.expect("sendMessageDraft", refused, refused, refused)

    for chat_id in "123":
        await channel.draft(ChatRef("tg", chat_id), 5, "so far", "so far")

    assert [channel.drafts_in(ChatRef("tg", chat_id)) for chat_id in "123"] == [True, False, False]


async def test_typing_is_shown_in_its_topic(server: ScriptedServer, channel: TelegramChannel) -> None:
    await channel.typing(ChatRef("tg", "-100", ChatKind.GROUP, thread="7"))

    assert server.received[0].parameters == {"chat_id": -100, "message_thread_id": 7, "action": "typing"}


# ---- presses and menus ---------------------------------------------------------------------------------------------

PRESS = Press("q1", "token", MESSAGE, Sender("1", "Ada"), "1", datetime(2026, 1, 1, tzinfo=UTC))


@pytest.mark.report("R087")
@pytest.mark.parametrize(
    "answer",
    [
        servers.success(True),
        servers.refusal(400, "Bad Request: query is too old and response timeout expired or query ID is invalid"),
    ],
)
async def test_a_press_is_answered_and_too_late_is_no_fault(
    server: ScriptedServer, channel: TelegramChannel, answer: Reaction
) -> None:
    server.expect("answerCallbackQuery", answer)

    await channel.answer_press(PRESS, "Done")

    assert server.received[0].parameters == {"callback_query_id": "q1", "text": "Done"}


async def test_everybody_and_groups_get_their_menus(server: ScriptedServer, channel: TelegramChannel) -> None:
    menu = native_menu("telegram")

    await channel.set_menu(menu)

    assert menu.groups is not None
    assert [(call.parameters["scope"], len(call.parameters["commands"])) for call in server.received] == [
        ({"type": "default"}, len(menu.default)),
        ({"type": "all_group_chats"}, len(menu.groups)),
    ]


async def test_groups_without_a_menu_of_their_own_get_none(server: ScriptedServer, channel: TelegramChannel) -> None:
    await channel.set_menu(NativeMenu("telegram", (MenuEntry("help", "Help", Section.CONCH),)))

    assert [call.method for call in server.received] == ["setmycommands", "deletemycommands"]


@pytest.mark.report("R157")
@pytest.mark.report("R165")
async def test_a_menu_that_is_too_much_loses_words_before_commands(
    server: ScriptedServer, channel: TelegramChannel
) -> None:
    too_much = servers.refusal(400, "Bad Request: BOT_COMMANDS_TOO_MUCH")
    server.expect("setMyCommands", too_much, too_much)
    entries = tuple(MenuEntry(f"command_{number}", "long " * 20, Section.CONCH) for number in range(30))

    await channel.set_menu(NativeMenu("telegram", entries))

    menus = [call.parameters["commands"] for call in server.calls("setMyCommands")]
    assert [len(menu) for menu in menus] == [30, 30, 30]
    lengths = [max(len(command["description"]) for command in menu) for menu in menus]
    assert lengths == sorted(lengths, reverse=True)
    assert len(set(lengths)) == 3


async def test_a_menu_that_is_never_small_enough_is_refused_in_the_end(
    server: ScriptedServer, channel: TelegramChannel
) -> None:
    too_much = servers.refusal(400, "Bad Request: BOT_COMMANDS_TOO_MUCH")
    server.expect("setMyCommands", *[too_much] * 4)

    with pytest.raises(Refused):
        await channel.set_menu(NativeMenu("telegram", (MenuEntry("help", "Help", Section.CONCH),)))
