"""From the in-memory app's updates to our types."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
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
    Press,
    Quoted,
    Sender,
)
from channels.memory.app import MemoryApp
from channels.memory.chat import SentFile
from channels.memory.parse import parse
from core.clock import ManualClock
from core.events import ChatKind

ADA = Sender("ada", "Ada", "ada_l")


@pytest.fixture
def app() -> MemoryApp:
    return MemoryApp(ManualClock())


def told(app: MemoryApp) -> list[Any]:
    """What the updates mean, after a way through the inbox's JSON."""
    return [each for update in app.feed.waiting for each in parse("c1", json.loads(json.dumps(update.payload)))]


def test_a_message_is_who_where_what_and_when(app: MemoryApp) -> None:
    chat = app.private_chat("Ada", username="ada_l")

    said = chat.say("hello")

    assert told(app) == [
        InboundMessage(
            chat=ChatRef("c1", "ada"),
            sender=ADA,
            message_id=said.id,
            text="hello",
            update_id=app.feed.waiting[0].update_id,
            at=ManualClock().now(),
        )
    ]


def test_a_message_brings_along_what_it_answers_and_carries(app: MemoryApp) -> None:
    chat = app.private_chat("Ada")
    first = chat.say("first")

    chat.say(
        "look", files=[SentFile("cat.png", b"12345", "image/png")], reply_to=first, forwarded_from="Eve", album="a1"
    )

    message = told(app)[1]
    handle = message.attachments[0].handle
    assert message.attachments == (InboundAttachment(handle, "cat.png", AttachmentKind.IMAGE, "image/png", 5),)
    assert message.reply_to == Quoted(first.id, "first", "Ada")
    assert (message.forwarded_from, message.album) == ("Eve", "a1")
    assert app.file(handle) == b"12345"


def test_a_group_and_its_thread_are_chats_of_their_own(app: MemoryApp) -> None:
    group = app.group("Team", ADA, Sender("bob", "Bob"))
    thread = app.thread(group, "t1")

    group.say("@conch hi", by=group.people[1], mentioned=True)
    thread.say("in the thread")

    joined, message, in_thread = told(app)
    assert joined == Joined(ChatRef("c1", group.id, ChatKind.GROUP), ADA, joined.update_id, joined.at)
    assert (message.sender.id, message.mentioned, message.chat.title) == ("bob", True, "Team")
    assert (in_thread.chat.id, in_thread.chat.thread) == (group.id, "t1")


def test_an_edit_says_what_the_message_says_now(app: MemoryApp) -> None:
    chat = app.private_chat("Ada")
    said = chat.say("helo")

    chat.edit(said, "hello")

    edited = told(app)[1]
    assert isinstance(edited, Edited)
    assert (edited.message.message_id, edited.message.text) == (said.id, "hello")
    assert chat.messages[0].text == "hello"


def test_someone_who_blocks_the_bot_has_left(app: MemoryApp) -> None:
    app.private_chat("Ada").block()

    (left,) = told(app)
    assert isinstance(left, Left)


@pytest.mark.report("R099")
def test_the_bots_own_words_are_not_heard(app: MemoryApp) -> None:
    app.private_chat("Ada").say("echo", by=app.bot)

    assert told(app) == []


def test_a_kind_of_update_that_is_not_known_means_nothing(app: MemoryApp) -> None:
    app.private_chat("Ada").say("hello")
    payload = {**app.feed.waiting[0].payload, "kind": "reaction", "more": 1}

    assert parse("c1", payload) == ()


def test_a_press_names_its_button_and_message() -> None:
    payload = {
        "update_id": "u1",
        "kind": "press",
        "at": "2026-01-01T00:00:00+00:00",
        "chat": {"id": "ada", "kind": "private"},
        "by": {"id": "ada", "name": "Ada", "username": "ada_l"},
        "press": {"id": "p1", "token": "t", "message_id": "m1"},
    }

    assert parse("c1", payload) == (
        Press("p1", "t", MessageRef(ChatRef("c1", "ada"), "m1"), ADA, "u1", ManualClock().now()),
    )


json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=200)
@given(st.data())
def test_whatever_is_malformed_is_a_value_error(data: st.DataObject) -> None:
    app = MemoryApp(ManualClock())
    app.private_chat("Ada").say("hello", files=[SentFile("a", b"")])
    payload = json.loads(json.dumps(app.feed.waiting[0].payload))
    spoiled = data.draw(st.sampled_from([payload, payload["chat"], payload["by"], payload["message"]]))

    spoiled[data.draw(st.sampled_from(sorted(spoiled)))] = data.draw(json_values)

    try:
        meant = parse("c1", payload)
    except ValueError:
        meant = ()

    assert len(meant) <= 1
