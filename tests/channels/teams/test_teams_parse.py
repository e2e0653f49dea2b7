"""What activities mean."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.base import AttachmentKind, Edited, InboundMessage, Left, Press
from channels.teams.parse import Parser

APP = "11111111-1111-4111-8111-111111111111"
PARSER = Parser("tm", APP)
BOT = {"id": f"28:{APP}", "name": "Conch"}


def activity(kind: str = "message", **more: Any) -> dict[str, Any]:
    return {
        "type": kind,
        "id": "1700000000001",
        "timestamp": "2026-01-01T10:00:00.000Z",
        "channelId": "msteams",
        "serviceUrl": "https://smba.trafficmanager.net/emea/",
        "from": {"id": "29:ada", "name": "Ada", "aadObjectId": "33333333-3333-4333-8333-333333333333"},
        "recipient": BOT,
        "conversation": {"id": "a:1", "conversationType": "personal", "tenantId": "t"},
        "channelData": {"tenant": {"id": "t"}},
        **more,
    }


def heard(payload: Mapping[str, Any]) -> InboundMessage:
    (found,) = PARSER.parse(payload)
    assert isinstance(found, InboundMessage)
    return found


def test_a_message_is_known_by_its_own_id() -> None:
    found = heard(activity(text=" hello\u00a0there "))

    assert (found.text, found.message_id, found.update_id) == ("hello there", "1700000000001", "1700000000001")
    assert (found.chat.id, found.sender.id, found.sender.name) == ("a:1", "29:ada", "Ada")


def test_the_bots_own_name_is_cut_out_and_others_stay() -> None:
    named = [
        {"type": "mention", "text": "<at>Conch</at>", "mentioned": BOT},
        {"type": "mention", "text": "<at>Bob</at>", "mentioned": {"id": "29:bob"}},
    ]

    found = heard(activity(text="<at>Conch</at> ask <at>Bob</at>", entities=named))

    assert found.text == "ask @Bob"


@pytest.mark.parametrize(
    "payload",
    [
        {**activity(text="mine"), "from": BOT},
        activity(text="hi", conversation={"id": "19:x", "conversationType": "channel", "isGroup": True}),
        activity(text="hi", conversation={"id": "19:x", "conversationType": "groupChat", "isGroup": True}),
        activity(text=""),
        activity(text="", attachments=[{"contentType": "text/html", "content": "<p></p>"}]),
        activity(value={"foreign": True}),
        activity("typing"),
        activity("messageReaction", reactionsAdded=[{"type": "like"}]),
        activity("messageDelete"),
        activity("messageUpdate", text="back", channelData={"eventType": "undeleteMessage"}),
        activity("conversationUpdate", membersAdded=[BOT]),
        activity("installationUpdate", action="add"),
        activity("invoke", name="composeExtension/query", value={}),
        activity("invoke", name="adaptiveCard/action", value={"action": {"data": {"foreign": 1}}}),
    ],
)
def test_what_does_not_concern_us_is_nothing(payload: Mapping[str, Any]) -> None:
    assert PARSER.parse(payload) == ()


def test_an_edit_is_another_thing_than_its_message() -> None:
    (found,) = PARSER.parse(activity("messageUpdate", text="now", channelData={"eventType": "editMessage"}))

    assert isinstance(found, Edited)
    assert found.message.message_id == "1700000000001"
    assert found.message.update_id == "edit:1700000000001:2026-01-01T10:00:00.000Z"


def test_both_roads_of_a_press_mean_the_same() -> None:
    data = {"token": "t-1"}

    (submitted,) = PARSER.parse(activity(value=data, replyToId="5"))
    (executed,) = PARSER.parse(
        activity("invoke", name="adaptiveCard/action", value={"action": {"verb": "press", "data": data}}, replyToId="5")
    )

    for press in (submitted, executed):
        assert isinstance(press, Press)
        assert (press.token, press.message.message_id, press.filled) == ("t-1", "5", None)


def test_a_form_brings_each_field_as_the_question_has_it() -> None:
    fields = [
        {"id": "how", "options": ["x", "y"], "several": True},
        {"id": "which", "options": ["x", "y"], "several": False},
        {"id": "at"},
        {"id": "many"},
        {"id": "left out"},
    ]
    filled = {"0": "0,1", "0o": "z", "1": "1", "1o": "mine", "2": "2026-05-01", "2t": "09:30", "3": 4, "4": ""}

    (press,) = PARSER.parse(activity(value={"token": "t", "fields": fields, **filled}, replyToId="5"))

    assert isinstance(press, Press)
    assert press.filled == {
        "how": ("x", "y", "z"),
        "which": ("mine",),
        "at": ("2026-05-01T09:30",),
        "many": ("4",),
    }


def test_files_come_by_their_own_address_and_pictures_by_that_of_the_service() -> None:
    info = "application/vnd.microsoft.teams.file.download.info"
    file = {"contentType": info, "name": "a.png", "content": {"downloadUrl": "https://x", "fileType": "png"}}
    pasted = {"contentType": "image/*", "contentUrl": "https://smba.trafficmanager.net/x"}

    found = heard(activity(attachments=[file, pasted]))

    assert [(one.handle, one.name, one.kind) for one in found.attachments] == [
        ("https://x", "a.png", AttachmentKind.IMAGE),
        ("https://smba.trafficmanager.net/x", "picture 2", AttachmentKind.IMAGE),
    ]


def test_a_bot_that_was_taken_out_left() -> None:
    (found,) = PARSER.parse(activity("installationUpdate", action="remove"))

    assert isinstance(found, Left)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(
    st.dictionaries(st.sampled_from([*sorted(activity()), "text", "value", "attachments", "entities", "name"]), JSON)
)
def test_whatever_comes_is_read_or_said_to_be_malformed(changed: dict[str, Any]) -> None:
    try:
        found = PARSER.parse({**activity(text="x"), **changed})
    except ValueError:
        return

    assert len(found) <= 1
