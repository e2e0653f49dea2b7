"""A turn whose engine folded its memory: what the log says of it, and what is remembered afterwards."""

from core import events as ev
from core.engines.base import Compacted, Text
from core.engines.scripted import always
from core.store.log import EventLog
from tests.core.lives import CHAT, Start


async def test_a_fold_stands_in_the_log_where_it_happened_with_who_did_it(start: Start) -> None:
    life = await start(always(Compacted("They met in Rome.", before_seq=4, turns=3, model="small"), Text("Hello.")))

    await life.answer("hello")

    assert await life.story() == ["> hello", "turn", "context.compacted", "Hello.", "end: success"]
    [_, _, folded, *_] = await life.events()
    assert folded == ev.ContextCompacted(
        summary="They met in Rome.", before_seq=4, engine="scripted", model="small", turns=3
    )


async def test_a_summary_with_half_a_character_is_stored_as_well_as_can_be(start: Start) -> None:
    life = await start(always(Compacted("cut \ud83d", before_seq=4, turns=1)))

    await life.answer("hello")

    [folded] = [event.data for event in await EventLog(life.database).read(CHAT, after=1, limit=1)]
    assert isinstance(folded, ev.ContextCompacted)
    assert folded.summary == "cut \ufffd"
