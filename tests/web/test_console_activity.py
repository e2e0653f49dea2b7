"""The page of what was done: sentences, days, kinds and pages of it."""

from datetime import timedelta

import pytest

from core.store.audit import AuditLine, Deed
from tests.web.asgi import Browser
from tests.web.fakes import NOON, FakeBacking
from web.console.activity import MOST
from web.console.deeds import KINDS, said


def line(number: int, what: str = Deed.BOT_ON, about: str = "@my_bot") -> AuditLine:
    return AuditLine(number, NOON + timedelta(minutes=number), what, "The terminal", about, None)


def words(each: AuditLine) -> str:
    return "".join(piece.words for piece in said(each))


@pytest.mark.parametrize("deed", list(Deed))
def test_every_deed_has_a_sentence_and_exactly_one_kind(deed: Deed) -> None:
    sentence = words(line(1, deed))

    assert f"The terminal: {deed.value}" not in sentence
    assert "{" not in sentence
    assert [deed.value in kind.deeds for kind in KINDS].count(True) == 1


def test_a_deed_of_a_later_release_is_told_by_its_code() -> None:
    assert words(line(1, "moon{landing}")) == "The terminal: moonlanding @my_bot"


async def test_what_was_done_is_said_with_its_day_and_where_it_came_from(owner: Browser, backing: FakeBacking) -> None:
    text = (await owner.get("/activity")).text

    assert "<bdi>The terminal</bdi> let in <bdi>Ada</bdi>" in text
    assert "from <bdi>127.0.0.1</bdi>" in text
    assert "Earlier" not in text


async def test_where_nothing_was_done_the_page_says_what_will_stand_there(owner: Browser, backing: FakeBacking) -> None:
    backing.activity.lines = ()

    text = (await owner.get("/activity")).text

    assert "Nothing was done yet." in text
    assert "<select" not in text


async def test_earlier_lines_are_on_pages_of_their_own(owner: Browser, backing: FakeBacking) -> None:
    backing.activity.lines = [line(number, about=f"bot-{number}.") for number in range(MOST + 2, 0, -1)]

    first = (await owner.get("/activity?kind=bots")).text
    second = (await owner.get("/activity?kind=bots&before=3")).text

    assert 'href="/activity?kind=bots&amp;before=3">Earlier' in first
    assert [f"bot-{number}." in first for number in (3, 2)] == [True, False]
    assert [f"bot-{number}." in second for number in (3, 2, 1)] == [False, True, True]
    assert 'href="/activity?kind=bots">The newest' in second
    assert "Earlier" not in second


async def test_one_kind_can_be_looked_at_alone(owner: Browser, backing: FakeBacking) -> None:
    backing.activity.lines = [line(2), line(1, Deed.ALLOWED, "“Write note”")]

    allowed, engines = (
        (await owner.get("/activity?kind=allowed")).text,
        (await owner.get("/activity?kind=engines")).text,
    )

    assert "“Write note”" in allowed
    assert "@my_bot" not in allowed
    assert '<option value="allowed" selected>' in allowed
    assert "Nothing of that was done." in engines


@pytest.mark.parametrize("query", ["before=-1", f"before={1 << 63}", "before=x"])
async def test_a_place_that_cannot_be_is_refused(owner: Browser, query: str) -> None:
    answer = await owner.get(f"/activity?{query}")

    assert answer.status == 422


async def test_a_kind_that_is_none_shows_everything(owner: Browser) -> None:
    answer = await owner.get("/activity?kind=%22%3E%3Cscript%3E")

    assert answer.status == 200
    assert "<script" not in answer.text
    assert "let in" in answer.text
