"""Engines as the owner connects them, over a server on this machine."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from channels.memory.app import MemoryApp
from channels.memory.kind import MemoryKind
from conch.admin import Admin
from conch.app import App, composed
from conch.engines import LOOK_SECONDS
from conch.home import Home
from conch.machine import NOTHING_FOUND, Found, Machine
from conch.settings import ProgramSettings
from core.clock import ManualClock
from core.engines.demo.engine import DemoEngine
from core.engines.registry import Standing
from core.errors import NotFound, Refused, TryLater, UsageError
from core.safety.secrets import KEY_FILE
from core.store.engines import EngineRows
from tests.conch.model_server import KEY, ModelServer, model_server
from web.engines import NewEngine

Begin = Callable[..., AbstractAsyncContextManager[App]]

OLLAMA = Found("ollama", "Ollama", "the Ollama at http://127.0.0.1:9", "http://127.0.0.1:9/v1")


@pytest.fixture
def secrets() -> list[str]:
    """What was kept out of logs."""
    return []


@pytest.fixture
def begin(place: Home, clock: ManualClock, shell: MemoryApp, secrets: list[str]) -> Begin:
    """Begins a life of the program over one data folder."""

    @asynccontextmanager
    async def life(machine: Machine = NOTHING_FOUND, **settings: str) -> AsyncIterator[App]:
        async with composed(
            place,
            ProgramSettings.model_validate(settings),
            clock=clock,
            kinds={"shell": MemoryKind(clock, shell)},
            engines=[DemoEngine(clock, "wait", pace=0)],
            remember=secrets.append,
        ) as app:
            await app.connections.open(machine)
            yield app

    return life


@pytest.fixture
async def server() -> AsyncIterator[ModelServer]:
    async with model_server() as running:
        yield running


def new(server: ModelServer, key: str = KEY, **more: str) -> NewEngine:
    return NewEngine(kind="compatible", pasted=SecretStr(key), url=server.url, **more)


@asynccontextmanager
async def beside(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Something that goes on for the length of a block."""
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def bytes_in(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


async def test_what_was_connected_answers_by_default_and_is_there_in_the_next_life(
    begin: Begin, server: ModelServer
) -> None:
    async with begin() as app:
        added = await Admin(app).engines.add(new(server, name="shed", model="toy-small"))

    async with begin() as app:
        trial = await Admin(app).engines.test("shed")

    assert (added.updated, added.engine.is_default, added.engine.models) == (False, True, 2)
    assert (trial.problem, trial.model, trial.input, trial.output) == (None, "toy-small", 30, 4)
    assert trial.answer.startswith("toy-small heard: Are you there?")
    assert server.used == ["toy-small"]


async def test_the_key_is_on_the_disk_only_sealed_and_kept_out_of_logs(
    begin: Begin, server: ModelServer, place: Home, secrets: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    async with begin() as app:
        await Admin(app).engines.add(new(server))
        listed = await Admin(app).engines.list()

    assert KEY.encode() not in bytes_in(place.path)
    assert KEY in secrets
    assert KEY not in f"{listed!r}{capsys.readouterr()}"


async def test_a_key_that_the_server_does_not_take_is_not_stored(begin: Begin, server: ModelServer) -> None:
    async with begin() as app:
        with pytest.raises(Refused, match="does not take this key, so nothing was stored") as raised:
            await Admin(app).engines.add(new(server, key="wrong-key-0123456789"))

        assert await app.connections.records() == ()
        assert app.engines.default.id == "demo"
    assert "wrong-key" not in str(raised.value)


async def test_a_server_that_is_not_there_is_not_stored(begin: Begin) -> None:
    async with begin() as app:
        with pytest.raises(TryLater, match=r"cannot be reached at http://127\.0\.0\.1:9/v1, so nothing was stored"):
            await Admin(app).engines.add(NewEngine(kind="ollama", url="127.0.0.1:9"))

        assert await app.connections.records() == ()


async def test_a_server_without_a_model_or_without_the_wanted_one_is_not_stored(
    begin: Begin, server: ModelServer
) -> None:
    async with begin() as app:
        with pytest.raises(NotFound, match=r"no model “toy-hug”\. It has: toy-large, toy-small"):
            await Admin(app).engines.add(new(server, model="toy-hug"))
        server.models = ()
        with pytest.raises(NotFound, match="no model to talk to yet"):
            await Admin(app).engines.add(new(server))

        assert await app.connections.records() == ()


async def test_the_same_one_again_gets_its_new_key_and_another_one_needs_another_name(
    begin: Begin, server: ModelServer
) -> None:
    async with begin() as app, model_server() as other:
        await Admin(app).engines.add(new(server))
        server.key = "the-new-key-0123456789"

        again = await Admin(app).engines.add(new(server, key=server.key))
        with pytest.raises(UsageError, match="--name"):
            await Admin(app).engines.add(new(other))
        with pytest.raises(UsageError, match="built in"):
            await Admin(app).engines.add(new(other, name="demo"))

        assert again.updated
        assert [record.id for record in await app.connections.records()] == ["compatible"]


# ---- choosing -------------------------------------------------------------------------------------------------------


async def test_the_default_and_its_model_are_chosen_by_any_part_of_a_name(begin: Begin, server: ModelServer) -> None:
    async with begin() as app:
        engines = Admin(app).engines
        await engines.add(new(server, name="shed"))

        chosen = await engines.make_default("shed", "small")
        with pytest.raises(UsageError, match="Which one: toy-large, toy-small"):
            await engines.make_default("shed", "toy")
        with pytest.raises(NotFound, match="has no model “huge”"):
            await engines.make_default("shed", "huge")
        with pytest.raises(NotFound, match=r"no engine “gone”\. There is: shed, demo"):
            await engines.make_default("gone", None)

        assert (chosen.model, chosen.is_default) == ("toy-small", True)
        assert app.preferences.current.default_model == "toy-small"


async def test_a_removed_engine_is_forgotten_with_the_settings_that_name_it(begin: Begin, server: ModelServer) -> None:
    async with begin() as app:
        engines = Admin(app).engines
        await engines.add(new(server, name="shed"))
        await engines.make_default("shed", "toy-small")
        await engines.make_fallback("shed")

        removed = await engines.remove("shed")

        current = app.preferences.current
        assert removed.answers == "Demo"
        assert (current.default_engine, current.default_model, current.fallback_engine) == (None, None, None)
        assert app.engines.all() == (app.engines.default,)
    async with begin() as app:
        assert app.engines.get("shed") is None


async def test_the_fallback_is_chosen_and_taken_back(begin: Begin) -> None:
    async with begin() as app:
        engines = Admin(app).engines

        chosen = await engines.make_fallback("demo")
        listed = await engines.list()
        nothing = await engines.make_fallback(None)

    assert chosen is not None
    assert [each.is_fallback for each in listed.engines] == [True]
    assert nothing is None


# ---- found on the machine -------------------------------------------------------------------------------------------


async def test_what_is_found_answers_instead_of_the_demo_and_is_never_stored(
    begin: Begin, server: ModelServer, place: Home, secrets: list[str]
) -> None:
    key = SecretStr(KEY)
    found = Machine((Found("openai", "OpenAI", "the OPENAI_API_KEY that is set here", server.url, key),))

    async with begin(found) as app:
        listed = await Admin(app).engines.list()
        with pytest.raises(NotFound, match="is here by the OPENAI_API_KEY that is set here, and not connected"):
            await Admin(app).engines.remove("openai")

        [first, demo] = listed.engines
        assert (first.id, first.standing, first.source) == ("openai", "found", "the OPENAI_API_KEY that is set here")
        assert (first.is_default, demo.is_default) == (True, False)
        assert await app.connections.records() == ()
    assert KEY.encode() not in bytes_in(place.path)
    assert KEY in secrets


async def test_what_the_owner_connected_is_used_over_what_was_found(begin: Begin, server: ModelServer) -> None:
    async with begin() as app:
        await Admin(app).engines.add(NewEngine(kind="ollama", url=server.url, pasted=SecretStr(KEY)))

    async with begin(Machine((OLLAMA,))) as app:
        assert app.engines.standing("ollama") is Standing.CONNECTED
        assert app.connections.found == {}


async def test_a_server_that_is_started_later_is_found(begin: Begin, clock: ManualClock) -> None:
    async with begin() as app:
        looks = [NOTHING_FOUND, Machine((OLLAMA,))]

        async def look() -> Machine:
            return looks.pop(0) if len(looks) > 1 else looks[0]

        async with beside(app.connections.watch(look)):
            await clock.advance(LOOK_SECONDS)
            after_one = app.engines.default.id
            await clock.advance(LOOK_SECONDS)
            after_two = app.engines.default.id

    assert (after_one, after_two) == ("demo", "ollama")


async def test_in_the_playground_the_demo_goes_on_answering(begin: Begin) -> None:
    async with begin() as app:
        app.connections.take(Machine((OLLAMA,)), Standing.ASIDE)

        assert app.engines.default.id == "demo"
        await Admin(app).engines.make_default("ollama", None)
        assert app.engines.default.id == "ollama"


# ---- what is broken keeps nothing back ------------------------------------------------------------------------------


async def test_a_record_that_cannot_be_used_keeps_nothing_from_starting(
    begin: Begin, server: ModelServer, place: Home
) -> None:
    async with begin() as app:
        await Admin(app).engines.add(new(server, name="shed"))
    (place.path / KEY_FILE).unlink()

    async with begin() as app:
        await app.start()
        listed = await Admin(app).engines.list()
        with pytest.raises(UsageError, match="sealed with another secret key"):
            await Admin(app).engines.test("shed")
        diagnosis = await Admin(app).diagnose()
        await Admin(app).engines.remove("shed")
        after = await Admin(app).engines.list()

    assert [(each.id, each.state) for each in listed.engines] == [("demo", "ready"), ("shed", "broken")]
    assert diagnosis.engines == listed.engines
    assert [each.id for each in after.engines] == ["demo"]


async def test_a_record_of_a_kind_that_this_release_does_not_know_is_said(begin: Begin, place: Home) -> None:
    async with begin() as app:
        await EngineRows(app.database).put(
            "old", kind="oracle", title="Oracle", base_url=None, credentials=None, model=None
        )

    async with begin() as app:
        [broken] = app.connections.broken

    assert broken.why == "This release knows no engines of the kind “oracle”: run `conch engines remove old`."


async def test_a_default_that_is_not_there_is_said_with_what_answers_in_its_place(begin: Begin) -> None:
    async with begin(default_engine="oracle") as app:
        listed = await Admin(app).engines.list()

    assert listed.remarks == (
        "The settings name “oracle”, which is not connected, so Demo answers in its place. "
        "Connect it (`conch engines add`), or choose another (`conch engines default`).",
    )
