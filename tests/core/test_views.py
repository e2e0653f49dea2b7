"""Views: what an app said becomes plain, capped rows, and a link only where it is a web address."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import events as ev
from core import views
from core.cards import AgendaView, MailRow, MailView, ToolView
from core.engines.base import HostToolResult, ToolAnswer
from core.engines.calls import Call, OrderedHost
from core.engines.scripted import ScriptedHost
from core.plain import plain
from core.views import cleaned, web_url

NOON = datetime(2026, 12, 24, 12, 0, tzinfo=UTC)
HOSTILE = "\u202eevil\u0000\x1b[31m\n\n<b>@everyone</b> [x](http://evil.com)" + "A" * 10_000_000


def mail_of(**fields: Any) -> MailView:
    return views.mail([{"from": "Bob", "subject": "Hi", **fields}])


# ---- plain words -----------------------------------------------------------------------------------------------------


def test_plain_words_are_one_line_without_what_nobody_sees() -> None:
    assert plain("  a\n\tb\u202ec\x00\u200bd  ", 20) == "a bcd"


def test_what_is_cut_says_so() -> None:
    assert plain("hello there", 8) == "hello t…"


def test_ten_megabytes_cost_no_more_than_what_is_kept() -> None:
    assert plain(" " * 10_000_000 + "x", 20) == "…"


@given(st.text(), st.integers(1, 50))
def test_plain_words_stay_as_they_are_a_second_time(text: str, most: int) -> None:
    once = plain(text, most)

    assert len(once) <= most
    assert plain(once, most) == once


# ---- links -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("address", ["https://example.com/a?b=c#d", "http://localhost:8080/x", "https://exämple.com/"])
def test_a_web_address_is_a_link(address: str) -> None:
    assert web_url(address) is not None


@pytest.mark.parametrize(
    "address",
    [
        None,
        "",
        7,
        "javascript:alert(1)",
        "data:text/html,<script>",
        "file:///etc/passwd",
        "tg://user?id=1",
        "https://bank.com@evil.com/",
        "https://user:secret@example.com/",
        "https://example.com/\u202egpj",
        "https://example.com/a b",
        "https://example.com/\nX",
        "https://",
        "https://example.com/" + "a" * 2_000,
    ],
)
def test_anything_else_is_none(address: object) -> None:
    assert web_url(address) is None


# ---- rows ------------------------------------------------------------------------------------------------------------


def test_hostile_words_become_short_plain_ones() -> None:
    [row] = mail_of(subject=HOSTILE, snippet=HOSTILE).rows

    assert row.subject.startswith("evil[31m <b>@everyone</b> [x](http://evil.com)A")
    assert (len(row.subject), len(row.snippet or "")) == (200, 500)


def test_a_bad_link_costs_the_link_and_not_the_row() -> None:
    [row] = mail_of(url="javascript:alert(1)").rows

    assert row == MailRow.model_validate({"from": "Bob", "subject": "Hi"})


@pytest.mark.parametrize(
    ("make", "most"),
    [
        (lambda count: views.agenda([{"title": "Tea", "start": NOON}] * count), 60),
        (lambda count: views.mail([{"from": "Bob", "subject": "Hi"}] * count), 30),
        (lambda count: views.files([{"name": "a.txt"}] * count), 30),
        (lambda count: views.messages("#team", [{"author": "Bob", "text": "Hi"}] * count), 30),
    ],
)
def test_a_view_has_so_many_rows_and_no_more(make: Callable[[int], ToolView], most: int) -> None:
    assert (len(make(most).rows), len(make(most + 1).rows)) == (most, most)


def test_a_row_without_what_it_needs_is_left_out() -> None:
    assert views.agenda([{"title": "Tea"}, {"start": NOON}]).rows[0].title == views.UNNAMED
    assert views.messages("#team", [{"author": "Bob"}]).rows == ()


ANY: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.just(NOON),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=3,
)
NAMES = st.sampled_from(["title", "start", "end", "from", "subject", "url", "call", "name", "author", "text", "unread"])


@settings(max_examples=60)
@given(st.lists(st.dictionaries(NAMES, ANY, max_size=8), max_size=4))
def test_whatever_an_app_says_is_a_view_that_is_stored_and_read_again(rows: list[dict[str, Any]]) -> None:
    for view in (views.agenda(rows, "now"), views.mail(rows), views.files(rows), views.messages("x", rows)):
        finished = ev.ToolFinished(tool_use_id="1", name="search", status="ok", view=view)

        read = ev.decode("tool.finished", json.loads(ev.encode(finished)))

        assert isinstance(read, ev.ToolFinished)
        assert read.view is not None
        assert cleaned(read.view).model_dump(mode="json") == view.model_dump(mode="json")


# ---- what an engine sees ---------------------------------------------------------------------------------------------


async def answered(result: ToolAnswer) -> tuple[ToolAnswer, ToolView | None]:
    """What an engine gets of a tool's result, and what is left for the person."""

    async def at_once(call: Call) -> None:
        call.go_on()

    host = OrderedHost(ScriptedHost(tool=result), at_once)
    answer = await host.call_tool("1", "search", {})
    return answer, host.take_view("1")


async def test_the_engine_sees_the_text_alone() -> None:
    view = AgendaView(rows=())

    answer, shown = await answered(HostToolResult("Nothing today.", view=view))

    assert type(answer) is ToolAnswer
    assert (answer, shown) == (ToolAnswer("Nothing today."), view)


async def test_a_tool_that_failed_shows_nothing() -> None:
    answer, shown = await answered(HostToolResult("It broke.", failed=True, view=AgendaView(rows=())))

    assert (answer, shown) == (ToolAnswer("It broke.", failed=True), None)
