"""From raw updates to what happened: each odd payload is one line."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from channels.base import (
    AttachmentKind,
    ChatRef,
    Edited,
    InboundAttachment,
    InboundMessage,
    Joined,
    Left,
    MessageRef,
    Moved,
    Press,
    Quoted,
    Sender,
)
from core.events import ChatKind
from tests.channels.telegram.payloads import FIELD_NAMES, NAMES, PARSER, load

SENT_AT = datetime(2026, 1, 1, tzinfo=UTC)
ADA = Sender("1001", "Ada Lovelace", "ada")
BOB = Sender("1002", "Bob")
PRIVATE = ChatRef("tg", "1001")
GROUP = ChatRef("tg", "-1002000000001", ChatKind.GROUP)
TOPIC = ChatRef("tg", "-1002000000002", ChatKind.GROUP, thread="7")


def message(name: str) -> InboundMessage:
    (found,) = PARSER.parse(load(name))
    assert isinstance(found, InboundMessage)
    return found


# ---- who says what, where ------------------------------------------------------------------------------------------


def test_a_text_in_a_private_chat() -> None:
    (found,) = PARSER.parse(load("text"))

    assert found == InboundMessage(
        chat=PRIVATE, sender=ADA, message_id="41", text="hello there", update_id="700000001", at=SENT_AT
    )


@pytest.mark.report("R103")
def test_people_are_known_by_telegrams_own_id() -> None:
    (found,) = PARSER.parse(load("group_unaddressed"))

    assert isinstance(found, InboundMessage)
    assert found.sender == BOB
    assert found.chat == GROUP
    assert found.chat.title == "Engines"


def test_an_edited_message_says_what_it_says_now_and_since_when() -> None:
    (found,) = PARSER.parse(load("edited_text"))

    assert isinstance(found, Edited)
    assert found.message.text == "hello again"
    assert found.message.at == datetime(2026, 1, 1, 0, 1, tzinfo=UTC)


@pytest.mark.report("R099")
@pytest.mark.parametrize(
    "name",
    ["own_message", "message_of_another_bot", "anonymous_admin", "channel_post_in_its_group", "somebody_joined"],
)
def test_what_no_person_wrote_is_dropped(name: str) -> None:
    assert PARSER.parse(load(name)) == ()


def test_a_message_made_with_another_bots_help_is_the_persons() -> None:
    assert message("via_another_bot").sender == ADA


def test_a_kind_of_update_that_was_not_asked_for_is_nothing() -> None:
    assert PARSER.parse({"update_id": 1, "message_reaction": {"date": 1}}) == ()


@pytest.mark.parametrize("kind", ["message", "edited_message"])
def test_a_channels_post_is_nothing(kind: str) -> None:
    post = {"message_id": 1, "date": 1, "chat": {"id": -1, "type": "channel", "title": "News"}, "text": "x"}

    assert PARSER.parse({"update_id": 1, kind: post}) == ()


# ---- topics --------------------------------------------------------------------------------------------------------


@pytest.mark.report("R093")
def test_a_topic_is_a_chat_of_its_own_and_its_opening_no_quotation() -> None:
    found = message("topic_message")

    assert found.chat == TOPIC
    assert found.text == "in a topic"
    assert found.reply_to is None


def test_a_chain_of_replies_in_an_ordinary_group_is_no_topic() -> None:
    found = message("thread_of_an_ordinary_group")

    assert found.chat == GROUP
    assert found.reply_to == Quoted("51", "first", "Ada Lovelace")


# ---- whom it is meant for ------------------------------------------------------------------------------------------


def test_a_mention_counts_whatever_its_case_and_is_cut_out() -> None:
    found = message("group_mention")

    assert (found.text, found.mentioned) == ("what is 2 + 2?", True)


def test_a_command_that_names_us_is_ours() -> None:
    found = message("group_command_for_us")

    assert (found.text, found.mentioned) == ("/help all", True)


def test_a_command_that_names_another_bot_is_not_for_us() -> None:
    assert PARSER.parse(load("group_command_for_another_bot")) == ()


def test_words_among_others_mention_nobody() -> None:
    assert message("group_unaddressed").mentioned is False


def test_a_bot_that_was_renamed_answers_to_its_new_name_only() -> None:
    (found,) = replace(PARSER, username="other_bot").parse(load("group_command_for_another_bot"))

    assert isinstance(found, InboundMessage)
    assert (found.text, found.mentioned) == ("/help", True)


# ---- other people's words ------------------------------------------------------------------------------------------


def test_a_reply_brings_the_picked_words_of_our_message_along() -> None:
    assert message("reply_to_the_bot").reply_to == Quoted("51", "Shall I go on?", "Conch", from_bot=True)


def test_a_quoted_file_is_named() -> None:
    assert message("reply_to_a_photo").reply_to == Quoted("50", "[image: photo-50.jpg]", "Ada Lovelace")


def test_a_reply_across_chats_has_words_but_no_message_of_this_chat() -> None:
    assert message("reply_to_another_chat").reply_to == Quoted("", "Steam is over", "Daily Engine")


@pytest.mark.parametrize(
    ("name", "author"),
    [
        ("forwarded_from_a_hidden_person", "Grace"),
        ("forwarded_from_a_person", "Bob"),
        ("forwarded_from_a_channel", "Daily Engine"),
    ],
)
def test_a_forward_says_whose_words_it_brings(name: str, author: str) -> None:
    assert message(name).forwarded_from == author


# ---- files and what cannot be read ---------------------------------------------------------------------------------


def test_a_photo_comes_in_its_largest_size_with_its_album() -> None:
    found = message("photo_of_an_album")

    assert found.attachments == (InboundAttachment("PH-l", "photo-41.jpg", AttachmentKind.IMAGE, "image/jpeg", 90_000),)
    assert (found.text, found.album) == ("the engine", "13579000000000001")


@pytest.mark.report("R181")
@pytest.mark.parametrize(
    ("name", "attachment"),
    [
        ("document", InboundAttachment("DOC-1", "plan.pdf", AttachmentKind.FILE, "application/pdf", 2048)),
        ("voice", InboundAttachment("VOC-1", "voice.ogg", AttachmentKind.AUDIO, "audio/ogg", 9000)),
        ("audio", InboundAttachment("AUD-1", "Nocturne", AttachmentKind.AUDIO, "audio/mpeg", 3_000_000)),
        ("video", InboundAttachment("VID-1", "wheel.mp4", AttachmentKind.VIDEO, "video/mp4", 700_000)),
        ("animation", InboundAttachment("ANI-1", "dance.mp4", AttachmentKind.VIDEO, "video/mp4", 30_000)),
    ],
)
def test_a_file_is_a_typed_part_of_its_message(name: str, attachment: InboundAttachment) -> None:
    assert message(name).attachments == (attachment,)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("sticker", "[sticker 😀]"),
        ("location", "[location: 51.523700, -0.158500]"),
        ("venue", "[place: Engine Room, 1 Dorset Street (51.523700, -0.158500)]"),
        ("contact", "[contact: Charles Babbage, +440000000]"),
        ("poll", "[poll: Tea? Yes / No]"),
        ("rich_message", "Plan\nBuy cogs today\nbrass\nsteel"),
    ],
)
def test_what_is_no_text_and_no_file_is_put_into_words(name: str, words: str) -> None:
    found = message(name)

    assert (found.text, found.attachments) == (words, ())


@pytest.mark.parametrize("content", [{"hologram": {"id": "1"}}, {}])
def test_a_kind_of_message_that_nobody_knows_yet_is_not_lost(content: Mapping[str, Any]) -> None:
    payload = load("text")
    del payload["message"]["text"]
    payload["message"] |= content

    (found,) = PARSER.parse(payload)

    assert isinstance(found, InboundMessage)
    assert found.text == "[a kind of message that cannot be read here]"


# ---- presses, coming and going -------------------------------------------------------------------------------------


@pytest.mark.report("R071")
def test_a_pressed_button_brings_its_token_back() -> None:
    (found,) = PARSER.parse(load("button"))

    assert found == Press(
        id="4382bfdwdsb323b2d9",
        token="tok_A1",
        message=MessageRef(PRIVATE, "77"),
        sender=ADA,
        update_id="700000029",
        at=datetime(2026, 1, 1, 0, 0, 5, tzinfo=UTC),
    )


def test_a_button_under_a_message_that_telegram_has_forgotten_still_works() -> None:
    (found,) = PARSER.parse(load("button_of_a_lost_message"))

    assert isinstance(found, Press)
    assert (found.token, found.message) == ("tok_B2", MessageRef(PRIVATE, "12"))


def test_a_button_in_a_topic_belongs_to_the_topic() -> None:
    (found,) = PARSER.parse(load("button_in_a_topic"))

    assert isinstance(found, Press)
    assert found.message == MessageRef(TOPIC, "78")


def test_a_button_outside_all_our_chats_is_nothing() -> None:
    assert PARSER.parse(load("button_of_an_inline_message")) == ()


def test_the_bot_is_brought_into_a_group() -> None:
    assert PARSER.parse(load("bot_added_to_group")) == (Joined(GROUP, ADA, "700000038", SENT_AT),)


def test_the_bot_is_taken_out_of_a_group() -> None:
    assert PARSER.parse(load("bot_removed_from_group")) == (
        Left(ChatRef("tg", "-4000001", ChatKind.GROUP), "700000040", SENT_AT),
    )


def test_a_person_blocks_the_bot() -> None:
    assert PARSER.parse(load("bot_blocked")) == (Left(PRIVATE, "700000041", SENT_AT),)


@pytest.mark.parametrize("name", ["bot_made_admin", "bot_unblocked"])
def test_other_changes_of_the_bots_standing_are_nothing(name: str) -> None:
    assert PARSER.parse(load(name)) == ()


def test_a_restricted_bot_is_still_in_the_group() -> None:
    payload = load("bot_added_to_group")
    payload["my_chat_member"]["old_chat_member"] = {"status": "restricted", "is_member": True, "user": {}}

    assert PARSER.parse(payload) == ()


@pytest.mark.parametrize(("name", "update_id"), [("group_moved_away", "700000050"), ("group_moved_here", "700000051")])
def test_a_group_that_became_a_supergroup_says_its_new_id_in_both(name: str, update_id: str) -> None:
    old, new = (ChatRef("tg", chat_id, ChatKind.GROUP) for chat_id in ("-4000001", "-1002000000003"))

    (moved,) = PARSER.parse(load(name))

    assert moved == Moved(old, new, update_id, SENT_AT)
    assert moved.new.title == "Tea"


# ---- bad input -----------------------------------------------------------------------------------------------------

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
FIELDS = st.sampled_from(FIELD_NAMES)
SHAPED = st.recursive(
    JSON,
    lambda inner: st.dictionaries(FIELDS, inner, max_size=6) | st.lists(inner, max_size=2),
    max_leaves=20,
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(FIELDS, SHAPED, max_size=4))
def test_nothing_but_a_value_error_is_ever_raised(payload: dict[str, Any]) -> None:
    try:
        found = PARSER.parse(payload)
    except ValueError:
        return

    assert len(found) <= 1


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(name=st.sampled_from(NAMES), path=st.lists(st.integers(0, 30), max_size=6), value=JSON)
def test_a_spoilt_payload_is_read_or_refused_and_nothing_else(name: str, path: list[int], value: object) -> None:
    payload = load(name)
    spoil(payload, path, value)

    try:
        found = PARSER.parse(payload)
    except ValueError:
        return

    assert len(found) <= 1


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(name=st.sampled_from(NAMES), unknown=st.dictionaries(st.text(max_size=8).map("x_".__add__), JSON, max_size=3))
def test_unknown_fields_change_nothing(name: str, unknown: dict[str, Any]) -> None:
    payload = load(name)

    assert PARSER.parse(with_fields(payload, unknown)) == PARSER.parse(payload)


@pytest.mark.parametrize("payload", [[], "text", None, {}, {"update_id": "7"}, {"update_id": True}])
def test_what_is_no_update_is_a_value_error(payload: Any) -> None:
    with pytest.raises(ValueError, match=r"an update is an object|update_id"):
        PARSER.parse(payload)


def test_a_date_beyond_all_calendars_is_a_value_error() -> None:
    payload = load("text")
    payload["message"]["date"] = 10**20

    with pytest.raises(ValueError, match="date is not a time"):
        PARSER.parse(payload)


def test_a_message_of_blocks_within_blocks_is_read_however_deep() -> None:
    payload = load("rich_message")
    deep: Any = "deep"
    for _ in range(5_000):
        deep = [{"type": "bold", "text": deep}]
    payload["message"]["rich_message"]["blocks"] = [{"type": "paragraph", "text": deep}]

    (found,) = PARSER.parse(payload)

    assert isinstance(found, InboundMessage)
    assert found.text == "deep"


def spoil(payload: Any, path: list[int], value: object) -> None:
    """Put `value` somewhere into the payload; each number of the path chooses a way."""
    for place, step in enumerate(path):
        if not isinstance(payload, dict | list) or not payload:
            return
        keys = list(payload) if isinstance(payload, dict) else list(range(len(payload)))
        key = keys[step % len(keys)]
        if place == len(path) - 1:
            payload[key] = value
        else:
            payload = payload[key]


def with_fields(value: Any, unknown: Mapping[str, Any]) -> Any:
    """The same with more fields in every object."""
    if isinstance(value, dict):
        return {**{name: with_fields(inner, unknown) for name, inner in value.items()}, **unknown}
    return [with_fields(inner, unknown) for inner in value] if isinstance(value, list) else value
