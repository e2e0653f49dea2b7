"""What holds for any text at all, in every dialect; the long run of each is marked slow."""

import re
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from channels.formatting.clean import utf16
from channels.formatting.parts import Dialect, format_message
from tests.channels.formatting.markdown_texts import LONG, NOISE, PROSE, answers, words_of
from tests.channels.formatting.tdlib import parse_html

TEXTS = st.one_of(NOISE, LONG, answers())
LIMITS = st.one_of(st.none(), st.integers(200, 3000))
MEASURES: dict[Dialect, tuple[Callable[[str], int], int]] = {
    Dialect.discord: (len, 2000),
    Dialect.slack: (utf16, 12_000),
    Dialect.mrkdwn: (utf16, 4000),
    Dialect.teams: (utf16, 20_000),
}
SLOW = settings(max_examples=1500, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def quick(examples: int) -> settings:
    return settings(max_examples=examples, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def telegram_reads_what_was_measured(text: str, limit: int | None) -> None:
    for part in format_message(text, Dialect.telegram, limit):
        read = parse_html(part.text)
        assert 0 < read.length <= min(limit or 4096, 4096)
        assert len(read.entities) <= 100
        assert utf16(part.plain) <= min(limit or 4096, 4096)
        assert without_addresses(part.plain) == without_addresses(read.text)


def without_addresses(text: str) -> str:
    """Plain text has the addresses of links as well, in brackets."""
    return re.sub(r" \((?:https?|tg):[^\n]*?\)", "", text)


def parts_fit(text: str, limit: int | None) -> None:
    for dialect, (measure, most) in MEASURES.items():
        for part in format_message(text, dialect, limit):
            assert 0 < measure(part.text) <= min(limit or most, most)
            assert measure(part.plain) <= min(limit or most, most)


def fences_close(text: str, limit: int | None) -> None:
    """Each fence that opens closes in the same part, whatever stands between."""
    for dialect in (Dialect.discord, Dialect.slack, Dialect.mrkdwn, Dialect.teams):
        for part in format_message(text, dialect, limit):
            assert open_fence(part.text) is None


def open_fence(text: str) -> str | None:
    """The fence that a reader of Markdown has open at the end."""
    fence = None
    for line in text.split("\n"):
        words = re.sub(r"^(?:> )+", "", line)
        ticks = re.match("`{3,}", words)
        if fence is None:
            fence = ticks.group() if ticks and "`" not in words[ticks.end() :] else None
        elif ticks and words.strip() == ticks.group() and len(ticks.group()) >= len(fence):
            fence = None
    return fence


def nothing_is_lost(text: str, limit: int | None) -> None:
    """All letters of the source in order; a word that is longer than a part is cut."""
    for dialect in Dialect:
        said = "".join(words_of(" ".join(part.plain for part in format_message(text, dialect, limit))))
        rest = iter(said)
        assert all(letter in rest for word in words_of(text) if not word.isdigit() for letter in word), dialect


def nobody_is_called(text: str, limit: int | None) -> None:
    discord = "\n".join(part.text for part in format_message(text, Dialect.discord, limit))
    slack = "\n".join(part.text for part in format_message(text, Dialect.slack, limit))
    mrkdwn = "\n".join(part.text for part in format_message(text, Dialect.mrkdwn, limit))
    telegram = "\n".join(part.text for part in format_message(text, Dialect.telegram, limit))
    assert not re.search(r"@everyone|@here|<@[!&]?\d|<#\d", discord, re.IGNORECASE)
    assert not re.search(r"<!(channel|here|everyone|subteam)|<[@#][A-Z0-9]+[|>]", slack)
    assert not re.search(r"<[!@#]", mrkdwn)
    assert not re.search(r"tg:/*user", " ".join(re.findall(r'href="[^"]*"', telegram)))


def what_is_markdown_reads_the_same_again(text: str) -> None:
    """Slack's and Teams' markup, read as Markdown, is the message: no escape too few or too many."""
    for dialect in (Dialect.slack, Dialect.teams):
        once, sent = format_message(text, Dialect.telegram), format_message(text, dialect)
        again = format_message(sent[0].text, Dialect.telegram) if sent else ()
        if len(once) == len(sent) == len(again) == 1:
            assert as_read(again[0].text) == as_read(once[0].text)


def as_read(html: str) -> tuple[str, list[tuple[str, str, str]]]:
    """Words and looks, whichever look is inside of which; without spaces and what keeps words harmless."""
    read = parse_html(html)
    return unspaced(read.text), sorted((found.kind, unspaced(found.text), found.about) for found in read.entities)


def unspaced(text: str) -> str:
    return re.sub(r"[\s\u200b]+", "", text)


PROMISES = [telegram_reads_what_was_measured, parts_fit, fences_close, nobody_is_called]


@pytest.mark.parametrize("promise", PROMISES)
@quick(40)
@given(text=TEXTS, limit=LIMITS)
def test_a_promise_holds_for_any_text(promise: Callable[[str, int | None], None], text: str, limit: int | None) -> None:
    promise(text, limit)


@quick(60)
@given(text=PROSE, limit=LIMITS)
def test_no_word_is_lost(text: str, limit: int | None) -> None:
    nothing_is_lost(text, limit)


@quick(40)
@given(text=st.one_of(answers(), PROSE))
def test_markdown_out_is_the_markdown_that_went_in(text: str) -> None:
    what_is_markdown_reads_the_same_again(text)


@quick(40)
@given(text=st.text(st.characters(exclude_categories=()), max_size=300))
def test_any_characters_are_formatted(text: str) -> None:
    for dialect in Dialect:
        for part in format_message(text, dialect):
            assert part.text.encode()


@pytest.mark.slow
@pytest.mark.parametrize("promise", PROMISES)
@SLOW
@given(text=TEXTS, limit=LIMITS)
def test_a_promise_holds_for_very_many_texts(
    promise: Callable[[str, int | None], None], text: str, limit: int | None
) -> None:
    promise(text, limit)


@pytest.mark.slow
@SLOW
@given(text=PROSE, limit=LIMITS)
def test_no_word_is_lost_from_very_many_texts(text: str, limit: int | None) -> None:
    nothing_is_lost(text, limit)


@pytest.mark.slow
@SLOW
@given(text=st.one_of(answers(), PROSE))
def test_very_many_texts_read_the_same_again(text: str) -> None:
    what_is_markdown_reads_the_same_again(text)


@pytest.mark.parametrize("text", ["# # # ", "# #", "## a #", "# a \\#", "# \\\\#", "# ## b ##"])
def test_a_heading_of_hashes_reads_the_same_again(text: str) -> None:
    what_is_markdown_reads_the_same_again(text)
