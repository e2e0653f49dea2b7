"""Messages: what Discord takes and refuses, who sees what, and whose phone rings."""

import io
from typing import Any

import aiohttp
import discord
import pytest

from channels.emulators.discord import limits
from channels.emulators.discord.files import TINY_PNG
from channels.emulators.discord.pretend import PretendDiscord
from channels.emulators.discord.screen import Player, Screen
from channels.emulators.discord.server import Server
from channels.emulators.phone import Phone, Seen
from core.clock import ManualClock
from tests.channels.emulators.discord.conftest import SdkBot, Wire

BUTTON = {"type": 2, "style": 1, "label": "Go", "custom_id": "go"}
LINK = {"type": 2, "style": 5, "label": "Open", "url": "https://example.com"}
SELECT = {"type": 3, "custom_id": "pick", "options": [{"label": "A", "value": "a"}]}


def row(*inner: dict[str, Any]) -> dict[str, Any]:
    return {"type": 1, "components": list(inner)}


def numbered(count: int) -> list[dict[str, Any]]:
    return [BUTTON | {"custom_id": str(number)} for number in range(count)]


async def test_a_screen_is_a_phone_like_any_other(chat: Screen) -> None:
    phone: Phone = chat

    said = await phone.say("hello")

    seen: Seen = said
    assert (phone.messages, seen.text, seen.labels, seen.by_bot) == ([said], "hello", [], False)


async def test_an_answer_by_the_sdk_is_on_the_screen(bot: SdkBot, chat: Screen) -> None:
    said = await chat.say("hello")
    heard: discord.Message = await bot.next("message")

    await heard.reply("**hi** Ada")

    answer = await chat.wait_for_answer()
    assert (answer.text, answer.raw, answer.reply_to, answer.by_bot) == ("hi Ada", "**hi** Ada", said.id, True)


async def test_a_bot_writes_first_into_a_private_chat(bot: SdkBot, ada: Player) -> None:
    user = await bot.fetch_user(int(ada.id))

    await user.send("good morning")

    assert (await ada.private_chat().wait_for_answer()).text == "good morning"


async def test_an_edit_stays_the_same_message(bot: SdkBot, chat: Screen) -> None:
    await chat.say("hello")
    heard: discord.Message = await bot.next("message")
    sent = await heard.channel.send("one")

    await sent.edit(content="two")

    [answer] = chat.answers
    assert (answer.text, answer.revisions) == ("two", ("one",))
    assert answer.edited_at is not None


async def test_what_is_deleted_is_gone(bot: SdkBot, chat: Screen) -> None:
    await chat.say("hello")
    heard: discord.Message = await bot.next("message")
    sent = await heard.channel.send("one")

    await sent.delete()

    assert chat.answers == []
    with pytest.raises(discord.NotFound) as refusal:
        await sent.edit(content="two")
    assert refusal.value.code == 10008


async def test_typing_is_shown_for_ten_seconds(wire: Wire, chat: Screen, clock: ManualClock) -> None:
    await wire("POST", f"/channels/{chat.channel.id}/typing")
    before = chat.typing

    await clock.advance(limits.TYPING_SECONDS)

    assert (before, chat.typing) == (True, False)


