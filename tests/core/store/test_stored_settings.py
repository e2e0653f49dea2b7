"""Settings that the owner changed, as rows."""

from core.store.database import Database
from core.store.settings import StoredSettings


async def test_what_was_changed_is_kept_and_what_was_taken_back_is_not(database: Database) -> None:
    stored = StoredSettings(database)
    await stored.put({"assistant_name": '"Shell"', "voice": '"kind"'})

    await stored.put({"assistant_name": '"Pearl"', "voice": None})

    assert await stored.all() == {"assistant_name": '"Pearl"'}
