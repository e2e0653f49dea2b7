"""What changes after it was said: edits, deletions, reactions, drafts, "typing"."""

import pytest
from telegram import Bot, InlineKeyboardButton, InlineKeyboardMarkup
from telegram.constants import ParseMode

from channels.emulators.telegram.pretend import PretendTelegram
from channels.emulators.telegram.screen import Player, Screen
from channels.emulators.telegram.seen import SeenDraft
from core.clock import ManualClock
from tests.channels.emulators.conftest import Refused, Wire

YES = InlineKeyboardMarkup([[InlineKeyboardButton("Yes", callback_data="y")]])
NOT_MODIFIED = (
    "Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a "
    "current content and reply markup of the message"
)


async def test_an_edit_is_seen_in_place(bot: Bot, ada: Player, chat: Screen) -> None:
    message = await bot.send_message(ada.id, "one")

    await message.edit_text("<b>two</b>", parse_mode=ParseMode.HTML)

    seen = chat.answers
    assert [(m.id, m.text, m.revisions) for m in seen] == [(message.message_id, "two", ("one",))]
    assert seen[0].edited_at is not None


async def test_buttons_that_an_edit_does_not_repeat_are_gone(bot: Bot, ada: Player, chat: Screen) -> None:
    message = await bot.send_message(ada.id, "sure?", reply_markup=YES)

    await message.edit_text("fine")

    assert chat.answers[-1].labels == []


async def test_buttons_alone_can_change(bot: Bot, ada: Player, chat: Screen) -> None:
    message = await bot.send_message(ada.id, "sure?")

    await message.edit_reply_markup(YES)

    assert (chat.answers[-1].text, chat.answers[-1].labels) == ("sure?", [["Yes"]])


async def test_an_edit_that_changes_nothing_is_refused(bot: Bot, ada: Player, chat: Screen, refused: Refused) -> None:
    message = await bot.send_message(ada.id, "same", reply_markup=YES)

    assert await refused(message.edit_text("same", reply_markup=YES)) == NOT_MODIFIED
    assert await refused(message.edit_reply_markup(YES)) == NOT_MODIFIED


async def test_an_edit_may_change_the_buttons_only(bot: Bot, ada: Player, chat: Screen) -> None:
    message = await bot.send_message(ada.id, "same", reply_markup=YES)

    await message.edit_text("same")

    assert chat.answers[-1].labels == []


@pytest.mark.parametrize(
    ("method", "words"),
    [("editMessageText", "message to edit not found"), ("deleteMessage", "message to delete not found")],
)
async def test_what_is_not_there_cannot_change(wire: Wire, ada: Player, chat: Screen, method: str, words: str) -> None:
    values = {"chat_id": ada.id, "message_id": 77} | ({"text": "x"} if method == "editMessageText" else {})

    assert (await wire(method, **values))["description"] == f"Bad Request: {words}"


async def test_a_deleted_message_cannot_change(bot: Bot, ada: Player, chat: Screen, refused: Refused) -> None:
    message = await bot.send_message(ada.id, "x")
    await message.delete()

    assert chat.answers == []
    assert await refused(message.edit_text("y")) == "Bad Request: message to edit not found"


async def test_a_bot_edits_only_its_own_words(wire: Wire, ada: Player, chat: Screen) -> None:
    said = await chat.say("mine")

    answer = await wire("editMessageText", chat_id=ada.id, message_id=said.id, text="yours")

    assert answer["description"] == "Bad Request: message can't be edited"


async def test_a_picture_has_a_caption_instead_of_a_text(bot: Bot, ada: Player, chat: Screen, refused: Refused) -> None:
    text = await bot.send_message(ada.id, "text")
    file = await bot.send_document(ada.id, b"data", filename="a.txt", caption="caption")

    assert await refused(file.edit_text("x")) == "Bad Request: there is no text in the message to edit"
    assert await refused(text.edit_caption("x")) == "Bad Request: there is no caption in the message to edit"
    await file.edit_caption("better")
    assert chat.answers[-1].text == "better"


@pytest.mark.parametrize(("age", "deleted"), [(48 * 3600 - 1, True), (48 * 3600, False)])
async def test_a_message_can_be_deleted_for_two_days(
    wire: Wire, bot: Bot, ada: Player, chat: Screen, clock: ManualClock, age: int, deleted: bool
) -> None:
    message = await bot.send_message(ada.id, "x")
    await clock.advance(age)

    answer = await wire("deleteMessage", chat_id=ada.id, message_id=message.message_id)

    assert answer["ok"] is deleted
    assert answer.get("description") == (None if deleted else "Bad Request: message can't be deleted for everyone")


