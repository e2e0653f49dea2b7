"""Saying something to a person: what they see, and what Telegram does not let through."""

import pytest
from telegram import Bot, LinkPreviewOptions, MessageEntity, ReplyParameters
from telegram.constants import ParseMode

from channels.emulators.telegram.pretend import PretendTelegram
from channels.emulators.telegram.screen import Player, Screen
from tests.channels.emulators.conftest import Refused, Wire

HTML = ParseMode.HTML


async def test_a_person_sees_what_the_bot_says(bot: Bot, ada: Player, chat: Screen) -> None:
    await bot.send_message(ada.id, "<b>Good</b> morning &amp; welcome", parse_mode=HTML)

    seen = chat.answers[-1]
    assert (seen.text, seen.marked("bold"), seen.sender) == ("Good morning & welcome", ["Good"], "Pretend")


async def test_the_answer_to_the_bot_is_the_message(bot: Bot, ada: Player, chat: Screen) -> None:
    message = await bot.send_message(ada.id, "hello")

    assert (message.chat_id, message.message_id, message.text) == (ada.id, chat.answers[-1].id, "hello")
    assert message.from_user is not None
    assert message.from_user.id == bot.id


async def test_space_around_a_text_is_gone(bot: Bot, ada: Player, chat: Screen) -> None:
    await bot.send_message(ada.id, "\n  <i>x</i>  \n", parse_mode=HTML)

    assert (chat.answers[-1].text, chat.answers[-1].marked("italic")) == ("x", ["x"])


@pytest.mark.parametrize(
    ("text", "mode"),
    [("a" * 4096, None), ("😀" * 2048, None), (f"<b>{'a' * 4096}</b>", HTML), ("&lt;" * 4096, HTML)],
    ids=["letters", "pairs", "tags", "references"],
)
async def test_4096_units_after_the_markup_is_read_fit(
    wire: Wire, ada: Player, chat: Screen, text: str, mode: str | None
) -> None:
    await wire("sendMessage", chat_id=ada.id, text=text, parse_mode=mode)

    assert len(chat.answers[-1].text.encode("utf-16-le")) == 2 * 4096


@pytest.mark.parametrize(
    ("text", "mode", "words"),
    [
        ("a" * 4097, None, "message is too long"),
        ("😀" * 2048 + "a", None, "message is too long"),
        (f"<b>{'a' * 4097}</b>", HTML, "message is too long"),
        ("a" * (32 * 1024 + 1), None, "text is too long"),
        ("<b></b>" * 4682, HTML, "text is too long"),
        ("<b></b>" * 4681, HTML, "text must be non-empty"),
        ("", None, "message text is empty"),
        (" \n ", None, "text must be non-empty"),
        ("\u200b", None, "text must be non-empty"),
        ("<b>x", HTML, "can't parse entities: Can't find end tag corresponding to start tag \"b\""),
        ("a < b", HTML, 'can\'t parse entities: Unsupported start tag "" at byte offset 2'),
        ("x", "Foo", "unsupported parse_mode"),
    ],
)
async def test_a_text_that_telegram_refuses(
    wire: Wire, ada: Player, chat: Screen, text: str, mode: str | None, words: str
) -> None:
    answer = await wire("sendMessage", chat_id=ada.id, text=text, parse_mode=mode)

    assert (answer["description"], chat.answers) == (f"Bad Request: {words}", [])


async def test_formatting_beyond_the_hundredth_stretch_is_dropped(bot: Bot, ada: Player, chat: Screen) -> None:
    await bot.send_message(ada.id, "<b>a</b> " * 101, parse_mode=HTML)

    assert len(chat.answers[-1].entities) == 100


async def test_entities_can_be_given_instead_of_markup(bot: Bot, ada: Player, chat: Screen) -> None:
    await bot.send_message(ada.id, "😀 code <b>", entities=[MessageEntity("code", 3, 4)])

    assert (chat.answers[-1].text, chat.answers[-1].marked("code")) == ("😀 code <b>", ["code"])


async def test_an_entity_past_the_end_is_refused(bot: Bot, ada: Player, chat: Screen, refused: Refused) -> None:
    description = await refused(bot.send_message(ada.id, "abc", entities=[MessageEntity("bold", 1, 3)]))

    assert description == "Bad Request: strict: an entity from 1 to 4 in a text of 3 UTF-16 units"


async def test_links_and_commands_are_found_in_a_text(bot: Bot, ada: Player, chat: Screen) -> None:
    await bot.send_message(ada.id, "see https://example.com/a, /help or @pretend_bot #now")

    seen = chat.answers[-1]
    found = [seen.marked(kind) for kind in ("url", "bot_command", "mention", "hashtag")]
    assert found == [["https://example.com/a"], ["/help"], ["@pretend_bot"], ["#now"]]


