"""How the owner chooses what answers and what Conch does, in every app: typed, and by menus that change in place."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from channels.emulators.phone import Phone
from core.events import Mode
from tests.journeys.apps import AppUnderTest, Seen, labels, now, pressed, said
from tests.journeys.cards import told
from tests.journeys.living import FastClock, until
from tests.journeys.menus import three, ticked


async def press(chat: Phone, menu: Seen, *path: str) -> Seen:
    """Press one button after the other, each under the menu as it is then; the menu after it."""
    for label in path:
        before = now(chat, menu)
        await chat.press(before, label)
        await chat.wait_for(partial(_changed, chat, before))
    return now(chat, menu)


async def press_until(chat: Phone, menu: Seen, label: str) -> Seen:
    """Turn pages until there is a button; how many fit on one is the app's."""
    shown = now(chat, menu)
    while label not in labels(shown):
        shown = await press(chat, menu, "More ›")
    return shown


def _changed(chat: Phone, before: Seen, _: Any) -> bool:
    return bool(now(chat, before) != before)


# ---- what is typed ---------------------------------------------------------------------------------------------------


async def test_a_model_s_name_is_taken_at_once_and_answers_next(tmp_path: Path, messenger: AppUnderTest) -> None:
    alpha, beta, gamma = three()
    async with messenger.living(tmp_path, engines=[alpha, beta, gamma], gather_ms=0) as app:
        ada = await messenger.owner_of(app)

        waits = await messenger.asked(ada.chat, "/model tiny")
        first = await messenger.asked(ada.chat, "hello")
        default = await messenger.asked(ada.chat, "/model default")
        second = await messenger.asked(ada.chat, "and now?")
        several = await messenger.asked(ada.chat, "/model 1")
        none = await messenger.asked(ada.chat, "/model huge")

    assert waits.text == "Tiny (Beta) answers here now. It waits and goes with your first message."
    assert (first.text, second.text) == ("beta: hello", "alpha: and now?")
    assert default.text == "As in every chat: Big 1 (Alpha) answers here."
    assert several.text.startswith("Several models fit. Which one?")
    assert messenger.written("model alpha/big-10") in several.text
    assert "Big 10" in labels(several)
    assert none.text == f"There is no model “huge”. {messenger.written('model')} shows what there is."


async def test_effort_speed_and_mode_are_taken_as_far_as_the_model_has_them(
    tmp_path: Path, messenger: AppUnderTest
) -> None:
    alpha, beta, gamma = three()
    async with messenger.living(tmp_path, engines=[alpha, beta, gamma], gather_ms=0) as app:
        ada = await messenger.owner_of(app)
        await messenger.asked(ada.chat, "hello")

        replies = [
            (await messenger.asked(ada.chat, words)).text
            for words in ("/effort max", "/effort high", "/fast on", "/mode plan", "/mode ask")
        ]
        question = await messenger.asked(ada.chat, "/mode auto")
        await pressed(ada.chat, question, "Yes, Auto")
        await messenger.asked(ada.chat, "go")

    assert replies == [
        "Big 1 has no effort Max. It has: auto, low, high.",
        "Effort is High here now.",
        "Fast answers are on here now.",
        "Mode is Plan only here now.",
        "Mode is Ask first here now.",
    ]
    assert question.text.endswith(f"Then send {messenger.written('mode auto yes')}.")
    assert "Mode is Auto here now." in said(ada.chat)
    turn = alpha.turns[-1]
    assert (turn.options.effort, turn.options.fast, turn.mode) == ("high", True, Mode.AUTO)


async def test_nothing_is_chosen_while_this_chat_answers(tmp_path: Path, messenger: AppUnderTest) -> None:
    alpha, beta, gamma = three()
    async with messenger.living(tmp_path, engines=[alpha, beta, gamma], gather_ms=0) as app:
        ada = await messenger.owner_of(app)
        await messenger.asked(ada.chat, "hello")
        menu = await messenger.asked(ada.chat, "/effort")
        await ada.chat.say("wait")
        await until(lambda: len(alpha.turns) == 2)

        refused = [(await messenger.asked(ada.chat, words)).text for words in ("/mode auto yes", "/mode", "/clear")]
        pressed_now = await told(ada.chat, menu, "High")
        alpha.go.set()
        await ada.chat.wait_for(lambda _: "alpha: wait" in said(ada.chat))

    stop = messenger.written("stop")
    assert pressed_now.startswith("I'm still answering here, so nothing was changed.")
    assert stop in pressed_now
    assert all(text.startswith(f"I'm still at it here. Wait until I'm done, or send {stop}") for text in refused)


