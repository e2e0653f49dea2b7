"""Commands as Discord offers them: completed while they are typed, picked, repeated to the person alone."""

import asyncio
from pathlib import Path

import pytest

from channels.emulators.discord.screen import Screen
from core.clock import SystemClock
from core.engines.base import ModelInfo
from core.engines.scripted import ScriptedEngine
from core.events import Effort
from tests.journeys.apps import AppUnderTest, DiscordUnderTest, Member, said
from tests.journeys.living import echo

ONE = ModelInfo("one", "One", efforts=(Effort.LOW, Effort.HIGH))
TWO = ModelInfo("two", "Two")


def screen_of(member: Member) -> Screen:
    """Their private chat, with all that Discord's own app can do."""
    assert isinstance(member.chat, Screen)
    return member.chat


class Hanging(ScriptedEngine):
    """An engine whose server does not say which models it has."""

    async def models(self) -> tuple[ModelInfo, ...]:
        await asyncio.Event().wait()
        return ()


def engine(*models: ModelInfo) -> ScriptedEngine:
    return ScriptedEngine(SystemClock(), echo, models=models)


async def test_models_are_completed_with_those_that_there_are_now(tmp_path: Path, discord: DiscordUnderTest) -> None:
    async with discord.living(tmp_path, engines=[engine(ONE, TWO)]) as app:
        ada = await discord.owner_of(app)

        found = await screen_of(ada).suggestions("model", "value", "tw")
        await screen_of(ada).command("model scripted/two")
        await ada.chat.wait_for(lambda _: "Two (Scripted) answers here now." in said(ada.chat)[-1])

    assert found == ["Two (Scripted)"]


async def test_what_a_model_has_not_is_not_completed(tmp_path: Path, discord: DiscordUnderTest) -> None:
    async with discord.living(tmp_path, engines=[engine(ONE, TWO)]) as app:
        ada = await discord.owner_of(app)

        efforts = await screen_of(ada).suggestions("effort", "value", "")
        await discord.asked(ada.chat, "/model two")
        none = await screen_of(ada).suggestions("effort", "value", "")

    assert efforts == ["Auto", "Low", "High"]
    assert none == []


@pytest.mark.report("R071")
async def test_an_engine_that_says_nothing_holds_no_completion_up(tmp_path: Path, discord: DiscordUnderTest) -> None:
    async with discord.living(tmp_path, engines=[engine(ONE), Hanging(SystemClock(), echo, name="hanging")]) as app:
        ada = await discord.owner_of(app)

        found = await screen_of(ada).suggestions("model", "value", "one", timeout=2)

    assert found == ["One (Scripted)"]


@pytest.mark.parametrize("let_in", [True, False], ids=["let in", "a stranger"])
async def test_who_may_not_choose_is_told_no_models(tmp_path: Path, discord: DiscordUnderTest, let_in: bool) -> None:
    async with discord.living(tmp_path, engines=[engine(ONE, TWO)]) as app:
        ada = await discord.owner_of(app)
        bob = await discord.another(app, ada, "Bob") if let_in else discord.person(ada.channel_id, "Bob")

        found = [await screen_of(bob).suggestions(name, "value", "") for name in ("model", "effort", "mode")]

    assert found == [[], [], []]


async def test_a_picked_command_is_repeated_to_the_person_alone(tmp_path: Path, discord: DiscordUnderTest) -> None:
    async with discord.living(tmp_path, engines=[engine()]) as app:
        ada = await discord.owner_of(app)

        await screen_of(ada).command("goal Learn *some* Spanish")
        await ada.chat.wait_for_answer()
        [repeated] = [message for message in ada.chat.answers if getattr(message, "ephemeral", False)]

    assert repeated.text == "/goal Learn *some* Spanish"
    assert said(ada.chat)[-1].startswith("The goal")


async def test_the_menu_is_sent_once_and_not_again_at_the_next_start(tmp_path: Path, discord: DiscordUnderTest) -> None:
    async with discord.living(tmp_path, engines=[engine()]) as app:
        ada = await discord.owner_of(app)
    async with discord.living(tmp_path, engines=[engine()]) as app:
        await discord.ready(app, ada.channel_id)
        await discord.asked(ada.chat, "hello")

    assert len(discord.pretend.calls("PUT /applications/{application_id}/commands")) == 1


async def test_a_menu_that_cannot_be_sent_holds_nothing_up(tmp_path: Path, discord: DiscordUnderTest) -> None:
    menu = "PUT /applications/{application_id}/commands"
    discord.pretend.faults.add("server_error", method=menu, times=2)
    async with discord.living(tmp_path, engines=[engine()]) as app:
        connected = await app.registry.add(discord.kind, discord.keys)
        await AppUnderTest.ready(discord, app, connected.channel_id)
        ada = discord.person(connected.channel_id, "Ada")
        await ada.chat.say("It's me.")
        await ada.chat.wait_for_answer()

    assert len(discord.pretend.calls(menu)) >= 1
