"""The newest of a message that is still being written."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from channels.formatting.parts import Dialect, Part, format_message, preview
from tests.channels.formatting.markdown_texts import HOSTILE, LONG
from tests.channels.formatting.tdlib import parse_html


@pytest.mark.parametrize("dialect", Dialect)
def test_a_short_message_is_shown_as_it_will_be(dialect: Dialect) -> None:
    text = "# Title\n\n- **one**\n- `two`"

    assert (preview(text, dialect),) == format_message(text, dialect)


@pytest.mark.parametrize("dialect", Dialect)
def test_nothing_written_is_an_empty_preview(dialect: Dialect) -> None:
    assert preview("", dialect) == Part("", "")


def test_of_a_long_message_the_newest_words_are_shown() -> None:
    shown = preview(" ".join(f"word{number}" for number in range(3000)), Dialect.telegram).text

    assert shown.startswith("…word")
    assert shown.endswith(" word2999")
    assert 2400 < len(shown) <= 2500


def test_lines_that_fit_are_shown_whole() -> None:
    shown = preview("\n".join(f"{number} " + "x" * 20 for number in range(1000)), Dialect.discord, 500).text

    assert shown.startswith("…") or shown[0].isdigit()
    assert shown.endswith("999 " + "x" * 20)


@pytest.mark.parametrize(
    ("dialect", "opening", "closing"),
    [(Dialect.telegram, '<pre><code class="language-py">', "</code></pre>"), (Dialect.slack, "```py\n", "\n```")],
)
def test_code_that_was_opened_long_before_is_shown_as_code(dialect: Dialect, opening: str, closing: str) -> None:
    shown = preview("Look:\n\n```py\n" + "x = 1\n" * 5000, dialect).text

    assert shown.startswith(opening)
    assert shown.endswith("x = 1" + closing)


def test_a_fence_without_code_yet_shows_nothing() -> None:
    assert preview("Look:\n```python", Dialect.telegram) == Part("Look:", "Look:")


def test_code_that_was_closed_long_before_is_over() -> None:
    shown = preview("```py\nx\n```\n" + "word " * 5000, Dialect.slack).text

    assert "`" not in shown


def test_a_fence_of_another_kind_closes_nothing() -> None:
    shown = preview("~~~\n```\n" + "x\n" * 5000, Dialect.discord).text

    assert shown.startswith("```\nx")


def test_a_table_that_goes_on_keeps_its_header() -> None:
    table = "| Name | B |\n|---|---|\n" + "".join(f"| row {number} | x |\n" for number in range(30))

    shown = preview(table, Dialect.discord, 200).text

    assert shown.startswith("```\nName")
    assert shown.endswith("row 29  x\n```")


def test_markup_that_makes_a_text_longer_leaves_less_of_it() -> None:
    shown = preview("\\*" * 3000, Dialect.discord, 500)

    assert len(shown.text) <= 500


@pytest.mark.parametrize("name", HOSTILE)
def test_no_message_is_too_much_for_a_preview(name: str) -> None:
    shown = preview(HOSTILE[name], Dialect.telegram)

    assert parse_html(shown.text).length <= 2500


@settings(max_examples=40, deadline=None)
@given(LONG, st.integers(200, 2500))
def test_any_preview_stands_alone_and_fits(text: str, newest: int) -> None:
    html, markdown = preview(text, Dialect.telegram, newest).text, preview(text, Dialect.discord, newest).text

    assert parse_html(html).length <= newest
    assert len(markdown) <= min(newest, 2000)
