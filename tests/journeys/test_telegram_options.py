"""Choosing how a chat is answered, in Telegram: typed, and by menus that change under their message."""

from pathlib import Path

import pytest

from channels.emulators.telegram.pretend import PretendTelegram
from core.engines.script import AskPermission
from core.engines.scripted import always
from core.events import Mode
from tests.journeys.living import FastClock, living, owner_of, said, until
from tests.journeys.menus import Answering, asked, labels, let_in, press, shown, three, ticked
from tests.journeys.teams import team

# ---- what is typed -------------------------------------------------------------------------------------------------


async def test_a_model_s_name_is_taken_at_once_and_answers_next(tmp_path: Path, pretend: PretendTelegram) -> None:
    alpha, beta, gamma = three()
    async with living(tmp_path, pretend, engines=[alpha, beta, gamma], gather_ms=0) as app:
        ada = await owner_of(app, pretend)

        waits = await asked(ada.chat, "/model tiny")
        first = await asked(ada.chat, "hello")
        default = await asked(ada.chat, "/model default")
        second = await asked(ada.chat, "and now?")
        engine = await asked(ada.chat, "/model gamma")
        third = await asked(ada.chat, "and then?")

    assert waits.text == "Tiny (Beta) answers here now. It waits and goes with your first message."
    assert (first.text, second.text, third.text) == ("beta: hello", "alpha: and now?", "gamma: and then?")
    assert beta.turns[-1].options.model == "tiny"
    assert default.text == "As in every chat: Big 1 (Alpha) answers here."
    assert engine.text == "Gamma answers here now."


async def test_a_part_of_several_names_asks_which_one_is_meant(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend, engines=three(), gather_ms=0) as app:
        ada = await owner_of(app, pretend)

        several = await asked(ada.chat, "/model 1")
        await ada.chat.press(several, "Big 10")
        await ada.chat.wait_for(lambda messages: messages[-1].text.startswith("Big 10"))
        none = await asked(ada.chat, "/model huge")

    assert several.text.startswith("Several models fit. Which one?")
    assert several.marked("code") == ["/model alpha/big-1", "/model alpha/big-10"]
    assert none.text == "There is no model “huge”. /model shows what there is."


async def test_effort_and_speed_are_only_what_the_model_has(tmp_path: Path, pretend: PretendTelegram) -> None:
    alpha, beta, gamma = three()
    async with living(tmp_path, pretend, engines=[alpha, beta, gamma], gather_ms=0) as app:
        ada = await owner_of(app, pretend)
        await asked(ada.chat, "hello")

        replies = [
            (await asked(ada.chat, typed)).text
            for typed in ("/effort max", "/effort high", "/fast on", "/fast", "/model small", "/effort low", "/fast on")
            if typed != "/fast"
        ]
        await asked(ada.chat, "go")

    assert replies == [
        "Big 1 has no effort Max. It has: auto, low, high.",
        "Effort is High here now.",
        "Fast answers are on here now.",
        "Small (Beta) answers here now. It does not have the effort and fast answers that you chose, so that is as "
        "everywhere again.",
        "Small has no effort to choose.",
        "Small has no faster way to answer.",
    ]
    assert (beta.turns[-1].options.effort, beta.turns[-1].options.fast) == (None, None)


