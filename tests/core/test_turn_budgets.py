"""Turns within budgets: nothing is asked where nothing is left, everything used counts once, and the owner hears."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from commands.parsing import MARK
from core import events as ev
from core.engines.base import Allowance, Ended, EndReason, Text, TurnInput, Used
from core.engines.script import Raise, Steps, Until
from core.engines.scripted import ScriptedEngine, always
from core.live import Delta
from core.spent import Spent
from core.store.people import People
from core.store.seats import Seat, TakeSeat
from core.store.usage import AddUsage, UsageRows
from tests.core.lives import CHAT, Life, Start, echo, from_chat, until

DAY = 86_400.0
OWNER = from_chat("ada").model_copy(update={"role": "owner"})
PERSON = from_chat("bob", chat="7")
GUEST = from_chat("eve", chat="8").model_copy(update={"role": "guest"})


def uses(tokens: int, cost: float | None = None, *then: Any) -> Any:
    """Answer, and use so much."""
    return always(Text("hi"), Used(ev.Usage(input=tokens, cost=cost)), *then)


async def today(life: Life) -> Spent:
    return await UsageRows(life.database).today()


# ---- what counts ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "end", [Ended(EndReason.DONE), Ended(EndReason.CRASHED), Ended(EndReason.CANCELLED), Raise(RuntimeError("broken"))]
)
async def test_what_a_turn_used_counts_however_it_ends(start: Start, end: Any) -> None:
    life = await start(uses(100, 0.5, end))

    await life.answer("hello")

    assert await today(life) == Spent(100, 0.5)


async def test_what_a_stopped_turn_used_counts(start: Start) -> None:
    life = await start(uses(100, None, Until(asyncio.Event())))
    await life.say("hello")
    await until(lambda: life.engine.turns)

    await life.stop()

    assert await today(life) == Spent(100)


@pytest.mark.report("R201")
@pytest.mark.parametrize("trigger", [ev.Trigger.ROUTINE, ev.Trigger.BACKGROUND, ev.Trigger.CARRY_ON])
async def test_turns_that_nobody_sees_count_and_stop_at_the_same_budget(start: Start, trigger: ev.Trigger) -> None:
    routine = ev.Origin(kind="routine")
    life = await start(uses(100), budget_day_tokens=150)
    for text in ("one", "two"):
        await life.answer(text, by=routine, trigger=trigger)

    await life.answer("three", by=routine, trigger=trigger)

    assert len(life.engine.turns) == 2
    assert (await life.end()).problem is ev.Problem.BUDGET


async def test_a_turn_without_a_word_on_its_usage_leaves_no_figures(life: Life) -> None:
    await life.answer("hello")

    assert await UsageRows(life.database).since(life.clock.now().date()) == ()


async def test_usage_counts_once_though_the_end_had_to_be_tried_again(start: Start) -> None:
    go = asyncio.Event()
    life = await start(always(Used(ev.Usage(input=100)), Until(go)))
    await life.say("hello")
    await until(lambda: life.engine.turns)

    life.database.is_down = True
    go.set()
    await until(lambda: life.clock.sleeping)
    life.database.is_down = False
    await life.clock.advance(10)
    await life.idle()

    assert await today(life) == Spent(100)


async def test_usage_counts_though_what_the_engine_remembers_cannot_be_stored(start: Start) -> None:
    class Odd(ScriptedEngine):
        async def open(self, state: Mapping[str, Any] | None) -> Any:
            session = await super().open(None)
            session.state = lambda: {"a set": {1}}  # type: ignore[method-assign]
            return session

    life = await start(Odd(start.clock, uses(100)))

    assert (await life.answer("hello"))[-1] == "end: success"
    assert await today(life) == Spent(100)


async def test_what_was_counted_is_not_counted_again_by_the_next_life(start: Start) -> None:
    life = await start(uses(100))
    await life.answer("hello")
    await life.is_killed()

    again = await start(uses(100))
    await again.idle()

    assert await today(again) == Spent(100)


# ---- what may be used ----------------------------------------------------------------------------------------------


async def test_an_engine_is_told_the_smaller_of_both_budgets(start: Start) -> None:
    life = await start(uses(100, 0.5), budget_turn_tokens=500, budget_day_tokens=550, budget_day_cost=2)

    for text in ("one", "two"):
        await life.answer(text)

    assert [turn.allowance for turn in life.engine.turns] == [Allowance(500, 2.0), Allowance(450, 1.5)]


@pytest.mark.report("R199")
async def test_where_the_day_is_used_up_no_engine_is_asked_until_the_next_one(start: Start) -> None:
    life = await start(uses(100), budget_day_tokens=100)
    await life.answer("one")

    refused = await life.answer("two")
    await life.clock.advance(DAY)
    await life.answer("three")

    assert refused[-3:] == ["> two", "turn", "end: error budget"]
    assert [turn.text for turn in life.engine.turns] == ["one", "three"]


@pytest.mark.parametrize(
    ("origin", "words"),
    [
        (
            OWNER,
            "Today's budget of 1,000 tokens is used up, so I stop here. It starts anew at 00:00 UTC. To go on now, "
            f"raise it with {MARK}/settings, or `conch settings set budget_day_tokens NUMBER`.",
        ),
        (
            PERSON,
            "Today's budget is used up, so I stop here. It starts anew at 00:00 UTC; only the owner can raise it.",
        ),
        (GUEST, "I can't answer any more today. Try again after 00:00 UTC."),
    ],
)
async def test_each_reader_hears_of_it_what_is_theirs_to_know(start: Start, origin: ev.Origin, words: str) -> None:
    life = await start(echo, budget_day_tokens=1_000)
    await life.database.commit(AddUsage("scripted", None, ev.Usage(input=1_000)))

    await life.answer("hello", by=origin)

    assert (await life.end()).error == words


async def test_an_engine_that_came_to_the_budget_of_one_answer_is_told_so(start: Start) -> None:
    life = await start(uses(120, None, Ended(EndReason.BUDGET)), budget_turn_tokens=100)

    story = await life.answer("hello", by=OWNER)

    assert story[2:] == ["hi", "end: error budget"]
    assert (await life.end()).error == (
        "This answer came to the budget of one answer, 100 tokens, so I stop here. Ask for a smaller part, or raise it "
        f"with {MARK}/settings, or `conch settings set budget_turn_tokens NUMBER`."
    )


async def test_turns_at_the_same_moment_do_not_each_take_the_rest_of_the_day(start: Start) -> None:
    go = asyncio.Event()

    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        yield Used(ev.Usage(input=60))
        yield Text("so far")
        yield Until(go)

    life = await start(script, budget_day_tokens=100)
    await life.say("one", to="first")
    await until(lambda: any(isinstance(item, Delta) for item in life.heard))
    await life.say("two", to="second")
    await until(lambda: len(life.engine.turns) == 2)
    go.set()
    await life.idle()

    assert [turn.allowance.tokens for turn in life.engine.turns] == [100, 40]
    assert await today(life) == Spent(120)


async def test_both_tries_of_a_turn_share_its_budget(start: Start) -> None:
    spare = ScriptedEngine(start.clock, echo, name="spare")
    own = ScriptedEngine(start.clock, uses(70, None, Ended(EndReason.RATE_LIMITED)), name="own")
    life = await start(own, spare, fallback_engine="spare", budget_turn_tokens=100, budget_day_tokens=150)

    await life.answer("hello")

    assert [own.turns[0].allowance.tokens, spare.turns[0].allowance.tokens] == [100, 30]


async def test_where_the_first_try_used_it_all_the_second_is_not_made(start: Start) -> None:
    spare = ScriptedEngine(start.clock, echo, name="spare")
    own = ScriptedEngine(start.clock, uses(100, None, Ended(EndReason.RATE_LIMITED)), name="own")
    life = await start(own, spare, fallback_engine="spare", budget_turn_tokens=100)

    await life.answer("hello")

    assert not spare.turns
    assert (await life.end()).problem is ev.Problem.BUDGET


# ---- the owner hears -----------------------------------------------------------------------------------------------


async def notices(life: Life, of: str = CHAT) -> list[tuple[str, str | None]]:
    """The notices in a conversation, and the chats that they go to."""
    found = [data for data in await life.events(of) if isinstance(data, ev.Notice)]
    return [(notice.code, notice.address.chat_id if notice.address else None) for notice in found]


async def test_the_owner_hears_at_half_and_at_most_of_a_day_once_each(start: Start) -> None:
    life = await start(uses(100), budget_day_tokens=1_000)

    for number in range(10):
        await life.answer(str(number), by=OWNER)

    story = await life.story()
    assert await notices(life) == [("budget-50", "9"), ("budget-80", "9")]
    assert story.index("notice: budget-50") == 5 * 4
    [half, _] = [data for data in await life.events() if isinstance(data, ev.Notice)]
    assert half.message == (
        "50 % of today's budget of 1,000 tokens is used. When all of it is, I stop answering until 00:00 UTC. "
        f"You can raise it with {MARK}/settings, or `conch settings set budget_day_tokens NUMBER`."
    )


async def test_one_answer_that_passes_both_is_told_once_and_the_next_day_again(start: Start) -> None:
    life = await start(uses(900), budget_day_tokens=1_000)
    await life.answer("one", by=OWNER)
    await life.clock.advance(DAY)

    await life.answer("two", by=OWNER)

    assert await notices(life) == [("budget-80", "9"), ("budget-80", "9")]


async def test_one_answer_that_uses_all_of_a_day_is_told_as_that_and_not_as_most(start: Start) -> None:
    life = await start(uses(1_200), budget_day_tokens=1_000)

    await life.answer("one", by=OWNER)
    await life.answer("two", by=OWNER)

    [told] = [data for data in await life.events() if isinstance(data, ev.Notice)]
    assert told.message == (
        "All of today's budget of 1,000 tokens is used, so I answer no more until 00:00 UTC. "
        f"You can raise it with {MARK}/settings, or `conch settings set budget_day_tokens NUMBER`."
    )


async def test_the_owner_hears_of_it_in_their_newest_private_chat_when_others_use_it(start: Start) -> None:
    life = await start(uses(600, 1.0), budget_day_cost=1.5)
    people = People(life.database)
    await people.let_in("telegram", "ada", by="test", name="Ada")
    await people.let_in("telegram", "bob", by="test", name="Bob")
    for person, chat in (("ada", "9"), ("bob", "7")):
        await life.database.commit(TakeSeat(Seat("telegram", chat, "", person), f"of {person}", "private"))
        await life.answer("hello", to=f"of {person}", by=from_chat(person, chat))

    assert await notices(life, "of ada") == [("budget-50", "9"), ("budget-100", "9")]
    assert await notices(life, "of bob") == []


async def test_without_any_chat_of_an_owner_only_the_log_hears(start: Start) -> None:
    life = await start(uses(600), budget_day_tokens=1_000)

    await life.answer("hello", by=PERSON)

    assert await notices(life) == []


async def test_at_the_console_the_owner_is_told_there(start: Start) -> None:
    life = await start(uses(600), budget_day_tokens=1_000)

    await life.answer("hello")

    assert await notices(life) == [("budget-50", None)]


async def test_in_a_group_the_owner_is_not_told_before_everybody(start: Start) -> None:
    address = ev.Address(channel_id="telegram", chat_id="-5", chat_kind=ev.ChatKind.GROUP)
    life = await start(uses(600), budget_day_tokens=1_000)

    await life.answer("hello", by=OWNER.model_copy(update={"address": address}))

    assert await notices(life) == []
