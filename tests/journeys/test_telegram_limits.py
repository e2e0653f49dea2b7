"""An engine that cannot answer, and budgets that run out, as people in Telegram see it."""

from pathlib import Path
from typing import Any

import pytest

from channels.emulators.telegram.pretend import PretendTelegram
from core.clock import SystemClock
from core.engines.base import Ended, EndReason, ModelInfo, Text, TurnInput, Used
from core.engines.script import Steps
from core.engines.scripted import ScriptedEngine
from core.events import Usage
from tests.journeys.living import Owner, echo, living, owner_of, said, until

LIMITED = Ended(EndReason.RATE_LIMITED, "Claude takes no more requests for now. Send it again in 60 seconds.", 60)


def limited_at_first(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
    """Break off in the middle of a sentence, except for those who ask again."""
    if "again" not in turn.text:
        yield Text("This is half of a sen")
        yield LIMITED
    yield Text("Here I am.")


def uses(tokens: int) -> Any:
    """Answer, and use so much."""

    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        yield Text(f"echo: {turn.text}")
        yield Used(Usage(input=tokens))

    return script


async def answered(owner: Owner, words: str, count: int = 1) -> list[str]:
    """Say something; what the bot says to it, as soon as it is so many messages."""
    before = len(said(owner.chat))
    await owner.chat.say(words)
    await until(lambda: len(said(owner.chat)) >= before + count)
    return said(owner.chat)[before:]


@pytest.mark.report("R003", "R005")
async def test_another_engine_answers_once_and_a_line_says_so(tmp_path: Path, pretend: PretendTelegram) -> None:
    clock = SystemClock()
    claude = ScriptedEngine(clock, limited_at_first, name="claude")
    ollama = ScriptedEngine(clock, echo, name="ollama", models=(ModelInfo("llama3.2", "Llama"),))
    async with living(tmp_path, pretend, engines=[claude, ollama], fallback_engine="ollama") as app:
        ada = await owner_of(app, pretend)

        first = await answered(ada, "hello", 2)
        second = await answered(ada, "once again")

    assert first == ["Claude takes no more requests for now, so Ollama (llama3.2) answers this time.", "echo: hello"]
    assert second == ["Here I am."]
    assert len(said(ada.chat)) == 4, "something was said twice"


async def test_where_both_fail_one_message_says_so(tmp_path: Path, pretend: PretendTelegram) -> None:
    def out(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        yield Ended(EndReason.UNAVAILABLE)

    clock = SystemClock()
    engines = [ScriptedEngine(clock, limited_at_first, name="claude"), ScriptedEngine(clock, out, name="ollama")]
    async with living(tmp_path, pretend, engines=engines, fallback_engine="ollama") as app:
        ada = await owner_of(app, pretend)

        told = await answered(ada, "hello", 2)

    assert told == [
        "Claude takes no more requests for now, so Ollama answers this time.",
        "Ollama cannot be reached right now. Send it again in a moment. Before that, Claude could not answer either.",
    ]


@pytest.mark.report("R199")
async def test_the_owner_is_warned_in_time_and_then_no_model_is_asked(tmp_path: Path, pretend: PretendTelegram) -> None:
    clock = SystemClock()
    engine = ScriptedEngine(clock, uses(300))
    async with living(tmp_path, pretend, engines=[engine], gather_ms=0, budget_day_tokens=1_000) as app:
        ada = await owner_of(app, pretend)
        one = await answered(ada, "one")
        two = await answered(ada, "two", 2)
        three = await answered(ada, "three", 2)
        four = await answered(ada, "four")

        five = await answered(ada, "five")

    how = "You can raise it with /settings, or conch settings set budget_day_tokens NUMBER."
    then = "of today's budget of 1,000 tokens is used. When all of it is, I stop answering until 00:00 UTC."
    assert one == ["echo: one"]
    assert two == ["echo: two", f"50 % {then} {how}"]
    assert three == ["echo: three", f"80 % {then} {how}"]
    assert four == ["echo: four"]
    assert five == [
        "Today's budget of 1,000 tokens is used up, so I stop here. It starts anew at 00:00 UTC. To go on now, raise "
        "it with /settings, or conch settings set budget_day_tokens NUMBER."
    ]
    assert [turn.text for turn in engine.turns] == ["one", "two", "three", "four"]