# ---- menus -----------------------------------------------------------------------------------------------------------


async def test_the_model_menu_goes_from_page_to_page_and_back(tmp_path: Path, messenger: AppUnderTest) -> None:
    alpha, beta, gamma = three()
    async with messenger.living(tmp_path, engines=[alpha, beta, gamma], gather_ms=0) as app:
        ada = await messenger.owner_of(app)

        menu = await messenger.asked(ada.chat, "/model")
        more = await press(ada.chat, menu, "More ›")
        back = await press(ada.chat, menu, "‹ Previous")
        await press_until(ada.chat, menu, "Beta ›")
        other = await press(ada.chat, menu, "Beta ›")
        chosen = await press(ada.chat, menu, "Tiny")
        await messenger.asked(ada.chat, "hello")

    assert ticked(menu) == ["Big 1"]
    assert set(labels(more)).isdisjoint(set(labels(menu)) - {"More ›"})
    assert labels(back) == labels(menu)
    assert {"Small", "Tiny"} <= set(labels(other))
    assert ticked(chosen) == ["Tiny"]
    assert said(ada.chat)[-1] == "beta: hello"


async def test_effort_speed_and_mode_are_ticked_where_they_are_chosen(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path, engines=three(), gather_ms=0) as app:
        ada = await messenger.owner_of(app)

        efforts = await messenger.asked(ada.chat, "/effort")
        high = await press(ada.chat, efforts, "High")
        speeds = await messenger.asked(ada.chat, "/fast")
        fast = await press(ada.chat, speeds, next(label for label in labels(speeds) if "✓" not in label))
        modes = await messenger.asked(ada.chat, "/mode")
        question = await press(ada.chat, modes, "Full trust")
        left = await press(ada.chat, modes, "No, leave it")
        done = await press(ada.chat, modes, "Full trust", "Yes")

    assert (labels(efforts), ticked(high)) == (["✓ Auto", "Low", "High"], ["High"])
    assert ticked(speeds) != ticked(fast)
    assert question.text.startswith("Full trust does everything without asking")
    assert labels(question) == ["Yes", "No, leave it"]
    assert (ticked(left), ticked(done)) == (["Ask first"], ["Full trust"])


@pytest.mark.report("R077", "R079")
async def test_a_menu_works_after_a_restart_and_hears_when_it_is_out_of_date(
    tmp_path: Path, messenger: AppUnderTest
) -> None:
    async with messenger.living(tmp_path, engines=three(), gather_ms=0) as app:
        ada = await messenger.owner_of(app)
        menu = await messenger.asked(ada.chat, "/effort")

    async with messenger.living(tmp_path, engines=three(), gather_ms=0) as app:
        await messenger.ready(app, ada.channel_id)
        changed = await press(ada.chat, menu, "High")
        note = await told(ada.chat, menu, "✓ Auto", stale=True)
        status = await messenger.asked(ada.chat, "/status")

    assert ticked(changed) == ["High"]
    assert note == "This menu was out of date; here it is anew."
    assert "Effort: High" in status.text


@pytest.mark.report("R067", "R069")
async def test_a_newer_menu_takes_the_buttons_of_the_one_before(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path, engines=three(), gather_ms=0) as app:
        ada = await messenger.owner_of(app)
        first = await messenger.asked(ada.chat, "/effort")

        await messenger.asked(ada.chat, "/fast")
        await ada.chat.wait_for(lambda _: not labels(now(ada.chat, first)))
        note = await told(ada.chat, first, "High", stale=True)

    assert now(ada.chat, first).text == first.text
    assert note == "A newer menu took this one's place."


