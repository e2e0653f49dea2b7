"""Decisions about a conversation, sending again, and the look at it, through the one door."""

import asyncio

import pytest

from core import events as ev
from core.conversations import SendOutcome, Sent
from core.decisions import Clear, Decision, RestoreContext, SetGoal, SwitchPlan
from core.engines.base import Text, TurnInput
from core.engines.script import Steps
from core.errors import Busy, NotFound
from core.events import Mode, Trigger
from core.options import OptionsChange
from core.store.inbox import Done, Inbox, Received
from core.store.queue import QueuedMessage
from tests.core.lives import CHAT, Holding, Life, Start, from_chat, until

OWNER = ev.Origin(kind="console", role="owner")


# ---- deciding ------------------------------------------------------------------------------------------------------


@pytest.mark.report("R145", "R147")
async def test_an_engine_begins_anew_after_a_clear_and_goes_on_after_an_undo(start: Start) -> None:
    heard: list[tuple[str, ...]] = []

    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        heard.append(earlier)
        yield Text("yes")

    life = await start(script)
    await life.answer("one")
    await life.conversations.decide(CHAT, Clear())
    await life.conversations.decide(CHAT, RestoreContext())
    await life.answer("two")
    await life.conversations.decide(CHAT, Clear())

    await life.answer("three")

    assert heard == [(), ("one",), ()]


async def test_a_clear_is_refused_while_a_turn_runs_or_messages_wait(start: Start) -> None:
    held = Holding()
    life = await start(held)
    await life.say("wait")
    await life.say("next")

    with pytest.raises(Busy):
        await life.conversations.decide(CHAT, Clear())
    held.go.set()
    await life.idle()
    decided = await life.conversations.decide(CHAT, Clear())

    assert [event.type for event in decided.events] == ["context.cleared"]


async def test_a_goal_and_plan_mode_may_change_while_a_turn_runs_and_count_from_the_next(start: Start) -> None:
    held = Holding()
    life = await start(held)
    await life.say("wait")
    await until(lambda: life.engine.turns)

    await life.conversations.decide(CHAT, SetGoal("sleep"))
    await life.conversations.decide(CHAT, SwitchPlan())
    held.go.set()
    await life.idle()
    await life.answer("next")

    during, after = life.engine.turns
    assert (during.mode, after.mode) == (Mode.ASK, Mode.PLAN)
    assert ("sleep" in during.instructions, "sleep" in after.instructions) == (False, True)


async def test_a_clear_and_a_message_at_once_come_one_after_the_other(life: Life) -> None:
    await life.answer("one")

    cleared, sent = await asyncio.gather(life.conversations.decide(CHAT, Clear()), life.say("two"))
    await life.idle()

    assert sent.outcome is SendOutcome.STARTED
    [clear] = cleared.events
    story = await life.story()
    assert story.index("> two") > clear.seq
    assert story[clear.seq + 1 :] == ["> two", "turn", "echo: two", "end: success"]


@pytest.mark.parametrize("decision", [Clear(), RestoreContext(), SetGoal("x"), SwitchPlan()], ids=repr)
async def test_nothing_is_decided_about_a_conversation_that_is_not_there(life: Life, decision: Decision) -> None:
    with pytest.raises(NotFound):
        await life.conversations.decide(CHAT, decision)

    assert await life.events() == []


async def test_a_conversation_whose_first_message_is_held_is_there(life: Life) -> None:
    life.engine.is_ready = False
    await life.say("hello")

    decided = await life.conversations.decide(CHAT, SetGoal("sleep"))
    life.engine.is_ready = True
    await life.clock.advance(30)
    await life.idle()

    assert [event.type for event in decided.events] == ["goal"]
    assert "sleep" in life.engine.turns[0].instructions


async def test_a_goal_and_plan_mode_go_with_the_message_that_carries_them(life: Life) -> None:
    message = QueuedMessage(text="do it", origin=OWNER, goal="win", plan=True)

    await life.conversations.send(CHAT, message)
    await life.idle()

    assert [data.type for data in await life.events()][:4] == ["goal", "options", "user.message", "turn.started"]
    [turn] = life.engine.turns
    assert turn.mode is Mode.PLAN
    assert "“win”" in turn.instructions


async def test_the_way_out_of_a_plan_leads_to_the_mode_that_came_with_it(life: Life) -> None:
    message = QueuedMessage(text="do it", origin=OWNER, plan=True, options=OptionsChange(mode=Mode.FULL))

    await life.conversations.send(CHAT, message)
    await life.idle()
    decided = await life.conversations.decide(CHAT, SwitchPlan(on=False))

    assert [turn.mode for turn in life.engine.turns] == [Mode.PLAN]
    assert decided.after.options.mode is Mode.FULL


