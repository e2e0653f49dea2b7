"""Answers that are longer than one message."""

import re

import pytest

from channels.formatting import limits
from channels.formatting.parts import Dialect, format_message
from tests.channels.formatting.markdown_texts import words_of
from tests.channels.formatting.tdlib import parse_html

APPS = [dialect for dialect in Dialect if dialect is not Dialect.text]
PARAGRAPH = "One sentence of this paragraph has eight words. " * 12


def texts(markdown: str, dialect: Dialect, limit: int | None = None) -> list[str]:
    return [part.text for part in format_message(markdown, dialect, limit)]


@pytest.mark.report("R043")
@pytest.mark.parametrize("dialect", APPS)
def test_a_long_answer_is_sent_to_its_last_word(dialect: Dialect) -> None:
    answer = "\n\n".join(f"Paragraph {number}. {PARAGRAPH}" for number in range(60))

    parts = format_message(answer, dialect)

    assert len(parts) > 1
    assert words_of(" ".join(part.plain for part in parts)) == words_of(answer)


@pytest.mark.report("R045")
@pytest.mark.parametrize(
    ("dialect", "words"),
    [
        (Dialect.discord, "a\\*b "),
        (Dialect.slack, "a\\<b "),
        (Dialect.mrkdwn, "a&b "),
        (Dialect.teams, "**x** "),
        (Dialect.discord, "`x` **y** "),
    ],
)
def test_a_part_is_measured_in_the_markup_that_is_sent(dialect: Dialect, words: str) -> None:
    most = {Dialect.discord: 2000, Dialect.slack: 12_000, Dialect.mrkdwn: 4000, Dialect.teams: 20_000}[dialect]

    lengths = [len(text) for text in texts(words * 5000, dialect)]

    assert len(lengths) > 1
    assert max(lengths) <= most
    assert min(lengths[:-1]) > most - 100


@pytest.mark.report("R045")
def test_telegram_html_may_be_longer_than_the_text_that_telegram_counts() -> None:
    parts = texts("a&b<c " * 2000, Dialect.telegram)

    assert [parse_html(part).length for part in parts] == [4091, 4091, 3815]
    assert max(len(part) for part in parts) > 2 * limits.TELEGRAM_TEXT


@pytest.mark.report("R047")
@pytest.mark.parametrize("dialect", APPS)
def test_words_are_whole(dialect: Dialect) -> None:
    answer = "untouchable " * 6000

    words = " ".join(part.plain for part in format_message(answer, dialect)).split()

    assert set(words) == {"untouchable"}


@pytest.mark.report("R047")
def test_a_blank_line_is_preferred_then_a_line_a_sentence_a_space() -> None:
    paragraphs, lines = "a" * 150 + "\n\n" + "b" * 100, "a" * 150 + "\n" + "b" * 100
    sentences, words = "a" * 150 + ". " + "b" * 100, "a" * 150 + " " + "b" * 100

    broken = [texts(text, Dialect.telegram, 200) for text in (paragraphs, lines, sentences, words)]

    assert broken == [["a" * 150 + end, "b" * 100] for end in ("", "", ".", "")]


def test_a_blank_line_is_preferred_to_a_later_line() -> None:
    assert texts("a" * 120 + "\n\n" + "b\nc\n" + "d" * 100, Dialect.telegram, 200) == ["a" * 120, "b\nc\n" + "d" * 100]


def test_a_part_is_at_least_half_full() -> None:
    first, *_ = texts("Yes.\n\n" + "word " * 200, Dialect.telegram, 200)

    assert first.startswith("Yes.\n\nword")
    assert len(first) > 190


def test_a_heading_goes_with_what_it_announces() -> None:
    assert texts("a" * 150 + "\n\n# Title\n\n" + "b" * 60, Dialect.telegram, 200) == [
        "a" * 150,
        "<b>Title</b>\n\n" + "b" * 60,
    ]


