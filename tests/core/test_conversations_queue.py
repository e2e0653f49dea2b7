"""What comes while a turn runs waits, goes next and in order, and never sits there with nothing running in front."""

import asyncio
from typing import Any

import pytest

from core import events as ev
from core.checkpoints import Checkpoint
from core.conversations import SendOutcome, Sent
from core.engines.base import Text, TurnInput
from core.engines.script import Steps, Until
from core.store.queue import MAX_WAITING, Enqueue, QueuedMessage
from tests.core.lives import CHAT, HoldAt, Holding, Life, Start, Wayward, from_chat, message, until


@pytest.fixture
def held() -> Holding:
    """A script that holds a turn until it is let go."""
    return Holding()


@pytest.fixture
async def busy(start: Start, held: Holding) -> Life:
    """A life with a turn that runs."""
    life = await start(held)
    await life.say("wait")
    await until(lambda: life.engine.turns)
    return life


async def let_go(life: Life, held: Holding) -> list[str]:
    """What was asked of the engine in the end."""
    held.go.set()
    await life.idle()
    return await life.asked()


@pytest.mark.report("R027", "R037", "R041")
async def test_what_comes_while_a_turn_runs_waits_and_goes_next(busy: Life, held: Holding) -> None:
    sent = await busy.say("next")
    in_between = await busy.story()

    assert sent == Sent(SendOutcome.QUEUED, first_in_turn=True, waiting=1)
    assert in_between == ["> wait", "turn"]
    assert await let_go(busy, held) == ["wait", "next"]
    assert await busy.story() == [
        *["> wait", "turn", "so far, and so on", "end: success"],
        *["> next", "turn", "echo: next", "end: success"],
    ]


async def test_only_the_first_that_waits_is_told_so_in_each_turn(start: Start) -> None:
    gates = [asyncio.Event(), asyncio.Event()]

    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        yield Until(gates[len(earlier)])

    life = await start(script)
    await life.say("one")
    await until(lambda: len(life.engine.turns) == 1)
    first = [await life.say("two"), await life.say("three")]
    gates[0].set()
    await until(lambda: len(life.engine.turns) == 2)
    second = [await life.say("four")]
    gates.append(asyncio.Event())
    gates[2].set()
    gates[1].set()
    await life.idle()

    assert [(sent.first_in_turn, sent.waiting) for sent in first] == [(True, 1), (False, 2)]
    assert [(sent.first_in_turn, sent.waiting) for sent in second] == [(True, 1)]


@pytest.mark.report("R039")
async def test_what_waits_goes_as_one_in_the_order_in_which_it_came(busy: Life, held: Holding) -> None:
    for text in ("one", "two", "", "three"):
        await busy.say(text, ids=(f"id {text}",), by=from_chat("ada", reply_to=f"r {text}"))

    assert await let_go(busy, held) == ["wait", "one\n\ntwo\n\nthree"]
    said = (await busy.events())[4]
    assert isinstance(said, ev.UserMessage)
    assert said.origin == from_chat("ada", reply_to="r three")


async def test_files_and_goals_of_what_goes_as_one_come_along(busy: Life, held: Holding) -> None:
    files = [ev.Attachment(name=name, mime="text/plain", size=1, path=name) for name in ("a", "b")]
    await busy.say("one", attachments=(files[0],), goal="lose")
    await busy.say("two", attachments=(files[1],), others_words=True)
    await busy.say("three", goal="win")

    await let_go(busy, held)

    goal, said, taint = (await busy.events())[4:7]
    assert goal == ev.GoalSet(goal="win")
    assert isinstance(said, ev.UserMessage)
    assert (said.attachments, said.others_words) == (tuple(files), True)
    assert isinstance(taint, ev.Tainted)


@pytest.mark.report("R109")
async def test_what_comes_from_someone_or_somewhere_else_goes_apart_and_is_answered_there(
    busy: Life, held: Holding
) -> None:
    ada, bob, ada_elsewhere = from_chat("ada"), from_chat("bob"), from_chat("ada", chat="10")
    for text, origin in (("a1", ada), ("a2", ada), ("b1", bob), ("a3", ada), ("e1", ada_elsewhere)):
        await busy.say(text, by=origin)

    assert await let_go(busy, held) == ["wait", "a1\n\na2", "b1", "a3", "e1"]
    turns = [data for data in await busy.events() if isinstance(data, ev.TurnStarted)]
    assert [turn.address for turn in turns[1:]] == [origin.address for origin in (ada, bob, ada, ada_elsewhere)]


@pytest.mark.report("R033")
async def test_at_most_so_many_wait_and_the_next_one_hears_the_count(busy: Life, held: Holding) -> None:
    kept = [await busy.say(f"m{number}") for number in range(MAX_WAITING)]

    one_more = await busy.say("one more")

    assert {sent.outcome for sent in kept} == {SendOutcome.QUEUED}
    assert one_more == Sent(SendOutcome.FULL, waiting=MAX_WAITING)
    assert (await let_go(busy, held))[1] == "\n\n".join(f"m{number}" for number in range(MAX_WAITING))


async def test_a_message_that_was_not_kept_can_be_sent_again(busy: Life, held: Holding) -> None:
    for number in range(MAX_WAITING + 1):
        await busy.say(f"m{number}")
    await let_go(busy, held)

    again = await busy.say(f"m{MAX_WAITING}")

    assert again == Sent(SendOutcome.STARTED)


