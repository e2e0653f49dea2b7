"""Teams' Markdown, of which some clients draw less than others."""

import pytest

from channels.formatting.parts import Dialect, format_message


def markup(markdown: str) -> str:
    (part,) = format_message(markdown, Dialect.teams)
    return part.text


def test_headings_and_lists_are_told_by_characters() -> None:
    assert markup("## Title\n- one\n  - two\n\n1. a\n2. b") == (
        "**Title**  \n• one  \n\u00a0\u00a0• two\n\n1\\. a  \n2\\. b"
    )


def test_a_lone_line_break_is_a_hard_one() -> None:
    assert markup("one\ntwo\n\nthree") == "one  \ntwo\n\nthree"


def test_lines_of_code_are_left_alone() -> None:
    assert markup("text\n```py\na\n\nb\n```\nmore") == "text\n```py\na\n\nb\n```\nmore"


def test_a_table_is_aligned_text() -> None:
    assert markup("| a | b |\n|:-:|---|\n| long | x |") == "```\n a    b\n────  ─\nlong  x\n```"


@pytest.mark.parametrize("tag", ["<at>Ada</at>", "<script>", "<b>"])
def test_tags_are_text(tag: str) -> None:
    assert "<" not in markup(f"see {tag}")


def test_links_and_quotes_are_markdown() -> None:
    assert markup("> [a](https://e.com) **b**") == "> [a](https://e.com) **b**"