TOO_MUCH: list[tuple[str, dict[str, Any], str]] = [
    ("content", {"content": "x" * 2001}, "BASE_TYPE_MAX_LENGTH"),
    ("embeds", {"embeds": [{"title": "x"}] * 11}, "BASE_TYPE_BAD_LENGTH"),
    ("embeds.0.title", {"embeds": [{"title": "x" * 257}]}, "BASE_TYPE_MAX_LENGTH"),
    ("embeds.0.description", {"embeds": [{"description": "x" * 4097}]}, "BASE_TYPE_MAX_LENGTH"),
    ("embeds", {"embeds": [{"description": "x" * 3001}] * 2}, "MAX_EMBED_SIZE_EXCEEDED"),
    ("embeds.0.fields.0.value", {"embeds": [{"fields": [{"name": "x", "value": ""}]}]}, "BASE_TYPE_REQUIRED"),
    ("components", {"content": "x", "components": [row(b) for b in numbered(6)]}, "BASE_TYPE_BAD_LENGTH"),
    ("components.0.components", {"content": "x", "components": [row(*numbered(6))]}, "BASE_TYPE_BAD_LENGTH"),
    ("components.0.components", {"content": "x", "components": [row()]}, "BASE_TYPE_BAD_LENGTH"),
    (
        "components.0.components",
        {"content": "x", "components": [row(BUTTON, SELECT)]},
        "COMPONENT_LAYOUT_WIDTH_EXCEEDED",
    ),
    (
        "components.1",
        {"content": "x", "components": [row(BUTTON), row(BUTTON)]},
        "COMPONENT_CUSTOM_ID_DUPLICATED",
    ),
    (
        "components.0.components.0.label",
        {"content": "x", "components": [row(BUTTON | {"label": ""})]},
        "BUTTON_COMPONENT_MISSING_LABEL",
    ),
    (
        "components.0.components.0.label",
        {"content": "x", "components": [row(BUTTON | {"label": "x" * 81})]},
        "BASE_TYPE_MAX_LENGTH",
    ),
    (
        "components.0.components.0.custom_id",
        {"content": "x", "components": [row(BUTTON | {"custom_id": "x" * 101})]},
        "BASE_TYPE_MAX_LENGTH",
    ),
    (
        "components.0.components.0.url",
        {"content": "x", "components": [row(LINK | {"url": ""})]},
        "BASE_TYPE_REQUIRED",
    ),
    (
        "components.0.components.0.url",
        {"content": "x", "components": [row(LINK | {"url": "javascript:x"})]},
        "URL_TYPE_INVALID_SCHEME",
    ),
    (
        "components.0.components.0.options",
        {
            "content": "x",
            "components": [row(SELECT | {"options": [{"label": "A", "value": str(n)} for n in range(26)]})],
        },
        "BASE_TYPE_BAD_LENGTH",
    ),
    ("nonce", {"content": "x", "nonce": "x" * 26}, "BASE_TYPE_MAX_LENGTH"),
    ("flags", {"content": "x", "flags": 64}, "MESSAGE_FLAGS_INVALID"),
    (
        "allowed_mentions",
        {"content": "x", "allowed_mentions": {"parse": ["users"], "users": ["1"]}},
        "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE",
    ),
    ("message_reference", {"content": "x", "message_reference": {"message_id": "1"}}, "REPLIES_UNKNOWN_MESSAGE"),
]


@pytest.mark.parametrize(("where", "body", "code"), TOO_MUCH, ids=[f"{w}-{c}" for w, _, c in TOO_MUCH])
async def test_what_is_beyond_a_limit_is_refused_at_its_place(
    wire: Wire, chat: Screen, where: str, body: dict[str, Any], code: str
) -> None:
    answer = await wire.say(chat, **body)

    place = answer.body["errors"]
    for part in where.split("."):
        place = place[part]
    assert (answer.status, answer.code, answer.body["message"]) == (400, 50035, "Invalid Form Body")
    assert code in [error["code"] for error in place["_errors"]]
    assert chat.messages == []


async def test_what_is_just_within_the_limits_is_taken(wire: Wire, chat: Screen) -> None:
    rows = [
        row(*(BUTTON | {"custom_id": f"{r}-{b}" + "x" * 97, "label": "x" * 80} for b in range(5))) for r in range(5)
    ]

    full = await wire.say(chat, content="x" * 2000, components=rows)
    embeds = await wire.say(chat, embeds=[{"description": "x" * 3000}] * 2)

    assert (full.status, embeds.status) == (200, 200)
    assert [len(labels) for labels in chat.messages[0].labels] == [5] * 5


@pytest.mark.parametrize("body", [{}, {"content": ""}, {"content": "  \n "}, {"content": None, "embeds": []}])
async def test_an_empty_message_is_refused(wire: Wire, chat: Screen, body: dict[str, Any]) -> None:
    answer = await wire.say(chat, **body)

    assert (answer.status, answer.code) == (400, 50006)


async def test_an_edit_that_leaves_nothing_is_refused(wire: Wire, chat: Screen) -> None:
    sent = (await wire.say(chat, content="x")).body["id"]

    answer = await wire("PATCH", f"/channels/{chat.channel.id}/messages/{sent}", {"content": ""})

    assert answer.code == 50006


