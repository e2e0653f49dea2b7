"""Files in Telegram, both ways: every kind, the limits, odd names, and what is said when one does not come."""

from pathlib import Path

import pytest

from channels.emulators.telegram.pictures import TINY_PNG
from channels.emulators.telegram.pretend import PretendTelegram
from channels.emulators.telegram.screen import Screen
from conch.app import App
from conch.home import Home
from core.clock import SystemClock
from core.engines.base import FileMade, MessageEnd, Text, TurnInput
from core.engines.script import Steps
from core.engines.scripted import Script, ScriptedEngine
from core.events import Attachment
from core.files import FileStore
from tests.journeys.living import FastClock, Owner, echo, living, owner_of, said, until

LIMIT = 20 * 1024 * 1024
TOO_LARGE = "is too large: from Telegram I can take 20 MB at most."


@pytest.fixture
def engine() -> ScriptedEngine:
    return ScriptedEngine(SystemClock(), echo)


def read(folder: Path, file: Attachment) -> bytes:
    """What was kept of a file."""
    return FileStore(Home(folder).files).path(file).read_bytes()


def kept(folder: Path) -> list[Path]:
    return [path for path in Home(folder).files.rglob("*") if path.is_file()]


async def given(engine: ScriptedEngine, count: int = 1) -> list[Attachment]:
    """Come back with the files that the engine was given, once there are so many."""
    await until(lambda: sum(len(turn.attachments) for turn in engine.turns) >= count)
    return [file for turn in engine.turns for file in turn.attachments]


# ---- in ------------------------------------------------------------------------------------------------------------


async def test_every_kind_of_file_arrives_with_its_words(
    tmp_path: Path, pretend: PretendTelegram, engine: ScriptedEngine
) -> None:
    async with living(tmp_path, pretend, engines=[engine], gather_ms=0, messages_per_minute=0) as app:
        ada = (await owner_of(app, pretend)).chat

        photo = await ada.photo(TINY_PNG, "a photo")
        await ada.file("plan.pdf", b"%PDF-1.7", "a document")
        await ada.music("song.mp3", b"ID3", "a song")
        await ada.video("film.mp4", b"ftyp", "a film")
        await ada.voice(b"OggS")
        files = await given(engine, 5)

    assert [(file.name, file.mime) for file in files] == [
        (f"photo-{photo.id}.jpg", "image/jpeg"),
        ("plan.pdf", "application/pdf"),
        ("song.mp3", "audio/mpeg"),
        ("film.mp4", "video/mp4"),
        ("voice.ogg", "audio/ogg"),
    ]
    assert [read(tmp_path, file) for file in files] == [TINY_PNG, b"%PDF-1.7", b"ID3", b"ftyp", b"OggS"]
    words = [line for turn in engine.turns for line in turn.text.splitlines() if line]
    assert words == ["a photo", "a document", "a song", "a film"]


async def test_a_file_without_words_is_answered(
    tmp_path: Path, pretend: PretendTelegram, engine: ScriptedEngine
) -> None:
    async with living(tmp_path, pretend, engines=[engine]) as app:
        ada = (await owner_of(app, pretend)).chat

        await ada.file("plan.pdf", b"%PDF-1.7")
        answer = await ada.wait_for_answer()

    assert answer.text == "echo:"


@pytest.mark.report("R179")
async def test_twenty_megabytes_are_taken_and_a_byte_more_is_not(
    tmp_path: Path, pretend: PretendTelegram, engine: ScriptedEngine
) -> None:
    async with living(tmp_path, pretend, engines=[engine], gather_ms=0) as app:
        ada = (await owner_of(app, pretend)).chat

        await ada.file("whole.bin", bytes(LIMIT), "all of it")
        await ada.wait_for_answer()
        await ada.file("more.bin", size=LIMIT + 1, caption="too much")
        await ada.wait_for_answer(2)
        files = await given(engine)

    assert [(file.name, file.size) for file in files] == [("whole.bin", LIMIT)]
    assert said(ada)[-2:] == [f"The file more.bin (20.1 MB) {TOO_LARGE}", "echo: too much"]
    assert "more.bin" not in str([call.parameters for call in pretend.calls("getFile")])


