"""Answers that are written into the message that they will be: one message each, whatever comes in between."""

from functools import partial

import pytest
from sqlalchemy import select

from channels.memory.chat import MemoryChat
from channels.memory.faults import Call
from channels.outbox import NOT_SHOWN
from core import problems
from core.errors import MaybeDone, Refused, RefusedReason, TryLater
from core.store import tables
from tests.channels.commands.talking import Talk
from tests.channels.streams.conftest import Stage


def new(room: MemoryChat, before: int) -> list[str]:
    """What the bot said since."""
    return list(room.texts[before:])


def ends_with(words: str, room: MemoryChat) -> bool:
    return room.texts[-1] == words


async def written(stage: Stage, talk: Talk, words: str, *beginnings: str) -> int:
    """Say it, and wait until each beginning is seen; returns how many messages of the bot there were before."""
    before = len(talk.ada.texts)
    talk.ada.say(words)
    for number, beginning in enumerate(beginnings):
        if number:
            stage.engine.go()
        await stage.passes(talk, partial(ends_with, beginning))
    return before


@pytest.mark.report("R023")
async def test_preview_and_final_are_one_message(stage: Stage, talk: Talk) -> None:
    before = await written(stage, talk, "It |is |so.", "It", "It is")
    (begun,) = talk.ada.answers[before:]

    stage.engine.go()
    await stage.passes(talk, lambda room: room.texts[-1] == "It is so.")

    (ended,) = talk.ada.answers[before:]
    assert ended.id == begun.id


async def test_every_message_of_a_turn_has_its_own(stage: Stage, talk: Talk) -> None:
    before = await written(stage, talk, "One |is.#Two |are.", "One")
    stage.engine.go()

    await stage.passes(talk, lambda room: room.texts[-1] == "Two")
    during = new(talk.ada, before)
    stage.engine.go()
    await stage.passes(talk, lambda room: room.texts[-1] == "Two are.")

    assert during == ["One is.", "Two"]
    assert new(talk.ada, before) == ["One is.", "Two are."]


async def test_a_preview_that_could_not_be_opened_leaves_one_message(stage: Stage, talk: Talk) -> None:
    before = len(talk.ada.texts)
    stage.shell.faults.add(Call.OPEN_STREAM, Refused("no", RefusedReason.FORBIDDEN))
    talk.ada.say("It |is so.")
    await stage.passes(talk, lambda room: room.typing)
    during = new(talk.ada, before)

    stage.engine.go()
    await stage.passes(talk, lambda room: room.texts[-1] == "It is so.")

    assert during == []
    assert new(talk.ada, before) == ["It is so."]


@pytest.mark.parametrize("fault", [TryLater("busy"), MaybeDone("lost")])
async def test_trouble_with_the_preview_is_none_of_the_answer(stage: Stage, talk: Talk, fault: Exception) -> None:
    stage.shell.faults.add(Call.OPEN_STREAM, fault)
    before = len(talk.ada.texts)

    await talk.say("It is so.")
    await stage.passes(talk, lambda room: room.texts[-1] == "It is so.")

    assert new(talk.ada, before) == ["It is so."]


async def test_a_preview_that_somebody_deleted_comes_back_as_the_answer(stage: Stage, talk: Talk) -> None:
    before = await written(stage, talk, "It |is so.", "It")
    talk.ada.take_away(talk.ada.answers[-1].id)

    stage.engine.go()
    await stage.passes(talk, lambda room: room.texts[-1] == "It is so.")

    assert new(talk.ada, before) == ["It is so."]


@pytest.mark.report("R001")
async def test_a_receipt_that_is_lost_at_the_end_doubles_nothing(stage: Stage, talk: Talk) -> None:
    before = await written(stage, talk, "It |is so.", "It")
    stage.shell.faults.add(Call.SEND, MaybeDone("lost"), taken=True)

    stage.engine.go()
    await stage.passes(talk, lambda room: room.texts[-1] == "It is so.")
    await stage.clock.advance(60)

    assert new(talk.ada, before) == ["It is so."]


