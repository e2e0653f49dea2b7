"""Folding a conversation's memory because somebody asked: what the log says, what is remembered, what waits."""

import asyncio
from contextlib import suppress

import pytest

from core import events as ev
from core.compacting import NOT_NOW, NOTHING_TO_FOLD
from core.decisions import Clear, Configure, RestoreContext
from core.engines.run import STOP_GRACE
from core.engines.scripted import ScriptedEngine
from core.errors import Busy, NotFound, TryLater
from core.live import Folding
from core.options import OptionsChange
from core.outcomes import FoldOutcome
from core.store.inbox import Done, Inbox, Received
from core.store.sessions import SavedSession, Sessions
from core.store.usage import AddUsage, UsageRows
from tests.core.folders import FoldingEngine
from tests.core.lives import CHAT, Life, Start, echo, from_chat

ADA = from_chat("ada")


async def after(start: Start, engine: FoldingEngine, *words: str) -> Life:
    """A life in which these were said and answered."""
    life = await start(engine)
    for each in words:
        await life.answer(each)
    return life


async def compact(life: Life, focus: str | None = None) -> FoldOutcome:
    """Have it folded, and wait for what comes of it."""
    outcome = await life.conversations.compact(CHAT, focus, ADA)
    await life.idle()
    return outcome


async def memory(life: Life, engine: str = "scripted") -> SavedSession:
    saved = await Sessions(life.database).get(CHAT, engine)
    assert saved is not None
    return saved


async def newest(life: Life) -> ev.EventData:
    return (await life.events())[-1]


async def for_ever() -> None:
    await asyncio.Event().wait()


async def no_model() -> None:
    raise TryLater("No model.")


async def breaks() -> None:
    raise RuntimeError("secret detail")


# ---- a fold --------------------------------------------------------------------------------------------------------


async def test_what_was_said_is_folded_and_the_log_says_who_asked_and_where(start: Start) -> None:
    life = await after(start, FoldingEngine(start.clock), "one", "two", "three")

    outcome = await compact(life)

    assert outcome is FoldOutcome.STARTED
    assert await newest(life) == ev.ContextCompacted(
        summary="summary of one, two",
        before_seq=4,
        engine="scripted",
        model="small",
        turns=2,
        asked=True,
        by="ada",
        address=ADA.address,
    )


async def test_the_engine_goes_on_from_what_was_folded(start: Start) -> None:
    engine = FoldingEngine(start.clock)
    life = await after(start, engine, "one", "two")

    await compact(life, "the names")
    await life.answer("three")

    assert (await memory(life)).state == {"heard": ["summary of one", "two", "three"]}
    assert engine.turns[-1].handoff is None
    assert engine.focuses == ["the names"]


async def test_what_another_engine_said_before_the_fold_is_still_handed_over(start: Start) -> None:
    engine, second = FoldingEngine(start.clock), ScriptedEngine(start.clock, echo, name="second")
    life = await start(engine, second)
    await life.answer("one")
    await life.answer("two")
    await life.answer("three", options=OptionsChange(engine="second"))
    await life.conversations.decide(CHAT, Configure(OptionsChange(engine="scripted")))

    await compact(life)
    await life.answer("four")

    assert [turn.text for turn in engine.turns] == ["one", "two", "four"]
    assert "echo: three" in (engine.turns[-1].handoff or "")


async def test_a_fold_claims_to_have_seen_no_more_than_before(start: Start) -> None:
    life = await after(start, FoldingEngine(start.clock), "one", "two")
    before = await memory(life)

    await compact(life)

    assert (await memory(life)).seq == before.seq


async def test_a_fold_is_seen_going_on_and_ending(start: Start) -> None:
    life = await after(start, FoldingEngine(start.clock), "one", "two")

    await compact(life)

    folding = [item for item in life.heard if isinstance(item, Folding)]
    assert folding == [Folding(CHAT, ADA.address, goes_on=True), Folding(CHAT, ADA.address, goes_on=False)]


async def test_what_stands_for_the_older_part_is_in_the_overview(start: Start) -> None:
    life = await after(start, FoldingEngine(start.clock), "one", "two")

    await compact(life)

    overview = await life.conversations.overview(CHAT)
    assert overview.summary == await newest(life)
    assert not overview.folding


# ---- nothing to fold -----------------------------------------------------------------------------------------------


