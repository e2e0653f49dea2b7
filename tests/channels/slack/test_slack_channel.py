"""What the adapter does in Slack: answers in every place, changes, signs, files and what was missed."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from channels.base import (
    AttachmentKind,
    Button,
    FileTooLarge,
    InboundAttachment,
    InboundMessage,
    MessageRef,
    OutboundFile,
    OutboundMessage,
    Press,
)
from channels.emulators.slack.room import Room
from channels.slack import away, limits
from core.errors import Refused, RefusedReason, TryLater
from tests.channels.slack.slack_connected import Connected, channel_of, connected


def words(text: str, **more: object) -> OutboundMessage:
    return replace(OutboundMessage(text, text, f"key of {text}"), **more)  # type: ignore[arg-type]


@pytest.fixture
async def bot() -> AsyncIterator[Connected]:
    async with connected() as bot:
        yield bot


async def heard(bot: Connected) -> InboundMessage:
    """The newest message that came in."""
    newest = (await bot.ear.until_heard(InboundMessage))[-1]
    assert isinstance(newest, InboundMessage)
    return newest


async def asked_in(bot: Connected, room: Room) -> InboundMessage:
    await room.screen(bot.ada).mention("what now?")
    return await heard(bot)


# ---- saying ----------------------------------------------------------------------------------------------------------


async def test_an_answer_goes_into_the_thread_that_the_mention_opened(bot: Connected) -> None:
    room = bot.slack.channel("general", [bot.ada])
    question = await asked_in(bot, room)
    await bot.channel.send(question.chat, words("this"))

    (answer,) = room.screen(bot.ada).answers
    assert (answer.text, answer.thread) == ("this", question.message_id)


async def test_an_answer_to_what_was_written_in_a_private_thread_goes_there(bot: Connected) -> None:
    root = await bot.screen.say("a root")
    await bot.screen.say("in its thread", thread=root.id)
    question = (await bot.ear.until_heard(InboundMessage, 2))[-1]
    assert isinstance(question, InboundMessage)
    await bot.channel.send(question.chat, words("this", answers=question.message_id))

    assert question.chat == bot.chat
    assert bot.screen.answers[-1].thread == root.id


async def test_blocks_that_are_refused_are_said_plainer(bot: Connected) -> None:
    bot.slack.faults.add("invalid_blocks", method="chat.postMessage")
    await bot.channel.send(bot.chat, words("**bold** and plain"))

    assert bot.screen.answers[-1].text == "bold and plain"
    assert [block["type"] for block in bot.slack.calls("chat.postMessage")[-1].parameters["blocks"]] == ["section"]


async def test_many_options_are_one_list_to_pick_from(bot: Connected) -> None:
    options = tuple(Button(f"Option {n}", token=f"tok-{n}", option=True) for n in range(7))
    await bot.channel.send(bot.chat, words("choose", buttons=(*options, Button("Skip", token="skip"))))
    await bot.screen.press(bot.screen.answers[-1], "Option 5")
    (press,) = await bot.ear.until_heard(Press)

    assert isinstance(press, Press)
    assert press.token == "tok-5"


async def test_a_note_is_shown_to_who_pressed_and_to_nobody_else(bot: Connected) -> None:
    await bot.channel.send(bot.chat, words("choose", buttons=(Button("Yes", token="yes"),)))
    pressed = await bot.screen.press(bot.screen.answers[-1], "Yes")
    (press,) = await bot.ear.until_heard(Press)
    assert isinstance(press, Press)
    await bot.channel.answer_press(press, "Somebody was faster.")

    assert "Somebody was faster." in [message.text for message in bot.screen.messages if message.ephemeral]
    assert pressed.failed is None


@pytest.mark.parametrize(
    ("fault", "reason", "named"),
    [
        ("not_in_channel", RefusedReason.FORBIDDEN, "Invite it"),
        ("missing_scope", RefusedReason.FORBIDDEN, "OAuth & Permissions"),
        ("restricted_action", RefusedReason.FORBIDDEN, "does not let"),
        ("channel_not_found", RefusedReason.GONE, "any more"),
        ("token_revoked", RefusedReason.AUTH, "xoxb-"),
    ],
)
async def test_a_refusal_says_what_to_do(bot: Connected, fault: str, reason: RefusedReason, named: str) -> None:
    bot.slack.faults.add(fault, method="chat.postMessage")

    with pytest.raises(Refused, match=named) as refusal:
        await bot.channel.send(bot.chat, words("hello"))

    assert refusal.value.reason is reason


async def test_slack_says_how_long_it_wants_us_to_wait(bot: Connected) -> None:
    bot.slack.faults.add("ratelimited", method="chat.update", seconds=30)
    sent = await bot.channel.send(bot.chat, words("one"))

    with pytest.raises(TryLater) as later:
        await bot.channel.edit(sent, words("two"))

    assert later.value.retry_after == 30


# ---- a command where the bot is not --------------------------------------------------------------------------------


async def test_a_long_answer_to_a_command_goes_to_the_private_chat_and_says_so(bot: Connected) -> None:
    screen = bot.slack.channel("elsewhere", [bot.ada], bots=[]).screen(bot.ada)
    await screen.slash("/conch", "tell me all")
    question = await heard(bot)
    await bot.channel.send(question.chat, words("long " * 700, answers=question.message_id))

    assert [message.text for message in screen.answers] == [away.IN_PRIVATE]
    assert bot.screen.answers[-1].text.startswith("long long")


async def test_a_late_answer_to_a_command_goes_to_the_private_chat_and_says_so(bot: Connected) -> None:
    screen = bot.slack.channel("elsewhere", [bot.ada], bots=[]).screen(bot.ada)
    await screen.slash("/conch", "take your time")
    question = await heard(bot)
    bot.clock.skip(limits.RESPONSE_SECONDS + 1)
    await bot.channel.send(question.chat, words("one", answers=question.message_id))
    await bot.channel.send(question.chat, words("two", answers=question.message_id))

    assert screen.answers == []
    assert "You asked this with /conch in a channel." in bot.screen.answers[0].text
    assert bot.screen.answers[1].text == "two"


async def test_the_last_answer_that_slack_takes_says_where_the_rest_is(bot: Connected) -> None:
    screen = bot.slack.channel("elsewhere", [bot.ada], bots=[]).screen(bot.ada)
    await screen.slash("/conch", "count")
    question = await heard(bot)
    for number in range(7):
        await bot.channel.send(question.chat, words(f"part {number}", answers=question.message_id))

    assert [message.text for message in screen.answers] == ["part 0", "part 1", "part 2", "part 3", away.IN_PRIVATE]
    assert [message.text for message in bot.screen.answers] == ["part 4", "part 5", "part 6"]


async def test_in_a_channel_with_the_bot_a_command_is_a_mention(bot: Connected) -> None:
    room = bot.slack.channel("general", [bot.ada], bots=[])
    await room.add_bot(bot.slack.bot, by=bot.ada)
    await bot.settled()
    await room.screen(bot.ada).slash("/conch", "new")
    message = await heard(bot)

    assert (message.text, message.chat.id, message.mentioned) == ("/conch new", room.id, True)


# ---- while it is written ---------------------------------------------------------------------------------------------


async def test_a_preview_and_its_answer_are_one_message(bot: Connected) -> None:
    room = bot.slack.channel("general", [bot.ada])
    question = await asked_in(bot, room)
    begun = await bot.channel.open_stream(question.chat, words("Once", answers=question.message_id))
    await bot.channel.stream(begun, "Once upon", "")
    await bot.channel.stream(begun, "Once upon a time", "")
    ended = await bot.channel.send(question.chat, words("Once upon a time. The end.", into=begun.message_id))

    (answer,) = room.screen(bot.ada).answers
    assert ended == begun
    assert (answer.text, answer.streaming) == ("Once upon a time. The end.", False)
    assert bot.slack.calls("chat.update") == []


async def test_words_that_do_not_go_on_wait_for_the_end(bot: Connected) -> None:
    room = bot.slack.channel("general", [bot.ada])
    question = await asked_in(bot, room)
    begun = await bot.channel.open_stream(question.chat, words("**half**", answers=question.message_id))
    await bot.channel.stream(begun, "**half and more**", "")
    await bot.channel.send(
        question.chat, words("**half and more**", into=begun.message_id, buttons=(Button("More", token="m"),))
    )

    (answer,) = room.screen(bot.ada).answers
    assert bot.slack.calls("chat.appendStream") == []
    assert (answer.text, answer.labels) == ("half and more", [["More"]])


async def test_a_preview_that_somebody_took_away_is_said_anew(bot: Connected) -> None:
    room = bot.slack.channel("general", [bot.ada])
    question = await asked_in(bot, room)
    begun = await bot.channel.open_stream(question.chat, words("Once", answers=question.message_id))
    await bot.channel.delete(begun)
    ended = await bot.channel.send(question.chat, words("Once more", into=begun.message_id))

    (answer,) = room.screen(bot.ada).answers
    assert ended != begun
    assert (answer.text, answer.thread) == ("Once more", question.message_id)


@pytest.mark.report("R053")
async def test_a_message_that_was_begun_by_an_earlier_life_is_ended_by_this_one(bot: Connected) -> None:
    room = bot.slack.channel("general", [bot.ada])
    question = await asked_in(bot, room)
    begun = await bot.channel.open_stream(question.chat, words("Once", answers=question.message_id))
    later = channel_of(bot.slack, bot.clock)
    await later.start()
    await later.send(question.chat, words("Twice", into=begun.message_id))
    await later.stop()

    (answer,) = room.screen(bot.ada).answers
    assert (answer.text, answer.streaming) == ("Twice", False)


@pytest.mark.report("R051")
async def test_the_longest_answer_still_ends_in_the_message_that_it_began_in(bot: Connected) -> None:
    room = bot.slack.channel("general", [bot.ada])
    question = await asked_in(bot, room)
    longest = "x" * limits.MAX_TEXT
    begun = await bot.channel.open_stream(question.chat, words("x", answers=question.message_id))
    await bot.channel.stream(begun, longest[: limits.CAPABILITIES.preview_newest], "")
    await bot.channel.send(question.chat, words(longest, into=begun.message_id))
    await bot.channel.send(question.chat, words("and the rest"))

    assert [answer.text for answer in room.screen(bot.ada).answers] == [longest, "and the rest"]


async def test_the_eyes_are_on_a_message_once_and_gone_once(bot: Connected) -> None:
    await bot.screen.say("hello")
    message = await heard(bot)
    reference = MessageRef(message.chat, message.message_id)
    await bot.channel.mark(reference)
    await bot.channel.mark(reference)
    marked = bot.screen.messages[-1].reactions
    await bot.channel.unmark(reference)
    await bot.channel.unmark(reference)

    assert (marked, bot.screen.messages[-1].reactions) == (("eyes",), ())


async def test_a_thread_shows_that_the_bot_thinks(bot: Connected) -> None:
    room = bot.slack.channel("general", [bot.ada])
    question = await asked_in(bot, room)
    await bot.channel.typing(question.chat)

    assert room.screen(bot.ada).status_in(question.message_id) == "is thinking…"


# ---- files, history --------------------------------------------------------------------------------------------------


async def test_a_file_comes_in_from_slacks_own_host(bot: Connected) -> None:
    await bot.screen.file("notes.txt", b"some notes", "look")
    message = await heard(bot)
    content = b"".join([chunk async for chunk in bot.channel.download(message.attachments[0])])

    assert (message.text, message.attachments[0].name, content) == ("look", "notes.txt", b"some notes")


async def test_the_bots_key_goes_to_no_other_host(bot: Connected) -> None:
    elsewhere = InboundAttachment(handle="http://127.0.0.1:9/x", name="x", kind=AttachmentKind.FILE)

    with pytest.raises(Refused, match="not one of Slack's own"):
        await anext(bot.channel.download(elsewhere))


async def test_a_file_over_the_limit_is_not_fetched(bot: Connected) -> None:
    await bot.screen.file("film.mp4", b"x", size=limits.MAX_DOWNLOAD + 1)
    message = await heard(bot)

    with pytest.raises(FileTooLarge, match="50 MB"):
        await anext(bot.channel.download(message.attachments[0]))


async def test_a_file_goes_out_with_its_words(bot: Connected, tmp_path: Path) -> None:
    path = tmp_path / "report.csv"
    path.write_bytes(b"a,b\n1,2\n")
    file = OutboundFile(path, "report.csv", "text/csv")
    await bot.channel.send(bot.chat, words("the report", file=file))

    (answer,) = bot.screen.answers
    assert (answer.text, [shown.name for shown in answer.files]) == ("the report", ["report.csv"])


async def test_a_file_with_buttons_is_shown_once_whatever_is_tried_again(bot: Connected, tmp_path: Path) -> None:
    path = tmp_path / "report.csv"
    path.write_bytes(b"a,b\n")
    message = words("the report", file=OutboundFile(path, "r.csv", "text/csv"), buttons=(Button("Ok", token="ok"),))
    bot.slack.faults.add("ratelimited", method="chat.postMessage", seconds=1)
    with pytest.raises(TryLater):
        await bot.channel.send(bot.chat, message)
    await bot.channel.send(bot.chat, message)

    assert [len(answer.files) for answer in bot.screen.answers] == [1, 0]
    assert bot.screen.answers[-1].labels == [["Ok"]]


async def test_what_was_missed_has_the_ids_of_the_live_road(bot: Connected) -> None:
    await bot.screen.say("one")
    await bot.channel.send(bot.chat, words("my own"))
    await bot.screen.say("two")
    live = await bot.ear.until_heard(InboundMessage, 2)
    since = datetime.fromtimestamp(0, UTC)
    missed = [update async for update in bot.channel.missed(bot.chat, since)]

    told = [bot.channel.parse(update.payload)[0] for update in missed]
    assert told == live
    assert [update.update_id for update in missed] == [update.update_id for update in bot.ear.stored]