async def test_a_final_that_is_refused_is_said_in_the_message_that_was_begun(stage: Stage, talk: Talk) -> None:
    before = await written(stage, talk, "It |is so.", "It")
    stage.shell.faults.add(Call.SEND, Refused("no", RefusedReason.BAD_PAYLOAD))

    stage.engine.go()
    await stage.passes(talk, lambda room: room.texts[-1] == NOT_SHOWN)

    assert new(talk.ada, before) == [NOT_SHOWN]


async def test_what_there_is_at_a_stop_ends_the_message(stage: Stage, talk: Talk) -> None:
    before = await written(stage, talk, "It |is so.", "It")

    talk.ada.say("/stop")
    await stage.passes(talk, lambda room: len(room.texts) == before + 2)

    assert new(talk.ada, before)[0] == "It"
    assert new(talk.ada, before)[1] != "It"


async def test_an_engine_that_fails_leaves_nothing_half_written(stage: Stage, talk: Talk) -> None:
    before = await written(stage, talk, "It |!", "It")

    stage.engine.go()
    await stage.passes(talk, lambda room: len(room.texts) == before + 2)

    assert new(talk.ada, before)[0] == "It"


@pytest.mark.report("R051", "R053")
async def test_a_long_answer_is_shown_by_its_newest_words_and_ends_whole(stage: Stage, talk: Talk) -> None:
    words = " ".join(f"word{number}" for number in range(1_000))
    before = await written(stage, talk, f"{words} |the end.")
    await stage.passes(talk, lambda room: len(room.texts) > before)
    preview = talk.ada.texts[-1]

    stage.engine.go()
    await stage.passes(talk, lambda room: room.texts[-1].endswith("the end."))

    assert len(preview) <= 2_600
    assert new(talk.ada, before) == [f"{words} the end."]


async def test_an_answer_that_becomes_a_file_ends_the_message_too(stage: Stage, talk: Talk) -> None:
    before = await written(stage, talk, f"{'word ' * 13_000}|end.")
    await stage.passes(talk, lambda room: len(room.texts) > before)
    begun = talk.ada.answers[before].id

    stage.engine.go()
    await stage.passes(talk, lambda room: room.answers[-1].file is not None)

    ended = talk.ada.answers[before:]
    assert ended[0].id == begun
    assert "here it is as a file" in ended[0].text
    assert len(ended) == 2


async def test_an_answer_says_what_it_answers(stage: Stage, talk: Talk) -> None:
    asked = talk.ada.say("It is so.")
    await stage.passes(talk, lambda room: room.texts[-1] == "It is so.")

    letters = await talk.app.database.read(lambda connection: connection.execute(select(tables.outbox.c.body)).all())
    assert f'"answers":"{asked.id}"' in letters[-1].body


async def test_in_a_group_answers_are_written_too(stage: Stage, talk: Talk) -> None:
    ada = talk.ada.people[0]
    group = stage.shell.group("Team", ada)
    await stage.passes(talk, lambda _: not stage.shell.feed.waiting)
    await talk.app.service.settled()
    await talk.app.groups.switch(talk.channel_id, group.id, True)

    asked = group.say("It |is so.", mentioned=True)
    await stage.passes(talk, lambda room: room.texts == ("It",), group)
    begun = group.answers[0]
    stage.engine.go()
    await stage.passes(talk, lambda room: room.texts == ("It is so.",), group)

    assert begun.reply_to == asked.id
    assert group.answers[0].id == begun.id


# ---- the program ends in between -------------------------------------------------------------------------------------


@pytest.mark.report("R023", "R021")
async def test_an_answer_that_a_restart_cuts_off_keeps_its_message(stage: Stage) -> None:
    async with stage.life() as talk:
        before = await written(stage, talk, "It |is so.", "It")

    assert new(talk.ada, before) == ["It", problems.CUT_OFF]
