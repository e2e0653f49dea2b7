"""The whole way of a message over a PostgreSQL database."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from channels.emulators.telegram.pretend import PretendTelegram
from core.errors import UsageError
from core.store.log import EventLog
from tests.core.store.databases import PostgresServer
from tests.journeys.living import living, owner_of, said

pytestmark = pytest.mark.postgres


@pytest.fixture
def database_url() -> Iterator[str]:
    with PostgresServer().database() as url:
        yield url


async def test_a_message_is_answered_and_remembered_by_the_next_life(
    tmp_path: Path, pretend: PretendTelegram, database_url: str
) -> None:
    async with living(tmp_path, pretend, database_url=database_url) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say("hello")
        await ada.chat.wait_for_answer()
    async with living(tmp_path, pretend, database_url=database_url) as app:
        await ada.chat.say("again")
        await ada.chat.wait_for_answer()
        log = EventLog(app.database)
        (conversation,) = await log.page(10)

        assert said(ada.chat)[-2:] == ["echo: hello", "echo: again"]
        assert await log.state(conversation.id) == await log.rebuild(conversation.id)


async def test_a_second_server_on_the_database_does_not_start(
    tmp_path: Path, pretend: PretendTelegram, database_url: str
) -> None:
    async with living(tmp_path / "first", pretend, database_url=database_url):
        with pytest.raises(UsageError, match="is using this database"):
            async with living(tmp_path / "second", pretend, database_url=database_url):
                pass
