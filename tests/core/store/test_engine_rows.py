"""Engines that the owner connected, as rows."""

from typing import Any

import pytest

from core.clock import ManualClock
from core.store.database import Database
from core.store.engines import EngineRecord, EngineRows


@pytest.fixture
def rows(database: Database) -> EngineRows:
    return EngineRows(database)


async def put(rows: EngineRows, engine_id: str, **more: str | None) -> None:
    given: dict[str, Any] = {"kind": "openai", "title": "OpenAI", "base_url": None, "credentials": None, "model": None}
    await rows.put(engine_id, **{**given, **more})


async def test_what_was_kept_is_there_in_the_next_life(rows: EngineRows, clock: ManualClock) -> None:
    await put(
        rows, "home", kind="ollama", title="Ollama", base_url="http://nas:11434/v1", credentials=None, model="qwen"
    )

    assert await rows.list() == (
        EngineRecord("home", "ollama", "Ollama", "http://nas:11434/v1", None, "qwen", clock.now()),
    )


async def test_the_same_one_again_gets_its_new_key_and_keeps_its_place(rows: EngineRows, clock: ManualClock) -> None:
    await put(rows, "first", credentials="sealed")
    await clock.advance(1)
    await put(rows, "second", credentials="sealed")
    await clock.advance(1)

    await put(rows, "first", credentials="sealed anew")

    assert [(each.id, each.credentials) for each in await rows.list()] == [
        ("first", "sealed anew"),
        ("second", "sealed"),
    ]


async def test_one_that_was_removed_is_gone(rows: EngineRows) -> None:
    await put(rows, "first")

    assert await rows.remove("first")
    assert not await rows.remove("first")
    assert await rows.list() == ()


async def test_what_is_sealed_is_not_shown_even_sealed(rows: EngineRows) -> None:
    await put(rows, "first", credentials="canary")

    assert "canary" not in repr(await rows.list())
