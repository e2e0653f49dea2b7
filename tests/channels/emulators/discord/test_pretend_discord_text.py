"""Discord's Markdown as a person reads it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.emulators.discord.markdown import plain

NAMES = {"11": "Ada", "22": "general"}


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("**bold** and *slanted* and _slanted_", "bold and slanted and slanted"),
        ("***both*** __under__ ~~gone~~ ||hidden||", "both under gone hidden"),
        ("**bold with *slanted* inside**", "bold with slanted inside"),
        ("`a*b*c` and ``a`b``", "a*b*c and a`b"),
        ("```py\nx = **1**\n```", "x = **1**"),
        ("```\nplain\n```", "plain"),
        ("[here](https://example.com/a_b_c)", "here"),
        ("[**here**](<https://example.com>)", "here"),
        ("https://example.com/a_b_c and <https://x.org>", "https://example.com/a_b_c and https://x.org"),
        ("**see https://example.com/a_b** now", "see https://example.com/a_b now"),
        ("<@11> in <#22>, <@!11>, <@33>", "@Ada in #general, @Ada, @unknown-user"),
        ("</goal:123> <:cat:5> <a:dog:6>", "/goal :cat: :dog:"),
        (r"\*not slanted\* \_ \\ \`", r"*not slanted* _ \ `"),
        (r"\`no *code\`* and \\`*code*`", r"`no code` and \*code*"),
        ("# Title\n## Smaller\n-# tiny\n> quoted", "Title\nSmaller\ntiny\nquoted"),
        ("- one\n- two\n1. three", "- one\n- two\n1. three"),
        ("snake_case_name and 2 * 3 * 4", "snake_case_name and 2 * 3 * 4"),
        ("#hash and >arrow", "#hash and >arrow"),
        ("<t:0:f>", "01 January 1970 00:00"),
    ],
)
def test_signs_are_not_read(written: str, read: str) -> None:
    assert plain(written, NAMES) == read


@given(st.text(alphabet=st.characters(exclude_characters="*_~|`[]()<>\\#-", exclude_categories=["Cs", "Co"])))
def test_a_text_without_signs_is_read_as_it_is(text: str) -> None:
    assert plain(text) == text


@given(st.text(alphabet="*_~|`[]()<>\\#-@ab1 \n", max_size=60))
def test_any_text_can_be_read(text: str) -> None:
    assert len(plain(text)) <= len(text) + len("unknown-user")