@pytest.mark.report("R049")
@pytest.mark.parametrize("dialect", [Dialect.discord, Dialect.slack, Dialect.teams])
def test_long_code_is_sent_whole_in_fences_of_its_language(dialect: Dialect) -> None:
    code = [f"    value_{number} = compute({number})" for number in range(1500)]

    parts = texts("```python\n" + "\n".join(code) + "\n```", dialect)

    assert len(parts) > 1
    assert all(part.startswith("```python\n") and part.endswith("\n```") for part in parts)
    assert [line for part in parts for line in part.split("\n")[1:-1]] == code


@pytest.mark.report("R049")
def test_long_code_keeps_its_language_in_telegram() -> None:
    parts = texts("```python\n" + "x = 1\n" * 2000 + "```", Dialect.telegram)

    assert [[(entity.kind, entity.about) for entity in parse_html(part).entities] for part in parts] == (
        [[("PreCode", "python")]] * len(parts)
    )
    assert sum(parse_html(part).text.count("x = 1") for part in parts) == 2000


def test_one_long_line_of_code_is_cut_inside_its_fence() -> None:
    parts = texts("```\n" + "x" * 5000 + "\n```", Dialect.discord)

    assert [part.strip("`\n").count("x") for part in parts] == [1992, 1992, 1016]


@pytest.mark.report("R053")
def test_no_text_is_too_long_for_slack() -> None:
    answer = "# Report\n\n" + "| a | b |\n|---|---|\n" + "| <x> | **y** |\n" * 3000 + "\n" + PARAGRAPH * 100

    assert max(map(len, texts(answer, Dialect.slack))) <= limits.SLACK_MARKDOWN
    assert max(map(len, texts(answer, Dialect.mrkdwn))) <= limits.SLACK_TEXT


def test_a_table_says_its_header_in_each_part() -> None:
    table = "| Name | Wert |\n|---|--:|\n" + "\n".join(f"| row {number} | {number} |" for number in range(60))

    parts = texts(table, Dialect.discord, 400)

    assert len(parts) > 2
    assert all(part.split("\n")[:3] == ["```", "Name    Wert", "──────  ────"] for part in parts)
    assert [line for part in parts for line in re.findall(r"row \d+", part)] == [
        f"row {number}" for number in range(60)
    ]


def test_a_list_goes_on_unindented_but_in_its_order() -> None:
    items = "- outer\n" + "".join(f"  - inner item number {number} with words\n" for number in range(20)) + "- last"

    parts = texts(items, Dialect.slack, 400)

    assert len(parts) > 1
    assert all(part.startswith("- ") for part in parts)
    assert parts[-1].endswith("\n- last")


def test_the_rest_of_an_item_stands_where_its_words_stood() -> None:
    _, *rest = texts("- a\n  - " + "word " * 100, Dialect.telegram, 200)

    assert all(part.startswith("word") for part in rest)


def test_a_quote_goes_on_as_one() -> None:
    parts = texts("> " + "word " * 100, Dialect.telegram, 200)

    assert [[entity.kind for entity in parse_html(part).entities] for part in parts] == [["BlockQuote"]] * 3


def test_bold_goes_on_bold() -> None:
    parts = texts("**" + "word " * 100 + "end**", Dialect.discord, 200)

    assert all(part.startswith("**word") and part.endswith("**") for part in parts)


def test_a_long_link_can_be_cut() -> None:
    parts = texts(f"[label](https://example.com/{'x' * 5000})", Dialect.discord)

    assert parts[0] == "label"
    assert "".join(parts[1:]) == f"(https://example.com/{'x' * 5000})"


@pytest.mark.parametrize("limit", [-1, 0, 1, limits.SMALLEST])
def test_a_limit_too_small_for_markup_is_raised(limit: int) -> None:
    assert [len(text) for text in texts("x" * 500, Dialect.telegram, limit)] == [200, 200, 100]


def test_a_limit_beyond_what_the_app_takes_is_lowered() -> None:
    assert [len(text) for text in texts("x" * 5000, Dialect.telegram, 100_000)] == [4096, 904]
