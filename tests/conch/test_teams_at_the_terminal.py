"""Teams at the command line: the package, and a bot's two ids and secret."""

import zipfile
from pathlib import Path

from channels.emulators.teams.pretend import PretendTeams
from tests.conch.programs import run

PUBLIC = {"CONCH_PUBLIC_URL": "https://conch.example"}


async def test_a_bot_is_connected_and_its_endpoint_printed(tmp_path: Path) -> None:
    async with PretendTeams() as teams:
        places = {"CONCH_TEAMS_LOGIN_URL": teams.login_url, "CONCH_TEAMS_OPENID_URL": teams.openid_url}
        keys = f"{teams.bot.app_id}\n{teams.bot.tenant}\n{teams.bot.password}\n"
        added = await run(tmp_path, "channels", "add", "teams", given=keys, **places, **PUBLIC)

    assert "is connected." in added.out
    assert "https://conch.example/channels/teams/" in added.out
    assert teams.bot.password not in added.out + added.err


async def test_the_package_is_written_for_the_bot(tmp_path: Path) -> None:
    out = tmp_path / "app.zip"

    made = await run(
        tmp_path, "channels", "manifest", "teams", "11111111-1111-4111-8111-111111111111", "--out", str(out), **PUBLIC
    )

    assert made.code == 0
    assert zipfile.is_zipfile(out)