async def test_the_same_nonce_within_minutes_is_the_same_message(wire: Wire, chat: Screen, clock: ManualClock) -> None:
    first = await wire.say(chat, content="x", nonce="n", enforce_nonce=True)
    again = await wire.say(chat, content="x", nonce="n", enforce_nonce=True)
    loose = await wire.say(chat, content="x", nonce="n")
    await clock.advance(limits.NONCE_SECONDS)
    later = await wire.say(chat, content="x", nonce="n", enforce_nonce=True)

    assert again.body["id"] == first.body["id"]
    assert len({first.body["id"], loose.body["id"], later.body["id"]}) == 3


async def test_what_is_lost_on_the_way_back_was_said(pretend: PretendDiscord, wire: Wire, chat: Screen) -> None:
    pretend.faults.add("lost", method="POST /channels/{channel_id}/messages")

    with pytest.raises(aiohttp.ClientError):
        await wire.say(chat, content="x", nonce="n", enforce_nonce=True)
    again = await wire.say(chat, content="x", nonce="n", enforce_nonce=True)

    assert [message.id for message in chat.messages] == [again.body["id"]]


async def test_a_closed_private_chat_takes_nothing(wire: Wire, chat: Screen) -> None:
    await chat.block()
    refused = await wire.say(chat, content="x")
    await chat.unblock()
    taken = await wire.say(chat, content="x")

    assert (refused.status, refused.code, taken.status) == (403, 50007, 200)


async def test_permissions_that_were_taken_away(
    pretend: PretendDiscord, wire: Wire, team: Server, room: Screen
) -> None:
    await team.take_away(pretend.bot, "send_messages", channel="general")
    silent = await wire.say(room, content="x")
    await team.give_back(pretend.bot, "send_messages", channel="general")
    await team.take_away(pretend.bot, "view_channel")
    blind = await wire.say(room, content="x")

    assert (silent.status, silent.code) == (403, 50013)
    assert (blind.status, blind.code) == (403, 50001)


async def test_a_bot_that_was_thrown_out_has_no_access(
    pretend: PretendDiscord, wire: Wire, team: Server, room: Screen
) -> None:
    await team.remove_bot(pretend.bot)

    assert (await wire.say(room, content="x")).code == 50001


async def test_nobody_edits_or_deletes_what_another_wrote(wire: Wire, room: Screen) -> None:
    said = await room.say("mine")
    path = f"/channels/{room.channel.id}/messages/{said.id}"

    edited, deleted = await wire("PATCH", path, {"content": "x"}), await wire("DELETE", path)

    assert (edited.code, deleted.code) == (50005, 50013)


@pytest.mark.parametrize(
    ("allowed", "pings"),
    [
        (None, ("Bob",)),
        ({"parse": []}, ()),
        ({"parse": ["users"]}, ("Bob",)),
        ({"users": []}, ()),
    ],
)
async def test_whose_phone_rings(
    wire: Wire, room: Screen, bob: Player, allowed: dict[str, Any] | None, pings: tuple[str, ...]
) -> None:
    about = {} if allowed is None else {"allowed_mentions": allowed}

    await wire.say(room, content=f"<@{bob.id}> look, `@everyone` @everyone", **about)

    [said] = room.messages
    assert said.pings == pings
    assert said.text == "@Bob look, @everyone @everyone"


async def test_more_than_a_member_may_can_be_given(
    pretend: PretendDiscord, wire: Wire, team: Server, room: Screen
) -> None:
    said = await room.say("mine")
    await team.give_back(pretend.bot, "mention_everyone", "manage_messages")

    await wire.say(room, content="@everyone look")
    await wire("DELETE", f"/channels/{room.channel.id}/messages/{said.id}")

    assert [(message.text, message.pings) for message in room.messages] == [("@everyone look", ("everyone",))]


async def test_people_ring_everyone_and_a_bot_can_ring_nobody(wire: Wire, room: Screen) -> None:
    said = await room.say("@everyone look")
    replied = await room.say("nobody")

    await wire.say(
        room,
        content="quiet",
        message_reference={"message_id": replied.id},
        allowed_mentions={"parse": [], "replied_user": False},
    )

    assert said.pings == ("everyone",)
    assert room.messages[-1].pings == ()


