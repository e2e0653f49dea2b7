"""Which apps a person means, by their own words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.offers.catalog import catalog
from core.offers.cues import MAX_CLAUSE, MAX_READ, meant, named

APPS = catalog(demo=False)


def ids(words: str) -> list[str]:
    return [app.id for app in meant(words, APPS)]


@pytest.mark.parametrize(
    ("words", "app"),
    [
        ("What's on my calendar tomorrow?", "google-calendar"),
        ("do i have anything in GOOGLE   calendar today", "google-calendar"),
        ("Find the mail from Bob in Gmail", "gmail"),
        ("any unread emails?", "gmail"),
        ("Why don't you look at my schedule", "google-calendar"),
        ("I can't find the invoice in Gmail", "gmail"),
        ("Don't forget to put it in Todoist", "todoist"),
        ("I do not use Outlook, look in Gmail", "gmail"),
        ("put it in Linear please", "linear"),
        ("what was said in the Slack channel", "slack"),
        ("which jira tickets are mine", "atlassian"),
    ],
)
def test_a_wish_to_use_an_app_is_a_cue(words: str, app: str) -> None:
    assert ids(words) == [app]


@pytest.mark.parametrize(
    "words",
    [
        "run `gmail` for me",
        "```\nopen my calendar\n```",
        "```\nmy calendar, and the fence is never closed",
        "gmail.py does not start",
        "look at src/gmail/client",
        "my_calendar_gmail is undefined",
        "write to ada@gmail.com",
        "see https://github.com/ada/thing",
        "> what is in my calendar\nfunny, is it?",
    ],
)
def test_code_file_names_addresses_and_quotes_are_no_cue(words: str) -> None:
    assert ids(words) == []


@pytest.mark.parametrize(
    "words",
    [
        "I don't use Gmail",
        "I don\N{RIGHT SINGLE QUOTATION MARK}t use Gmail",
        "do it without Google Calendar",
        "never look into my inbox",
        "use a text file instead of Todoist",
        "Gmail is not for me",
        "I hate Notion pages",
    ],
)
def test_a_clause_that_says_no_is_no_cue(words: str) -> None:
    assert ids(words) == []


@pytest.mark.parametrize(
    "words",
    [
        "What is Gmail?",
        "how does Google Drive work",
        "Gmail vs Outlook?",
        "is Todoist better than Things",
        "write an essay about GitHub",
        "the Gmail API returns 403",
        "what do you think of Todoist",
        "alternatives to Google Drive",
        "who founded GitHub",
        "explain Home Assistant to me",
    ],
)
def test_talk_about_an_app_is_no_cue(words: str) -> None:
    assert ids(words) == []


@pytest.mark.parametrize("words", ["linear regression", "Linear regression", "cut me some slack", "a notion of time"])
def test_an_everyday_word_is_no_app(words: str) -> None:
    assert ids(words) == []


def test_a_part_of_a_word_is_no_cue() -> None:
    assert ids("gmailing my calendars") == []


def test_the_app_that_is_meant_first_comes_first() -> None:
    assert ids("look into my inbox, then put it into my calendar") == ["gmail", "google-calendar"]


def test_of_two_clauses_only_the_one_that_says_no_is_left_out() -> None:
    assert ids("look into my emails, not my calendar") == ["gmail"]


def test_a_name_or_an_id_is_named_however_it_is_meant() -> None:
    assert named("I never use Gmail, or google-drive", APPS) == {"gmail", "google-drive"}


def test_a_part_of_a_word_names_nothing() -> None:
    assert named("gmails and mcpx", APPS) == set()


def test_a_very_long_message_is_read_at_its_beginning() -> None:
    assert ids("Hello. " * MAX_READ + "Look into my calendar.") == []


def test_a_clause_that_never_ends_is_no_cue() -> None:
    assert ids("x " * MAX_CLAUSE + "my calendar") == []


@pytest.mark.parametrize("piece", ["a", "a.", "a-", "a_", "/", "@", "`", "how do ", "what is gmail ", "gmail ", "not "])
def test_a_message_of_one_thing_over_and_over_means_nothing(piece: str) -> None:
    assert ids(piece * 20_000) == []


@given(st.text(max_size=300))
def test_any_words_can_be_read(words: str) -> None:
    found = meant(words, APPS)

    assert len(set(found)) == len(found)


@given(st.lists(st.sampled_from(["my calendar", "Gmail", "not", "`", "```", "@", ".", "what is", "\n", "> ", "a/b"])))
def test_what_is_meant_does_not_depend_on_spaces_around(pieces: list[str]) -> None:
    words = " ".join(pieces)

    assert ids(words) == ids(words + "  ")
