"""Every command in an app that keeps all others, as Slack does: typed behind `/conch`, and named so in every reply."""

import re
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from channels.memory.app import MemoryApp
from channels.memory.channel import CAPABILITIES
from channels.memory.chat import MemoryChat
from channels.memory.kind import MemoryKind
from commands.registry import COMMANDS
from conch.app import composed
from conch.home import Home
from conch.settings import ProgramSettings
from core.clock import ManualClock
from core.engines.base import Ended, EndReason, Text, TurnInput
from core.engines.script import Steps
from core.engines.scripted import ScriptedEngine
from tests.channels.commands.talking import Talk

SLACK = replace(CAPABILITIES, kind="slack", title="Slack", command="/conch")

NAMES = [command.name for command in COMMANDS]
BARE = re.compile(rf"(?<!/conch )(?<![\w/.:<])/(?!conch\b)(?:{'|'.join(NAMES)})\b")

WORDS = ("", "on", "off", "yes", "default", "default full", "nonsense that is none", "clear", "x" * 600)
"""What may stand behind a command."""


def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
    """Say what was heard; "fail" ends as it names."""
    if turn.text.startswith("fail "):
        yield Ended(EndReason(turn.text.removeprefix("fail ")))
        return
    yield Text(f"heard {turn.text}")


@pytest.fixture
async def slack(home: Home, shell: MemoryApp, clock: ManualClock) -> AsyncIterator[Talk]:
    """Ada's private chat in an app like Slack."""
    settings = ProgramSettings.model_validate({"gather_ms": 0, "rate_per_chat": 0, "rate_global": 0})
    kinds = {"slack": MemoryKind(clock, shell, button_limit=25, capabilities=SLACK)}
    async with composed(home, settings, clock=clock, kinds=kinds, engines=[ScriptedEngine(clock, script)]) as app:
        await app.start()
        connected = await app.registry.add("slack", shell.key)
        ada = shell.private_chat("Ada")
        assert connected.link is not None
        ada.say(f"/conch start {connected.link.partition('?start=')[2]}")
        await ada.wait_until(lambda seen: seen.answers)
        yield Talk(app, shell, clock, ada, connected.channel_id)
        await app.drain()


def named(chat: MemoryChat) -> list[str]:
    """Whatever stands in a chat that names a command as other apps write it."""
    said = [*chat.texts, *chat.notes, *(button.label for one in chat.answers for button in one.buttons)]
    return [words for words in said if BARE.search(words)]


async def settled(slack: Talk) -> None:
    await slack.shell.feed.drained()
    await slack.app.service.settled()


async def typed(slack: Talk, text: str, chat: MemoryChat) -> None:
    """Write it, and come back when what is said to it can be seen."""
    chat.say(text)
    await settled(slack)


@pytest.mark.parametrize("name", NAMES)
async def test_no_reply_names_a_command_as_other_apps_write_it(slack: Talk, name: str) -> None:
    for words in WORDS:
        await typed(slack, f"/conch {name} {words}", slack.ada)
    await slack.say("/conch status")

    assert len(slack.ada.answers) > len(WORDS)
    assert named(slack.ada) == []


async def test_the_same_holds_for_people_and_in_groups(slack: Talk) -> None:
    bob = slack.shell.private_chat("Bob")
    await slack.app.people.let_in(slack.channel_id, "bob", by="console", name="Bob")
    group = slack.shell.group("Team", slack.ada.people[0])
    await settled(slack)
    for name in NAMES:
        await typed(slack, f"/conch {name}", bob)
        await typed(slack, f"/conch {name}", group)
    await slack.say("/conch help", bob)

    assert len(bob.answers) >= len(NAMES) - 2
    assert named(bob) == named(group) == []


async def test_help_lists_everything_as_it_is_typed_here(slack: Talk) -> None:
    empty = await slack.say("/conch")
    asked = await slack.say("/conch help")

    assert empty.text == asked.text
    assert "/conch clear – Forget what was said here" in asked.text
    assert "/conch model [" in asked.text


async def test_a_slip_is_suggested_as_it_is_typed_here_and_one_tap_runs_it(slack: Talk) -> None:
    reply = await slack.say("/conch goall write a book")
    near = await slack.say("/conch modle")
    tapped = await slack.tap(near, "/conch model")

    assert reply.text == "heard goall write a book"
    assert near.text == "There is no command /conch modle. Did you mean /conch model or /conch mode?"
    assert "There is no command" not in tapped.text


async def test_words_that_are_no_command_ask(slack: Talk) -> None:
    answer = await slack.say("/conch what's on today?")

    assert answer.text == "heard what's on today?"


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        (EndReason.CONTEXT_FULL, "Send /conch new to start a fresh one."),
        (EndReason.REJECTED, "or choose another model with /conch model."),
    ],
)
async def test_what_is_said_of_a_turn_that_failed_names_them_so(slack: Talk, reason: EndReason, told: str) -> None:
    answer = await slack.say(f"fail {reason}")

    assert answer.text.endswith(told)


async def test_words_of_the_model_and_of_people_stay_as_they_are(slack: Talk) -> None:
    answer = await slack.say("what does /new do, and https://example.org/help ?")
    goal = await slack.say("/conch goal explain /new to everyone")

    assert answer.text == "heard what does /new do, and https://example.org/help ?"
    assert "explain /new to everyone" in goal.text


async def test_who_is_let_in_hears_what_to_type_here(slack: Talk) -> None:
    assert slack.ada.texts[0].endswith("send /conch help to see what you can do here.")