async def test_history_is_read_back_from_where_one_was(room: Screen, bot: SdkBot) -> None:
    first = await room.say("one")
    await room.say("two")
    await room.say("three")
    channel = bot.get_channel(int(room.channel.id))
    assert isinstance(channel, discord.TextChannel)

    newer = [m.content async for m in channel.history(after=discord.Object(int(first.id)))]
    latest = [m.content async for m in channel.history(limit=2)]

    assert (newer, latest) == (["two", "three"], ["three", "two"])


async def test_files_go_both_ways(bot: SdkBot, chat: Screen, wire: Wire) -> None:
    await chat.file("my 50% note.txt", b"words", "look")
    heard: discord.Message = await bot.next("message")
    read = await heard.attachments[0].read()
    await heard.channel.send(
        "here", files=[discord.File(io.BytesIO(TINY_PNG), "dot.png"), discord.File(io.BytesIO(b"x"), "x.txt")]
    )

    answer = await chat.wait_for_answer()
    assert (read, heard.attachments[0].filename) == (b"words", "my 50% note.txt")
    assert [(file.name, file.mime) for file in answer.files] == [("dot.png", "image/png"), ("x.txt", "text/plain")]


async def test_a_file_over_the_limit_is_refused(bot: SdkBot, chat: Screen) -> None:
    await chat.say("hello")
    heard: discord.Message = await bot.next("message")
    large = discord.File(io.BytesIO(bytes(limits.FILE_BYTES + 1)), "large.bin")

    with pytest.raises(discord.HTTPException) as refusal:
        await heard.channel.send(file=large)

    assert (refusal.value.status, refusal.value.code) == (413, 40005)


async def test_more_than_ten_files_are_refused(bot: SdkBot, chat: Screen) -> None:
    await chat.say("hello")
    heard: discord.Message = await bot.next("message")
    ten = [discord.File(io.BytesIO(b"x"), f"{number}.txt") for number in range(10)]
    sent = await heard.channel.send(files=ten)

    with pytest.raises(discord.HTTPException) as refusal:
        await sent.add_files(discord.File(io.BytesIO(b"x"), "more.txt"))

    assert refusal.value.code == 50035
    assert len(chat.answers[0].files) == 10


async def test_reactions_of_both_sides(bot: SdkBot, chat: Screen) -> None:
    said = await chat.say("hello")
    heard: discord.Message = await bot.next("message")

    await heard.add_reaction("👀")
    seen = chat.messages[0].reactions
    await heard.remove_reaction("👀", bot.me)
    await chat.react(said, "👍")

    assert (seen, chat.messages[0].reactions) == (("👀",), ("👍",))
    assert [await bot.next("reaction"), await bot.next("reaction")] == ["👀", "👍"]


async def test_embeds_are_read_as_text(wire: Wire, chat: Screen) -> None:
    embed = {"title": "**Weather**", "description": "sun", "fields": [{"name": "Wind", "value": "_none_"}]}

    await wire.say(chat, content="today", embeds=[embed])

    assert chat.messages[0].text == "today\nWeather\nsun\nWind\nnone"


async def test_components_v2_are_read_as_text(wire: Wire, chat: Screen) -> None:
    box = {"type": 17, "components": [{"type": 10, "content": "# Title"}, row(BUTTON)]}

    taken = await wire.say(chat, flags=1 << 15, components=[box])
    mixed = await wire.say(chat, flags=1 << 15, content="x", components=[box])

    assert (taken.status, mixed.code) == (200, 50035)
    assert (chat.messages[0].text, chat.messages[0].labels) == ("Title", [["Go"]])


async def test_what_does_not_exist_is_unknown(wire: Wire, chat: Screen) -> None:
    channel = await wire("GET", "/channels/1")
    message = await wire("PATCH", f"/channels/{chat.channel.id}/messages/1", {"content": "x"})
    user = await wire("POST", "/users/@me/channels", {"recipient_id": "1"})
    address = await wire("GET", "/nothing")

    assert [channel.code, message.code, user.code, address.code] == [10003, 10008, 10013, 0]
    assert [channel.status, message.status, user.status, address.status] == [404] * 4


async def test_without_a_token_nothing_is_told(wire: Wire, chat: Screen) -> None:
    answer = await wire("GET", "/users/@me", token="wrong")

    assert (answer.status, answer.body) == (401, {"message": "401: Unauthorized", "code": 0})
