"""What belongs together is answered as one, in Telegram."""

from pathlib import Path

from channels.emulators.telegram.pretend import PretendTelegram
from core.clock import SystemClock
from core.engines.scripted import ScriptedEngine
from tests.journeys.living import echo, living, owner_of, said, until


async def test_a_message_that_the_app_split_is_answered_once(tmp_path: Path, pretend: PretendTelegram) -> None:
    engine = ScriptedEngine(SystemClock(), echo)
    async with living(tmp_path, pretend, engines=[engine], gather_ms=100) as app:
        ada = await owner_of(app, pretend)

        await ada.chat.say("a" * 4_000)
        await ada.chat.say("b" * 100)
        await until(lambda: engine.turns)
        await ada.chat.wait_for_answer()

    assert [turn.text for turn in engine.turns] == ["a" * 4_000 + "\n\n" + "b" * 100]


async def test_an_album_is_one_message_with_its_files_in_order(tmp_path: Path, pretend: PretendTelegram) -> None:
    engine = ScriptedEngine(SystemClock(), echo)
    async with living(tmp_path, pretend, engines=[engine], gather_ms=100) as app:
        ada = await owner_of(app, pretend)

        await ada.chat.album([("one.txt", b"1"), ("two.txt", b"22"), ("three.txt", b"333")], "three files")
        await ada.chat.wait_for_answer()

    assert [turn.text for turn in engine.turns] == ["three files"]
    assert [(file.name, file.size) for file in engine.turns[0].attachments] == [
        ("one.txt", 1),
        ("two.txt", 2),
        ("three.txt", 3),
    ]


async def test_a_forward_and_what_is_said_about_it_go_together(tmp_path: Path, pretend: PretendTelegram) -> None:
    engine = ScriptedEngine(SystemClock(), echo)
    async with living(tmp_path, pretend, engines=[engine], gather_ms=200) as app:
        ada = await owner_of(app, pretend)

        await ada.chat.forward("Lunch at noon?", of="Bob")
        await ada.chat.say("what should I answer?")
        await ada.chat.wait_for_answer()

    assert [turn.text for turn in engine.turns] == ["Forwarded from Bob:\n> Lunch at noon?\n\nwhat should I answer?"]


async def test_an_edit_while_it_is_gathered_counts(tmp_path: Path, pretend: PretendTelegram) -> None:
    engine = ScriptedEngine(SystemClock(), echo)
    async with living(tmp_path, pretend, engines=[engine], gather_ms=300) as app:
        ada = await owner_of(app, pretend)

        message = await ada.chat.say("x" * 3_600)
        await ada.chat.edit(message, "what I meant")
        await ada.chat.wait_for_answer()

    assert [turn.text for turn in engine.turns] == ["what I meant"]


async def test_a_quoted_message_comes_along(tmp_path: Path, pretend: PretendTelegram) -> None:
    engine = ScriptedEngine(SystemClock(), echo)
    async with living(tmp_path, pretend, engines=[engine], gather_ms=0) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say("first")
        answer = await ada.chat.wait_for_answer()

        await ada.chat.reply(answer, "why?")
        await ada.chat.wait_for_answer()

    assert engine.turns[-1].text == "In reply to what you wrote:\n> echo: first\n\nwhy?"


async def test_too_many_messages_wait_and_their_sender_is_told(tmp_path: Path, pretend: PretendTelegram) -> None:
    engine = ScriptedEngine(SystemClock(), echo)
    async with living(tmp_path, pretend, engines=[engine], gather_ms=0, messages_per_minute=2) as app:
        ada = await owner_of(app, pretend)

        for number in range(4):
            await ada.chat.say(f"message {number}")
        await ada.chat.wait_for(lambda messages: any("a lot at once" in message.text for message in messages))

    assert sum("a lot at once" in text for text in said(ada.chat)) == 1
    assert "message 2" not in " ".join(turn.text for turn in engine.turns)
