"""What a model session still knows in the next turn: folds, summaries, files and refusals."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic_ai.exceptions import ContentFilterError, ModelHTTPError
from pydantic_ai.messages import BinaryContent, ModelMessage, UserPromptPart
from pydantic_ai.models.function import AgentInfo

from core.clock import ManualClock
from core.engines.base import Ended, EndReason, ModelInfo, ModelOptions, Noticed, TurnInput
from core.engines.models.answering import CUT
from core.engines.scripted import ScriptedHost
from core.files import FileStore
from tests.core.engines.models.playing import CONNECTION, Piece, Playing, engine_of, prompts
from tests.core.engines.rigs import endings, read, words


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


async def remembers(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Piece]:
    yield "They like tea." if "keep the memory" in (info.instructions or "") else "All right."


async def test_a_fold_that_was_asked_for_keeps_the_newest_turn_and_the_summary(clock: ManualClock) -> None:
    provider = Playing(remembers)
    session = await engine_of(provider, clock).open(None)
    for seq, said in enumerate(("I like tea", "and cake", "and you?")):
        await read(session, TurnInput(said, first_seq=seq * 5), ScriptedHost(), clock)

    compacted = await session.compact(None, ModelOptions())
    again = await engine_of(provider, clock).open(json.loads(json.dumps(session.state())))
    await read(again, TurnInput("what do I like?", first_seq=20), ScriptedHost(), clock)

    assert compacted is not None
    assert (compacted.summary, compacted.before_seq, compacted.turns) == ("They like tea.", 10, 2)
    first, second = prompts(provider.asked[-1][0])
    assert "They like tea." in first
    assert first.endswith("and you?")
    assert second == "what do I like?"


async def test_there_is_nothing_to_fold_in_one_turn(clock: ManualClock) -> None:
    session = await engine_of(Playing(remembers), clock).open(None)
    await read(session, TurnInput("I like tea"), ScriptedHost(), clock)

    assert await session.compact(None, ModelOptions()) is None


async def test_a_summary_is_asked_of_the_chats_own_model_where_the_cheapest_has_none(clock: ManualClock) -> None:
    cheap = ModelInfo("gpt-5.6-luna", "Luna")

    async def script(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Piece]:
        if provider.settings_asked[-1][0] == cheap.id:
            raise ModelHTTPError(503, cheap.id)
        async for piece in remembers(messages, info):
            yield piece

    provider = Playing(script, (ModelInfo("gpt-5.6-sol", "Sol"), cheap))
    engine = engine_of(provider, clock, connection=replace(CONNECTION, kind="openai"))
    session = await engine.open(None)
    for seq in (0, 5):
        await read(session, TurnInput("I like tea", first_seq=seq), ScriptedHost(), clock)

    compacted = await session.compact(None, ModelOptions())

    assert compacted is not None
    assert compacted.model == "gpt-5.6-sol"
    assert [model for model, _, _ in provider.settings_asked][-2:] == ["gpt-5.6-luna", "gpt-5.6-sol"]


async def test_a_server_that_cut_off_what_it_was_sent_is_told_of_once(clock: ManualClock) -> None:
    provider = Playing(remembers)  # the library's FunctionModel counts 50 tokens, whatever is sent
    engine = engine_of(provider, clock, connection=replace(CONNECTION, kind="ollama"))
    session = await engine.open(None)

    first = await read(session, TurnInput("a long story " * 1_000), ScriptedHost(), clock)
    again = await engine.open(json.loads(json.dumps(session.state())))
    second = await read(again, TurnInput("go on", first_seq=5), ScriptedHost(), clock)

    assert [event.message for event in first if isinstance(event, Noticed)] == [CUT.format(engine="Toy")]
    assert not any(isinstance(event, Noticed) for event in second)


async def test_a_picture_that_a_service_refused_is_not_sent_again(clock: ManualClock, tmp_path: Path) -> None:
    def has_picture(messages: list[ModelMessage]) -> bool:
        prompts = [part for message in messages for part in message.parts if isinstance(part, UserPromptPart)]
        return any(isinstance(item, BinaryContent) for prompt in prompts for item in prompt.content)

    async def script(messages: list[ModelMessage], _: AgentInfo) -> AsyncIterator[Piece]:
        if has_picture(messages):
            raise ModelHTTPError(400, "toy-1", {"message": "cannot decode this image"})
        yield "I see words only."

    kept = await FileStore(tmp_path).save_bytes("cat.png", "image/png", b"\x89PNG\r\n\x1a\n....")
    session = await engine_of(Playing(script), clock, tmp_path).open(None)

    refused = await read(session, TurnInput("look", attachments=(kept,)), ScriptedHost(), clock)
    answered = await read(session, TurnInput("and now?", first_seq=5), ScriptedHost(), clock)

    assert [ended.reason for ended in endings(refused)] == [EndReason.REJECTED]
    assert endings(answered) == [Ended(EndReason.DONE)]
    assert "attachment:" not in json.dumps(session.state())


async def test_what_a_service_refused_by_its_rules_is_not_put_before_it_again(clock: ManualClock) -> None:
    async def script(messages: list[ModelMessage], _: AgentInfo) -> AsyncIterator[Piece]:
        if "forbidden" in str(prompts(messages)):
            raise ContentFilterError("no")
        yield "Of course."

    session = await engine_of(Playing(script), clock).open(None)

    refused = await read(session, TurnInput("forbidden"), ScriptedHost(), clock)
    answered = await read(session, TurnInput("something nice", first_seq=5), ScriptedHost(), clock)

    assert [ended.reason for ended in endings(refused)] == [EndReason.REFUSED]
    assert words(answered) == "Of course."


async def test_what_was_learnt_of_one_model_is_forgotten_with_it(clock: ManualClock) -> None:
    provider = Playing(remembers, (ModelInfo("toy-1", "Toy 1"), ModelInfo("toy-2", "Toy 2")))
    engine = engine_of(provider, clock)
    session = await engine.open(None)
    await read(session, TurnInput("hi"), ScriptedHost(), clock)
    learnt = {**session.state(), "window": 4_096, "scale": 2.0}

    same, other = await engine.open(learnt), await engine.open(learnt)
    await read(same, TurnInput("hi", first_seq=5), ScriptedHost(), clock)
    await read(other, TurnInput("hi", first_seq=5, options=ModelOptions(model="toy-2")), ScriptedHost(), clock)

    assert (same.state()["window"], same.state()["scale"]) == (4_096, 2.0)
    assert (other.state()["window"], other.state()["scale"]) == (None, 1.0)
