"""The owner's pages against what others can write: names, titles, messages, words of apps."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import pytest
from pydantic import BaseModel

from core.clock import ManualClock
from core.errors import NotFound
from core.skills.skill import Skill
from core.store.audit import AuditLine
from tests.web.asgi import Browser
from tests.web.fakes import FakeAdministration, FakeBacking
from web.console.notes import Note, Notes
from web.sessions import Sessions

PROBE = '"><script>alert(1)</script><img src=x onerror=alert(1)>{{7*7}}'


@pytest.mark.parametrize(
    "path",
    [
        "/channels",
        "/bots/c1",
        "/people",
        "/groups",
        "/engines",
        "/engine/openai",
        "/apps",
        "/skills",
        "/activity",
        "/health",
    ],
)
async def test_nothing_from_outside_is_markup(poisoned: Browser, path: str) -> None:
    answer = await poisoned.get(path, accept="text/html")

    assert answer.status == 200
    assert "&lt;script&gt;" in answer.text
    assert "<script" not in answer.text
    assert "<img src=x" not in answer.text
    assert "49" not in answer.text.replace("2026", "")


@pytest.fixture
def poisoned(
    owner: Browser, administration: FakeAdministration, backing: FakeBacking, monkeypatch: pytest.MonkeyPatch
) -> Browser:
    """A console in which everything that others can set is an attack."""
    asked_for: tuple[tuple[object, str], ...] = (
        (administration, "channels"),
        (administration, "people"),
        (administration, "groups"),
        (administration.engines, "list"),
        (administration.engines, "models"),
        (administration.apps, "list"),
        (backing.checkup, "findings"),
        (backing.checkup, "deliveries"),
        (backing.skills, "list"),
        (backing.activity, "page"),
    )
    for whole, name in asked_for:
        monkeypatch.setattr(whole, name, poisoning(getattr(whole, name)))
    return owner


def poisoning(ask: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    async def asked(*given: Any) -> Any:
        return attacked(await ask(*given))

    return asked


def attacked(value: Any) -> Any:
    """The same, with the attack in place of every word that is not an id or one of a few."""
    if isinstance(value, tuple):
        return tuple(map(attacked, value))
    if isinstance(value, Skill):
        return replace(value, title=PROBE, description=PROBE, body=PROBE)
    if isinstance(value, AuditLine):
        return replace(value, by=PROBE, about=PROBE, address=PROBE)
    if not isinstance(value, BaseModel):
        return value
    words = {name: PROBE if name in OTHERS_SET else attacked(getattr(value, name)) for name in type(value).model_fields}
    return value.model_copy(update=words)


OTHERS_SET = frozenset(
    {"name", "username", "title", "preview", "detail", "trouble", "source", "model", "words", "why", "said", "todo"}
    | {"subject", "bot", "account"}
)


async def test_a_fault_that_quotes_outside_words_is_no_markup(
    owner: Browser, administration: FakeAdministration
) -> None:
    administration.error = NotFound(f"There is no bot “{PROBE}”.")

    form = urlencode({"pasted": PROBE}).encode()
    answer = await owner.post("/bots/new/telegram", form, content_type="application/x-www-form-urlencoded")

    assert answer.status == 422
    assert "<script" not in answer.text


def test_a_session_is_not_kept_as_it_is() -> None:
    sessions, notes = Sessions(ManualClock()), Notes()
    session = sessions.exchange(sessions.new_link_token()) or ""

    notes.keep(session, Note("done"))

    assert session not in str(vars(notes))
