"""What was done, as programs read it."""

import pytest

from conch.app import App
from core.store.audit import Audit, Deed
from tests.web.api.conftest import Program


@pytest.fixture
async def audit(built: App) -> Audit:
    """Five deeds, after those that the tests' own tokens are."""
    book = Audit(built.database)
    for number in range(5):
        await book.note(Deed.ALLOWED if number % 2 else Deed.BOT_ON, "Ada", str(number), "127.0.0.1")
    return book


async def test_pages_follow_each_other_to_the_last(viewer: Program, audit: Audit) -> None:
    query = "limit=2&what=bot-on&what=allowed"
    first = (await viewer.get(f"/activity?{query}")).json
    second = (await viewer.get(f"/activity?{query}&before={first['next']}")).json
    third = (await viewer.get(f"/activity?{query}&before={second['next']}")).json

    told = [each["about"] for page in (first, second, third) for each in page["lines"]]
    assert told == ["4", "3", "2", "1", "0"]
    assert third["next"] is None
    assert {name: first["lines"][0][name] for name in ("what", "by", "address")} == {
        "what": "bot-on",
        "by": "Ada",
        "address": "127.0.0.1",
    }


async def test_one_kind_can_be_asked_for(viewer: Program, audit: Audit) -> None:
    told = (await viewer.get("/activity?what=allowed")).json

    assert [each["about"] for each in told["lines"]] == ["3", "1"]


@pytest.mark.parametrize("query", ["limit=0", "limit=101", "before=-1", f"before={1 << 63}", "what=dance"])
async def test_what_cannot_be_asked_is_refused(viewer: Program, query: str) -> None:
    assert (await viewer.get(f"/activity?{query}")).status == 422


async def test_what_a_program_changes_is_told_with_its_name(program: Program, viewer: Program) -> None:
    await program.patch("/settings", {"voice": "kind"})

    [line] = (await viewer.get("/activity?what=setting-changed")).json["lines"]
    assert line["by"].startswith("The API (")
    assert line["about"].startswith("voice from ")
