"""Skills in turns: called by name or used by the assistant, with holds that count until a person ends them."""

from dataclasses import replace
from typing import Any

import pytest

from core import events as ev
from core.decisions import EndHold
from core.engines.base import EngineCapabilities, Text, ToolAnswer, TurnInput
from core.engines.script import AskPermission, CallTool, Steps
from core.engines.scripted import ScriptedEngine
from core.events import Mode
from core.offers.carrying import Taken
from core.offers.desk import Shelf
from core.skills.folder import read
from tests.core.askers import waits
from tests.core.lives import CHAT, Life, Start, from_chat, until

WITH_TOOLS = EngineCapabilities(host_tools="inline")
PLANNER = "trip-planner"


def worker(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
    """Use a skill, send something, or say what came in."""
    last = turn.text.split()[-1]
    if last == "use":
        answer: ToolAnswer = yield CallTool(f"u-{len(earlier)}", "use_skill", {"id": PLANNER})
        yield Text(answer.text)
    elif last == "offer":
        answer = yield CallTool(f"o-{len(earlier)}", "offer", {"kind": "skill", "target": PLANNER, "why": "It plans."})
        yield Text(answer.text)
    elif last == "send":
        allowed = yield AskPermission(f"p-{len(earlier)}", "post_it", {}, ("Yes", "No"), "Yes")
        yield Text("sent" if allowed else "not sent")
    else:
        yield Text(turn.text)


async def begun(start: Start, *, able: EngineCapabilities = WITH_TOOLS, **settings: Any) -> Life:
    return await start(ScriptedEngine(start.clock, worker, capabilities=able), default_mode=Mode.FULL, **settings)


def used(log: list[ev.EventData]) -> list[tuple[str, str]]:
    return [(data.skill_id, data.by) for data in log if isinstance(data, ev.SkillUsed)]


async def test_a_skill_that_is_called_goes_to_the_engine_and_the_log_keeps_what_was_typed(start: Start) -> None:
    life = await begun(start, skills_when_asked=(PLANNER,))

    await life.answer(f"/{PLANNER} for Rome")

    told = life.engine.turns[-1]
    assert told.text.startswith("Follow the skill “Trip planner” now. It may look things up")
    assert told.text.endswith(f"/{PLANNER} for Rome")
    assert await life.asked() == [f"/{PLANNER} for Rome"]
    log = await life.events()
    assert used(log) == [(PLANNER, "owner")]
    assert [type(data) for data in log[:3]] == [ev.UserMessage, ev.SkillUsed, ev.TurnStarted]


async def test_one_that_is_used_only_when_asked_is_not_shown_to_the_assistant(start: Start) -> None:
    life = await begun(start, skills_when_asked=(PLANNER,))

    await life.answer("hello")

    told = life.engine.turns[-1]
    assert PLANNER not in told.instructions
    assert "use_skill" not in [tool.name for tool in told.tools]


async def test_one_that_is_automatic_is_listed_and_the_assistant_reads_it(start: Start) -> None:
    life = await begun(start, skills_automatic=(PLANNER,))

    await life.answer("use")

    told = life.engine.turns[-1]
    assert f"- {PLANNER}: Trip planner. Plans a trip day by day" in told.instructions
    assert "use_skill" in [tool.name for tool in told.tools]
    log = await life.events()
    assert used(log) == [(PLANNER, "assistant")]
    [answer] = [data.text for data in log if isinstance(data, ev.AssistantMessage)]
    assert answer.startswith("Follow the skill “Trip planner” now.")


async def test_one_that_is_off_is_neither_called_nor_read(start: Start) -> None:
    life = await begun(start)

    await life.answer(f"/{PLANNER} use")

    log = await life.events()
    assert used(log) == []
    [answer] = [data.text for data in log if isinstance(data, ev.AssistantMessage)]
    assert answer == "There is no tool named 'use_skill' here."


async def test_an_engine_without_tools_still_follows_one_that_is_called(start: Start) -> None:
    life = await begun(start, able=EngineCapabilities(host_tools="none"), skills_automatic=(PLANNER,))

    await life.answer(f"/{PLANNER} Rome")

    told = life.engine.turns[-1]
    assert told.text.startswith("Follow the skill")
    assert "use_skill" not in told.instructions


@pytest.mark.parametrize("how", [f"/{PLANNER} Rome", "use"])
async def test_what_a_used_skill_holds_is_asked_also_in_full_trust_until_a_person_ends_it(
    start: Start, how: str
) -> None:
    life = await begun(start, skills_automatic=(PLANNER,))
    await life.answer(how)

    await life.say("send")
    await until(lambda: waits(life))
    [asked] = waits(life)
    assert isinstance(asked, ev.PermissionRequested)
    await life.conversations.resolve_permission(CHAT, asked.permission_id, "deny", "Ada")
    await life.idle()
    await life.conversations.decide(CHAT, EndHold(PLANNER, "Ada"))
    await life.answer("please send")

    assert asked.reason == "The skill “Trip planner” asks before anything like this."
    answers = [data.text for data in await life.events() if isinstance(data, ev.AssistantMessage)]
    assert answers[-2:] == ["not sent", "sent"]


async def test_a_hold_ends_once_and_only_where_there_is_one(start: Start) -> None:
    life = await begun(start, skills_automatic=(PLANNER,))
    await life.answer(f"/{PLANNER} Rome")

    first = await life.conversations.decide(CHAT, EndHold(PLANNER, "Ada"))
    second = await life.conversations.decide(CHAT, EndHold(PLANNER, "Ada"))

    assert [event.data for event in first.events] == [ev.SkillHoldEnded(skill_id=PLANNER, reason="ended by Ada")]
    assert second.events == ()


async def test_people_who_are_let_in_have_only_skills_switched_on_for_them(start: Start) -> None:
    life = await begun(start, skills_automatic=(PLANNER, "meeting-notes"), skills_for_people=("meeting-notes",))
    bob = from_chat("bob").model_copy(update={"role": "let-in"})

    await life.answer(f"/{PLANNER} Rome", by=bob, others_words=True)
    await life.answer("/meeting-notes today", by=bob, others_words=True)

    assert used(await life.events()) == [("meeting-notes", bob.person_name or "owner")]
    told = life.engine.turns[-1]
    assert "meeting-notes" in told.instructions
    assert PLANNER not in told.instructions


async def test_a_skill_that_is_taken_for_one_request_is_followed_in_the_turn_that_carries_on(start: Start) -> None:
    [planner] = [replace(skill, mode="when-asked") for skill in read(None).skills if skill.id == PLANNER]
    life = await begun(start, skills_when_asked=(PLANNER,), shelf=Shelf(skills=lambda: (planner,)))
    await life.answer("Rome offer")
    [offer] = [data.offer for data in await life.events() if isinstance(data, ev.OfferShown)]

    taken = await life.conversations.accept_offer(CHAT, offer.offer_id, "Ada", skill="once")
    await life.idle()
    await life.answer("and then")

    assert taken is Taken.STARTED
    carried, after = life.engine.turns[-2], life.engine.turns[-1]
    assert carried.text.startswith("Follow the skill “Trip planner” now.")
    assert carried.text.endswith("Rome offer")
    assert after.text == "and then"
    assert len(used(await life.events())) == 1