@pytest.mark.report("R179")
async def test_a_file_that_is_larger_than_telegram_said_is_given_up_while_it_comes(
    tmp_path: Path, pretend: PretendTelegram, engine: ScriptedEngine
) -> None:
    async with living(tmp_path, pretend, engines=[engine], gather_ms=0) as app:
        ada = (await owner_of(app, pretend)).chat

        await ada.file("liar.bin", bytes(LIMIT + 1), "small, I swear", size=10)
        await ada.wait_for_answer(2)

    assert said(ada)[-2:] == [f"The file liar.bin {TOO_LARGE}", "echo: small, I swear"]
    assert kept(tmp_path) == []


@pytest.mark.report("R179")
async def test_one_too_large_of_an_album_does_not_keep_the_rest(
    tmp_path: Path, pretend: PretendTelegram, engine: ScriptedEngine
) -> None:
    async with living(tmp_path, pretend, engines=[engine], gather_ms=200) as app:
        ada = (await owner_of(app, pretend)).chat

        await _album_with_a_large_one(pretend, ada)
        await ada.wait_for_answer(2)
        files = await given(engine, 2)

    assert [turn.text for turn in engine.turns] == ["three files"]
    assert [file.name for file in files] == ["one.txt", "three.txt"]
    assert said(ada)[-2:] == [f"The file two.txt (30 MB) {TOO_LARGE}", "echo: three files"]


async def _album_with_a_large_one(pretend: PretendTelegram, ada: Screen) -> None:
    """The second of three claims to be larger than a bot may fetch."""
    put, world = pretend.world.files.put, pretend.world

    def claimed(kind: str, name: str, data: bytes, **about: object) -> object:
        return put(kind, name, data, size=30 * 1024 * 1024 if name == "two.txt" else None)

    world.files.put = claimed  # type: ignore[method-assign, assignment]
    try:
        await ada.album([("one.txt", b"1"), ("two.txt", b"2"), ("three.txt", b"3")], "three files")
    finally:
        world.files.put = put  # type: ignore[method-assign]


async def test_an_album_of_photos_goes_as_one(tmp_path: Path, pretend: PretendTelegram, engine: ScriptedEngine) -> None:
    async with living(tmp_path, pretend, engines=[engine], gather_ms=200) as app:
        ada = (await owner_of(app, pretend)).chat

        await ada.album([(f"{number}.jpg", TINY_PNG) for number in range(10)], "my holidays")
        await ada.wait_for_answer()
        files = await given(engine, 10)

    assert [turn.text for turn in engine.turns] == ["my holidays"]
    assert [file.mime for file in files] == ["image/jpeg"] * 10


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("../../../../etc/passwd", "passwd"),
        ("C:\\Windows\\System32\\evil.exe", "evil.exe"),
        ("/absolute.txt", "absolute.txt"),
        ("..", "file"),
        ("con.txt", "_con.txt"),
        ("a\u202egnp.exe", "a gnp.exe"),
        ("line\nbreak\x00.txt", "line break .txt"),
        ("n" * 300 + ".txt", "n" * 116 + ".txt"),
    ],
)
async def test_a_hostile_name_is_only_a_name(
    tmp_path: Path, pretend: PretendTelegram, engine: ScriptedEngine, name: str, shown: str
) -> None:
    async with living(tmp_path, pretend, engines=[engine], gather_ms=0) as app:
        ada = (await owner_of(app, pretend)).chat

        await ada.file(name, b"content", "here")
        await ada.wait_for_answer()
        [file] = await given(engine)

    assert file.name == shown
    assert read(tmp_path, file) == b"content"
    assert len(kept(tmp_path)) == 1
    assert {path.parent.parent for path in kept(tmp_path)} == {Home(tmp_path).files}


@pytest.mark.report("R179")
async def test_a_name_that_looks_like_a_link_makes_none(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend, gather_ms=0) as app:
        ada = (await owner_of(app, pretend)).chat

        await ada.file("[click](evil.example) `now` ~~really~~.zip", size=LIMIT + 1)
        answer = await ada.wait_for_answer()

    assert answer.text.startswith("The file [click](evil.example) `now` ~~really~~.zip (20.1 MB) is too large")
    assert not any(answer.marked(kind) for kind in ("text_link", "code", "strikethrough"))


