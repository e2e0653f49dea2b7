"""Tokens of the API from the owner's side: made, listed, revoked, in this process and over the local socket."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from conch import printing_tokens as printing
from conch.admin import Admin
from conch.app import App
from conch.control import RemoteAdministration, reach
from conch.printing import moment
from core.clock import ManualClock
from core.errors import NotFound, UsageError
from core.store.tokens import ApiTokens
from tests.web.fakes import LAPTOP, NEW_TOKEN, NOON
from web.control import create_control_app
from web.serving import listen_locally, serving
from web.tokens import TokenView


@pytest.fixture
def admin(built: App) -> Admin:
    return Admin(built)


@pytest.fixture
async def remote(admin: Admin, tmp_path: Path) -> AsyncIterator[RemoteAdministration]:
    with listen_locally(tmp_path / "control.sock") as listener:
        async with serving(create_control_app(admin), [listener]), reach(tmp_path / "control.sock") as administration:
            yield administration


async def test_a_token_made_beside_a_running_server_is_told_whole_and_counts(
    remote: RemoteAdministration, built: App, clock: ManualClock
) -> None:
    new = await remote.tokens.add("laptop", read_only=True)

    known = await ApiTokens(built.database).known(new.token.get_secret_value())

    assert known is not None
    assert new.made == TokenView(name="laptop", scope="read", created_at=clock.now())
    assert list(await remote.tokens.list()) == [new.made]


async def test_one_that_is_revoked_is_gone_and_its_token_counts_no_more(
    remote: RemoteAdministration, built: App
) -> None:
    new = await remote.tokens.add("laptop", read_only=False)

    revoked = await remote.tokens.revoke("laptop")

    assert revoked == new.made
    assert await remote.tokens.list() == ()
    assert await ApiTokens(built.database).known(new.token.get_secret_value()) is None


async def test_what_does_not_fit_is_said_as_it_is_without_a_server(remote: RemoteAdministration) -> None:
    await remote.tokens.add("laptop", read_only=False)

    with pytest.raises(UsageError, match="There is a token “laptop” already"):
        await remote.tokens.add("laptop", read_only=False)
    with pytest.raises(NotFound, match="conch tokens list"):
        await remote.tokens.revoke("phone")


def test_a_new_token_does_not_show_itself_in_errors_and_logs() -> None:
    assert "told-once" not in f"{NEW_TOKEN!r} {NEW_TOKEN}"


def test_a_new_token_is_printed_with_what_it_may_and_how_it_is_sent() -> None:
    told = printing.made(NEW_TOKEN)
    looking = printing.made(NEW_TOKEN.model_copy(update={"made": LAPTOP.model_copy(update={"scope": "read"})}))

    assert told.splitlines()[1] == "  conch_told-once"
    assert "Whoever has it may do everything that you may through the API." in told
    assert "Whoever has it may look at everything and change nothing through the API." in looking


def test_tokens_are_listed_with_when_they_were_used() -> None:
    used = LAPTOP.model_copy(update={"name": "cron", "scope": "read", "last_used": NOON})

    lines = printing.tokens((LAPTOP, used)).splitlines()

    assert printing.tokens(()) == "There is no token yet. Make one with `conch tokens add NAME`."
    assert lines[1].startswith("laptop  everything")
    assert lines[1].endswith("never")
    assert lines[2].startswith("cron    looks only")
    assert lines[2].endswith(moment(NOON))