async def test_a_mode_that_does_more_without_asking_is_asked_about_once_more(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    alpha = Answering("alpha")
    async with living(tmp_path, pretend, engines=[alpha], gather_ms=0) as app:
        ada = await owner_of(app, pretend)
        await asked(ada.chat, "hello")

        question = await asked(ada.chat, "/mode auto")
        await asked(ada.chat, "still?")
        before = alpha.turns[-1].mode
        await ada.chat.press(question, "Yes, Auto")
        await ada.chat.wait_for(lambda messages: messages[-1].text == "Mode is Auto here now.")
        await asked(ada.chat, "now?")
        typed = await asked(ada.chat, "/mode full trust yes")
        back = await asked(ada.chat, "/mode ask")

    assert question.text.startswith("Auto changes files")
    assert question.text.endswith("Then send /mode auto yes.")
    assert (before, alpha.turns[-1].mode) == (Mode.ASK, Mode.AUTO)
    assert (typed.text, back.text) == ("Mode is Full trust here now.", "Mode is Ask first here now.")


async def test_plan_mode_by_either_command_is_the_same(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend, engines=[Answering("alpha")], gather_ms=0) as app:
        ada = await owner_of(app, pretend)
        await asked(ada.chat, "/mode edit yes")

        await asked(ada.chat, "/mode plan")
        planning = await asked(ada.chat, "/plan")
        again = await asked(ada.chat, "/status")

    assert planning.text.startswith("Acting as usual")
    assert "Mode: Edit freely" in again.text


async def test_nothing_is_chosen_while_this_chat_answers(tmp_path: Path, pretend: PretendTelegram) -> None:
    alpha, beta, gamma = three()
    async with living(tmp_path, pretend, engines=[alpha, beta, gamma], gather_ms=0) as app:
        ada = await owner_of(app, pretend)
        await asked(ada.chat, "hello")
        menu = await asked(ada.chat, "/effort")
        await ada.chat.say("wait")
        await until(lambda: alpha.turns[-1].text == "wait")

        refused = [(await asked(ada.chat, typed)).text for typed in ("/model tiny", "/model", "/effort low", "/mode")]
        pressed = (await ada.chat.answer_to(await ada.chat.press(menu, "High"))).text
        alpha.go.set()
        await ada.chat.wait_for(lambda messages: messages[-1].text == "alpha: wait")
        await asked(ada.chat, "next")

    assert all(text.startswith("I'm still at it here.") for text in refused)
    assert pressed is not None
    assert pressed.startswith("I'm still answering here, so nothing was changed.")
    assert alpha.turns[-1].options.effort is None


async def test_nothing_is_chosen_while_the_person_is_waited_for_and_they_hear_so(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    permission = AskPermission("1", "write_note", {}, ("Yes",), "Yes")
    async with living(tmp_path, pretend, script=always(permission), gather_ms=0) as app:
        ada = await owner_of(app, pretend)
        await asked(ada.chat, "Write it down")

        refused = [(await asked(ada.chat, typed)).text for typed in ("/effort low", "/clear")]
        await ada.chat.say("/stop")

    assert all(text.startswith("I'm waiting for an answer here. Give it, or send /stop") for text in refused)


# ---- menus ---------------------------------------------------------------------------------------------------------


async def test_the_model_menu_pages_ticks_and_changes_in_place(tmp_path: Path, pretend: PretendTelegram) -> None:
    alpha, beta, gamma = three()
    async with living(tmp_path, pretend, engines=[alpha, beta, gamma], gather_ms=0) as app:
        ada = await owner_of(app, pretend)
        await asked(ada.chat, "hello")

        menu = await asked(ada.chat, "/model")
        second, _ = await press(ada.chat, menu, "More ›")
        first, _ = await press(ada.chat, menu, "‹ Previous")
        there, note = await press(ada.chat, menu, "More ›", "Beta ›", "Tiny")
        count = len(ada.chat.messages)
        answer = await asked(ada.chat, "who?")

    assert labels(menu) == ["✓ Big 1", *(f"Big {n}" for n in range(2, 8)), "More ›"]
    assert labels(second) == ["Big 8", "Big 9", "Big 10", "Beta ›", "Gamma", "‹ Previous"]
    assert labels(first) == labels(menu)
    assert labels(there) == ["Small", "✓ Tiny", "Alpha ›", "Gamma", "As everywhere: Big 1"]
    assert note == "Model: Tiny"
    assert count == 6
    assert (answer.text, beta.turns[-1].options.model) == ("beta: who?", "tiny")


@pytest.mark.parametrize(
    ("command", "choice", "after"),
    [("/effort", "High", "High"), ("/fast", "On", "On"), ("/mode", "Plan only", "Plan only")],
)
async def test_a_choice_for_this_chat_is_done_at_once(
    tmp_path: Path, pretend: PretendTelegram, command: str, choice: str, after: str
) -> None:
    async with living(tmp_path, pretend, engines=three(), gather_ms=0) as app:
        ada = await owner_of(app, pretend)

        menu = await asked(ada.chat, command)
        changed, _ = await press(ada.chat, menu, choice)

    assert "What you choose waits and goes with your first message." in menu.text
    assert ticked(changed) == [after]


async def test_full_trust_asks_first_and_no_leaves_it(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend, engines=three(), gather_ms=0) as app:
        ada = await owner_of(app, pretend)
        menu = await asked(ada.chat, "/mode")

        question, _ = await press(ada.chat, menu, "Full trust")
        left, _ = await press(ada.chat, menu, "No, leave it")
        done, note = await press(ada.chat, menu, "Full trust", "Yes")
        down, _ = await press(ada.chat, menu, "Edit freely")
        back, _ = await press(ada.chat, menu, "As everywhere: Ask first", "Yes")

    assert question.text.startswith("Full trust does everything without asking")
    assert labels(question) == ["Yes", "No, leave it"]
    assert ticked(left) == ["Ask first"]
    assert (ticked(done), note) == (["Full trust"], "Mode: Full trust")
    assert ticked(down) == ["Edit freely"]
    assert (ticked(back), labels(back)[-1]) == (["Ask first"], "Full trust")


async def test_a_menu_on_another_device_that_shows_what_was_is_only_shown_anew(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    async with living(tmp_path, pretend, engines=three(), gather_ms=0) as app:
        ada = await owner_of(app, pretend)
        menu = await asked(ada.chat, "/effort")
        await press(ada.chat, menu, "High")

        note = (await ada.chat.answer_to(await ada.chat.press(menu, "✓ Auto", stale=True))).text
        await asked(ada.chat, "/status")

    assert note == "This menu was out of date; here it is anew."
    assert "Effort: High" in said(ada.chat)[-1]


async def test_a_menu_is_out_of_date_once_something_else_changed_what_it_shows(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    async with living(tmp_path, pretend, engines=three(), gather_ms=0) as app:
        ada = await owner_of(app, pretend)
        menu = await asked(ada.chat, "/effort")
        await asked(ada.chat, "/effort low")

        anew, note = await press(ada.chat, menu, "High")

    assert note == "This menu was out of date; here it is anew."
    assert ticked(anew) == ["Low"]


async def test_a_new_menu_takes_the_buttons_of_the_one_before(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend, engines=three(), gather_ms=0, clock=FastClock()) as app:
        ada = await owner_of(app, pretend)
        first = await asked(ada.chat, "/effort")

        await asked(ada.chat, "/fast")
        await ada.chat.wait_until(lambda: not labels(shown(ada.chat, first)))
        note = (await ada.chat.answer_to(await ada.chat.press(first, "High", stale=True))).text

    assert shown(ada.chat, first).text == first.text
    assert note == "A newer menu took this one's place."


class FastestClock(FastClock):
    """Ten minutes in less than a second."""

    SPEED = 1_000.0


@pytest.mark.report("R067", "R069")
async def test_after_ten_minutes_the_buttons_go_and_a_late_press_hears_why(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    async with living(tmp_path, pretend, engines=three(), clock=FastestClock()) as app:
        ada = await owner_of(app, pretend)
        menu = await asked(ada.chat, "/effort")

        await ada.chat.wait_until(lambda: not labels(shown(ada.chat, menu)), timeout=10)
        late = (await ada.chat.answer_to(await ada.chat.press(menu, "High", stale=True))).text

    assert late == "This button's time is over."


async def test_a_menu_works_after_a_restart(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend, engines=three()) as app:
        ada = await owner_of(app, pretend)
        menu = await asked(ada.chat, "/effort")
    async with living(tmp_path, pretend, engines=three()):
        changed, note = await press(ada.chat, menu, "High")

    assert (ticked(changed), note) == (["High"], "Effort: High")


async def test_a_menu_whose_message_is_gone_comes_as_a_new_one(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend, engines=three()) as app:
        ada = await owner_of(app, pretend)
        menu = await asked(ada.chat, "/effort")
        await ada.chat.delete(menu)

        await ada.chat.press(menu, "High", stale=True)
        anew = await ada.chat.wait_for(lambda messages: [one for one in messages if "✓ High" in labels(one)])

    assert anew[0].id != menu.id


@pytest.mark.parametrize("fault", ["flood", "cut"])
async def test_a_menu_that_cannot_be_changed_now_is_not_lost(
    tmp_path: Path, pretend: PretendTelegram, fault: str
) -> None:
    async with living(tmp_path, pretend, engines=three(), clock=FastClock()) as app:
        ada = await owner_of(app, pretend)
        menu = await asked(ada.chat, "/effort")
        pretend.faults.add(fault, method="editMessageText")

        await ada.chat.press(menu, "High")
        await ada.chat.wait_until(lambda: any("✓ High" in labels(one) for one in ada.chat.messages))
        status = await asked(ada.chat, "/status")

    assert "Effort: High" in status.text


# ---- who and where -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("typed", ["/model", "/effort high", "/fast", "/mode full yes", "/usage", "/settings"])
async def test_people_who_were_let_in_choose_nothing(tmp_path: Path, pretend: PretendTelegram, typed: str) -> None:
    async with living(tmp_path, pretend, engines=three()) as app:
        ada = await owner_of(app, pretend)
        bob = await let_in(app, pretend, ada, "Bob")

        answer = await asked(bob, typed)

    assert "only its owner can use it, in their private chat with me" in answer.text
    assert not labels(answer)


async def test_status_opens_the_menus_about_what_it_shows(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend, engines=three(), gather_ms=0) as app:
        ada = await owner_of(app, pretend)
        await asked(ada.chat, "hello")

        status = await asked(ada.chat, "/status")
        efforts, _ = await press(ada.chat, status, "Effort ›")
        await asked(ada.chat, "more")

    assert labels(status) == ["Model ›", "Effort ›", "Fast answers ›", "Mode ›", "Look again"]
    assert labels(efforts) == ["✓ Auto", "Low", "High"]


async def test_in_a_group_nobody_chooses_anything_not_even_the_owner(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend, engines=three()) as app:
        here = await team(app, pretend)
        screen = here.screen("Ada")

        answers = [
            await asked(screen, f"/{name}@pretend_bot")
            for name in ("model", "effort", "fast", "mode", "status", "settings", "usage")
        ]

    assert all("only its owner can use it, in their private chat with me" in answer.text for answer in answers)
    assert not any(map(labels, answers))
