"""Open previews: kept until what is to stand in them is stored."""

from core.store.database import Database
from core.store.previews import EndPreview, KeepPreview, Preview, Previews

FIRST = Preview("talk", 3, "app-1", "m1")
SECOND = Preview("talk", 3, "app-2", "m2")
OTHER = Preview("talk", 9, "app-3", "m3")


async def test_a_turn_has_the_previews_that_it_opened(database: Database) -> None:
    await database.commit(KeepPreview(FIRST), KeepPreview(OTHER), KeepPreview(SECOND), KeepPreview(SECOND))

    assert await Previews(database).of_turn("talk", 3) == (FIRST, SECOND)


async def test_a_preview_ends_once(database: Database) -> None:
    await database.commit(KeepPreview(FIRST), KeepPreview(SECOND))

    ended = await database.commit(EndPreview(FIRST)), await database.commit(EndPreview(FIRST))

    assert ended == ((True,), (False,))
    assert await Previews(database).of_turn("talk", 3) == (SECOND,)


async def test_a_preview_that_ends_with_its_beginning_is_gone(database: Database) -> None:
    await database.commit(EndPreview(FIRST), KeepPreview(FIRST))

    assert await Previews(database).of_turn("talk", 3) == ()
