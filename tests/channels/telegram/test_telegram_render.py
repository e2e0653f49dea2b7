"""From what is to be said to calls of the Bot API."""

from pathlib import Path
from typing import Any

import pytest

from channels.base import Button, ButtonStyle, ChatRef, MessageRef, OutboundFile, OutboundMessage, Press, Sender
from channels.telegram import render
from channels.telegram.render import ApiCall, Manner
from core.clock import ManualClock
from core.errors import Refused, RefusedReason
from core.events import ChatKind

CHAT = ChatRef("tg", "1001")
TOPIC = ChatRef("tg", "-1002", ChatKind.GROUP, thread="7")
MESSAGE = MessageRef(CHAT, "41")
NO_PREVIEW = {"is_disabled": True}
PDF = OutboundFile(Path("plan.pdf"), "plan.pdf", "application/pdf")
PNG = OutboundFile(Path("map.png"), "map.png", "image/png")


def words(text: str = "<b>hi</b>", **more: Any) -> OutboundMessage:
    return OutboundMessage(text, more.pop("fallback", "hi"), "key", **more)


def keyboard(call: ApiCall) -> list[list[dict[str, str]]]:
    rows: list[list[dict[str, str]]] = call.parameters["reply_markup"]["inline_keyboard"]
    return rows


def test_a_text_goes_out_as_html_without_a_preview() -> None:
    (call,) = render.send(CHAT, words())

    assert call == ApiCall(
        "sendMessage",
        {"chat_id": 1001, "text": "<b>hi</b>", "link_preview_options": NO_PREVIEW, "parse_mode": "HTML"},
    )


def test_the_plain_manner_says_the_fallback_without_markup() -> None:
    (call,) = render.send(CHAT, words(), Manner(plain=True))

    assert call == ApiCall("sendMessage", {"chat_id": 1001, "text": "hi", "link_preview_options": NO_PREVIEW})


@pytest.mark.report("R097")
def test_an_answer_goes_into_its_topic_and_to_its_message() -> None:
    (call,) = render.send(TOPIC, words(reply_to="9", silent=True))

    assert call.parameters["chat_id"] == -1002
    assert call.parameters["message_thread_id"] == 7
    assert call.parameters["reply_parameters"] == {"message_id": 9, "allow_sending_without_reply": True}
    assert call.parameters["disable_notification"] is True


def test_an_answer_to_a_message_that_is_none_is_refused_before_it_is_sent() -> None:
    with pytest.raises(Refused) as refused:
        render.send(CHAT, words(reply_to="nine"))

    assert refused.value.reason is RefusedReason.BAD_PAYLOAD


# ---- buttons -------------------------------------------------------------------------------------------------------


def test_a_button_brings_back_its_token_or_opens_its_link() -> None:
    buttons = (
        Button("Allow", token="t1", style=ButtonStyle.PRIMARY),
        Button("Deny", token="t2", style=ButtonStyle.DANGER),
        Button("Read", url="https://example.org"),
    )

    (call,) = render.send(CHAT, words(buttons=buttons))

    assert keyboard(call) == [
        [
            {"text": "Allow", "callback_data": "t1", "style": "primary"},
            {"text": "Deny", "callback_data": "t2", "style": "danger"},
            {"text": "Read", "url": "https://example.org"},
        ]
    ]


@pytest.mark.parametrize(
    ("labels", "rows"),
    [
        (["1", "2", "3", "4", "5", "6", "7", "8"], [4, 4]),
        (["Yes", "No"], [2]),
        (["Use it", "Always", "Not now", "Don't suggest"], [3, 1]),
        (["Something rather long to choose", "Another thing of that kind"], [1, 1]),
        (["Go on", "Something rather long to choose", "Stop"], [1, 1, 1]),
    ],
)
def test_short_labels_stand_side_by_side_and_long_ones_alone(labels: list[str], rows: list[int]) -> None:
    buttons = tuple(Button(label, token=label) for label in labels)

    (call,) = render.send(CHAT, words(buttons=buttons))

    assert [len(row) for row in keyboard(call)] == rows
    assert [button["text"] for row in keyboard(call) for button in row] == labels


