"""Discord's Markdown, in which nothing calls anyone."""

import re

import pytest

from channels.formatting.parts import Dialect, format_message

PING = re.compile(r"@everyone|@here|<@[!&]?\d|<#\d")


def markup(markdown: str) -> str:
    (part,) = format_message(markdown, Dialect.discord)
    return part.text


@pytest.mark.parametrize(
    "call",
    ["@everyone", "@here", "<@1234567890>", "<@!1>", "<@&1>", "<#1>", "&#64;here", "@\x00here", "@EVERYONE", "\\<@1>"],
)
@pytest.mark.parametrize(
    "place",
    [
        "[x](https://e.com/{})",
        "{}",
        "a{}b",
        "**{}**",
        "`{}`",
        "```\n{}\n```",
        "> {}",
        "| {} | b |\n|---|---|",
        "[{}](https://e.com)",
    ],
)
def test_nobody_is_called(call: str, place: str) -> None:
    assert not PING.search(markup(place.format(call)).lower())


def test_a_version_is_no_call() -> None:
    assert markup("`npm i react@18.2.0`") == "`npm i react@18.2.0`"


@pytest.mark.parametrize("sign", ["<:smile:1>", "<t:1700000000:R>", "</command:1>", "<id:customize>"])
def test_what_discord_draws_from_angle_brackets_is_text(sign: str) -> None:
    assert markup(f"see {sign}") == f"see \\{sign}"


@pytest.mark.parametrize(
    "text",
    ["2 * 3 * 4", "~~not gone", "||no secret||", "__init__", "a `tick", "back\\slash", "[label](https://evil.com)"],
)
def test_characters_of_markup_in_plain_words_are_protected(text: str) -> None:
    said = markup("".join(f"\\{sign}" if sign in "*~|_`\\[]()" else sign for sign in text))

    assert re.sub(r"\\(.)", r"\1", said) == text
    assert not re.search(r"(?<!\\)[*~`]|(?<!\\)__|\|\||\]\(", said)


@pytest.mark.parametrize("start", ["# x", "> x", "- x", "+ x", "1. x", "-# small", "=== x"])
def test_a_line_that_starts_like_markup_is_text(start: str) -> None:
    escaped = re.sub(r"([#>\-+.=])", r"\\\1", start)

    assert markup(escaped) == (start.replace(".", "\\.") if start[0] == "1" else f"\\{start}")


def test_names_with_underscores_are_left_alone() -> None:
    assert markup("use snake_case_names") == "use snake_case_names"


def test_a_bare_address_is_left_alone() -> None:
    assert markup("see https://example.com/a_b_c_ now") == "see https://example.com/a_b_c_ now"


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ("[docs](https://e.com/a_(b))", "[docs](https://e.com/a_%28b%29)"),
        ("[paypal.com](https://evil.com/x)", "paypal.com (https://evil.com/x)"),
        ("[https://paypal.com](https://evil.com)", "https://paypal.com (https://evil.com)"),
        ("[example.com](https://www.example.com/x)", "https://www.example.com/x"),
        ("[a](mailto:a@b.com)", "a (mailto:a@b.com)"),
        ("[a \\] b](https://e.com)", "[a \\] b](https://e.com)"),
    ],
)
def test_a_label_never_hides_where_a_link_leads(link: str, said: str) -> None:
    assert markup(link) == said


def test_three_levels_of_headings_are_discords_and_deeper_ones_bold() -> None:
    assert markup("# a\n### b\n#### c") == "# a\n### b\n**c**"


def test_fences_cannot_be_ended_from_inside() -> None:
    said = markup("~~~md\n```py\nx\n```\n~~~")

    assert re.findall("`{3,}", said) == ["```", "```"]


def test_a_backtick_in_code_is_kept() -> None:
    assert markup("`` a`b ``") == "``a`b``"


def test_a_quote_marks_each_of_its_lines() -> None:
    assert markup("> one\n>\n> ```\n> two\n> ```") == "> one\n>\n> ```\n> two\n> ```"


def test_length_is_counted_in_code_points_as_discord_does() -> None:
    assert len(format_message("😀" * 2000, Dialect.discord)) == 1
    assert len(format_message("😀" * 2001, Dialect.discord)) == 2
