"""Saved commands: which files are any, and what is said of one that cannot be read."""

from pathlib import Path

import pytest

from core.errors import UsageError
from core.own_commands import MAX_BYTES, MAX_COMMANDS, OwnCommands


async def test_without_a_folder_there_are_none(tmp_path: Path) -> None:
    assert await OwnCommands(tmp_path / "commands").names() == ()


async def test_each_markdown_file_whose_name_can_be_typed_is_one(tmp_path: Path) -> None:
    for name in ("daily.md", "Über_mich.md", "has space.md", "notes.txt", ".hidden", "a.b.md", ".md", f"{'x' * 65}.md"):
        (tmp_path / name).write_text("words", encoding="utf-8")
    (tmp_path / "folder.md").mkdir()

    assert await OwnCommands(tmp_path).names() == ("daily", "Über_mich")


async def test_a_file_just_written_counts_at_once(tmp_path: Path) -> None:
    own = OwnCommands(tmp_path)
    before = await own.names()

    (tmp_path / "daily.md").write_text("Plan.\r\nMy day.", encoding="utf-8-sig")

    assert (before, await own.names()) == ((), ("daily",))
    assert await own.body("daily") == "Plan.\r\nMy day."


async def test_no_more_are_looked_at_than_anyone_has(tmp_path: Path) -> None:
    for number in range(MAX_COMMANDS + 1):
        (tmp_path / f"c{number:04}.md").touch()

    names = await OwnCommands(tmp_path).names()

    assert len(names) == MAX_COMMANDS
    assert names[0] == "c0000"


async def test_a_body_may_have_64_kb_and_no_more(tmp_path: Path) -> None:
    own = OwnCommands(tmp_path)
    (tmp_path / "fits.md").write_bytes(b"x" * MAX_BYTES)
    (tmp_path / "long.md").write_bytes(b"x" * (MAX_BYTES + 1))

    assert len(await own.body("fits")) == MAX_BYTES
    with pytest.raises(UsageError, match=r"long\.md is over 64 kB"):
        await own.body("long")


async def test_a_file_that_is_gone_or_no_text_is_named(tmp_path: Path) -> None:
    own = OwnCommands(tmp_path)
    (tmp_path / "picture.md").write_bytes(b"\x89PNG\xff")

    with pytest.raises(UsageError, match=r"picture\.md is no UTF-8 text"):
        await own.body("picture")
    with pytest.raises(UsageError, match=r"gone\.md cannot be read: No such file"):
        await own.body("gone")


async def test_what_is_saved_is_there_and_what_is_removed_is_not(tmp_path: Path) -> None:
    commands = OwnCommands(tmp_path / "commands")

    kept = await commands.save("/Café", "Hello\r\nyou")
    removed, again = await commands.remove("Café"), await commands.remove("Café")

    assert (kept, removed, again) == ("Café", True, False)
    assert await commands.names() == ()


@pytest.mark.parametrize(("name", "words"), [("", "x"), ("../x", "x"), ("a b", "x"), ("a", " "), ("a", "x" * 64_001)])
async def test_what_could_not_be_used_is_not_saved(tmp_path: Path, name: str, words: str) -> None:
    with pytest.raises(UsageError):
        await OwnCommands(tmp_path / "commands").save(name, words)

    assert await OwnCommands(tmp_path / "commands").names() == ()
