"""Cards in an app without buttons: numbered, answered by typing alone, and nothing else is lost."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from channels.memory.app import MemoryApp
from channels.memory.chat import MemoryChat
from channels.memory.kind import MemoryKind
from conch.app import App, composed
from conch.home import Home
from conch.settings import ProgramSettings
from core.cards import PlanStep
from core.clock import SystemClock
from core.engines.base import EXIT_PLAN_MODE, PLAN_OPTIONS, START, Plan, Text, TurnInput
from core.engines.script import AskPermission, CallTool, Steps
from core.engines.scripted import Script, ScriptedEngine

DRINK = {
    "id": "drink",
    "label": "Which drink?",
    "kind": "choice",
    "options": [{"id": "tea", "label": "Tea"}, {"id": "coffee", "label": "Coffee"}],
}
NIGHTS = {"id": "nights", "label": "How many nights?", "kind": "number", "optional": True}


def asking(*fields: Mapping[str, Any]) -> Script:
    """Asked for something, asks back, and says what the model heard; else it echoes."""

    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        if not turn.text.startswith("Get"):
            yield Text(f"{turn.text} after {list(earlier)}")
            return
        answer = yield CallTool("1", "ask", {"fields": list(fields)})
        yield Text(f"heard: {answer.text}")

    return script


@asynccontextmanager
async def chatting(folder: Path, script: Script) -> AsyncIterator[MemoryChat]:
    """Ada's chat with a Conch of her own, in an app that has no buttons."""
    clock = SystemClock()
    world, home = MemoryApp(clock), Home(folder)
    home.prepare()
    kinds, engines = {"memory": MemoryKind(clock, world)}, [ScriptedEngine(clock, script)]
    settings = ProgramSettings.model_validate({"gather_ms": 0})
    async with composed(home, settings, clock=clock, kinds=kinds, engines=engines) as app:
        await app.start()
        yield await ada_in(app, world)
        await app.drain()


async def ada_in(app: App, world: MemoryApp) -> MemoryChat:
    connected = await app.registry.add("memory", world.key)
    ada = world.private_chat("Ada")
    assert connected.link is not None
    ada.open_link(connected.link)
    await ada.wait_until(lambda chat: chat.texts)
    return ada


async def hears(ada: MemoryChat, words: str) -> str:
    """Wait for a message that begins so; the newest one."""
    await ada.wait_until(lambda chat: any(text.startswith(words) for text in chat.texts))
    return next(text for text in reversed(ada.texts) if text.startswith(words))


async def test_a_choice_is_numbered_and_a_number_answers_it(tmp_path: Path) -> None:
    async with chatting(tmp_path, asking(DRINK)) as ada:
        ada.say("Get me a drink")
        question = await hears(ada, "Which drink?")

        ada.say("2")
        heard = await hears(ada, "heard: ")
        await hears(ada, "Which drink?\n\nAda chose “Coffee”.")

    assert question == "Which drink?\n\nReply with a number:\n1 Tea\n2 Coffee\n3 Skip"
    assert '{"drink": "coffee"}' in heard


async def test_skip_has_a_number_too(tmp_path: Path) -> None:
    async with chatting(tmp_path, asking(DRINK)) as ada:
        ada.say("Get me a drink")
        await hears(ada, "Which drink?")

        ada.say("3")
        heard = await hears(ada, "heard: ")

    assert "best judgement" in heard


async def test_several_are_typed_at_once(tmp_path: Path) -> None:
    async with chatting(tmp_path, asking({**DRINK, "multiple": True})) as ada:
        ada.say("Get me drinks")
        question = await hears(ada, "Which drink?")

        ada.say("1,2")
        heard = await hears(ada, "heard: ")

    assert question.startswith("Which drink?\n\nYou can pick several, like 1,2.")
    assert '{"drink": ["tea", "coffee"]}' in heard


