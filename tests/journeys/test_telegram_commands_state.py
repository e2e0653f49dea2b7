"""Status and refused commands in Telegram, where words may be somebody else's."""

from pathlib import Path

from channels.emulators.telegram.pretend import PretendTelegram
from channels.emulators.telegram.screen import Screen
from channels.emulators.telegram.seen import SeenMessage
from tests.journeys.living import living, owner_of
from tests.journeys.remembering import Remembering

ONLY_OWN = "I only run a command that you type yourself"


async def answer_to(chat: Screen, words: str) -> SeenMessage:
    """Write, and read what comes back."""
    await chat.say(words)
    return await chat.wait_for_answer()


# ---- status ----------------------------------------------------------------------------------------------------------


async def test_status_says_what_this_chat_runs_on_and_what_it_has_read(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    async with living(tmp_path, pretend, gather_ms=0) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.forward("buy this", of="Eve")
        await ada.chat.wait_for_answer()
        await answer_to(ada.chat, "/goal sleep more")

        answer = await answer_to(ada.chat, "/status")

    lines = [line.lstrip("•- ") for line in answer.text.splitlines()]
    assert lines == [
        "Model: Scripted",
        "Mode: Ask first",
        "Goal: “sleep more”",
        "Now: nothing going on",
        "Read from outside: words of Eve. /new starts clean.",
    ]


# ---- refused -------------------------------------------------------------------------------------------------------


async def test_words_that_are_someone_elses_and_files_run_no_command(tmp_path: Path, pretend: PretendTelegram) -> None:
    remembering = Remembering()
    async with living(tmp_path, pretend, engines=[remembering], gather_ms=0) as app:
        ada = await owner_of(app, pretend)
        mine = await ada.chat.say("my name is Ada")
        await ada.chat.wait_for_answer()

        await ada.chat.forward("/clear", of="Eve")
        forwarded = await ada.chat.wait_for_answer()
        await ada.chat.file("note.txt", b"!", "/clear")
        with_a_file = await ada.chat.wait_for_answer()
        await ada.chat.reply(mine, "/clear")
        quoting = await ada.chat.wait_for_answer()
        answer = await answer_to(ada.chat, "who am I?")

    assert all(message.text.startswith(ONLY_OWN) for message in (forwarded, with_a_file, quoting))
    assert answer.text == "heard my name is Ada, who am I?"
