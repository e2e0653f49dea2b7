"""Files from outside: whatever their name, type or size, they stay in the folder and look harmless."""

import asyncio
import unicodedata
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.events import Attachment
from core.files import MAX_NAME, FileStore, TooLarge, clean_mime, clean_name


async def pieces(*chunks: bytes) -> AsyncIterator[bytes]:
    for chunk in chunks:
        yield chunk


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path.resolve() / "files"


@pytest.fixture
def store(root: Path) -> FileStore:
    return FileStore(root)


def left_in(root: Path) -> list[Path]:
    return [path for path in root.rglob("*") if path.is_file()]


# ---- names ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("report.pdf", "report.pdf"),
        ("Grüße, 世界 🎉.txt", "Grüße, 世界 🎉.txt"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Windows\\system32\\evil.exe", "evil.exe"),
        ("folder/", "file"),
        ("", "file"),
        (" ", "file"),
        (".", "file"),
        ("..", "file"),
        ("... ...", "file"),
        (".bashrc", "bashrc"),
        ("trailing. ", "trailing"),
        ("a\r\nContent-Type: text/html.txt", "html.txt"),
        ("line\none\ttwo.txt", "line one two.txt"),
        ("null\0byte.txt", "null byte.txt"),
        ("gpj.\u202eexe", "gpj. exe"),
        ("half\ud83d.txt", "half .txt"),
        ('what? "<this>|*".txt', "what_ __this____.txt"),
        ("stream.txt:hidden", "stream.txt_hidden"),
        ("CON", "_CON"),
        ("con.txt", "_con.txt"),
        ("Lpt1.tar.gz", "_Lpt1.tar.gz"),
        ("com².log", "_com².log"),
        ("NUL .txt", "_NUL .txt"),
        ("console.txt", "console.txt"),
        ("com10.txt", "com10.txt"),
    ],
)
def test_a_name_is_shown_without_anything_that_does_harm(name: str, shown: str) -> None:
    assert clean_name(name) == shown


def test_a_long_name_is_cut_and_keeps_its_ending() -> None:
    assert clean_name("x" * 500 + ".tar.gz") == "x" * (MAX_NAME - 3) + ".gz"


def test_what_is_too_long_for_an_ending_is_none() -> None:
    assert clean_name("x." + "y" * 500) == ("x." + "y" * 500)[:MAX_NAME]


@given(st.text(st.characters(categories=None), max_size=300))
@example("..." + "x" * MAX_NAME + " .txt")
def test_whatever_the_name_it_is_one_harmless_line(name: str) -> None:
    shown = clean_name(name)

    assert 1 <= len(shown) <= MAX_NAME
    assert shown == shown.strip(" .")
    assert not {unicodedata.category(mark)[0] for mark in shown if mark != " "} & {"C", "Z"}
    assert not set(shown) & set('/\\<>:"|?*')
    assert clean_name(shown) == shown


@pytest.mark.parametrize(
    ("mime", "name", "shown"),
    [
        ("image/png", "a.bin", "image/png"),
        ("Text/HTML; charset=utf-8", "a.txt", "text/html"),
        (None, "a.pdf", "application/pdf"),
        ("", "a.pdf", "application/pdf"),
        ("text/html\r\nX-Evil: 1", "a.pdf", "application/pdf"),
        ("no type", "a", "application/octet-stream"),
        ("application/vnd.ms-excel", "a", "application/vnd.ms-excel"),
    ],
)
def test_a_media_type_is_plain_or_what_the_name_says(mime: str | None, name: str, shown: str) -> None:
    assert clean_mime(mime, name) == shown


# ---- keeping -------------------------------------------------------------------------------------------------------


async def test_what_streams_in_is_kept_whole(store: FileStore) -> None:
    kept = await store.save("../notes.txt", None, pieces(b"one ", b"", b"two"), limit=7)

    assert store.path(kept).read_bytes() == b"one two"
    assert (kept.name, kept.mime, kept.size) == ("notes.txt", "text/plain", 7)


async def test_an_empty_file_is_a_file(store: FileStore) -> None:
    kept = await store.save("empty", None, pieces(), limit=0)

    assert (store.path(kept).read_bytes(), kept.size) == (b"", 0)


async def test_two_files_of_one_name_are_two_files(store: FileStore) -> None:
    one = await store.save_bytes("a.txt", None, b"one")
    two = await store.save_bytes("a.txt", None, b"two", "the second")

    assert [store.path(file).read_bytes() for file in (one, two)] == [b"one", b"two"]
    assert (one.caption, two.caption) == (None, "the second")


@pytest.mark.parametrize("name", ["../../evil.sh", "/etc/passwd", "CON", "a." + "b" * 400, "x.\N{ROMAN NUMERAL ONE}"])
async def test_the_name_has_no_say_in_where_a_file_lies(store: FileStore, root: Path, name: str) -> None:
    kept = await store.save_bytes(name, None, b"x")

    assert left_in(root) == [store.path(kept)]
    assert store.path(kept).parent.parent == root
    assert len(store.path(kept).stem) == 32


async def test_what_is_too_large_is_refused_while_it_streams_and_leaves_nothing(store: FileStore, root: Path) -> None:
    taken = 0
    ended = False

    async def endless() -> AsyncIterator[bytes]:
        nonlocal taken, ended
        try:
            while True:
                taken += 10
                yield b"x" * 10
        finally:
            ended = True

    with pytest.raises(TooLarge, match="95"):
        await store.save("big", None, endless(), limit=95)

    assert taken == 100
    assert ended
    assert left_in(root) == []


async def test_a_stream_that_breaks_leaves_nothing(store: FileStore, root: Path) -> None:
    async def breaks() -> AsyncIterator[bytes]:
        yield b"half"
        raise ConnectionError("cut")

    with pytest.raises(ConnectionError):
        await store.save("a", None, breaks(), limit=100)

    assert left_in(root) == []


async def test_a_stream_that_nobody_waits_for_any_more_leaves_nothing(store: FileStore, root: Path) -> None:
    begun = asyncio.Event()

    async def slow() -> AsyncIterator[bytes]:
        yield b"half"
        begun.set()
        await asyncio.Event().wait()

    saving = asyncio.create_task(store.save("a", None, slow(), limit=100))
    await begun.wait()
    saving.cancel()
    await asyncio.wait({saving})

    assert saving.cancelled()
    assert left_in(root) == []


# ---- finding again -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", ["../conch.db", "/etc/passwd", "ab/../../conch.db", "", ".", "ab/..", "a\0b", "link/conch.db"]
)
def test_a_path_that_leads_out_of_the_folder_is_refused(store: FileStore, root: Path, path: str) -> None:
    root.mkdir()
    (root / "link").symlink_to(root.parent)

    with pytest.raises(ValueError, match=r"not in the files folder|null"):
        store.path(Attachment(name="x", mime="text/plain", size=1, path=path))
