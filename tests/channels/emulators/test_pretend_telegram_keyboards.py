"""Buttons: which ones Telegram takes, on both sides of each edge, and pressing them."""

from typing import Any

import pytest
from telegram import Bot, CopyTextButton, InlineKeyboardMarkup
from telegram import InlineKeyboardButton as Button
from telegram.error import BadRequest

from channels.emulators.telegram.pretend import PretendTelegram
from channels.emulators.telegram.screen import Player, Screen
from channels.emulators.telegram.seen import SeenAnswer
from core.clock import ManualClock
from tests.channels.emulators.conftest import Refused, Wire


def rows(*counts: int) -> dict[str, Any]:
    """A keyboard with so many buttons in each row, as it goes over the wire."""
    return {"inline_keyboard": [[{"text": "x", "callback_data": "d"}] * count for count in counts]}


ONE_BUTTON = InlineKeyboardMarkup([[Button("x", callback_data="d")]])


def one(**button: Any) -> dict[str, Any]:
    """A keyboard of one button, as it goes over the wire."""
    return {"inline_keyboard": [[{"text": "x", **button}]]}


@pytest.mark.parametrize(
    "keyboard",
    [
        rows(8),
        rows(*[8] * 12, 4),
        one(callback_data="d" * 64),
        one(callback_data="é" * 32),
        one(url="https://example.com/x?y=1"),
        one(url="tg://resolve?domain=example"),
        one(url="http://127.0.0.1:8080/settings"),
        one(copy_text={"text": "c" * 256}),
        one(callback_data="d", style="danger"),
    ],
)
async def test_a_keyboard_at_the_edge_is_shown(wire: Wire, ada: Player, chat: Screen, keyboard: Any) -> None:
    await wire("sendMessage", chat_id=ada.id, text="choose", reply_markup=keyboard)

    assert chat.answers[-1].labels[0][0] == "x"


@pytest.mark.parametrize(
    ("keyboard", "words"),
    [
        (rows(9), "strict: more than 8 buttons in a row"),
        (rows(*[8] * 12, 5), "reply markup is too long"),
        (one(callback_data="d" * 65), "BUTTON_DATA_INVALID"),
        (one(callback_data="é" * 33), "BUTTON_DATA_INVALID"),
        (
            one(callback_data=""),
            "can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard",
        ),
        (one(), "can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard"),
        (
            one(callback_data="d", url="https://a.bc"),
            "strict: a button does exactly one thing, not callback_data and url",
        ),
        (one(url="javascript:alert(1)"), "inline keyboard button URL 'javascript:alert(1)' is invalid: Wrong HTTP URL"),
        (one(url="http://localhost/x"), "inline keyboard button URL 'http://localhost/x' is invalid: Wrong HTTP URL"),
        (one(copy_text={"text": "c" * 257}), "BUTTON_COPY_TEXT_INVALID"),
        (one(copy_text={"text": ""}), "BUTTON_COPY_TEXT_INVALID"),
        (one(web_app={"url": "https://a.bc"}), "strict: the pretend Telegram plays no web_app buttons"),
        (one(callbackdata="d"), "strict: InlineKeyboardButton has no field callbackdata"),
        (one(callback_data="d", style="loud"), "strict: no button style 'loud'"),
        ({"inline_keyboard": [[{"text": " ", "callback_data": "d"}]]}, "strict: a button without words"),
        ({"inline_keyboard": [[], [{"text": "x", "callback_data": "d"}]]}, "strict: an empty row of buttons"),
        ({"inline_keyboard": [{"text": "x"}]}, 'field "inline_keyboard" of the InlineKeyboardMarkup must be an Array'),
        ({"inline_keyboard": [[{"text": "x" * 200, "callback_data": "d"}] * 8] * 6}, "reply markup is too long"),
        ({"keyboard": [["x"]]}, "strict: the pretend Telegram plays inline keyboards only, not keyboard"),
        ("{", "can't parse reply keyboard markup JSON object"),
        ([], "object expected as reply markup"),
    ],
)
async def test_a_keyboard_beyond_the_edge_is_refused(
    wire: Wire, ada: Player, chat: Screen, keyboard: Any, words: str
) -> None:
    answer = await wire("sendMessage", chat_id=ada.id, text="choose", reply_markup=keyboard)

    assert answer["description"].startswith(f"Bad Request: {words}")
    assert chat.answers == []