async def test_a_bot_deletes_what_the_person_said(bot: Bot, ada: Player, chat: Screen) -> None:
    said = await chat.say("secret")

    await bot.delete_messages(ada.id, [said.id, 999])

    assert "secret" not in [message.text for message in chat.messages]


async def test_a_bot_reacts(bot: Bot, ada: Player, chat: Screen, refused: Refused) -> None:
    said = await chat.say("great")

    await bot.set_message_reaction(ada.id, said.id, "👍")

    assert chat.messages[-1].reactions == ("👍",)
    assert await refused(bot.set_message_reaction(ada.id, said.id, "🥕")) == "Bad Request: REACTION_INVALID"


async def test_a_bot_takes_its_reaction_back(bot: Bot, ada: Player, chat: Screen) -> None:
    said = await chat.say("great")
    await bot.set_message_reaction(ada.id, said.id, "👍")

    await bot.set_message_reaction(ada.id, said.id)

    assert chat.messages[-1].reactions == ()


async def test_a_draft_grows_and_gives_way_to_the_message(bot: Bot, ada: Player, chat: Screen) -> None:
    await bot.send_message_draft(ada.id, 7, "Once")
    await bot.send_message_draft(ada.id, 7, "Once <b>upon</b>", parse_mode=ParseMode.HTML)
    while_written = chat.draft

    await bot.send_message(ada.id, "Once upon a time")

    assert while_written is not None
    assert (while_written.id, while_written.text) == (7, "Once upon")
    assert chat.draft is None
    assert [message.text for message in chat.answers] == ["Once upon a time"]


@pytest.mark.parametrize(("seconds", "shown"), [(29.9, True), (30, False)])
async def test_a_draft_is_shown_for_30_seconds(
    bot: Bot, ada: Player, chat: Screen, clock: ManualClock, seconds: float, shown: bool
) -> None:
    await bot.send_message_draft(ada.id, 7, "thinking")
    await clock.advance(seconds)

    assert (chat.draft == SeenDraft(7, "thinking")) is shown


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"draft_id": 0, "text": "x"}, "draft identifier must be non-zero"),
        ({"draft_id": 7, "text": "a" * 4097}, "message is too long"),
        ({"draft_id": 7, "text": "<b>", "parse_mode": "HTML"}, "can't parse entities: Can't find end tag"),
        ({"draft_id": "x", "text": "x"}, 'strict: draft_id is an Integer, not "x"'),
    ],
)
async def test_a_draft_that_telegram_refuses(
    wire: Wire, ada: Player, chat: Screen, values: dict[str, object], words: str
) -> None:
    answer = await wire("sendMessageDraft", chat_id=ada.id, **values)

    assert answer["description"].startswith(f"Bad Request: {words}")


async def test_a_draft_of_4096_units_or_none_is_shown(bot: Bot, ada: Player, chat: Screen) -> None:
    await bot.send_message_draft(ada.id, 7, "a" * 4096)
    longest = chat.draft
    await bot.send_message_draft(ada.id, 7, "")

    assert longest is not None
    assert chat.draft == SeenDraft(7, "")


async def test_groups_have_no_drafts(wire: Wire, telegram: PretendTelegram, ada: Player) -> None:
    group = telegram.group("Team", [ada])

    answer = await wire("sendMessageDraft", chat_id=group.id, draft_id=7, text="x")

    assert answer["description"] == "Bad Request: TEXTDRAFT_PEER_INVALID"


@pytest.mark.parametrize(("seconds", "shown"), [(4.9, "typing"), (5, None)])
async def test_typing_is_shown_for_5_seconds(
    bot: Bot, ada: Player, chat: Screen, clock: ManualClock, seconds: float, shown: str | None
) -> None:
    await bot.send_chat_action(ada.id, "typing")
    await clock.advance(seconds)

    assert chat.action == shown


async def test_typing_ends_with_the_message(bot: Bot, ada: Player, chat: Screen) -> None:
    await bot.send_chat_action(ada.id, "typing")

    await bot.send_message(ada.id, "there")

    assert chat.action is None


async def test_an_unknown_action_is_refused(wire: Wire, ada: Player, chat: Screen) -> None:
    answer = await wire("sendChatAction", chat_id=ada.id, action="dreaming")

    assert answer["description"] == "Bad Request: wrong parameter action in request"
