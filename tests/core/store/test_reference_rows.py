"""What an adapter noted down is there again, for its own bot alone."""

from core.store.channels import Channels
from core.store.database import Database


async def test_a_note_takes_the_place_of_the_one_before(database: Database) -> None:
    notes = Channels(database).notebook("teams-1")

    await notes.note("a:chat", "first")
    await notes.note("a:chat", "second")

    assert await notes.recall() == {"a:chat": "second"}


async def test_the_notes_of_another_bot_are_not_seen(database: Database) -> None:
    await Channels(database).notebook("teams-1").note("a:chat", "mine")

    assert await Channels(database).notebook("teams-2").recall() == {}


async def test_a_note_that_was_forgotten_is_gone(database: Database) -> None:
    notes = Channels(database).notebook("teams-1")
    await notes.note("a:chat", "words")

    await notes.forget("a:chat")
    await notes.forget("a:chat")

    assert await notes.recall() == {}


async def test_notes_go_with_their_bot(database: Database) -> None:
    channels = Channels(database)
    record, _ = await channels.add("teams-1", "teams", "app", "Bot", None, "sealed")
    await channels.notebook(record.id).note("a:chat", "words")

    await channels.remove(record.id)

    assert await channels.notebook(record.id).recall() == {}