def test_an_edit_without_buttons_takes_them_away() -> None:
    call = render.edit(MESSAGE, words())

    assert "reply_markup" not in call.parameters
    assert (call.method, call.repeatable) == ("editMessageText", True)


def test_words_under_a_file_are_edited_as_a_caption() -> None:
    call = render.edit(MESSAGE, words(), Manner(caption=True))

    assert call == ApiCall(
        "editMessageCaption",
        {"chat_id": 1001, "message_id": 41, "caption": "<b>hi</b>", "parse_mode": "HTML"},
        repeatable=True,
    )


# ---- files ---------------------------------------------------------------------------------------------------------


def test_a_picture_is_shown_and_another_file_attached() -> None:
    (picture,) = render.send(CHAT, words(file=PNG))
    (document,) = render.send(CHAT, words(file=PDF))

    assert (picture.method, picture.files) == ("sendPhoto", {"photo": PNG})
    assert (document.method, document.files) == ("sendDocument", {"document": PDF})
    assert picture.parameters == {"chat_id": 1001, "caption": "<b>hi</b>", "parse_mode": "HTML"}


def test_a_picture_that_cannot_be_shown_is_attached() -> None:
    (call,) = render.send(CHAT, words(file=PNG), Manner(as_document=True))

    assert (call.method, call.files) == ("sendDocument", {"document": PNG})


def test_a_drawing_is_attached_because_telegram_shows_no_svg() -> None:
    (call,) = render.send(CHAT, words(file=OutboundFile(Path("a.svg"), "a.svg", "image/svg+xml")))

    assert call.method == "sendDocument"


def test_a_file_without_words_has_no_caption() -> None:
    (call,) = render.send(CHAT, words("", fallback="", file=PDF))

    assert call.parameters == {"chat_id": 1001}


@pytest.mark.report("R043")
def test_words_too_long_for_a_caption_go_before_the_file() -> None:
    long = "<i>" + "x" * 1025 + "</i>"
    message = words(long, file=PDF, reply_to="9", buttons=(Button("Go on", token="t"),))

    told, file = render.send(CHAT, message)

    assert told.parameters["text"] == long
    assert told.parameters["reply_parameters"]["message_id"] == 9
    assert "reply_markup" not in told.parameters
    assert file.method == "sendDocument"
    assert "caption" not in file.parameters
    assert keyboard(file) == [[{"text": "Go on", "callback_data": "t"}]]


# ---- everything else -----------------------------------------------------------------------------------------------


def test_a_draft_is_shown_under_its_number() -> None:
    call = render.draft(CHAT, 5, "<b>so far", "so far")

    assert call.parameters == {"chat_id": 1001, "draft_id": 5, "text": "<b>so far", "parse_mode": "HTML"}


def test_a_press_is_answered_with_or_without_a_note() -> None:
    press = Press("q1", "token", MESSAGE, Sender("1", "Ada"), "1", ManualClock().now())

    assert render.answer_press(press, None).parameters == {"callback_query_id": "q1"}
    assert render.answer_press(press, "Done").parameters == {"callback_query_id": "q1", "text": "Done"}


def test_the_first_poll_confirms_nothing_and_later_ones_name_an_offset() -> None:
    first, later = render.get_updates(0, 0), render.get_updates(8, 50)

    assert "offset" not in first.parameters
    assert (later.parameters["offset"], later.parameters["timeout"]) == (8, 50)


def test_removing_a_webhook_keeps_what_waits() -> None:
    assert render.delete_webhook().parameters == {"drop_pending_updates": False}


def test_the_same_call_can_be_made_to_a_group_that_moved() -> None:
    (call,) = render.send(TOPIC, words())

    assert render.moved(call, -9).parameters == {**call.parameters, "chat_id": -9}
