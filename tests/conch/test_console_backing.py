"""What the owner's pages get of the program: findings, what was not delivered, skills, what apps are made from."""

import json
from io import BytesIO
from zipfile import ZipFile

import pytest

from channels.base import ChatRef, OutboundMessage
from channels.memory.app import MemoryApp
from channels.outbox import post_of
from conch.admin import Admin
from conch.app import App
from conch.console import MOST_WORDS, Backing
from conch.health import HealthLook
from conch.levels import LevelsLook
from core.errors import NotFound, UsageError
from core.store.outbox import Expired, Kind, OutboxRows

TEAMS_ID = "2f0a9c56-0b7e-4a36-9a3d-7f6f4a6b6c11"


@pytest.fixture
def backing(built: App) -> Backing:
    levels = LevelsLook(built, HealthLook(built.database, built.registry, built.clock))
    return Backing(built, Admin(built, lambda: "link"), levels, "https://conch.example")


async def expired(app: App, words: str) -> int:
    """A message that was too old to be sent."""
    message = OutboundMessage(text=words, fallback=words, key=words[:20])
    await app.outbox.post([post_of(words[:20], 0, 1, ChatRef("gone", "1"), message, Kind.ANSWER)])
    (letter,) = await OutboxRows(app.database).of_key(words[:20])
    await app.database.commit_one(Expired(letter.id))
    return letter.id


async def test_what_is_found_says_what_to_do(backing: Backing) -> None:
    findings = await backing.checkup.findings()

    assert "Data folder" in [each.subject for each in findings]
    (bots,) = [each for each in findings if each.subject == "Bots"]
    assert (bots.verdict, bots.said) == ("warn", "No bot is connected.")
    assert bots.todo is not None


async def test_one_bot_is_looked_at_alone(backing: Backing, built: App, shell: MemoryApp) -> None:
    connected = await built.registry.add("shell", shell.key)

    findings = await backing.checkup.findings_of(connected.channel_id)

    assert {each.subject.partition(" ")[0] for each in findings} == {"Bot"}
    with pytest.raises(NotFound):
        await backing.checkup.findings_of("gone")


async def test_what_was_not_delivered_is_shown_by_its_beginning(backing: Backing, built: App) -> None:
    await expired(built, "x" * 500)

    (shown,) = await backing.checkup.deliveries(10)

    assert (shown.bot, shown.state) == ("a bot that is gone", "expired")
    assert len(shown.words) == MOST_WORDS + 1


async def test_what_was_not_delivered_is_sent_again_or_dropped_once(backing: Backing, built: App) -> None:
    again, never = await expired(built, "again"), await expired(built, "never")

    done = [await backing.checkup.resend(again), await backing.checkup.drop(never), await backing.checkup.drop(never)]

    assert done == [True, True, False]
    assert await backing.checkup.deliveries(10) == ()


async def test_what_waits_is_counted(backing: Backing, built: App) -> None:
    await backing.checkup.resend(await expired(built, "again"))

    levels = {each.title: each.count for each in await backing.checkup.levels()}

    assert levels["Messages on their way out"] == 1


async def test_a_skill_is_used_as_chosen(backing: Backing) -> None:
    first = (await backing.skills.list())[0]

    await backing.skills.use(first.id, "automatic")

    assert {each.id: each.mode for each in await backing.skills.list()}[first.id] == "automatic"


async def test_apps_are_made_from_what_is_given_along(backing: Backing) -> None:
    slack, teams = backing.manifests.slack(), backing.manifests.teams(f" {TEAMS_ID} ")

    assert json.loads(slack)["settings"]["socket_mode_enabled"] is True
    assert "manifest.json" in ZipFile(BytesIO(teams)).namelist()


async def test_no_package_is_made_for_what_is_no_id(backing: Backing) -> None:
    with pytest.raises(UsageError, match="Application"):
        backing.manifests.teams("nonsense")
