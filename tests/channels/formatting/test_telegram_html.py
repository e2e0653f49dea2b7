"""Telegram's HTML, judged by TDLib's own parser."""

import pytest

from channels.formatting.parts import Dialect, format_message
from tests.channels.formatting.tdlib import Entity, Parsed, parse_html


def html(markdown: str) -> str:
    (part,) = format_message(markdown, Dialect.telegram)
    return part.text


def seen(markdown: str) -> Parsed:
    return parse_html(html(markdown))


def test_emphasis_becomes_entities() -> None:
    assert seen("**bold *both*** ~~gone~~ `a<b`") == Parsed(
        "bold both gone a<b",
        (
            Entity("Bold", "bold both"),
            Entity("Italic", "both"),
            Entity("Strikethrough", "gone"),
            Entity("Code", "a<b"),
        ),
    )


def test_a_heading_is_bold() -> None:
    assert html("## Plan *B*\ntext") == "<b>Plan <i>B</i></b>\ntext"


def test_code_keeps_its_language() -> None:
    assert seen("```c++\na < b && c\n```").entities == (Entity("PreCode", "a < b && c", "c++"),)


def test_code_without_a_language_is_one_entity() -> None:
    assert seen("```\nx\n```").entities == (Entity("Pre", "x"),)


def test_lists_are_bullets_and_numbers() -> None:
    assert html("- one\n  - two\n3. three") == "• one\n  • two\n3. three"


def test_a_quote_inside_a_quote_is_marked_as_telegram_has_one_level_only() -> None:
    assert seen("> one\n>\n> > two\n\nthree") == Parsed(
        "one\n\n> two\n\nthree", (Entity("BlockQuote", "one\n\n> two"),)
    )


def test_code_inside_a_quote_stays_there() -> None:
    assert seen("> one\n> ```py\n> x\n> ```\n> two").entities == (
        Entity("BlockQuote", "one\nx\ntwo"),
        Entity("PreCode", "x", "py"),
    )


def test_a_table_is_aligned_text() -> None:
    shown = seen("| Name | Preis |\n|---|--:|\n| 日本茶 | 5 |\n| Tea | 12 |")

    assert shown.text.splitlines() == ["Name    Preis", "──────  ─────", "日本茶      5", "Tea        12"]
    assert [entity.kind for entity in shown.entities] == ["Pre"]


def test_the_address_of_a_link_in_a_table_is_said() -> None:
    assert "docs (https://e.com)" in seen("| a | b |\n|---|---|\n| [docs](https://e.com) | x |").text


@pytest.mark.parametrize(
    "href", ["https://example.com/a?b=1&c=%22", "http://1.2.3.4/x", "tg://resolve?domain=telegram"]
)
def test_links_that_telegram_takes_are_links(href: str) -> None:
    assert seen(f"[label]({href})").entities == (Entity("TextUrl", "label", href),)


@pytest.mark.parametrize(
    "href",
    ["mailto:a@b.com", "ftp://e.com/x", "http://localhost:8080/", "https://e.com:99999/", "src/main.py:12", "tg://user?id=7"],
)  # fmt: skip
def test_links_that_telegram_drops_or_that_call_someone_are_said(href: str) -> None:
    assert seen(f"[label]({href})") == Parsed(f"label ({href})", ())


def test_a_script_is_no_link() -> None:
    assert seen("[x](javascript:alert(1))") == Parsed("[x](javascript:alert(1))", ())


def test_a_bare_address_is_left_to_telegram() -> None:
    assert (
        html("<https://example.com/a_b> https://example.com/c*d") == "https://example.com/a_b https://example.com/c*d"
    )


def test_plain_text_has_the_addresses_of_links() -> None:
    (part,) = format_message("See [the docs](https://example.com).", Dialect.telegram)

    assert part.plain == "See the docs (https://example.com)."


def test_plain_text_goes_without_addresses_that_would_make_it_too_long() -> None:
    (part,) = format_message("x" * 4050 + " [docs](https://example.com/" + "y" * 200 + ")", Dialect.telegram)

    assert part.plain == "x" * 4050 + " docs"


@pytest.mark.parametrize("nothing", ["", "  \n", "\u200b", "```\n\n```", "&nbsp;", "\x00"])
def test_nothing_to_show_is_no_part(nothing: str) -> None:
    assert format_message(nothing, Dialect.telegram) == ()


def test_more_than_a_hundred_entities_are_two_messages_as_telegram_ignores_the_rest() -> None:
    parts = format_message(" ".join(f"`{number}`" for number in range(150)), Dialect.telegram)

    assert [len(parse_html(part.text).entities) for part in parts] == [100, 50]


def test_html_stays_under_what_the_server_reads() -> None:
    long_links = " ".join(f"[{number}](https://example.com/{'x' * 900})" for number in range(60))

    parts = format_message(long_links, Dialect.telegram)

    assert len(parts) == 2
    assert all(len(part.text.encode()) < 32 * 1024 for part in parts)