async def test_a_message_that_comes_while_the_end_is_stored_is_not_told_to_wait(start: Start) -> None:
    life = await start()
    outcomes: list[Sent] = []

    async def reply() -> None:
        outcomes.append(await life.say("reply"))

    replies: list[asyncio.Task[None]] = []

    def hear(item: Any) -> None:
        if isinstance(getattr(item, "data", None), ev.TurnCompleted) and not replies:
            replies.append(asyncio.create_task(reply()))

    life.feed.listen(hear)
    await life.answer("hello")
    await asyncio.gather(*replies)
    await life.idle()

    assert await life.asked() == ["hello", "reply"]
    assert not outcomes[0].first_in_turn


# ---- never with nothing in front -----------------------------------------------------------------------------------


@pytest.mark.report("R035")
async def test_after_a_turn_that_crashed_what_waits_goes(start: Start) -> None:
    go = asyncio.Event()

    async def crashes(turn: TurnInput) -> Any:
        await go.wait()
        yield Text(f"about {turn.text}")
        raise RuntimeError("broken")

    life = await start(Wayward(crashes))
    await life.say("one")
    await life.say("two")

    go.set()
    await life.idle()

    assert [line for line in await life.story() if line[0] in ">e"] == [
        *["> one", "end: error crashed"],
        *["> two", "end: error crashed"],
    ]


@pytest.mark.report("R035")
async def test_after_an_outage_in_which_a_turn_ended_what_waits_goes(busy: Life, held: Holding) -> None:
    await busy.say("next")

    busy.database.is_down = True
    held.go.set()
    await until(lambda: busy.clock.sleeping)
    await busy.clock.advance(600)
    busy.database.is_down = False
    await busy.clock.advance(120)
    await busy.idle()

    assert await busy.asked() == ["wait", "next"]
    assert (await busy.end()).outcome == "success"


@pytest.mark.report("R035")
async def test_after_an_outage_between_two_turns_what_waits_goes(start: Start, held: Holding) -> None:
    life = await start(held)
    await life.say("wait")
    await until(lambda: life.engine.turns)
    await life.say("next")

    def fail_after_the_end(item: Any) -> None:
        if isinstance(getattr(item, "data", None), ev.TurnCompleted):
            life.database.is_down = True

    leave = life.feed.listen(fail_after_the_end)
    held.go.set()
    await until(lambda: life.clock.sleeping)
    leave()
    life.database.is_down = False
    between = life.conversations.running(CHAT)
    await life.clock.advance(2)
    await life.idle()

    assert between is None
    assert await life.asked() == ["wait", "next"]


@pytest.mark.report("R035")
async def test_a_message_that_is_stored_just_when_the_turn_ends_goes(start: Start, held: Holding) -> None:
    stored = HoldAt(Checkpoint.RECORDED)
    stored.go.set()
    life = await start(held, checkpoints=stored)
    await life.say("wait")
    await until(lambda: life.engine.turns)
    stored.reached.clear()
    stored.go.clear()

    sending = asyncio.create_task(life.say("next"))
    await stored.reached.wait()
    held.go.set()
    await until(lambda: any(isinstance(getattr(item, "data", None), ev.TurnCompleted) for item in life.heard))
    stored.go.set()
    await sending
    await life.idle()

    assert await life.asked() == ["wait", "next"]


@pytest.mark.report("R035")
async def test_a_message_that_cannot_be_opened_is_given_up_and_the_next_ones_go(start: Start) -> None:
    life = await start(recover=False)
    bad = message("bad", by=from_chat("ada")).model_copy(update={"goal": "x" * 501})
    await life.database.commit(Enqueue(CHAT, bad), Enqueue(CHAT, message("good", by=from_chat("bob"))))

    await life.conversations.recover()
    await life.idle()

    assert await life.story() == ["notice: not-answered", "> good", "turn", "echo: good", "end: success"]
    notice = (await life.events())[0]
    assert getattr(notice, "address", None) == from_chat("ada").address


async def test_what_cannot_even_be_read_does_not_keep_the_conversation_from_going_on(start: Start) -> None:
    life = await start(recover=False)
    await life.database.commit(Enqueue(CHAT, Unreadable(text="x", origin=ev.Origin(kind="console"))))

    await life.conversations.recover()
    await life.idle()

    assert await life.answer("hello") == ["> hello", "turn", "echo: hello", "end: success"]


class Unreadable(QueuedMessage):
    """A message that a broken release wrote."""

    def model_dump_json(self, **_: Any) -> str:
        return "{}"


# ---- edits ---------------------------------------------------------------------------------------------------------


async def test_a_message_that_waits_says_what_it_was_edited_to(busy: Life, held: Holding) -> None:
    await busy.say("next", ids=("7",))
    await busy.say("then", ids=("8",))

    edited = await busy.conversations.replace_queued(CHAT, "7", "better")

    assert edited
    assert await let_go(busy, held) == ["wait", "better\n\nthen"]


async def test_an_edit_of_what_does_not_wait_any_more_changes_nothing(busy: Life, held: Holding) -> None:
    await busy.say("next", ids=("7",))
    await let_go(busy, held)

    edited = await busy.conversations.replace_queued(CHAT, "7", "better")

    assert not edited
    assert await busy.asked() == ["wait", "next"]


async def test_an_edit_just_when_the_turn_ends_counts_when_it_says_so(busy: Life, held: Holding) -> None:
    await busy.say("next", ids=("7",))

    held.go.set()
    edited = [await busy.conversations.replace_queued(CHAT, "7", f"better {number}") for number in range(20)]
    await busy.idle()

    counted = [f"better {number}" for number, counts in enumerate(edited) if counts]
    assert (await busy.asked())[1] == ["next", *counted][-1]
