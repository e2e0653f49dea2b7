"""What belongs together is answered as one, in every app; what is changed, quoted or too much is what it is worth."""

from pathlib import Path

import pytest

from tests.journeys.apps import AppUnderTest, said
from tests.journeys.living import until
from tests.journeys.remembering import Remembering


async def test_a_long_message_and_what_follows_it_are_answered_once(tmp_path: Path, messenger: AppUnderTest) -> None:
    if messenger.kind == "discord":
        pytest.skip("nothing that long can be sent there, and nothing is split")
    remembering = Remembering()
    long = "a" * 3_600
    async with messenger.living(tmp_path, engines=[remembering], gather_ms=300) as app:
        ada = await messenger.owner_of(app)

        await ada.chat.say(long)
        await ada.chat.say("b" * 100)
        await until(lambda: remembering.turns)
        await ada.chat.wait_for_answer()
        await until(lambda: not app.conversations.turns)

    assert remembering.texts == [long + "\n\n" + "b" * 100]


async def test_several_files_are_one_message_in_their_order(tmp_path: Path, messenger: AppUnderTest) -> None:
    remembering = Remembering()
    async with messenger.living(tmp_path, engines=[remembering], gather_ms=100) as app:
        ada = await messenger.owner_of(app)

        await ada.chat.album([("one.txt", b"1"), ("two.txt", b"22"), ("three.txt", b"333")], "three files")
        await ada.chat.wait_for_answer()

    assert remembering.texts == ["three files"]
    assert [(file.name, file.size) for file in remembering.turns[0].attachments] == [
        ("one.txt", 1),
        ("two.txt", 2),
        ("three.txt", 3),
    ]


async def test_an_edit_counts_while_the_message_waits_and_not_later(tmp_path: Path, messenger: AppUnderTest) -> None:
    remembering = Remembering()
    async with messenger.living(tmp_path, engines=[remembering], gather_ms=0) as app:
        ada = await messenger.owner_of(app)
        first = await ada.chat.say("wait")
        await until(lambda: remembering.turns)
        waiting = await ada.chat.say("what I wrote")
        await ada.chat.wait_for(lambda _: any("right after that" in text for text in said(ada.chat)))

        await ada.chat.edit(waiting, "what I meant")
        await ada.chat.edit(first, "too late")
        await messenger.asked(ada.chat, "/help")
        await app.service.settled()
        remembering.go.set()
        await ada.chat.wait_for(lambda _: any("what I meant" in text for text in said(ada.chat)))

    assert remembering.texts == ["wait", "what I meant"]


async def test_what_is_replied_to_comes_along(tmp_path: Path, messenger: AppUnderTest) -> None:
    remembering = Remembering()
    async with messenger.living(tmp_path, engines=[remembering], gather_ms=0) as app:
        ada = await messenger.owner_of(app)
        answer = await messenger.asked(ada.chat, "first")

        await ada.chat.reply(answer, "why?")
        await until(lambda: len(remembering.turns) == 2)
        await ada.chat.wait_for(lambda _: len(said(ada.chat)) == 3)

    alone = "why?"  # in Slack a private chat with its threads is one conversation, and Teams brings no quoted words
    quoting = "In reply to what you wrote:\n> heard first\n\nwhy?"
    assert remembering.texts[-1] == (alone if messenger.kind in ("slack", "teams") else quoting)


@pytest.mark.report("R033")
async def test_too_many_messages_wait_and_their_sender_is_told_once(tmp_path: Path, messenger: AppUnderTest) -> None:
    remembering = Remembering()
    async with messenger.living(tmp_path, engines=[remembering], gather_ms=0, messages_per_minute=2) as app:
        ada = await messenger.owner_of(app)

        for number in range(4):
            await ada.chat.say(f"message {number}")
        await ada.chat.wait_for(lambda _: any("a lot at once" in text for text in said(ada.chat)))
        await app.service.settled()

    assert sum("a lot at once" in text for text in said(ada.chat)) == 1
    assert not any("message 2" in text for text in remembering.texts)