async def test_one_field_comes_after_the_other_and_a_number_is_a_number(tmp_path: Path) -> None:
    async with chatting(tmp_path, asking(DRINK, NIGHTS)) as ada:
        ada.say("Get me a room")
        await hears(ada, "Which drink? (1 of 2)")

        ada.say("tea")
        second = await hears(ada, "How many nights?")
        ada.say("2")
        heard = await hears(ada, "heard: ")

    assert second == ("How many nights? (2 of 2, optional)\n\nType a number.\n\nOr reply “Leave this out” or “Skip”.")
    assert '{"drink": "tea", "nights": 2}' in heard


async def test_a_permission_is_given_by_a_yes_and_other_words_wait(tmp_path: Path) -> None:
    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        if earlier:
            yield Text(f"echo: {turn.text}")
            return
        allowed = yield AskPermission("1", "write_note", {"text": "hello"}, ("yes", "no"), "yes")
        yield Text("done" if allowed else "not done")

    async with chatting(tmp_path, script) as ada:
        ada.say("Write it down")
        asked = await hears(ada, "May I do this?")

        ada.say("what for?")
        await hears(ada, "I'm waiting for an answer")
        ada.say("Yes!")
        await hears(ada, "done")
        await hears(ada, "echo: what for?")

    assert asked == (
        "May I do this?\n\nWrite note: text “hello”\n\n"
        "Reply with a number:\n1 Allow\n2 Always in this chat\n3 Don't allow"
    )


async def test_a_plan_is_kept_by_a_no(tmp_path: Path) -> None:
    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        started = yield AskPermission("1", EXIT_PLAN_MODE, {"plan": "1. Look\n2. Clean"}, PLAN_OPTIONS, START)
        yield Text("started" if started else "kept planning")

    async with chatting(tmp_path, script) as ada:
        ada.say("/plan")
        ada.say("Tidy up")
        await hears(ada, "The plan\n\n○ Look\n○ Clean")
        asked = await hears(ada, "Shall I start")

        ada.say("no")
        await hears(ada, "kept planning")

    assert asked == "Shall I start with this plan?\n\nReply with a number:\n1 Start\n2 Keep planning"


async def test_a_checklist_is_said_once_at_the_end(tmp_path: Path) -> None:
    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        yield Plan((PlanStep(title="Look", state="active"), PlanStep(title="Clean")))
        yield Plan((PlanStep(title="Look", state="done"), PlanStep(title="Clean", state="done")))
        yield Text("All done.")

    async with chatting(tmp_path, script) as ada:
        ada.say("Tidy up")
        await hears(ada, "✓ Look")

    assert ada.texts[1:] == ("All done.", "✓ Look\n✓ Clean\n\n✓ 2 of 2 done")


async def test_an_undo_is_picked_by_its_number_and_never_by_a_yes(tmp_path: Path) -> None:
    async with chatting(tmp_path, asking()) as ada:
        ada.say("one")
        await hears(ada, "one after []")
        ada.say("/clear")
        cleared = await hears(ada, "Cleared")
        ada.say("1")
        await hears(ada, "Taken back")
        ada.say("two")
        await hears(ada, "two after ['one']")
        ada.say("yes")
        await hears(ada, "yes after ['one', 'two']")

    assert cleared.endswith("Reply with a number:\n1 Undo")


async def test_a_yes_after_a_clear_is_a_message(tmp_path: Path) -> None:
    async with chatting(tmp_path, asking()) as ada:
        ada.say("one")
        await hears(ada, "one after []")
        ada.say("/clear")
        await ada.wait_until(lambda chat: any("1 Undo" in text for text in chat.texts))

        ada.say("yes")
        await hears(ada, "yes after []")


async def test_what_was_probably_meant_is_a_number_away(tmp_path: Path) -> None:
    async with chatting(tmp_path, asking()) as ada:
        ada.say("/hepl")
        await hears(ada, "There is no command")

        ada.say("1")
        await ada.wait_until(lambda chat: any("/new" in text for text in chat.texts[2:]))