@pytest.mark.parametrize("disabled", [True, False])
async def test_a_link_is_previewed_unless_told_not_to(bot: Bot, ada: Player, chat: Screen, disabled: bool) -> None:
    options = LinkPreviewOptions(is_disabled=disabled)

    await bot.send_message(ada.id, "https://example.com", link_preview_options=options)

    assert chat.answers[-1].preview is not disabled


async def test_a_silent_message_is_silent(bot: Bot, ada: Player, chat: Screen) -> None:
    await bot.send_message(ada.id, "psst", disable_notification=True)

    assert chat.answers[-1].silent


async def test_a_reply_shows_what_it_replies_to(bot: Bot, ada: Player, chat: Screen) -> None:
    asked = await chat.say("how far, and how long?")
    reply = ReplyParameters(asked.id, quote="how long")

    message = await bot.send_message(ada.id, "two hours", reply_parameters=reply)

    assert (chat.answers[-1].reply_to, chat.answers[-1].quote) == (asked.id, "how long")
    assert message.quote is not None
    assert message.quote.position == 13


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (ReplyParameters(999), "message to be replied not found"),
        (ReplyParameters(1, quote="not there"), "QUOTE_TEXT_INVALID"),
    ],
)
async def test_a_reply_to_nothing_is_refused(
    bot: Bot, ada: Player, chat: Screen, refused: Refused, reply: ReplyParameters, words: str
) -> None:
    description = await refused(bot.send_message(ada.id, "x", reply_parameters=reply))

    assert description == f"Bad Request: {words}"


async def test_a_reply_may_do_without_what_it_replies_to(bot: Bot, ada: Player, chat: Screen) -> None:
    reply = ReplyParameters(999, allow_sending_without_reply=True)

    await bot.send_message(ada.id, "x", reply_parameters=reply)

    assert chat.answers[-1].reply_to is None


async def test_a_private_chat_has_no_topics(bot: Bot, ada: Player, chat: Screen, refused: Refused) -> None:
    description = await refused(bot.send_message(ada.id, "x", message_thread_id=1))

    assert description == "Bad Request: message thread not found"


async def test_a_mention_of_someone_carries_them(bot: Bot, ada: Player, chat: Screen) -> None:
    message = await bot.send_message(ada.id, f'<a href="tg://user?id={ada.id}">you</a>', parse_mode=HTML)

    assert message.entities[0].user is not None
    assert message.entities[0].user.first_name == "Ada"


async def test_a_mention_of_nobody_is_plain_text(bot: Bot, ada: Player, chat: Screen) -> None:
    message = await bot.send_message(ada.id, '<a href="tg://user?id=12345">who</a>', parse_mode=HTML)

    assert (message.text, message.entities) == ("who", ())


async def test_nobody_hears_a_bot_before_they_wrote(
    bot: Bot, telegram: PretendTelegram, ada: Player, refused: Refused
) -> None:
    ada.private_chat()

    assert await refused(bot.send_message(ada.id, "hello")) == "Bad Request: chat not found"


async def test_a_bot_that_met_someone_in_a_group_still_cannot_begin(
    bot: Bot, telegram: PretendTelegram, ada: Player, refused: Refused
) -> None:
    telegram.group("Team", [ada])

    description = await refused(bot.send_message(ada.id, "hello"))

    assert description == "Forbidden: bot can't initiate conversation with a user"


async def test_a_blocked_bot_is_told_so(bot: Bot, ada: Player, chat: Screen, refused: Refused) -> None:
    await chat.block()

    assert await refused(bot.send_message(ada.id, "hello")) == "Forbidden: bot was blocked by the user"


async def test_a_bot_can_write_again_once_unblocked(bot: Bot, ada: Player, chat: Screen) -> None:
    await chat.block()
    await chat.unblock()

    await bot.send_message(ada.id, "hello")

    assert chat.answers[-1].text == "hello"


async def test_a_deactivated_account_cannot_be_reached(
    bot: Bot, telegram: PretendTelegram, ada: Player, chat: Screen, refused: Refused
) -> None:
    telegram.world.deactivated.add(ada.id)

    assert await refused(bot.send_message(ada.id, "hello")) == "Forbidden: user is deactivated"


async def test_bots_do_not_talk_to_bots(bot: Bot, telegram: PretendTelegram, refused: Refused) -> None:
    assert await refused(bot.send_message(telegram.bot.id, "hi")) == "Forbidden: bots can't send messages to bots"


async def test_nothing_here_has_a_public_name(bot: Bot, refused: Refused) -> None:
    assert await refused(bot.send_message("@somewhere", "hi")) == "Bad Request: chat not found"
