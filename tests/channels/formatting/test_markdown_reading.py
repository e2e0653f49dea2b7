"""Markdown that parsers and dialects of it make words vanish from, or take for ever with."""

import pytest

from channels.formatting.parts import Dialect, format_message
from tests.channels.formatting.markdown_texts import HOSTILE, words_of


def read(markdown: str) -> str:
    """As plain text for a terminal."""
    return "\n---\n".join(part.plain for part in format_message(markdown, Dialect.text))


@pytest.mark.parametrize("markers", ["> ", "- ", "1. ", "> - ", "> 1. - "])
def test_what_is_nested_deeper_than_the_parser_goes_is_still_said(markers: str) -> None:
    assert words_of(read(markers * 100 + "deep"))[-1] == "deep"


def test_steps_of_a_long_staircase_are_all_said() -> None:
    stairs = "".join("  " * level + f"- step{level}\n" for level in range(40))

    assert [word for word in words_of(read(stairs)) if word.startswith("step")] == [f"step{n}" for n in range(40)]


def test_html_is_text() -> None:
    assert read("<b>bold</b> <!-- note -->\n\n<div>\nblock\n</div>") == (
        "<b>bold</b> <!-- note -->\n\n<div>\nblock\n</div>"
    )


def test_entities_are_characters() -> None:
    assert read("&lt;tag&gt; &amp; &copy; &#8364;") == "<tag> & © €"


def test_a_line_that_reads_like_a_link_definition_is_said() -> None:
    assert read("[ERROR]: timeout") == "[ERROR]: timeout"


def test_a_definition_that_a_link_uses_is_not() -> None:
    assert read("[note][1]\n\n[1]: https://example.com/a") == "note (https://example.com/a)"


def test_the_second_definition_of_a_label_is_said() -> None:
    assert read("[x]\n\n[x]: https://a.com\n[x]: second") == "x (https://a.com)\n\n[x]: second"


def test_cells_beyond_the_header_stay_in_the_last_column() -> None:
    table = "| a | b |\n|---|---|\n| 1 | 2 | 3 | 4 |"

    assert read(table).splitlines()[-1] == "1  2 | 3 | 4"


def test_what_a_fence_says_besides_its_language_is_said() -> None:
    assert read("```python main.py\nx = 1\n```") == "main.py\n    x = 1"


def test_what_a_fence_says_without_any_code_is_said() -> None:
    assert read("~~~ words") == "words"


def test_blank_lines_are_where_the_writer_put_them() -> None:
    assert read("Steps:\n- one\n- two\n\nDone.\nReally.") == "Steps:\n- one\n- two\n\nDone.\nReally."


def test_lists_keep_their_numbers_and_depth() -> None:
    assert read("3. three\n4. four\n   - inner\n\n     more\n5. five") == (
        "3. three\n4. four\n   - inner\n\n     more\n5. five"
    )


def test_an_address_is_left_alone_to_its_end() -> None:
    assert read("see (https://e.com/__init__/a*b*c_(d)), **https://e.com/_a_** or _https://e.com_") == (
        "see (https://e.com/__init__/a*b*c_(d)), https://e.com/_a_ or https://e.com"
    )


def test_a_name_between_angle_brackets_keeps_them() -> None:
    assert read("vector<std::string> but <https://e.com> and <a@b.com>") == (
        "vector<std::string> but https://e.com and a@b.com"
    )


def test_tasks_are_boxes() -> None:
    assert read("- [ ] open\n- [x] done\n- [y] other") == "- ☐ open\n- ☑ done\n- [y] other"


def test_an_item_that_starts_with_code_keeps_its_marker() -> None:
    assert read("- ```\n  code\n  ```\n-") == "-\n    code\n-"


@pytest.mark.parametrize("name", HOSTILE)
def test_no_text_takes_for_ever_or_fails(name: str) -> None:
    parts = format_message(HOSTILE[name], Dialect.telegram)

    assert parts or name in {"nothing", "blank code"}


def test_a_table_of_mostly_missing_cells_is_text() -> None:
    table = "|a" * 200 + "\n" + "|-" * 200 + "\n" + "b\n" * 200

    assert words_of(read(table)).count("b") == 200
    assert len(read(table)) < 2 * len(table)
