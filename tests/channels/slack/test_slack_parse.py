"""What Slack's payloads mean; shapes are in `payloads/`."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.base import (
    ChatRef,
    Edited,
    Inbound,
    InboundMessage,
    Joined,
    Left,
    MessageRef,
    Press,
    Quoted,
    Sender,
)
from channels.slack.parse import Parser
from core.events import ChatKind

PARSER = Parser("sl", "U0BOT")
PAYLOADS = Path(__file__).parent / "payloads"
ADA = ChatRef("sl", "U0ADA")


def load(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((PAYLOADS / f"{name}.json").read_text(encoding="utf-8"))
    return found


def parsed(name: str) -> Inbound | None:
    found = PARSER.parse(load(name))
    assert len(found) <= 1
    return found[0] if found else None


def message(name: str) -> InboundMessage:
    found = parsed(name)
    assert isinstance(found, InboundMessage)
    return found


def press(name: str) -> Press:
    found = parsed(name)
    assert isinstance(found, Press)
    return found


def group(thread: str | None) -> ChatRef:
    return ChatRef("sl", "C0001", ChatKind.GROUP, thread)


def test_a_private_chat_has_the_persons_own_id() -> None:
    assert message("private_message") == InboundMessage(
        chat=ADA,
        sender=Sender("U0ADA", "Ada"),
        message_id="1721609600.123456",
        text="hello & welcome (https://example.org)",
        update_id="D0001:1721609600.123456",
        at=datetime(2024, 7, 22, 0, 53, 20, 123456, tzinfo=UTC),
    )


def test_a_private_thread_is_the_same_chat_and_answers_the_message_that_it_is_under() -> None:
    found = message("private_thread")

    assert (found.chat, found.message_id) == (ADA, "1721609600.123456/1721609000.000100")
    assert found.reply_to == Quoted("1721609000.000100", "", "the bot", from_bot=True)


def test_a_mention_opens_a_thread_and_is_cut_out() -> None:
    found = message("mention_message")

    assert (found.chat, found.mentioned) == (group("1721609600.123456"), True)
    assert found.text == "what now, @U0BOB?"


def test_both_tellings_of_a_mention_are_one_message() -> None:
    assert message("mention_event") == message("mention_message")


@pytest.mark.parametrize(
    ("name", "thread"), [("channel_thread", "1721609000.000100"), ("broadcast", "1721609000.000100")]
)
def test_what_is_said_in_a_thread_belongs_to_it(name: str, thread: str) -> None:
    found = message(name)

    assert (found.chat, found.mentioned) == (group(thread), False)


def test_what_is_said_at_a_channels_root_opens_no_thread() -> None:
    assert message("channel_message").chat == group(None)


def test_a_message_about_oneself_is_one() -> None:
    assert message("me_message").text == "waves"


def test_files_that_are_gone_are_none() -> None:
    (file,) = message("file_share").attachments

    assert (file.name, file.size) == ("plan.pdf", 1234)
    assert file.handle.endswith("/download/plan.pdf")


def test_a_shared_message_is_quoted_with_whose_it_is() -> None:
    assert message("shared_message").reply_to == Quoted("", "the old plan", "Bob")


def test_of_several_shared_messages_none_is_lost() -> None:
    stored = load("shared_message")
    shares = stored["payload"]["event"]["attachments"]
    file = {
        "id": "F1",
        "name": "plan.pdf",
        "mimetype": "application/pdf",
        "url_private": "https://files.slack.com/plan",
    }
    shares.append({**shares[0], "author_name": "Eve", "text": "the new plan", "files": [file]})

    (found,) = PARSER.parse(stored)

    assert isinstance(found, InboundMessage)
    assert found.reply_to == Quoted("", "Bob: the old plan\nEve: the new plan", "Bob and Eve")
    assert [attachment.name for attachment in found.attachments] == ["plan.pdf"]


def test_a_message_that_is_only_shared_is_forwarded() -> None:
    found = message("forwarded")

    assert (found.text, found.forwarded_from, found.reply_to) == ("the old plan", "Bob", None)


def test_changed_words_are_an_edit_of_the_same_message() -> None:
    found = parsed("edited")

    assert isinstance(found, Edited)
    assert (found.message.text, found.message.message_id) == ("hello again", "1721609600.123456")
    assert found.message.update_id == "Ev0001"


@pytest.mark.parametrize(
    "name",
    [
        "unfurled",
        "deleted",
        "own_message",
        "other_bot",
        "app_of_a_person",
        "joined_by_somebody",
        "person_joined",
        "home_opened",
        "link_button",
        "shortcut",
    ],
)
def test_what_no_person_says_is_nothing(name: str) -> None:
    assert parsed(name) is None


def test_the_bot_comes_and_goes() -> None:
    came, went = parsed("bot_joined"), parsed("bot_left")

    assert isinstance(came, Joined)
    assert isinstance(went, Left)
    assert (came.chat, came.chat.title, came.by) == (group(None), "general", Sender("U0ADA", "Ada"))
    assert went.chat == group(None)


@pytest.mark.parametrize(
    ("name", "chat", "mentioned", "message_id"),
    [
        ("slash_in_channel", group(None), True, "slash:13.37.abc"),
        ("slash_elsewhere", ADA, False, "away:13.37.abc"),
    ],
)
def test_a_command_belongs_where_the_bot_is(name: str, chat: ChatRef, mentioned: bool, message_id: str) -> None:
    found = message(name)

    assert (found.chat, found.mentioned, found.message_id) == (chat, mentioned, message_id)
    assert (found.text, found.update_id) == ("/conch goal learn @bob Spanish", "slash:13.37.abc")


def test_a_command_without_words_is_the_command_alone() -> None:
    found = message("slash_in_private")

    assert (found.chat, found.text, found.message_id) == (ADA, "/conch", "slash:13.37.abc")


@pytest.mark.parametrize(("name", "token"), [("button", "tok-1"), ("picked", "tok-5"), ("ephemeral_button", "tok-1")])
def test_a_press_brings_its_token_and_where_it_was(name: str, token: str) -> None:
    found = press(name)

    assert (found.token, found.message) == (token, MessageRef(ADA, "1721609500.000100"))
    assert (found.id, found.update_id, found.sender) == ("13.37.def", "press:13.37.def", Sender("U0ADA", "Ada", "ada"))


def test_a_press_in_a_thread_belongs_to_it() -> None:
    assert press("group_button").message.chat == group("1721609000.000100")


def test_a_form_brings_what_was_filled_in_and_nothing_for_what_was_left_empty() -> None:
    found = press("sent_form")

    assert found.filled == {"day": ("2026-12-24",), "who": ("Bob",)}
    assert (found.token, found.message, found.update_id) == (
        "tok",
        MessageRef(ADA, "1721609500.000100"),
        "form:V0001:17.abc",
    )


NAMES = sorted(path.stem for path in PAYLOADS.glob("*.json"))
ODD: st.SearchStrategy[object] = (
    st.none() | st.integers() | st.text(max_size=4) | st.lists(st.integers(), max_size=1) | st.just({})
)


@given(data=st.data(), name=st.sampled_from(NAMES))
def test_a_payload_with_one_odd_field_is_read_or_refused_as_such(data: st.DataObject, name: str) -> None:
    payload = load(name)
    place = payload["payload"]
    while nested := [key for key, value in place.items() if isinstance(value, dict) and value]:
        if data.draw(st.booleans()):
            break
        place = place[data.draw(st.sampled_from(nested))]
    if place:
        place[data.draw(st.sampled_from(sorted(place)))] = data.draw(ODD)

    try:
        found = PARSER.parse(payload)
    except ValueError:
        return

    assert len(found) <= 1
