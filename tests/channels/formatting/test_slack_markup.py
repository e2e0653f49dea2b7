"""Slack's two languages: Markdown for its `markdown` block, mrkdwn where that is refused."""

import re

import pytest

from channels.formatting.parts import Dialect, Part, fallback, format_message

CALL = re.compile(r"<!|<@|<#|@channel|@here|@everyone", re.IGNORECASE)
CALLS = [
    "<!channel>",
    "<!here>",
    "<!everyone>",
    "<!subteam^S12|x>",
    "<@U123ABC>",
    "<#C123ABC>",
    "@channel",
    "&lt;!channel&gt;",
]
PLACES = ["{}", "**{}**", "> {}", "- {}", "# {}", "[{}](https://e.com)", "[x](https://e.com/{})"]


def markup(markdown: str, dialect: Dialect = Dialect.slack) -> str:
    (part,) = format_message(markdown, dialect)
    return part.text


@pytest.mark.parametrize("dialect", [Dialect.slack, Dialect.mrkdwn])
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("place", PLACES)
def test_nobody_is_called(call: str, place: str, dialect: Dialect) -> None:
    assert not CALL.search(markup(place.format(call), dialect))


@pytest.mark.parametrize("call", ["<!channel>", "<@U123ABC>", "<#C123ABC|general>"])
@pytest.mark.parametrize("place", ["`{}`", "```\n{}\n```", "| {} | b |\n|---|---|"])
def test_nobody_is_called_from_code(call: str, place: str) -> None:
    assert not CALL.search(markup(place.format(call)))


def test_html_in_code_can_be_copied() -> None:
    assert (
        markup("```html\n<!DOCTYPE html>\n<!-- @decorator -->\n```")
        == "```html\n<!DOCTYPE html>\n<!-- @decorator -->\n```"
    )


def test_markdown_stays_markdown() -> None:
    text = "# Title\n**bold** *it* ~~no~~ `x`\n\n- one\n  - two\n\n1. a\n2. b\n\n> quote\n\n```py\nx = 1\n```"

    assert markup(text) == text


def test_a_line_break_stays_one() -> None:
    assert markup("one\ntwo") == "one  \ntwo"


def test_tags_and_entities_are_text() -> None:
    assert markup("\\<b> &amp;lt; a & b") == "&lt;b> &amp;lt; a & b"


def test_an_address_with_characters_of_emphasis_is_a_link_to_itself() -> None:
    assert markup("https://e.com/_a_ https://e.com/b") == "[https://e.com/\\_a\\_](https://e.com/_a_) https://e.com/b"


def test_a_fence_is_longer_than_any_inside_of_it() -> None:
    assert markup("~~~md\n```py\n~~~") == "````md\n```py\n````"


def test_mrkdwn_has_its_own_signs() -> None:
    text = "# Title\n**b** *i* ~~s~~ `c` [l](https://e.com/?a=1&b=2|3)\n- one\n> q & <a>\n\n```py\nx < 1\n```"

    assert markup(text, Dialect.mrkdwn) == (
        "*Title*\n*b* _i_ ~s~ `c` <https://e.com/?a=1&amp;b=2%7C3|l>\n• one\n> q &amp; &lt;a&gt;\n\n```\nx &lt; 1\n```"
    )


def test_the_fallback_of_a_block_is_mrkdwn_in_as_many_messages_as_it_takes() -> None:
    (part,) = format_message("**bold** <!channel>\n" * 400, Dialect.slack)

    others = fallback(part, Dialect.slack)

    assert [len(other.text) <= 4000 for other in others] == [True, True, True]
    assert all(other.text.startswith("*bold* &lt;") and not CALL.search(other.text) for other in others)
    assert sum(other.plain.count("bold") for other in others) == 400


def test_the_fallback_elsewhere_is_the_plain_words() -> None:
    (part,) = format_message("**bold**", Dialect.telegram)

    assert fallback(part, Dialect.telegram) == (Part("bold", "bold"),)
