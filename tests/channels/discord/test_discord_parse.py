"""What raw events mean: recorded ones, odd ones and random ones."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from channels.base import (
    AttachmentKind,
    ChatRef,
    Edited,
    InboundMessage,
    Joined,
    Left,
    MessageRef,
    Press,
    Quoted,
    Sender,
)
from channels.discord.parse import update_id_of
from core.events import ChatKind
from tests.channels.discord.payloads import ADA, BOT, NAMES, PARSER, load, message

PRIVATE = ChatRef("dc", ADA)
GENERAL = "1600000000000000001"
MESSAGE = "1300000000000000001"


def only(payload: dict[str, Any]) -> Any:
    (found,) = PARSER.parse(payload)
    return found


def test_a_private_chat_is_named_by_its_person() -> None:
    found = only(load("private_message"))

    assert found == InboundMessage(
        chat=PRIVATE,
        sender=Sender(ADA, "Ada Lovelace", "ada"),
        message_id=MESSAGE,
        text="hello",
        update_id=MESSAGE,
        at=datetime(2026, 1, 2, 3, 4, 5, 678000, UTC),
    )


def test_a_mention_in_a_channel_is_a_thread_of_its_own_and_others_are_named() -> None:
    found = only(load("mention"))

    assert found.chat == ChatRef("dc", GENERAL, ChatKind.GROUP, MESSAGE)
    assert found.chat.title == "#general (Home)"
    assert (found.text, found.mentioned) == ("what is @Sam up to?", True)
    assert found.sender.name == "Countess"


def test_what_is_said_in_a_thread_of_the_bots_belongs_to_the_channel() -> None:
    found = only(load("in_thread"))

    assert found.chat == ChatRef("dc", GENERAL, ChatKind.GROUP, MESSAGE)
    assert not found.mentioned


def test_in_somebody_elses_thread_only_what_names_the_bot_is_read() -> None:
    payload = load("in_thread")
    payload["place"]["owner"] = ADA

    assert PARSER.parse(payload) == ()


def test_a_reply_to_the_bot_quotes_it_and_is_for_it() -> None:
    found = only(load("reply_to_bot"))

    assert found.reply_to == Quoted("1300000000000000002", "Sunny.", "conch", from_bot=True)
    assert (found.text, found.mentioned, found.chat.thread) == ("why?", False, MESSAGE)


def test_an_edit_has_an_id_of_its_own() -> None:
    found = only(load("edited"))

    assert isinstance(found, Edited)
    assert (found.message.text, found.message.message_id) == ("hello, you", MESSAGE)
    assert found.message.update_id == f"{MESSAGE}:2026-01-02T03:05:00+00:00"


def test_forwarded_words_are_somebody_elses() -> None:
    found = only(load("forwarded"))

    assert (found.text, found.forwarded_from) == ("the original words", "somebody")


@pytest.mark.parametrize(
    ("snapshots", "text"),
    [
        ([], "[a message without words]"),
        ([{"message": {"content": ""}}], "[a message without words]"),
        ([{"message": {"content": "", "embeds": [{"title": "Alarm", "description": "It burns"}]}}], "Alarm\nIt burns"),
    ],
)
def test_whatever_was_forwarded_it_does_not_vanish(snapshots: list[Any], text: str) -> None:
    payload = load("forwarded")
    payload["d"]["message_snapshots"] = snapshots

    found = only(payload)

    assert (found.text, found.forwarded_from) == (text, "somebody")


def test_a_voice_message_is_a_sound_from_discords_own_host() -> None:
    (file,) = only(load("voice_message")).attachments

    assert (file.kind, file.mime, file.size) == (AttachmentKind.AUDIO, "audio/ogg", 4096)
    assert file.handle.startswith("https://cdn.discordapp.com/")


@pytest.mark.parametrize(("name", "text"), [("sticker", "[sticker: Wave]"), ("poll", "[poll: Tea? Yes / No]")])
def test_what_is_no_words_is_named(name: str, text: str) -> None:
    assert only(load(name)).text == text


@pytest.mark.parametrize(
    "name",
    [
        "own_message",
        "webhook",
        "somebody_joined",
        "without_the_intent",
        "links_resolved",
        "autocomplete",
        "guild_has_trouble",
    ],
)
def test_what_does_not_concern_us_is_nothing(name: str) -> None:
    assert PARSER.parse(load(name)) == ()


@pytest.mark.report("R071")
def test_a_button_brings_back_its_token() -> None:
    found = only(load("button"))

    assert isinstance(found, Press)
    assert (found.token, found.message, found.filled) == ("tok-1", MessageRef(PRIVATE, MESSAGE), None)
    assert found.id == "1900000000000000001:aW50ZXJhY3Rpb24"
    assert found.update_id == "1900000000000000001"


def test_a_pick_is_the_press_of_its_option() -> None:
    assert only(load("pick")).token == "tok-6"


def test_a_form_comes_back_without_what_was_left_empty() -> None:
    found = only(load("form_sent"))

    assert (found.token, found.filled) == ("tok-form", {"like": ("f",), "day": ("2026-12-24",)})


def test_a_picked_command_is_words_for_the_bot() -> None:
    found = only(load("command"))

    assert (found.text, found.mentioned) == ("/goal Learn Spanish", True)
    assert found.chat == ChatRef("dc", GENERAL, ChatKind.GROUP)
    assert found.update_id == "1900000000000000001"


def test_coming_into_a_server_is_told_of_the_room_where_discord_greets() -> None:
    found = only(load("guild_joined"))

    assert isinstance(found, Joined)
    assert (found.chat.id, found.chat.title) == (GENERAL, "#general (Home)")


def test_leaving_a_server_is_leaving_every_room_of_it() -> None:
    found = PARSER.parse(load("guild_left"))

    assert [item.chat.id for item in found if isinstance(item, Left)] == [GENERAL, "1600000000000000002"]


@pytest.mark.parametrize("name", [name for name in NAMES if PARSER.parse(load(name))])
def test_an_event_is_stored_under_the_id_that_its_meaning_has(name: str) -> None:
    found = PARSER.parse(load(name))[0]

    stored = found.message.update_id if isinstance(found, Edited) else getattr(found, "update_id", None)

    assert update_id_of(load(name)) == stored


@pytest.mark.parametrize(
    ("content", "text", "mentioned"),
    [
        (f"<@{BOT}> hello", "hello", True),
        (f"<@!{BOT}>: hello", "hello", True),
        (f"hello <@{BOT}>", "hello", True),
        (f"ask <@{BOT}> about it", "ask @somebody about it", True),
        (f"<@{BOT}>", "", True),
        (f"<@{BOT}> <@{BOT}> /stop", "/stop", True),
        ("look <:shell:123456789012345678>", "look :shell:", False),
        ("@conch hello", "@conch hello", False),
    ],
)
def test_the_bots_name_is_cut_out_at_the_edges(content: str, text: str, mentioned: bool) -> None:
    found = only(message(content=content))

    assert (found.text, found.mentioned) == (text, mentioned)


@pytest.mark.parametrize(
    "changes", [{"id": 7}, {"id": "x"}, {"author": 7}, {"attachments": {}}, {"content": []}, {"timestamp": "yesterday"}]
)
def test_what_discord_could_not_have_sent_is_a_value_error(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        PARSER.parse(message(**changes))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@given(name=st.sampled_from(NAMES), data=st.data())
@settings(deadline=None)
def test_no_damage_to_an_event_raises_anything_else(name: str, data: st.DataObject) -> None:
    payload = load(name)
    part = data.draw(st.sampled_from([payload["d"], *[v for v in payload["d"].values() if isinstance(v, dict) and v]]))
    part[data.draw(st.sampled_from(sorted(part)))] = data.draw(JSON)

    try:
        PARSER.parse(payload)
    except ValueError:
        return