class FastestClock(FastClock):
    """Ten minutes in less than a second."""

    SPEED = 1_000.0


@pytest.mark.report("R067", "R069")
async def test_after_ten_minutes_the_buttons_go_and_a_late_press_hears_why(
    tmp_path: Path, messenger: AppUnderTest
) -> None:
    async with messenger.living(tmp_path, engines=three(), clock=FastestClock()) as app:
        ada = await messenger.owner_of(app)
        menu = await messenger.asked(ada.chat, "/effort")

        await ada.chat.wait_for(lambda _: not labels(now(ada.chat, menu)), timeout=10)
        late = await told(ada.chat, menu, "High", stale=True)

    assert late == "This button's time is over."


async def test_status_opens_the_menus_about_what_it_shows(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path, engines=three(), gather_ms=0) as app:
        ada = await messenger.owner_of(app)

        status = await messenger.asked(ada.chat, "/status")
        efforts = await press(ada.chat, status, "Effort ›")

    assert labels(status) == ["Model ›", "Effort ›", "Fast answers ›", "Mode ›", "Look again"]
    assert labels(efforts) == ["✓ Auto", "Low", "High"]


# ---- settings --------------------------------------------------------------------------------------------------------


async def test_a_default_is_asked_about_and_the_next_turn_of_another_chat_uses_it(
    tmp_path: Path, messenger: AppUnderTest
) -> None:
    async with messenger.living(tmp_path, engines=three(), gather_ms=0) as app:
        ada = await messenger.owner_of(app)
        bob = await messenger.another(app, ada, "Bob")
        before = await messenger.asked(bob.chat, "hello")

        menu = await messenger.asked(ada.chat, "/settings")
        await press(ada.chat, menu, "Model: Big 1")
        await press_until(ada.chat, menu, "Beta ›")
        question = await press(ada.chat, menu, "Beta ›", "Tiny")
        settings = await press(ada.chat, menu, "Yes", "« Back")
        after = await messenger.asked(bob.chat, "hello again")

    assert question.text == "Have Tiny answer in every chat that names no model?"
    assert "Model: Tiny" in labels(settings)
    assert (before.text, after.text) == ("alpha: hello", "beta: hello again")


@pytest.mark.report("R193")
async def test_a_typed_setting_is_checked_before_it_counts(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path, engines=three(), gather_ms=0) as app:
        ada = await messenger.owner_of(app)
        menu = await messenger.asked(ada.chat, "/settings")
        await press_until(ada.chat, menu, "Tokens a day: no limit")
        await press(ada.chat, menu, "Tokens a day: no limit")

        wrong = await messenger.asked(ada.chat, "lots")
        done = await messenger.asked(ada.chat, "500k")
        usage = await messenger.asked(ada.chat, "/usage")
        answer = await messenger.asked(ada.chat, "750k")

    assert wrong.text.startswith("I can't read that as a number. Send me the number of tokens (200000, 500k, 2M).")
    assert messenger.written("cancel") in wrong.text
    assert done.text.startswith("Tokens a day: 500,000 from now on.")
    assert "Tokens a day: 500,000 left of 500,000" in usage.text
    assert answer.text == "alpha: 750k"


@pytest.mark.parametrize("leaving", ["/cancel", "/help"])
async def test_a_command_leaves_the_setting_that_waits(tmp_path: Path, messenger: AppUnderTest, leaving: str) -> None:
    async with messenger.living(tmp_path, engines=three(), gather_ms=0) as app:
        ada = await messenger.owner_of(app)
        menu = await messenger.asked(ada.chat, "/settings")
        await press_until(ada.chat, menu, "Name: Conch")
        await press(ada.chat, menu, "Name: Conch")

        left = await messenger.asked(ada.chat, leaving)
        answer = await messenger.asked(ada.chat, "Pearl")
        nothing = await messenger.asked(ada.chat, "/cancel")

    assert leaving != "/cancel" or left.text == "Left as it was."
    assert answer.text == "alpha: Pearl"
    assert nothing.text.startswith("No setting was waiting for your words.")
    assert nothing.text.endswith(f"press Skip or send {messenger.written('stop')}.")
