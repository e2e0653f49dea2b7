"""A conversation with a model that has to make room: what it is sent, also after clear, undo and a restart."""

from collections.abc import AsyncIterator

import pytest
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models.function import AgentInfo

from core import events as ev
from core.decisions import Clear, RestoreContext
from core.engines.base import ModelInfo
from core.engines.models.engine import ModelEngine
from core.engines.scripted import ScriptedEngine
from core.options import OptionsChange
from core.store.log import EventLog
from core.store.usage import UsageRows
from tests.core.engines.models.playing import Piece, Playing, engine_of, prompts
from tests.core.lives import CHAT, Life, Start, echo, from_chat

SMALL = ModelInfo("toy-1", "Toy 1", window=10_000)
LONG = "x" * 3_600


async def answer(_: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Piece]:
    """A summary where one is asked for, else a word."""
    yield "They like tea." if "keep the memory" in (info.instructions or "") else "Fine."


def toy(start: Start, model: ModelInfo = SMALL) -> tuple[ModelEngine, Playing]:
    provider = Playing(answer, models=(model,))
    return engine_of(provider, start.clock), provider


def sent(provider: Playing) -> list[str]:
    """What a person said, as the model had it in the newest request."""
    return prompts(provider.asked[-1][0])


async def folds(life: Life) -> list[ev.Event]:
    return [event for event in await EventLog(life.database).read(CHAT) if isinstance(event.data, ev.ContextCompacted)]


async def until_it_folds(life: Life) -> list[str]:
    """Say long things until a fold stands in the log, and retell it."""
    for number in range(20):
        story = await life.answer(f"{number} {LONG}")
        if await folds(life):
            return story
    raise AssertionError("it never folded")


async def spent(life: Life) -> int:
    """Tokens of today."""
    today = await UsageRows(life.database).today()
    return today.tokens


async def compact(life: Life) -> None:
    await life.conversations.compact(CHAT, None, from_chat("ada"))
    await life.idle()


async def test_a_chat_that_grows_too_long_is_folded_before_the_model_hears_of_it(start: Start) -> None:
    engine, provider = toy(start)
    life = await start(engine)

    story = await until_it_folds(life)

    [fold] = await folds(life)
    assert story[-4:] == ["turn", "context.compacted", "Fine.", "end: success"]
    assert isinstance(fold.data, ev.ContextCompacted)
    assert (fold.data.summary, fold.data.asked, fold.data.engine) == ("They like tea.", False, "toy")
    first, *_ = sent(provider)
    assert "They like tea." in first
    assert "They like tea." not in (provider.asked[-1][1].instructions or "")


async def test_a_fold_names_the_oldest_turn_that_stayed(start: Start) -> None:
    engine, provider = toy(start)
    life = await start(engine)

    await until_it_folds(life)

    [fold] = await folds(life)
    assert isinstance(fold.data, ev.ContextCompacted)
    [oldest, *_] = sent(provider)
    [asked] = await EventLog(life.database).read(CHAT, after=fold.data.before_seq - 1, limit=1)
    assert isinstance(asked.data, ev.UserMessage)
    assert asked.data.text in oldest


async def test_asked_to_fold_the_model_goes_on_with_the_summary_and_the_newest_turn(start: Start) -> None:
    engine, provider = toy(start)
    life = await start(engine)
    for words in ("one", "two", "three"):
        await life.answer(words)

    await compact(life)
    await life.answer("four")

    first, second = sent(provider)
    assert first.endswith("three")
    assert "They like tea." in first
    assert second == "four"


async def test_what_the_summary_took_is_counted(start: Start) -> None:
    engine, _ = toy(start)
    life = await start(engine)
    for words in ("one", "two"):
        await life.answer(words)
    before = await spent(life)

    await compact(life)

    assert await spent(life) > before


async def test_a_summary_from_before_a_clear_never_reaches_the_model(start: Start) -> None:
    engine, provider = toy(start)
    life = await start(engine)
    for words in ("one", "two"):
        await life.answer(words)
    await compact(life)

    await life.conversations.decide(CHAT, Clear())
    await life.answer("three")

    assert sent(provider) == ["three"]


async def test_a_clear_taken_back_gives_the_summary_back(start: Start) -> None:
    engine, provider = toy(start)
    life = await start(engine)
    for words in ("one", "two"):
        await life.answer(words)
    await compact(life)

    await life.conversations.decide(CHAT, Clear())
    await life.conversations.decide(CHAT, RestoreContext(None))
    await life.answer("three")

    assert "They like tea." in sent(provider)[0]


async def test_the_summary_is_there_after_a_restart(start: Start) -> None:
    engine, _ = toy(start)
    life = await start(engine)
    for words in ("one", "two"):
        await life.answer(words)
    await compact(life)
    await life.is_over()

    again, provider = toy(start)
    life = await start(again)
    await life.answer("three")

    assert "They like tea." in sent(provider)[0]


@pytest.mark.parametrize("clears", [False, True], ids=["still remembered", "cleared"])
async def test_another_engine_gets_the_summary_along_with_what_it_missed_unless_it_was_cleared(
    start: Start, clears: bool
) -> None:
    engine, _ = toy(start, ModelInfo("toy-1", "Toy 1", window=100_000))
    other = ScriptedEngine(start.clock, echo, name="other")
    life = await start(engine, other)
    for number in range(8):
        await life.answer(f"{number} " + "y" * 11_000)
    await compact(life)
    if clears:
        await life.conversations.decide(CHAT, Clear())

    await life.answer("hello", options=OptionsChange(engine="other"))

    handed = other.turns[-1].handoff or ""
    assert ("They like tea." in handed) is not clears
    assert ("7 yyy" in handed) is not clears