async def test_a_file_that_does_not_come_is_asked_for_again(
    tmp_path: Path, pretend: PretendTelegram, engine: ScriptedEngine
) -> None:
    async with living(tmp_path, pretend, engines=[engine], clock=FastClock(), gather_ms=0) as app:
        ada = (await owner_of(app, pretend)).chat
        pretend.faults.add("server_error", method="getFile", status=503, times=2)

        await ada.file("plan.pdf", b"%PDF-1.7", "read this")
        answer = await ada.wait_for_answer()
        files = await given(engine)

    assert answer.text == "echo: read this"
    assert [file.name for file in files] == ["plan.pdf"]


async def test_a_file_that_never_comes_is_named_and_the_words_are_answered(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    async with living(tmp_path, pretend, clock=FastClock(), gather_ms=0) as app:
        ada = (await owner_of(app, pretend)).chat
        pretend.faults.add("server_error", method="getFile", status=503, times=3)

        await ada.file("plan.pdf", b"%PDF-1.7", "read this")
        await ada.wait_for_answer(2)

    assert said(ada)[-2:] == [
        "I couldn't get the file plan.pdf. Send it again to try once more.",
        "echo: read this",
    ]


async def test_what_a_stranger_sends_is_not_fetched(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend, gather_ms=0) as app:
        await owner_of(app, pretend)
        eve = pretend.person("Eve").private_chat()

        await eve.file("virus.exe", b"MZ", "open this")
        await eve.wait_for_answer()

    assert pretend.calls("getFile") == []
    assert kept(tmp_path) == []


async def test_a_caption_that_is_a_command_runs_none(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend, gather_ms=0) as app:
        ada = (await owner_of(app, pretend)).chat

        await ada.file("plan.pdf", b"%PDF-1.7", "/new")
        answer = await ada.wait_for_answer()

    assert answer.text.startswith("I only run a command that you type yourself, without a file")


# ---- out -----------------------------------------------------------------------------------------------------------


def making(*files: FileMade) -> Script:
    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        yield Text("Here you are.")
        yield MessageEnd()
        yield from files

    return script


async def asked_for_files(app: App, pretend: PretendTelegram) -> Owner:
    ada = await owner_of(app, pretend)
    await ada.chat.say("make them")
    return ada


@pytest.mark.report("R181")
async def test_files_come_as_files_and_pictures_as_pictures(tmp_path: Path, pretend: PretendTelegram) -> None:
    made = (
        FileMade("table.csv", "text/csv", b"a,b\n1,2\n", "Two *columns*"),
        FileMade("shell.png", "image/png", TINY_PNG),
    )
    async with living(tmp_path, pretend, script=making(*made)) as app:
        ada = await asked_for_files(app, pretend)
        await ada.chat.wait_for(lambda messages: sum(message.file is not None for message in messages) == 2)

    files = [(message.file.kind, message.file.name, message.text) for message in ada.chat.answers if message.file]
    assert files == [("document", "table.csv", "Two columns"), ("photo", "shell.png", "")]
    assert not any(str(tmp_path) in text for text in said(ada.chat))


@pytest.mark.report("R181")
async def test_a_file_too_large_to_send_is_named_with_its_size_and_the_limit(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    film = FileMade("film.mp4", "video/mp4", bytes(50 * 1024 * 1024 + 1), "My film")
    async with living(tmp_path, pretend, script=making(film)) as app:
        ada = await asked_for_files(app, pretend)
        answer = await ada.chat.wait_for(lambda messages: "film" in messages[-1].text and messages[-1])

    assert answer
    assert answer.text == "The file film.mp4 (50.1 MB) is too large for Telegram, which takes 50 MB at most."


@pytest.mark.report("R181")
async def test_a_picture_that_telegram_cannot_show_comes_as_a_file(tmp_path: Path, pretend: PretendTelegram) -> None:
    odd = FileMade("odd.png", "image/png", b"this is no picture", "Odd")
    async with living(tmp_path, pretend, script=making(odd)) as app:
        ada = await asked_for_files(app, pretend)
        message = await ada.chat.wait_for(lambda messages: messages[-1].file and messages[-1])

    assert message
    assert message.file is not None
    assert (message.file.kind, message.file.name, message.text) == ("document", "odd.png", "Odd")
