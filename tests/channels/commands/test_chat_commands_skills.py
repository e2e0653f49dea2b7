"""Skills in a chat: called by name, shown by /help, and for whom they are on."""

import pytest

from channels.memory.app import MemoryApp
from core.events import SkillUsed, UserMessage
from tests.channels.commands.talking import Echo, Talk


@pytest.fixture
async def planner(talk: Talk) -> None:
    await talk.app.preferences.change({"skills_when_asked": ["trip-planner"]})


@pytest.mark.usefixtures("planner")
async def test_a_skill_is_called_by_its_name_and_kept_as_typed(talk: Talk, engine: Echo) -> None:
    answer = await talk.say("/Trip-Planner to Rome")

    assert "Follow the skill “Trip planner” now." in answer.text
    log = await talk.log()
    assert [data.text for data in log if isinstance(data, UserMessage)] == ["/trip-planner to Rome"]
    assert [data.skill_id for data in log if isinstance(data, SkillUsed)] == ["trip-planner"]


async def test_one_that_is_off_is_no_command(talk: Talk) -> None:
    answer = await talk.say("/trip-planner to Rome")

    assert answer.text.startswith("There is no command /trip-planner.")


@pytest.mark.usefixtures("planner")
async def test_help_names_it_and_a_near_miss_is_suggested(talk: Talk) -> None:
    shown = await talk.say("/help")
    near = await talk.say("/trip-planer")

    assert "Skills: /trip-planner" in shown.text
    assert "Did you mean /trip-planner" in near.text


@pytest.mark.usefixtures("planner")
async def test_people_have_it_when_it_is_switched_on_for_them(talk: Talk, shell: MemoryApp) -> None:
    bob = await talk.let_in("Bob")

    before = await talk.say("/trip-planner to Rome", bob)
    await talk.app.preferences.change({"skills_for_people": ["trip-planner"]})
    after = await talk.say("/trip-planner to Rome", bob)

    assert before.text.startswith("There is no command")
    assert "Follow the skill" in after.text