async def test_a_keyboard_without_buttons_is_none(wire: Wire, ada: Player, chat: Screen) -> None:
    await wire("sendMessage", chat_id=ada.id, text="choose", reply_markup={"inline_keyboard": []})

    assert chat.answers[-1].labels == []


async def test_a_press_brings_what_the_button_carries(bot: Bot, ada: Player, chat: Screen) -> None:
    await bot.send_message(ada.id, "sure?", reply_markup=InlineKeyboardMarkup([[Button("Yes", callback_data="y:1")]]))

    await chat.press(chat.answers[-1], "Yes")

    press = (await bot.get_updates())[0].callback_query
    assert press is not None
    assert press.message is not None
    assert (press.data, press.from_user.id, press.message.message_id) == ("y:1", ada.id, chat.answers[-1].id)


async def pressed(bot: Bot, ada: Player, chat: Screen) -> str:
    """The id of a press that waits for its answer."""
    await bot.send_message(ada.id, "sure?", reply_markup=ONE_BUTTON)
    return (await chat.press(chat.answers[-1], "x")).id


async def test_the_person_sees_the_answer_to_a_press(bot: Bot, ada: Player, chat: Screen) -> None:
    await bot.send_message(ada.id, "sure?", reply_markup=ONE_BUTTON)
    press = await chat.press(chat.answers[-1], "x")

    await bot.answer_callback_query(press.id, "Done.", show_alert=True)

    assert await chat.answer_to(press) == SeenAnswer("Done.", alert=True)


async def test_a_press_is_answered_once(bot: Bot, ada: Player, chat: Screen, refused: Refused) -> None:
    press_id = await pressed(bot, ada, chat)
    await bot.answer_callback_query(press_id)

    description = await refused(bot.answer_callback_query(press_id))

    assert description == ("Bad Request: query is too old and response timeout expired or query ID is invalid")


@pytest.mark.parametrize(("seconds", "in_time"), [(15.0, True), (15.1, False)])
async def test_a_press_is_answered_within_15_seconds(
    bot: Bot, ada: Player, chat: Screen, clock: ManualClock, seconds: float, in_time: bool
) -> None:
    press_id = await pressed(bot, ada, chat)
    await clock.advance(seconds)

    try:
        answered = await bot.answer_callback_query(press_id)
    except BadRequest:
        answered = False

    assert answered is in_time


async def test_an_unknown_press_cannot_be_answered(bot: Bot, refused: Refused) -> None:
    assert "query is too old" in await refused(bot.answer_callback_query("1234"))


async def test_the_answer_to_a_press_has_200_characters(bot: Bot, ada: Player, chat: Screen, refused: Refused) -> None:
    press_id = await pressed(bot, ada, chat)

    too_long = await refused(bot.answer_callback_query(press_id, "a" * 201))
    fits = await bot.answer_callback_query(press_id, "a" * 200)

    assert (too_long, fits) == ("Bad Request: MESSAGE_TOO_LONG", True)


async def test_buttons_that_open_or_copy_send_nothing(bot: Bot, ada: Player, chat: Screen) -> None:
    buttons = [Button("Open", url="https://example.com"), Button("Copy", copy_text=CopyTextButton("42"))]
    await bot.send_message(ada.id, "look", reply_markup=InlineKeyboardMarkup([buttons]))

    with pytest.raises(LookupError, match="sends nothing"):
        await chat.press(chat.answers[-1], "Open")

    assert chat.button(chat.answers[-1], "Open").value == "https://example.com/"
    assert chat.button(chat.answers[-1], "Copy").value == "42"


async def test_a_slow_phone_presses_a_button_that_is_gone(
    bot: Bot, telegram: PretendTelegram, ada: Player, chat: Screen
) -> None:
    message = await bot.send_message(ada.id, "sure?", reply_markup=ONE_BUTTON)
    await message.edit_text("too late")

    await chat.press(message.message_id, "x", stale=True)

    press = (await bot.get_updates())[0].callback_query
    assert press is not None
    assert press.data == "d"


async def test_a_press_under_a_deleted_message_names_it_only(bot: Bot, ada: Player, chat: Screen) -> None:
    message = await bot.send_message(ada.id, "sure?", reply_markup=ONE_BUTTON)
    await message.delete()

    await chat.press(message.message_id, "x", stale=True)

    press = (await bot.get_updates())[0].callback_query
    assert press is not None
    assert press.message is not None
    assert not press.message.is_accessible
