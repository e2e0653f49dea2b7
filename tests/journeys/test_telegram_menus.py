"""The menus of commands that people find in Telegram: theirs, and the one of groups."""

import asyncio
import json
from pathlib import Path

import pytest

from channels.emulators.telegram.pretend import PretendTelegram
from channels.emulators.telegram.screen import Screen
from commands.menus import native_menu
from conch.app import App
from core.store.channels import Channels
from tests.journeys.living import FastClock, living, owner_of

MENU = native_menu("telegram")


def names(screen: Screen) -> list[str]:
    return [entry.command for entry in screen.menu]


def scopes(pretend: PretendTelegram) -> list[str]:
    """For whom menus were set, in order."""
    return [_scope(call.parameters["scope"]) for call in pretend.calls("setMyCommands")]


def _scope(given: object) -> str:
    scope = json.loads(given) if isinstance(given, str) else given
    assert isinstance(scope, dict)
    return str(scope["type"])


async def menus_are_set(app: App, channel_id: str) -> None:
    """Come back when Telegram has the registry's menus, and that is noted."""
    async with asyncio.timeout(10):
        while await Channels(app.database).menu_digest(channel_id) != MENU.digest():  # noqa: ASYNC110 - a picture
            await asyncio.sleep(0)


@pytest.mark.report("R165")
async def test_people_find_what_the_registry_has(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend) as app:
        ada = await owner_of(app, pretend)
        group = pretend.group("Team", [ada.player]).screen(ada.player)

        await menus_are_set(app, ada.channel_id)

    assert names(ada.chat) == [entry.name for entry in MENU.default]
    assert names(group) == ["new", "stop", "help"]
    assert [entry.description for entry in ada.chat.menu] == [entry.description for entry in MENU.default]


@pytest.mark.report("R057")
async def test_the_next_start_sends_no_menu(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend) as app:
        ada = await owner_of(app, pretend)
        await menus_are_set(app, ada.channel_id)

    async with living(tmp_path, pretend):
        await ada.chat.say("hello")
        await ada.chat.wait_for_answer()

    assert scopes(pretend) == ["default", "all_group_chats"]


@pytest.mark.report("R165")
async def test_a_bot_that_was_connected_long_ago_gets_what_a_new_release_brings(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    async with living(tmp_path, pretend) as app:
        ada = await owner_of(app, pretend)
        await menus_are_set(app, ada.channel_id)
        await Channels(app.database).keep_menu_digest(ada.channel_id, "of an earlier release")

    async with living(tmp_path, pretend) as app:
        await menus_are_set(app, ada.channel_id)

    assert scopes(pretend) == ["default", "all_group_chats"] * 2


@pytest.mark.report("R057")
async def test_nobody_waits_for_a_menu_that_telegram_puts_off(tmp_path: Path, pretend: PretendTelegram) -> None:
    pretend.faults.add("flood", method="setMyCommands", seconds=100)
    async with living(tmp_path, pretend, clock=FastClock()) as app:
        ada = await owner_of(app, pretend)

        await ada.chat.say("hello")
        answer = await ada.chat.wait_for_answer()
        tried = len(pretend.calls("setMyCommands"))
        await menus_are_set(app, ada.channel_id)

    assert answer.text == "echo: hello"
    assert tried == 1
    assert len(pretend.calls("setMyCommands")) == 3


async def test_a_bot_that_is_turned_off_and_on_has_its_menu_still(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend) as app:
        ada = await owner_of(app, pretend)
        await menus_are_set(app, ada.channel_id)

        await app.registry.set_enabled(ada.channel_id, False)
        await app.registry.set_enabled(ada.channel_id, True)
        await ada.chat.say("hello")
        await ada.chat.wait_for_answer()

    assert len(scopes(pretend)) == 2
