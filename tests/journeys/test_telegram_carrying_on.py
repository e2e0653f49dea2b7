"""A skill that the assistant offers in Telegram, turned on and carried on with, through the whole program."""

from pathlib import Path

from channels.emulators.telegram.pretend import PretendTelegram
from core.engines.base import Text, TurnInput
from core.engines.script import CallTool, Steps
from tests.journeys.living import FastClock, living, owner_of, said

ASKED = "Plan two days in Lisbon"


def planner(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
    """Asked first it offers the skill, and asked to carry on it does."""
    if turn.text.startswith(ASKED):
        args = {"kind": "skill", "target": "trip-planner", "why": "It books things in the right order"}
        yield CallTool("offer", "offer", args)
        yield Text("I can plan that roughly.")
    elif ASKED in turn.text:
        yield Text("Day one: Alfama. Day two: Belém.")
    else:
        yield Text(f"echo: {turn.text}")


async def test_a_skill_that_is_offered_and_turned_on_is_carried_on_with(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    async with living(tmp_path, pretend, script=planner, clock=FastClock()) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say(ASKED)
        await ada.chat.wait_for(lambda messages: messages[-1].labels)

        await ada.chat.press(ada.chat.messages[-1], "Turn on")
        await ada.chat.wait_for(lambda messages: messages[-1].text.startswith("Day one"))
        on = app.preferences.current.skills_automatic

    story = said(ada.chat)[1:]
    assert story[0] == "I can plan that roughly."
    assert story[-2:] == ["Turned on Trip planner · carrying on", "Day one: Alfama. Day two: Belém."]
    assert tuple(on) == ("trip-planner",)
