"""One `Ended`, last, whatever the generator behind an answer does."""

import asyncio
from collections.abc import AsyncGenerator

import pytest

from core.engines.answer import Answer, Answers
from core.engines.base import Ended, EndReason, EngineEvent, Text

CANCELLED = Ended(EndReason.CANCELLED)


class Writer:
    """A generator that says one word, waits for ever, and may do something odd when it is stopped."""

    def __init__(self, *, swallows: bool = False, breaks_on_the_way_out: bool = False) -> None:
        self.waiting = asyncio.Event()
        self.let_go = False
        self._swallows = swallows
        self._breaks = breaks_on_the_way_out

    async def write(self) -> AsyncGenerator[EngineEvent]:
        try:
            yield Text("one")
            try:
                self.waiting.set()
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                if not self._swallows:
                    raise
            yield Text("two")
        finally:
            self.let_go = True
            if self._breaks:
                raise RuntimeError("on the way out")


async def collect(answer: Answer) -> list[EngineEvent]:
    return [event async for event in answer]


async def of(*events: EngineEvent) -> AsyncGenerator[EngineEvent]:
    for event in events:
        yield event


async def test_a_generator_that_forgets_to_end_is_done() -> None:
    events = await collect(Answer(of(Text("hi"))))

    assert events == [Text("hi"), Ended(EndReason.DONE)]


async def test_a_generator_that_goes_on_after_its_end_is_not_heard() -> None:
    refused = Ended(EndReason.REFUSED, "no")

    events = await collect(Answer(of(Text("hi"), refused, Text("and"), Ended(EndReason.DONE))))

    assert events == [Text("hi"), refused]


@pytest.mark.report("R113")
async def test_what_a_generator_raises_is_not_told() -> None:
    async def breaks() -> AsyncGenerator[EngineEvent]:
        yield Text("hi")
        raise RuntimeError("secret")

    events = await collect(Answer(breaks()))

    assert isinstance(events[-1], Ended)
    assert events[-1].reason is EndReason.CRASHED
    assert "secret" not in (events[-1].message or "")


@pytest.mark.parametrize("swallows", [False, True], ids=["lets go", "swallows the stop"])
async def test_a_stop_is_thrown_in_where_it_waits(swallows: bool) -> None:
    writer = Writer(swallows=swallows)
    answer = Answer(writer.write())
    reader = asyncio.create_task(collect(answer))
    await writer.waiting.wait()

    answer.stop()

    assert await reader == [Text("one"), CANCELLED]
    assert writer.let_go
    assert reader.cancelling() == 0


async def test_a_stop_between_two_events_lets_go_of_what_it_held() -> None:
    writer = Writer()
    answer = Answer(writer.write())
    await anext(answer)

    answer.stop()

    assert await anext(answer) == CANCELLED
    assert writer.let_go


async def test_a_generator_that_breaks_while_it_lets_go_has_ended_all_the_same() -> None:
    answer = Answer(Writer(breaks_on_the_way_out=True).write())
    await anext(answer)

    answer.stop()

    assert await collect(answer) == [CANCELLED]


async def test_a_reader_that_stops_its_own_answer_goes_on_afterwards() -> None:
    answers = Answers()

    async def stops_itself() -> AsyncGenerator[EngineEvent]:
        answers.stop()
        yield Text("not heard")

    events = await collect(answers.begin(stops_itself()))
    await asyncio.sleep(0)

    assert events == [CANCELLED]


async def test_something_cancelled_by_itself_inside_does_not_cancel_the_reader() -> None:
    async def waits_for_what_is_cancelled() -> AsyncGenerator[EngineEvent]:
        yield Text("one")
        gone: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        gone.cancel()
        await gone

    events = await collect(Answer(waits_for_what_is_cancelled()))

    assert events == [Text("one"), CANCELLED]


async def test_a_reader_cancelled_together_with_a_stop_stays_cancelled() -> None:
    writer = Writer()
    answer = Answer(writer.write())
    reader = asyncio.create_task(collect(answer))
    await writer.waiting.wait()

    answer.stop()
    reader.cancel()
    await asyncio.wait([reader])

    assert reader.cancelled()
    assert writer.let_go


async def test_a_timeout_around_the_reader_still_works() -> None:
    writer = Writer()
    answer = Answer(writer.write())
    await anext(answer)

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await anext(answer)

    assert [event async for event in answer] == []


async def test_closing_between_two_events_lets_go_at_once() -> None:
    writer = Writer()
    answers = Answers()
    answer = answers.begin(writer.write())
    await anext(answer)

    await answers.close()

    assert writer.let_go
    assert await collect(answer) == [CANCELLED]


async def test_an_answer_that_never_began_makes_room_for_the_next() -> None:
    answers = Answers()
    first = answers.begin(of(Text("first")))

    second = answers.begin(of(Text("second")))

    assert await collect(second) == [Text("second"), Ended(EndReason.DONE)]
    assert await collect(first) == [CANCELLED]


async def test_stopping_with_nothing_there_is_harmless() -> None:
    answers = Answers()

    answers.stop()

    assert await collect(answers.begin(of())) == [Ended(EndReason.DONE)]
