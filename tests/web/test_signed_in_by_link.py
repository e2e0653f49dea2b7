"""Coming in by a link is written down, and a link that does not work is not: anybody could fill the list with those."""

from pathlib import Path

import pytest

from core.clock import ManualClock
from core.store.audit import Audit
from core.store.database import Database
from core.store.owner_keys import OwnerKeyRows
from tests.web.asgi import Browser
from tests.web.fakes import FakeAdministration
from web.app import Backend, create_app
from web.health import HealthReport
from web.security import Gate
from web.signing.keys import OwnerKeys
from web.signing.pages import SignIn


@pytest.fixture
async def database(tmp_path: Path, clock: ManualClock) -> Database:
    return await Database.open(f"sqlite:///{tmp_path / 'conch.db'}", clock)


async def test_only_a_link_that_works_is_written_down(gate: Gate, clock: ManualClock, database: Database) -> None:
    async def health() -> HealthReport:
        return HealthReport(can_store=True, channels={})

    audit = Audit(database)
    sign_in = SignIn(OwnerKeys(OwnerKeyRows(database), clock), audit, clock)
    browser = Browser(create_app(gate, Backend(FakeAdministration(), health, sign_in=sign_in)))
    token = gate.sessions.new_link_token()

    answers = [(await browser.get(f"/?token={each}")).status for each in (token, token, "guessed")]

    lines = await audit.page(9)
    await database.close()
    assert answers == [303, 401, 401]
    assert [(each.what, each.about) for each in lines] == [("signed-in", "by a link")]
    assert token not in str(lines)
