"""Names, file names and other words from outside, put into a message."""

import re

import pytest
from hypothesis import given, settings

from channels.formatting.clean import clean
from channels.formatting.parts import Dialect, escape, format_message, literal
from tests.channels.formatting.markdown_texts import NOISE
from tests.channels.formatting.tdlib import parse_html


@pytest.mark.parametrize(
    ("dialect", "escaped"),
    [
        (Dialect.telegram, "&lt;b&gt; *x* &amp; _y_ @\u2060ada"),
        (Dialect.discord, "\\<b> \\*x\\* & \\_y\\_ @ada"),
        (Dialect.slack, "&lt;b> \\*x\\* & \\_y\\_ @ada"),
        (Dialect.mrkdwn, "&lt;b&gt; *x* &amp; _y_ @ada"),
        (Dialect.teams, "&lt;b> \\*x\\* & \\_y\\_ @ada"),
        (Dialect.text, "<b> *x* & _y_ @ada"),
    ],
)
def test_words_are_escaped_for_each_app(dialect: Dialect, escaped: str) -> None:
    assert escape("<b> *x* & _y_ @ada", dialect) == escaped


@pytest.mark.parametrize("dialect", Dialect)
def test_a_name_cannot_hide_what_follows_it(dialect: Dialect) -> None:
    assert escape("photo\u202egpj.exe\x00", dialect) == "photogpj.exe"


@pytest.mark.parametrize(
    ("dialect", "name"),
    [
        (Dialect.discord, "@everyone"),
        (Dialect.slack, "<!channel>"),
        (Dialect.mrkdwn, "<!channel>"),
        (Dialect.telegram, "@ada"),
    ],
)
def test_a_name_calls_nobody(dialect: Dialect, name: str) -> None:
    assert name not in escape(f"I am {name}", dialect)


def test_each_line_starts_nothing() -> None:
    assert escape("a\n# b\n- c\n> d", Dialect.discord) == "a\n\\# b\n\\- c\n\\> d"


@given(NOISE)
def test_telegram_reads_escaped_words_as_they_are(text: str) -> None:
    read = parse_html(escape(text, Dialect.telegram)).text

    assert read.replace("\u2060", "") == clean(text).replace("\u2060", "")


@settings(max_examples=60)
@given(NOISE)
def test_literal_words_survive_formatting(text: str) -> None:
    words = " ".join(part.text for part in format_message(f"Hello {literal(text)}!", Dialect.text))

    assert squeezed(words) == squeezed(f"Hello {clean(text)}!")


def squeezed(text: str) -> str:
    """Without spaces, which Markdown joins."""
    return re.sub(r"\s+", "", text)


@pytest.mark.parametrize(
    "name", ["[x](http://evil.com)", "**bold**", "- item", "&lt;", "| a |\n|---|", "1. one", "    code", "=====", "`x"]
)
def test_literal_words_are_no_markdown(name: str) -> None:
    (part,) = format_message(f"From:\n{literal(name)}", Dialect.telegram)

    assert parse_html(part.text).entities == ()
    assert squeezed(part.plain) == squeezed(f"From:{name}")
