"""A chat as a file: who said what, what was decided, and words that break out of nothing."""

import json

import pytest

from core import events as ev
from tests.core.event_logs import answered, asked, completed, log, said, started, wants_permission
from web.export import As, as_json, as_markdown, file_name


class Log:
    """A log of these events."""

    def __init__(self, *data: ev.EventData) -> None:
        self._events = log(*data)

    async def read(self, conversation_id: str, after: int = -1, limit: int | None = None) -> tuple[ev.Event, ...]:
        return tuple(event for event in self._events if event.seq > after)[:limit]


async def markdown(*data: ev.EventData, title: str = "Plans") -> str:
    return "".join([part async for part in as_markdown(Log(*data), "c", title)])  # type: ignore[arg-type]


async def test_what_was_said_and_decided_stands_there_in_order() -> None:
    text = await markdown(
        said("What now?\n# no heading"),
        started(),
        asked(),
        ev.QuestionAnswered(question_id="q1", answer={"when": "now"}, words="now", by="Ada"),
        wants_permission(),
        ev.PermissionResolved(permission_id="p1", decision="deny", by="Ada"),
        answered("**This** is how."),
        completed(),
        ev.ContextCleared(),
    )

    assert text.startswith("# Plans\n")
    parts = ["> What now?\n> # no heading", "Ada answered “now”", "Ada did not allow it", "**This** is how.", "Cleared"]
    places = [text.index(part) for part in parts]
    assert places == sorted(places)


async def test_a_title_is_no_markup() -> None:
    assert (await markdown(said(), title="a\n# b <x>")).startswith(r"# a \# b \<x\>")


async def test_the_data_are_the_events_of_the_api() -> None:
    events = [said(f"number {n}") for n in range(450)]

    text = "".join([part async for part in as_json(Log(*events), "c")])  # type: ignore[arg-type]

    found = json.loads(text)
    assert found["conversation_id"] == "c"
    assert [event["seq"] for event in found["events"]] == list(range(450))


@pytest.mark.parametrize(
    ("title", "made", "expected"),
    [
        ("My plans", "markdown", "My plans.md"),
        ("../../etc/passwd", "json", "etcpasswd.json"),
        ('a"; x=\r\nb', "json", "a x b.json"),
        ("", "markdown", "chat.md"),
        ("Über uns", "markdown", "Über uns.md"),
    ],
)
def test_a_file_has_a_name_that_is_safe_to_save(title: str, made: As, expected: str) -> None:
    assert file_name(title, made) == expected