async def test_with_only_one_turn_the_person_hears_that_there_is_nothing_to_fold(start: Start) -> None:
    life = await after(start, FoldingEngine(start.clock), "one")

    await compact(life)

    assert await newest(life) == ev.Notice(code="nothing-to-fold", message=NOTHING_TO_FOLD, address=ADA.address)
    assert (await memory(life)).state == {"heard": ["one"]}


async def test_an_engine_that_keeps_its_own_memory_is_not_asked(start: Start) -> None:
    life = await start(echo)
    story = await life.answer("one")

    assert await compact(life) is FoldOutcome.OWN_MEMORY
    assert await life.story() == story


async def test_an_engine_that_never_answered_here_remembers_nothing(start: Start) -> None:
    life = await start(FoldingEngine(start.clock), FoldingEngine(start.clock, name="second"))
    await life.answer("one")
    await life.conversations.decide(CHAT, Configure(OptionsChange(engine="second")))

    assert await compact(life) is FoldOutcome.NOTHING


async def test_after_a_clear_there_is_nothing_and_after_its_undo_there_is(start: Start) -> None:
    life = await after(start, FoldingEngine(start.clock), "one", "two")
    await life.conversations.decide(CHAT, Clear())

    cleared = await compact(life)
    await life.conversations.decide(CHAT, RestoreContext(None))
    restored = await compact(life)

    assert (cleared, restored) == (FoldOutcome.NOTHING, FoldOutcome.STARTED)


async def test_there_is_nothing_to_fold_in_a_conversation_that_is_not_there(start: Start) -> None:
    life = await start(FoldingEngine(start.clock))

    with pytest.raises(NotFound):
        await life.conversations.compact(CHAT, None, ADA)


# ---- clear and undo ------------------------------------------------------------------------------------------------


async def test_a_summary_from_before_a_clear_never_comes_back(start: Start) -> None:
    engine = FoldingEngine(start.clock)
    life = await after(start, engine, "one", "two")
    await compact(life)
    await life.conversations.decide(CHAT, Clear())

    await life.answer("three")

    overview = await life.conversations.overview(CHAT)
    assert (overview.summary, engine.turns[-1].handoff) == (None, None)
    assert (await memory(life)).state == {"heard": ["three"]}


async def test_after_an_undo_the_engine_goes_on_from_the_summary(start: Start) -> None:
    engine = FoldingEngine(start.clock)
    life = await after(start, engine, "one", "two")
    await compact(life)
    await life.conversations.decide(CHAT, Clear())
    await life.conversations.decide(CHAT, RestoreContext(None))

    await life.answer("three")

    overview = await life.conversations.overview(CHAT)
    assert overview.summary is not None
    assert (await memory(life)).state == {"heard": ["summary of one", "two", "three"]}


# ---- what goes on meanwhile ----------------------------------------------------------------------------------------


async def test_messages_wait_for_the_fold_and_go_next(start: Start) -> None:
    go = asyncio.Event()
    engine = FoldingEngine(start.clock, wait=go.wait)
    life = await after(start, engine, "one", "two")
    await life.conversations.compact(CHAT, None, ADA)
    await engine.begun.wait()

    sent = await life.say("three")
    waiting = await life.waiting()
    go.set()
    await life.idle()

    assert (sent.first_in_turn, waiting) == (False, ["three"])
    assert (await life.story())[-5:] == ["context.compacted", "> three", "turn", "echo: three", "end: success"]


async def test_nothing_else_is_begun_meanwhile(start: Start) -> None:
    engine = FoldingEngine(start.clock, wait=for_ever)
    life = await after(start, engine, "one", "two")
    await life.conversations.compact(CHAT, None, ADA)

    with pytest.raises(Busy):
        await life.conversations.compact(CHAT, None, ADA)
    with pytest.raises(Busy):
        await life.conversations.decide(CHAT, Clear())

    assert (await life.conversations.overview(CHAT)).folding
    await life.stop()


async def test_while_a_turn_runs_nothing_is_folded(start: Start) -> None:
    life = await after(start, FoldingEngine(start.clock), "one", "two")
    await life.say("three")

    with pytest.raises(Busy):
        await life.conversations.compact(CHAT, None, ADA)

    await life.idle()


