"""The reference page of the docs says what the registry says, and lists what menus and help list."""

import re
from pathlib import Path

from commands.command import Place
from commands.helptext import help_text
from commands.menus import native_menu
from commands.page import page
from commands.registry import COMMANDS, PENDING

DOCS = Path(__file__).parents[2] / "docs" / "commands.md"


def rows(text: str) -> dict[str, list[str]]:
    """The cells of each command's row."""
    lines = [line for line in text.splitlines() if line.startswith("| `/")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {re.findall(r"`/(\w+)`", one[0])[0]: one for one in cells}


def test_the_page_in_the_docs_is_the_one_that_the_registry_makes() -> None:
    assert DOCS.read_text(encoding="utf-8") == page(), "run: python -m commands.page > docs/commands.md"


def test_it_has_every_command_in_order_with_its_other_names() -> None:
    found = rows(page())

    assert list(found) == [command.name for command in COMMANDS]
    assert found["plan"][1] == ""
    assert found["effort"][1] == "`/think`, `/thinking`"


def test_it_says_who_may_where_and_which_names_can_be_taken() -> None:
    found = rows(page())

    assert found["stop"][0] == "`/stop`"
    assert found["stop"][3:] == ["people", "yes"]
    assert found["goal"][0] == "`/goal`¹"
    assert found["goal"][3:] == ["owner", ""]
    assert found["export"][3:] == ["in the console", ""]


def test_menu_help_and_page_list_the_same_commands() -> None:
    there = {name for name, cells in rows(page()).items() if "*Not there yet*" not in cells[2]}
    for_chats = {command.name for command in COMMANDS if command.chat and not command.chat.hidden}

    in_menu = {entry.name for entry in native_menu("telegram").default}
    in_help = set(re.findall(r"^- `/(\w+)", help_text("telegram", Place.OWNER_CHAT), re.MULTILINE))

    assert in_menu == in_help == there & for_chats


def test_only_what_is_not_there_yet_is_marked_so() -> None:
    marked = {name for name, cells in rows(page()).items() if "*Not there yet*" in cells[2]}

    assert marked == set(PENDING)
    assert "*Not there yet*" not in page(pending=())


def test_what_is_pending_in_chats_waits_for_its_menus() -> None:
    pending = [command.name for command in COMMANDS if command.chat and command.name in PENDING]

    assert pending == []
