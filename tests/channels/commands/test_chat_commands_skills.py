"""Skills in a chat: called by name, shown by /help, and for whom they are on."""

from collections.abc import Sequence

import pytest

from channels.memory.app import MemoryApp
from channels.memory.chat import SeenMessage
from core.events import SkillHoldEnded, SkillUsed, UserMessage
from tests.channels.commands.talking import Echo, Talk, labels


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


@pytest.mark.usefixtures("planner")
async def test_the_owner_sees_every_skill_with_when_it_is_used(talk: Talk) -> None:
    shown = await talk.say("/skills")

    assert "trip-planner: Trip planner. When I ask" in shown.text
    assert "Off" in shown.text
    assert "conch skills on NAME" in shown.text


@pytest.mark.usefixtures("planner")
async def test_people_see_the_skills_that_they_can_call(talk: Talk) -> None:
    bob = await talk.let_in("Bob")

    before = await talk.say("/skills", bob)
    await talk.app.preferences.change({"skills_for_people": ["trip-planner"]})
    after = await talk.say("/skills", bob)

    assert before.text == "No skill is on for you. The owner of this bot can turn some on."
    assert "/trip-planner" in after.text


@pytest.mark.parametrize(
    ("typed", "command"),
    [("/apps", "conch apps list"), ("/bots", "conch channels list"), ("/doctor", "conch doctor")],
)
async def test_what_chats_do_not_have_is_found_at_the_terminal(talk: Talk, typed: str, command: str) -> None:
    answer = await talk.say(typed)

    assert f"type {command} in a terminal" in answer.text


# ---- what a used skill holds back ------------------------------------------------------------------------------------


@pytest.mark.usefixtures("planner")
async def test_status_says_what_asks_first_and_one_button_ends_it(talk: Talk) -> None:
    await talk.say("/trip-planner to Rome")

    shown = await talk.say("/status")
    talk.ada.press(shown, "End it: Trip planner")
    await talk.ada.wait_until(lambda seen: "Yes" in labels(_now(seen.answers, shown)))
    asked = _now(talk.ada.answers, shown).text
    talk.ada.press(_now(talk.ada.answers, shown), "Yes")
    await talk.ada.wait_until(lambda seen: "Look again" in labels(_now(seen.answers, shown)))

    assert "Asks first: because of “Trip planner”, in every mode, until you end it" in shown.text
    assert asked == (
        "Because of “Trip planner” this chat asks before it would change things elsewhere, send or post something or "
        "run commands. End that, so that only the mode counts?"
    )
    after = _now(talk.ada.answers, shown)
    assert "Asks first" not in after.text
    assert "End it: Trip planner" not in labels(after)
    ended = [data for data in await talk.log() if isinstance(data, SkillHoldEnded)]
    assert [(data.skill_id, data.reason) for data in ended] == [("trip-planner", "ended by Ada")]


def _now(answers: Sequence[SeenMessage], message: SeenMessage) -> SeenMessage:
    """A message as it stands now."""
    return next(each for each in answers if each.id == message.id)
