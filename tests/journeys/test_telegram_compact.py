"""A chat that is summed up in Telegram: by itself, when somebody asks, and what is on the screen meanwhile."""

import asyncio
from pathlib import Path

import pytest

from channels.emulators.telegram.pretend import PretendTelegram
from channels.summaries import LABEL
from core.clock import SystemClock
from core.engines.demo.engine import DemoEngine
from tests.core.folders import FoldingEngine
from tests.journeys.living import FastClock, living, owner_of, said

SUMMED_UP = "I summed up 2 earlier messages and their answers. What came after that I still know word for word."


@pytest.mark.report("R143")
async def test_a_chat_that_grew_long_says_so_and_shows_its_summary_with_one_tap(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    async with living(tmp_path, pretend, engines=[DemoEngine(SystemClock(), "wait", pace=0)]) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say("Remember that tea is at four")
        await ada.chat.wait_for_answer()

        await ada.chat.say("Fill this chat up")
        await ada.chat.wait_for(lambda seen: any(one.labels for one in seen))
        [told] = [one for one in ada.chat.messages if one.labels]
        await ada.chat.press(told, LABEL)
        await ada.chat.wait_for(lambda seen: any("Here is how I remember" in one.text for one in seen))

    assert told.text == "This chat had grown long, so I summed up 4 earlier messages and their answers to make room."
    assert "tea is at four; The train from Rome arrives at 14:05" in next(
        words for words in said(ada.chat) if "Here is how I remember" in words
    )


async def test_what_was_summed_up_when_asked_is_still_known(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend, engines=[DemoEngine(SystemClock(), "wait", pace=0)]) as app:
        ada = await owner_of(app, pretend)
        for words in ("Remember that tea is at four", "Remember that Bob is tall", "Echo hello"):
            await ada.chat.say(words)
            await ada.chat.wait_for_answer()

        await ada.chat.say("/compact")
        told = await ada.chat.wait_for_answer()
        await ada.chat.say("What did I tell you?")
        recalled = await ada.chat.wait_for_answer()

    assert (told.text, told.labels) == (SUMMED_UP, [[LABEL]])
    assert "summed up: “tea is at four; Bob is tall”" in recalled.text


async def test_while_it_is_summed_up_the_chat_shows_typing_and_keeps_what_is_sent(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    go, clock = asyncio.Event(), FastClock()
    engine = FoldingEngine(clock, wait=go.wait)
    async with living(tmp_path, pretend, engines=[engine], clock=clock) as app:
        ada = await owner_of(app, pretend)
        for words in ("one", "two", "three"):
            await ada.chat.say(words)
            await ada.chat.wait_for_answer()
        await ada.chat.say("/compact the names")
        await ada.chat.wait_until(lambda: ada.chat.action == "typing")

        await ada.chat.say("four")
        go.set()
        await ada.chat.wait_for(lambda seen: seen[-1].text == "echo: four")

    assert said(ada.chat)[-2:] == [SUMMED_UP, "echo: four"]
    assert engine.focuses == ["the names"]


async def test_a_restart_in_the_middle_does_it_anew_and_tells_it_once(tmp_path: Path, pretend: PretendTelegram) -> None:
    engine = FoldingEngine(SystemClock(), wait=asyncio.Event().wait)
    async with living(tmp_path, pretend, engines=[engine]) as app:
        ada = await owner_of(app, pretend)
        for words in ("one", "two", "three"):
            await ada.chat.say(words)
            await ada.chat.wait_for_answer()
        await ada.chat.say("/compact")
        await engine.begun.wait()

    async with living(tmp_path, pretend, engines=[FoldingEngine(SystemClock())]):
        await ada.chat.wait_for_answer()

    assert said(ada.chat).count(SUMMED_UP) == 1
