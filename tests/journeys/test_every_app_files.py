"""Files both ways, in every app: whole, by their names, within the limits, and what is said when one does not come."""

from pathlib import Path

import pytest

from channels.discord.limits import CAPABILITIES as DISCORD
from channels.emulators.telegram.pictures import TINY_PNG
from channels.slack.limits import CAPABILITIES as SLACK
from channels.teams.limits import CAPABILITIES as TEAMS
from channels.telegram.limits import CAPABILITIES as TELEGRAM
from conch.home import Home
from core.engines.base import FileMade, MessageEnd, Text
from core.engines.scripted import always
from core.files import FileStore
from tests.journeys.apps import AppUnderTest, Seen, said
from tests.journeys.remembering import Remembering

ABLE = {able.kind: able for able in (TELEGRAM, DISCORD, SLACK, TEAMS)}
MIB = 1024 * 1024


def file_of(message: Seen) -> tuple[str, int] | None:
    """Name and size of the file under a message."""
    files = getattr(message, "files", None) or [getattr(message, "file", None)]
    return next(((file.name, file.size) for file in files if file is not None), None)


@pytest.mark.parametrize("name", ["plan.pdf", "photo.png"])
async def test_a_file_arrives_whole_and_with_its_words(tmp_path: Path, messenger: AppUnderTest, name: str) -> None:
    remembering = Remembering()
    data = TINY_PNG if name.endswith("png") else b"%PDF-1.7"
    async with messenger.living(tmp_path, engines=[remembering], gather_ms=0) as app:
        ada = await messenger.owner_of(app)

        await ada.chat.file(name, data, "look at this")
        await ada.chat.wait_for_answer()

    [file] = remembering.turns[0].attachments
    assert (file.name, file.mime) == (name, "image/png" if name.endswith("png") else "application/pdf")
    assert FileStore(Home(tmp_path).files).path(file).read_bytes() == data
    assert remembering.texts == ["look at this"]


async def test_a_file_without_words_is_answered(tmp_path: Path, messenger: AppUnderTest) -> None:
    remembering = Remembering()
    async with messenger.living(tmp_path, engines=[remembering], gather_ms=0) as app:
        ada = await messenger.owner_of(app)

        await ada.chat.file("plan.pdf", b"%PDF-1.7")
        await ada.chat.wait_for_answer()

    assert [len(turn.attachments) for turn in remembering.turns] == [1]


@pytest.mark.report("R179")
async def test_a_file_too_large_is_named_with_the_limit_and_the_words_are_answered(
    tmp_path: Path, messenger: AppUnderTest
) -> None:
    remembering = Remembering()
    able = ABLE[messenger.kind]
    async with messenger.living(tmp_path, engines=[remembering], gather_ms=0) as app:
        ada = await messenger.owner_of(app)

        await ada.chat.file("film.mp4", b"", "look at this", size=able.max_download + MIB)
        await ada.chat.wait_for_answer(2)

    limit = able.max_download // MIB
    size = "" if messenger.kind == "teams" else f" ({limit + 1} MB)"  # Teams does not say how large a file is
    told = f"The file film.mp4{size} is too large: from {able.title} I can take {limit} MB at most."
    assert said(ada.chat)[1:] == [told, "heard look at this"]
    assert [len(turn.attachments) for turn in remembering.turns] == [0]


@pytest.mark.parametrize(("name", "kept"), [("con.txt", "_con.txt"), ("a\u202egnp.exe", "a gnp.exe")])
async def test_a_hostile_name_is_only_a_name(tmp_path: Path, messenger: AppUnderTest, name: str, kept: str) -> None:
    remembering = Remembering()
    async with messenger.living(tmp_path, engines=[remembering], gather_ms=0) as app:
        ada = await messenger.owner_of(app)

        await ada.chat.file(name, b"!", "look")
        await ada.chat.wait_for_answer()

    [file] = remembering.turns[0].attachments
    assert file.name == kept


@pytest.mark.report("R181")
async def test_what_is_made_arrives_as_files_and_names_no_path(tmp_path: Path, messenger: AppUnderTest) -> None:
    table = FileMade("table.csv", "text/csv", b"a,b\n1,2\n", "Two *columns*")
    shell = FileMade("shell.png", "image/png", TINY_PNG)
    script = always(Text("Here you are."), MessageEnd(), table, shell)
    async with messenger.living(tmp_path, script=script) as app:
        ada = await messenger.owner_of(app)

        await ada.chat.say("make them")
        await messenger.takes_files(ada.chat)
        await ada.chat.wait_for(lambda messages: sum(file_of(one) is not None for one in messages) == 2)

    files = [file_of(message) for message in ada.chat.answers if file_of(message)]
    names = [name for name, _ in filter(None, files)]
    made = ["table.csv", "shell.png"]  # in Teams a file comes when it is allowed: before the picture or after it
    assert (sorted(names, reverse=True) if messenger.kind == "teams" else names) == made
    assert "Here you are." in said(ada.chat)
    assert any("Two columns" in text for text in said(ada.chat))
    assert not any(str(tmp_path) in text for text in said(ada.chat))


@pytest.mark.report("R043", "R049")
async def test_an_answer_of_a_book_arrives_whole_as_a_file(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path, script=always(Text("word " * 60_000))) as app:
        ada = await messenger.owner_of(app)

        await ada.chat.say("write a book")
        await messenger.takes_files(ada.chat)
        book = await ada.chat.wait_for(lambda messages: next(filter(None, map(file_of, messages)), None))

    assert book == ("answer.md", -1 if messenger.kind == "teams" else 300_000)  # which Teams does not say
    assert "This answer is very long, so here it is as a file." in said(ada.chat)


@pytest.mark.report("R181")
async def test_what_is_too_large_to_send_is_named_with_the_limit(tmp_path: Path, messenger: AppUnderTest) -> None:
    able = ABLE[messenger.kind]
    if able.max_upload > 50 * MIB:
        pytest.skip("so large a file is not made in a test")
    film = FileMade("film.mp4", "video/mp4", bytes(able.max_upload + 1), "My film")
    async with messenger.living(tmp_path, script=always(film)) as app:
        ada = await messenger.owner_of(app)

        await ada.chat.say("film it")
        await ada.chat.wait_for(lambda _: any("film.mp4" in text for text in said(ada.chat)))

    limit = able.max_upload // MIB
    assert said(ada.chat)[-1].endswith(f"is too large for {able.title}, which takes {limit} MB at most.")


async def test_nothing_of_a_stranger_is_kept(tmp_path: Path, messenger: AppUnderTest) -> None:
    remembering = Remembering()
    async with messenger.living(tmp_path, engines=[remembering], gather_ms=0) as app:
        ada = await messenger.owner_of(app)
        eve = messenger.person(ada.channel_id, "Eve")

        await eve.chat.file("evil.exe", b"!", "run it")
        await eve.chat.wait_for_answer()
        await app.service.settled()

    assert list(Home(tmp_path).files.rglob("*.exe")) == []
    assert not remembering.turns
