"""Views full of what was made to break something: in every app they are drawn as words, within caps, calling nobody.

Read back by parsers that are not ours: TDLib's for Telegram, a plain CommonMark one for the dialects of Markdown.
"""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from channels.cards.views import SHOWN, view_text
from channels.formatting.clean import utf16
from channels.formatting.parts import LIMITS, Dialect, format_message
from core import views
from core.cards import ToolView
from core.views import MAX_AGENDA, MAX_ROWS
from tests.channels.formatting.markdown_texts import NOISE
from tests.channels.formatting.tdlib import parse_html

Make = Callable[[str, int], ToolView]


def agenda(words: str, count: int = 1) -> ToolView:
    row = {
        **{"title": words, "start": words or "now", "end": words, "location": words, "calendar": words, "color": words},
        **{"call": words, "url": words, "all_day": words},
    }
    return views.agenda([row] * count, words, words)


def mail(words: str, count: int = 1) -> ToolView:
    row = {"from": words or "x", "subject": words, "snippet": words, "date": words, "attachments": words, "url": words}
    return views.mail([row] * count)


def files(words: str, count: int = 1) -> ToolView:
    return views.files([{"name": words, "mime": words, "modified": words, "owner": words, "url": words}] * count)


def messages(words: str, count: int = 1) -> ToolView:
    return views.messages(words, [{"author": words or "x", "text": words or "x", "at": words, "url": words}] * count)


KINDS: Final[Mapping[str, Make]] = {"agenda": agenda, "mail": mail, "files": files, "messages": messages}
ROWS: Final = {"agenda": MAX_AGENDA, "mail": MAX_ROWS, "files": MAX_ROWS, "messages": MAX_ROWS}

BAD_LINKS = (
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    " javascript:alert(1)",
    "java\nscript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:x",
    "file:///etc/passwd",
    "tg://user?id=1",
    "https://bank.com@evil.com/",
    "https://evil.com/\u202ecod.exe",
    "https://evil.com/a b",
    "https://evil.com/\x00",
    "//evil.com",
    f"https://evil.com/{'a' * 2_000}",
    "https://",
)
HOSTILE = st.one_of(NOISE, st.sampled_from(BAD_LINKS), st.tuples(NOISE, st.sampled_from(BAD_LINKS)).map(" ".join))

UNSEEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
"""No text that is sent has one: control characters, what turns the direction of what follows, half characters."""

# nobody is called in the address of a link, which Telegram reads no words in
CALLS: Final[Mapping[Dialect, re.Pattern[str]]] = {
    Dialect.telegram: re.compile(r"href=\"tg:|(?<![\w\u2060])@\w{5,}(?![^<>]*\">)"),
    Dialect.discord: re.compile(r"@everyone|@here|(?<!\\)<(?:[@#:/]|a:|t:|id:)[!&\w]"),
    Dialect.slack: re.compile(r"<[!@#]|@(?:channel|here|everyone)\b"),
    Dialect.mrkdwn: re.compile(r"<[!@#]|@(?:channel|here|everyone)\b"),
    Dialect.teams: re.compile(r"<at>"),
    Dialect.text: re.compile(r"(?!)"),
}
MARKDOWN: Final = MarkdownIt("commonmark").enable(["strikethrough", "table"])
DISCORDS: Final = MarkdownIt("commonmark").enable("strikethrough").disable(["html_block", "html_inline", "entity"])
"""Discord knows no HTML and no tables."""
HARMLESS: Final = frozenset({"paragraph", "list_item", "bullet_list", "strong", "em", "text", "link", "inline"})
BREAKS: Final = frozenset({"softbreak", "hardbreak"})


def drawn(view: ToolView, dialect: Dialect) -> list[str]:
    return [part.text for part in format_message(view_text(view), dialect)]


def shapes(text: str, reader: MarkdownIt) -> tuple[list[str], list[str]]:
    """What a reader of Markdown makes of a text: the kinds of things in it, and where links lead."""
    kinds, links = list[str](), list[str]()
    for token in reader.parse(text):
        for each in (token, *(token.children or ())):
            kinds.append(re.sub(r"_(?:open|close)$", "", each.type))
            links += [str(each.attrs["href"])] if each.type == "link_open" else []
    return kinds, links


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(words=HOSTILE)
def test_whatever_an_app_says_is_drawn_as_words_in_telegram(kind: str, words: str) -> None:
    for text in drawn(KINDS[kind](words, 2), Dialect.telegram):
        entities = parse_html(text).entities

        assert {entity.kind for entity in entities} <= {"Bold", "Italic", "TextUrl"}
        assert all(entity.about.startswith(("http://", "https://")) for entity in entities if entity.kind == "TextUrl")
        assert sum(entity.kind == "Bold" for entity in entities) <= 1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dialect", [Dialect.discord, Dialect.slack, Dialect.teams])
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(words=HOSTILE)
def test_whatever_an_app_says_is_drawn_as_words_in_markdown(dialect: Dialect, kind: str, words: str) -> None:
    for text in drawn(KINDS[kind](words, 2), dialect):
        kinds, links = shapes(text, DISCORDS if dialect is Dialect.discord else MARKDOWN)

        assert set(kinds) <= HARMLESS | BREAKS, text
        assert all(link.startswith(("http://", "https://")) for link in links), text


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dialect", Dialect)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(words=HOSTILE)
def test_whatever_an_app_says_fits_and_calls_nobody(dialect: Dialect, kind: str, words: str) -> None:
    for text in drawn(KINDS[kind](words, 2), dialect):
        assert not UNSEEN.search(text)
        assert not CALLS[dialect].search(text), text
        if dialect is Dialect.mrkdwn:
            assert all(re.match(r"https?://", found) for found in re.findall(r"<([^>]*)", text)), text
        if dialect is not Dialect.telegram:  # which measures what it reads, and is asked above
            assert (len if dialect is Dialect.discord else utf16)(text) <= LIMITS[dialect]


@pytest.mark.parametrize("link", BAD_LINKS)
@pytest.mark.parametrize("kind", KINDS)
def test_an_address_that_is_no_plain_web_address_is_no_link(kind: str, link: str) -> None:
    text = view_text(KINDS[kind](link, 1))

    assert "](" not in text


@pytest.mark.parametrize("dialect", Dialect)
@pytest.mark.parametrize("kind", KINDS)
def test_ten_megabytes_and_ten_thousand_rows_are_a_short_message(kind: str, dialect: Dialect) -> None:
    words = "*_[@everyone](javascript:x) \u202e\x00" * 350_000
    view = KINDS[kind](words, 10_000)

    parts = drawn(view, dialect)

    assert len(view.rows) == ROWS[kind]
    assert len(view.model_dump_json()) < 100_000
    assert f"{ROWS[kind] - SHOWN} more" in re.sub(r"\W+", " ", parts[-1])
    assert sum(map(len, parts)) < 30_000


def test_the_text_of_a_view_is_the_same_when_it_was_stored_by_something_else() -> None:
    view = messages("a", 1).model_copy(update={"place": "b\u202e\x00" + "c" * 10_000})

    assert len(view_text(view)) < 300
    assert not UNSEEN.search(view_text(view))


def test_moments_are_told_as_they_are_stored() -> None:
    at: Any = datetime(2026, 12, 24, 9, 30, tzinfo=UTC)

    assert "09:30" in view_text(views.mail([{"from": "Bob", "subject": "Lunch", "date": at}]))
