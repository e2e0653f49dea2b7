"""Telegram's HTML and what becomes of a text, held against TDLib's own reading."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from channels.emulators.telegram.detection import found
from channels.emulators.telegram.errors import ApiError
from channels.emulators.telegram.html import parse_html
from channels.emulators.telegram.limits import words
from channels.emulators.telegram.text import Entity, is_blank, settle, units
from tests.channels.emulators import telegram_oracle as tdlib

PIECES = [
    *sorted(
        words(
            "<b> </b> <B> </B> <i> </i> <u> </u> <s> </s> <strike> </strike> <del> </del> <ins> </ins> <em> </em>",
            "<strong> </strong> <code> </code> <pre> </pre> <tg-spoiler> </tg-spoiler> <blockquote> </blockquote> </>",
            "<a> </a> <br> </span> </tg-emoji> </tg-time> x é 😀 &lt; &gt; &amp; &quot; &quot &nbsp; &#65; &#x1F600;",
            "&#xD800; &#0; & < > ' \" = / http://a.b <b/> <h1>",
        )
    ),
    " ",
    "\n",
    "\t",
    "\0",
    "\x0b",
    "\x0c",
    "\x1f",
    "<blockquote expandable>",
    "<span class='tg-spoiler'>",
    "<span class='x'>",
    "<code class='language-py'>",
    '<code class="language-c++">',
    "<a href='http://x.com'>",
    '<a href="',
    "<a href=x.com>",
    "<a href='https://x.y:80/p?q=1&amp;r=2#z'>",
    "<a href='tg://user?id=7'>",
    "<a href='tg://resolve?domain=q'>",
    "<a href='ftp://x.y'>",
    "<a href='http://localhost/'>",
    "<tg-emoji emoji-id='5'>",
    "<tg-emoji emoji-id='x'>",
    "<tg-time unix='12'>",
    "<tg-time unix='12' format='wdt'>",
    "<tg-time format='q'>",
    "<b x>",
    "<b x='1'>",
    "<b x=",
    '<b a="&lt;">',
    "<b a=1 b>",
]
"""What markup is made of, right and wrong."""

markup = st.lists(st.sampled_from(PIECES), min_size=1, max_size=12).map("".join)


def theirs(text: str) -> str | tuple[str, list[tdlib.Found]]:
    answer = tdlib.parse(text)
    if answer["@type"] == "error":
        message = answer["message"]
        return f"Bad Request: {message[0].lower()}{message[1:]}"
    return answer["text"], tdlib.found(answer)


def ours(text: str) -> str | tuple[str, list[tdlib.Found]]:
    try:
        formatted = parse_html(text)
    except ApiError as error:
        return error.description
    return formatted.text, tdlib.ours(formatted.entities)


@settings(max_examples=800, deadline=None)
@given(markup)
def test_markup_is_read_as_tdlib_reads_it(text: str) -> None:
    assert ours(text) == theirs(text)


@pytest.mark.slow
@settings(max_examples=10_000, deadline=None)
@given(st.one_of(markup, st.text(alphabet="<>/&;#x= '\"ab-\n\0é😀", max_size=30)))
def test_any_markup_is_read_as_tdlib_reads_it(text: str) -> None:
    assert ours(text) == theirs(text)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("<b>x</b> &amp; <i>y</i>", ("x & y", [("bold", 0, 1, ""), ("italic", 4, 1, "")])),
        ("<pre><code class='language-py'>x</code></pre>", ("x", [("pre", 0, 1, "py")])),
        ("<a href='example.com'>x</a>", ("x", [("text_link", 0, 1, "http://example.com/")])),
        ("<a href='javascript:alert(1)'>x</a>", ("x", [])),
        ("😀<b>é</b>", ("😀é", [("bold", 2, 1, "")])),
        (
            "<b><i>x</b>",
            'Bad Request: can\'t parse entities: Unmatched end tag at byte offset 7, expected "</i>", found "</b>"',
        ),
        ("é<p>", 'Bad Request: can\'t parse entities: Unsupported start tag "p" at byte offset 2'),
        ("<b", "Bad Request: can't parse entities: Unclosed start tag at byte offset 0"),
        ("x</b>", "Bad Request: can't parse entities: Unexpected end tag at byte offset 1"),
    ],
)
def test_telegrams_html(text: str, read: Any) -> None:
    assert ours(text) == read == theirs(text)


@settings(max_examples=300, deadline=None)
@given(markup)
def test_what_is_kept_of_a_text_is_what_tdlib_keeps(text: str) -> None:
    parsed = tdlib.parse(f"a{text}b")
    if parsed["@type"] == "error" or any(mark in parsed["text"] for mark in "*_~|`["):
        return
    kept = tdlib.settle(parsed)

    formatted = parse_html(f"a{text}b")
    settled = settle(formatted.text, formatted.entities)

    assert settled.text == kept["text"]
    assert tdlib.coverage(settled.text, tdlib.ours(settled.entities)) == tdlib.coverage(kept["text"], tdlib.found(kept))


def test_entities_move_with_the_space_that_is_trimmed() -> None:
    settled = settle("\n  bold  ", [Entity("bold", 1, 6), Entity("italic", 7, 2)])

    assert (settled.text, settled.entities) == ("bold", (Entity("bold", 0, 4),))


@pytest.mark.parametrize(("text", "blank"), [("", True), (" \n", True), ("\u200b\u2800", True), ("\u200bx", False)])
def test_what_nobody_can_see_is_blank(text: str, blank: bool) -> None:
    assert is_blank(text) is blank


@given(st.text())
def test_a_length_is_counted_in_utf_16(text: str) -> None:
    assert units(text) == len(text.encode("utf-16-le", "surrogatepass")) // 2


ORDINARY = words(
    "/start /start@some_bot /a_1 /start@ab / /é x/y /a/b @someone @abc @someone. mail@example.com #tag #1 #t1 ##",
    "http://example.com https://example.com/a?b=c. (https://example.com/x) word , < >",
)


@settings(max_examples=250, deadline=None)
@given(st.lists(st.sampled_from(sorted(ORDINARY)), max_size=6).map(" ".join))
def test_commands_mentions_and_tags_are_found_where_tdlib_finds_them(text: str) -> None:
    looked_for = {"bot_command", "mention", "hashtag", "url", "email"}

    theirs = [entity for entity in tdlib.detect(text) if entity[0] in looked_for]

    assert tdlib.ours(found(text)) == theirs


def test_nothing_is_found_inside_code() -> None:
    assert found("/help", [Entity("code", 0, 5)]) == ()
