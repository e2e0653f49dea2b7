"""Commands in sentences: marked where nobody knows yet where they are read, and written as the app has them."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands.parsing import MARK, ParsedCommand, parse_chat_command, written_in
from commands.registry import COMMANDS

ROOT = Path(__file__).parents[2]
BARE = re.compile(rf"(?<![\w/.:<{MARK}-])/(?:{'|'.join(command.name for command in COMMANDS)})\b(?![/\w-])")

ELSEWHERE = ("emulators", "memory", "safety")
"""Folders whose strings are typed by people, or read by nobody."""


def test_a_marked_command_is_written_as_the_app_has_it() -> None:
    sentence = f"Send {MARK}/effort auto and {MARK}/fast off, or {MARK}/new."

    assert written_in("telegram", sentence) == "Send /effort auto and /fast off, or /new."
    assert written_in("slack", sentence) == "Send /conch effort auto and /conch fast off, or /conch new."


@given(st.text().filter(lambda words: MARK not in words))
def test_words_of_people_and_models_stay_as_they_are(words: str) -> None:
    said = f"{words} /new"

    assert written_in("slack", said) == said


def test_a_command_that_was_copied_with_its_mark_is_still_one() -> None:
    assert parse_chat_command(f"{MARK}/plan off") == ParsedCommand("plan", "off")


@pytest.mark.parametrize("folder", ["core", "channels"])
def test_no_sentence_of_ours_names_a_command_as_only_some_apps_write_it(folder: str) -> None:
    bare = [
        f"{path.relative_to(ROOT)}:{line}: {words}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        if not set(path.parts) & set(ELSEWHERE)
        for line, words in _strings(ast.parse(path.read_text()))
        if " " in words.strip() and BARE.search(words)
    ]

    assert bare == []


def _strings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Every string that is not there for readers of the code alone."""
    for node in ast.walk(tree):
        for child in ast.iter_child_nodes(node):
            alone = isinstance(node, ast.Expr)
            if isinstance(child, ast.Constant) and isinstance(child.value, str) and not alone:
                yield child.lineno, child.value
