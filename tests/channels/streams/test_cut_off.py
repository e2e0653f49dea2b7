"""Answers that were being written into their message when the program ended without a word."""

import pytest
from sqlalchemy import select

from channels.memory.faults import Call
from core import problems
from core.errors import TryLater
from core.store import preview_tables
from tests.channels.commands.talking import Talk
from tests.channels.streams.conftest import Stage
from tests.channels.streams.test_streamed_answers import new, written


async def kept(talk: Talk) -> None:
    """Come back when it is stored that a message was begun; a program that ends before that knows nothing of it."""
    query = select(preview_tables.preview)
    while not await talk.app.database.read(lambda connection: connection.execute(query).all()):
        pass


@pytest.mark.report("R023")
async def test_an_answer_that_a_crash_cuts_off_leaves_nothing_half_written(stage: Stage) -> None:
    async with stage.life() as first:
        before = len(first.ada.texts)
    async with stage.killed() as talk:
        await written(stage, talk, "It |is so.", "It")
        await kept(talk)
        begun = talk.ada.answers[-1].id
        marked = talk.ada.marked

    async with stage.life() as talk:
        await stage.passes(talk, lambda room: room.texts[-1] == problems.CUT_OFF and not room.marked)

    assert marked
    assert talk.ada.marked == frozenset()
    assert [(message.id, message.text) for message in talk.ada.answers[before:]] == [(begun, problems.CUT_OFF)]


@pytest.mark.report("R023")
async def test_a_final_that_was_stored_before_a_crash_ends_its_message(stage: Stage) -> None:
    async with stage.life() as first:
        before = len(first.ada.texts)
    async with stage.killed() as talk:
        await written(stage, talk, "It |is so.", "It")
        await kept(talk)
        stage.shell.faults.add(Call.SEND, TryLater("busy", retry_after=600.0))
        stage.engine.go()
        await stage.passes(talk, lambda _: not talk.app.conversations.active)
        await talk.app.relay.settled()

    async with stage.life() as talk:
        await stage.clock.advance(601)
        await stage.passes(talk, lambda room: room.texts[-1] == "It is so.")

    assert new(talk.ada, before) == ["It is so."]
