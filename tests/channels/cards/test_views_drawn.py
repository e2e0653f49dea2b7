"""Views as lists in a chat: readable, folded, and whatever is in them drawn as words."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings

from channels.cards.views import SHOWN, view_text
from channels.formatting.parts import Dialect, format_message
from core import views
from core.cards import ToolView
from tests.channels.formatting.markdown_texts import NOISE
from tests.channels.formatting.tdlib import parse_html


def at(hour: int, day: int = 24) -> datetime:
    return datetime(2026, 12, day, hour, 30, tzinfo=UTC)


def read(view: ToolView) -> str:
    """A view as a person reads it in Telegram."""
    return "\n".join(parse_html(part.text).text for part in format_message(view_text(view), Dialect.telegram))


def links(view: ToolView) -> list[str]:
    """Where its links lead in Telegram."""
    parts = format_message(view_text(view), Dialect.telegram)
    return [entity.about for part in parts for entity in parse_html(part.text).entities if entity.kind == "TextUrl"]


def test_an_agenda_is_told_day_by_day() -> None:
    rows = [
        {"title": "Tea", "start": at(9), "end": at(10), "location": "Kitchen", "call": "https://meet.example.com/x"},
        {"title": "Holiday", "start": at(0, 25), "all_day": True, "url": "https://example.com/h"},
    ]

    assert read(views.agenda(rows, at(0), at(0, 25))) == (
        "Agenda, Thu 24 December 2026 – Fri 25 December 2026\n\n"
        "Thu 24 December 2026:\n"
        "• 09:30–10:30 Tea, Kitchen · join\n\n"
        "Fri 25 December 2026:\n"
        "• Holiday"
    )
    assert links(views.agenda(rows)) == ["https://meet.example.com/x", "https://example.com/h"]


def test_mail_names_who_wrote_what_and_when() -> None:
    row = {"from": "Bob", "subject": "Lunch?", "date": at(9), "unread": True, "attachments": 2, "snippet": "At noon"}

    assert read(views.mail([row])) == "Mail\n\n• ● Bob · Lunch? · Thu 24 December 2026, 09:30 · 2 files: At noon"


def test_files_lead_where_they_are() -> None:
    view = views.files(
        [{"name": "plan.pdf", "owner": "Bob", "modified": "2026-12-24", "url": "https://x.example/a(b)"}]
    )

    assert read(view) == "Files\n\n• plan.pdf · Bob · Thu 24 December 2026 · open"
    assert links(view) == ["https://x.example/a%28b%29"]


def test_messages_stand_under_their_place() -> None:
    view = views.messages("#team", [{"author": "Bob", "text": "Hello", "at": "yesterday"}])

    assert read(view) == "#team\n\n• Bob · yesterday: Hello"


@pytest.mark.parametrize(
    ("view", "words"),
    [
        (views.agenda([]), "Agenda\n\nNo appointments."),
        (views.mail([]), "Mail\n\nNo mail found."),
        (views.files([]), "Files\n\nNo files found."),
        (views.messages("", []), "Messages\n\nNo messages."),
    ],
)
def test_an_empty_view_says_that_there_is_nothing(view: ToolView, words: str) -> None:
    assert read(view) == words


def test_a_long_view_folds() -> None:
    view = views.files([{"name": f"{number}.txt"} for number in range(22)])

    *_, last, _, more = read(view).split("\n")

    assert (last, more) == (f"• {SHOWN - 1}.txt", "12 more")


def test_a_name_calls_nobody_and_a_label_hides_no_address() -> None:
    view = views.mail([{"from": "@ada", "subject": "See https://bank.com", "url": "https://evil.com/"}])

    assert "@ada" not in read(view)
    assert links(view) == []
    assert "(https://evil.com/)" in read(view)


@settings(max_examples=60)
@given(NOISE)
def test_hostile_words_are_drawn_as_words(noise: str) -> None:
    for view in (
        views.mail([{"from": noise or "x", "subject": noise, "snippet": noise}]),
        views.messages(noise, [{"author": noise or "x", "text": noise}]),
        views.agenda([{"title": noise, "start": noise, "location": noise}]),
    ):
        parts = format_message(view_text(view), Dialect.telegram)
        entities = [entity.kind for part in parts for entity in parse_html(part.text).entities]

        assert set(entities) <= {"Bold", "Italic"}
        assert entities.count("Bold") == 1