async def test_what_a_waiting_message_carries_is_not_lost_when_several_go_as_one(start: Start) -> None:
    held = Holding()
    life = await start(held)
    await life.say("wait", by=OWNER)
    await life.conversations.send(CHAT, QueuedMessage(text="one", origin=OWNER, plan=True, words_of="Eve"))
    await life.conversations.send(CHAT, QueuedMessage(text="two", origin=OWNER, others_words=True))
    held.go.set()
    await life.idle()

    assert (life.engine.turns[-1].text, life.engine.turns[-1].mode) == ("one\n\ntwo", Mode.PLAN)
    assert ev.Tainted(source="person", label="Eve") in await life.events()


# ---- once more -----------------------------------------------------------------------------------------------------


async def test_the_newest_message_is_sent_again_with_everything_but_where_it_came_from(life: Life) -> None:
    file = ev.Attachment(name="note.txt", mime="text/plain", size=3, path="note.txt")
    await life.answer("one", by=from_chat("ada", reply_to="1"), attachments=(file,))
    origin = from_chat("ada", reply_to="2")

    sent = await life.conversations.retry(CHAT, origin, "again")
    await life.idle()

    assert sent == Sent(SendOutcome.STARTED)
    first, again = [data for data in await life.events() if isinstance(data, ev.UserMessage)]
    assert again == first.model_copy(
        update={"message_id": again.message_id, "origin": origin, "client_id": "again", "others_words": True}
    )
    triggers = [data.trigger for data in await life.events() if isinstance(data, ev.TurnStarted)]
    assert triggers == [Trigger.MESSAGE, Trigger.RETRY]


async def test_sending_again_twice_by_one_client_id_is_once(life: Life) -> None:
    await life.answer("one")
    await life.conversations.retry(CHAT, OWNER, "again")
    await life.idle()

    second = await life.conversations.retry(CHAT, OWNER, "again")

    assert second == Sent(SendOutcome.DUPLICATE)
    assert await life.asked() == ["one", "one"]


async def test_what_comes_with_it_is_stored_with_it(life: Life) -> None:
    await life.database.commit(Received("bot", "u1", {}))
    await life.answer("one")

    await life.conversations.retry(CHAT, OWNER, "again", Done("bot", "u1"))
    await life.idle()

    assert await Inbox(life.database).pending("bot") == ()


async def test_nothing_before_a_clear_is_sent_again(life: Life) -> None:
    await life.answer("one")
    await life.conversations.decide(CHAT, Clear())

    assert await life.conversations.retry(CHAT, OWNER, "again") is None


async def test_nothing_is_sent_again_while_something_goes_on(start: Start) -> None:
    held = Holding()
    life = await start(held)
    await life.say("wait")

    with pytest.raises(Busy):
        await life.conversations.retry(CHAT, OWNER, "again")
    held.go.set()
    await life.idle()

    assert await life.asked() == ["wait"]


async def test_only_the_turn_that_is_meant_is_answered_again(life: Life) -> None:
    await life.answer("one")
    [first] = [seq for seq, line in enumerate(await life.story()) if line == "turn"]
    await life.answer("two")

    too_late = await life.conversations.retry(CHAT, OWNER, "a", of_turn=first)
    newest = await life.conversations.retry(CHAT, OWNER, "b", of_turn=first + 4)
    await life.idle()

    assert too_late is None
    assert newest == Sent(SendOutcome.STARTED)
    assert await life.asked() == ["one", "two", "two"]


async def test_there_is_nothing_to_send_again_in_a_conversation_that_is_not_there(life: Life) -> None:
    with pytest.raises(NotFound):
        await life.conversations.retry(CHAT, OWNER, "again")


# ---- looking -------------------------------------------------------------------------------------------------------


async def test_an_overview_says_what_goes_on_and_waits(start: Start) -> None:
    held = Holding()
    life = await start(held)
    await life.say("wait")
    await life.say("one")
    await life.say("two")

    busy = await life.conversations.overview(CHAT)
    held.go.set()
    await life.idle()
    quiet = await life.conversations.overview(CHAT)

    assert (busy.state.status, busy.waiting, busy.held) == (ev.Status.RUNNING, 2, False)
    assert (quiet.state.status, quiet.waiting, quiet.held) == (ev.Status.IDLE, 0, False)
    assert quiet.engine is life.engine


async def test_an_overview_tells_held_messages_from_waiting_ones(life: Life) -> None:
    life.engine.is_ready = False
    await life.say("one")

    overview = await life.conversations.overview(CHAT)

    assert (overview.state.status, overview.waiting, overview.held) == (ev.Status.IDLE, 1, True)


async def test_there_is_no_overview_of_a_conversation_that_is_not_there(life: Life) -> None:
    with pytest.raises(NotFound):
        await life.conversations.overview(CHAT)
