"""The sign on a message that is being answered: there while it is, and gone afterwards, whatever happens."""

from channels.memory.faults import Call
from core.errors import Refused, RefusedReason, TryLater
from tests.channels.commands.talking import Talk
from tests.channels.streams.conftest import Stage


async def test_a_message_has_a_sign_while_it_is_answered(stage: Stage, talk: Talk) -> None:
    asked = talk.ada.say("It |is so.")
    await stage.passes(talk, lambda room: room.marked)
    during = talk.ada.marked

    stage.engine.go()
    await stage.passes(talk, lambda room: room.texts[-1] == "It is so." and not room.marked)

    assert during == {asked.id}
    assert talk.ada.texts[-1] == "It is so."


async def test_a_sign_that_cannot_be_put_on_is_no_trouble(stage: Stage, talk: Talk) -> None:
    stage.shell.faults.add(Call.MARK, Refused("no", RefusedReason.FORBIDDEN))

    talk.ada.say("It is so.")
    await stage.passes(talk, lambda room: room.texts[-1] == "It is so.")

    assert talk.ada.marked == frozenset()


async def test_taking_a_sign_away_is_tried_until_it_is_gone(stage: Stage, talk: Talk) -> None:
    talk.ada.say("It |is so.")
    await stage.passes(talk, lambda room: room.marked)
    stage.shell.faults.add(Call.UNMARK, TryLater("busy", retry_after=5.0), times=2)

    stage.engine.go()
    await stage.passes(talk, lambda room: room.texts[-1] == "It is so.")
    still = talk.ada.marked
    await stage.passes(talk, lambda room: not room.marked)

    assert still


async def test_a_stop_takes_the_sign_away(stage: Stage, talk: Talk) -> None:
    talk.ada.say("It |is so.")
    await stage.passes(talk, lambda room: room.marked)

    talk.ada.say("/stop")

    await stage.passes(talk, lambda room: not room.marked)


async def test_a_message_that_waits_gets_its_sign_when_its_turn_comes(stage: Stage, talk: Talk) -> None:
    first = talk.ada.say("It |is so.")
    await stage.passes(talk, lambda room: room.marked)
    second = talk.ada.say("That |too.")
    await stage.passes(talk, lambda room: "comes right after" in room.texts[-1])
    during = talk.ada.marked

    stage.engine.go()
    await stage.passes(talk, lambda room: second.id in room.marked)

    assert during == {first.id}
    assert talk.ada.marked == {second.id}
