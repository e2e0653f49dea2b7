"""A command whose update is seen through again, after a crash between what it did and its reply, does it once."""

import pytest

from channels.commands.call import Reply
from channels.commands.chat import ChatCommands
from core.events import ContextCleared, ContextRestored, GoalSet, Mode, OptionsSet, UserMessage
from core.store.seats import TakeSeat
from tests.channels.commands.calls import SEAT, call
from tests.channels.commands.talking import Echo, Talk


@pytest.fixture
async def begun(talk: Talk) -> Talk:
    """Ada's conversation, which the seat of the calls belongs to as well."""
    await talk.say("one")
    await talk.app.database.commit(TakeSeat(SEAT, await talk.conversation(), "private"))
    return talk


async def twice(commands: ChatCommands, text: str, update_id: str = "u7") -> tuple[Reply, Reply]:
    """The same update, seen through and seen through again."""
    return await commands.run(call(text, update_id=update_id)), await commands.run(call(text, update_id=update_id))


async def test_a_clear_is_one_and_is_told_with_the_same_undo(commands: ChatCommands, begun: Talk) -> None:
    first, again = await twice(commands, "/clear")

    assert first == again
    assert len(first.actions) == 1
    assert [data for data in await begun.log() if isinstance(data, ContextCleared)] == [ContextCleared()]


async def test_an_undo_is_one(commands: ChatCommands, begun: Talk) -> None:
    await commands.run(call("/clear", update_id="u1"))

    first, again = await twice(commands, "/undo")

    assert first == again == Reply("Taken back: I remember again what was said before the clear.")
    assert len([data for data in await begun.log() if isinstance(data, ContextRestored)]) == 1


async def test_a_toggle_goes_one_way(commands: ChatCommands, begun: Talk) -> None:
    first, again = await twice(commands, "/plan")

    assert first == again
    assert [data for data in await begun.log() if isinstance(data, OptionsSet)] == [OptionsSet(mode=Mode.PLAN)]


async def test_a_goal_that_was_changed_meanwhile_stays_changed(commands: ChatCommands, begun: Talk) -> None:
    await commands.run(call("/goal sleep", update_id="u7"))
    await begun.say("/goal wake up")

    await commands.run(call("/goal sleep", update_id="u7"))

    assert [data for data in await begun.log() if isinstance(data, GoalSet)][-1] == GoalSet(goal="wake up")


async def test_a_goal_taken_away_is_told_the_same(commands: ChatCommands, begun: Talk) -> None:
    await commands.run(call("/goal sleep", update_id="u1"))

    first, again = await twice(commands, "/goal clear")

    assert first == again == Reply("The goal is gone.")


async def test_a_retry_is_one(commands: ChatCommands, begun: Talk, engine: Echo) -> None:
    await commands.run(call("/retry", update_id="u7"))
    while begun.app.conversations.turns:
        await begun.clock.advance(1)

    again = await commands.run(call("/retry", update_id="u7"))

    assert again == Reply("")
    assert [data.text for data in await begun.log() if isinstance(data, UserMessage)] == ["one", "one"]