async def test_a_stop_ends_it_with_everything_as_it_was(start: Start) -> None:
    engine = FoldingEngine(start.clock, wait=for_ever)
    life = await after(start, engine, "one", "two")
    story = await life.story()
    await life.conversations.compact(CHAT, None, ADA)
    await engine.begun.wait()

    stopped = await life.stop()
    await life.idle()

    assert stopped.turn
    assert await life.story() == story
    assert (await memory(life)).state == {"heard": ["one", "two"]}


async def test_an_engine_that_does_not_hear_a_stop_is_abandoned(start: Start) -> None:
    go = asyncio.Event()

    async def deaf() -> None:
        while not go.is_set():
            with suppress(asyncio.CancelledError):
                await go.wait()

    engine = FoldingEngine(start.clock, wait=deaf)
    life = await after(start, engine, "one", "two")
    await life.conversations.compact(CHAT, None, ADA)
    await engine.begun.wait()

    stopping = asyncio.create_task(life.stop())
    while not stopping.done():
        await life.clock.advance(STOP_GRACE)

    assert (await life.answer("three"))[-1] == "end: success"
    go.set()


# ---- when it cannot be done ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", [no_model, breaks])
async def test_a_fold_that_cannot_be_made_is_told_and_changes_nothing(start: Start, fault: object) -> None:
    engine = FoldingEngine(start.clock, wait=fault)  # type: ignore[arg-type]
    life = await after(start, engine, "one", "two")

    await compact(life)

    assert await newest(life) == ev.Notice(code="not-folded", message=NOT_NOW, address=ADA.address)
    assert (await memory(life)).state == {"heard": ["one", "two"]}
    assert (await life.answer("three"))[-1] == "end: success"


# ---- what is stored with it ----------------------------------------------------------------------------------------

ASKED = Received("telegram", "7", {"text": "/compact"})


async def asked_by_update(life: Life) -> None:
    """The wish came in an update, which is done when the fold is."""
    await life.database.commit(ASKED)
    await life.conversations.compact(CHAT, None, ADA, Done("telegram", "7"))


async def undone(life: Life) -> list[str]:
    return [row.update_id for row in await Inbox(life.database).pending("telegram")]


async def test_the_update_that_asked_for_it_is_done_with_the_result(start: Start) -> None:
    go = asyncio.Event()
    engine = FoldingEngine(start.clock, wait=go.wait)
    life = await after(start, engine, "one", "two")
    await asked_by_update(life)
    await engine.begun.wait()

    before = await undone(life)
    go.set()
    await life.idle()

    assert (before, await undone(life)) == (["7"], [])


async def test_a_stop_by_a_person_is_the_end_of_it(start: Start) -> None:
    engine = FoldingEngine(start.clock, wait=for_ever)
    life = await after(start, engine, "one", "two")
    await asked_by_update(life)

    await life.stop()

    assert await undone(life) == []


async def test_what_the_end_of_the_program_cuts_off_is_asked_for_again_by_the_next_start(start: Start) -> None:
    engine = FoldingEngine(start.clock, wait=for_ever)
    life = await after(start, engine, "one", "two")
    await asked_by_update(life)
    await engine.begun.wait()
    await life.is_over()

    again = await start(FoldingEngine(start.clock))

    assert await undone(again) == ["7"]
    assert await compact(again) is FoldOutcome.STARTED
    assert isinstance(await newest(again), ev.ContextCompacted)


# ---- what it costs -------------------------------------------------------------------------------------------------


async def test_what_the_summary_took_counts_and_is_no_turn(start: Start) -> None:
    life = await after(start, FoldingEngine(start.clock), "one", "two")

    await compact(life)

    [row] = await UsageRows(life.database).since(life.clock.now().date())
    assert (row.engine, row.model, row.turns, row.input, row.output) == ("scripted", "small", 0, 7, 3)


@pytest.mark.report("R201")
async def test_where_a_budget_is_used_up_no_model_is_asked_for_a_summary(start: Start) -> None:
    engine = FoldingEngine(start.clock)
    life = await start(engine, budget_day_tokens=100)
    for words in ("one", "two"):
        await life.answer(words)
    await life.database.commit(AddUsage("scripted", None, ev.Usage(input=100)))

    await compact(life)

    told = await newest(life)
    assert isinstance(told, ev.Notice)
    assert told.message.startswith("Today's budget is used up")
    assert engine.focuses == []
