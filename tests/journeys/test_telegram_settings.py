"""The settings that the owner changes in Telegram: by buttons, and by typed words."""

from pathlib import Path

import pytest

from channels.commands.basics import NOTHING_WAITED
from channels.emulators.telegram.pretend import PretendTelegram
from commands.parsing import written_in
from tests.journeys.living import living, owner_of
from tests.journeys.menus import asked, labels, let_in, press, three


async def test_a_default_is_asked_about_and_the_next_turn_of_another_chat_uses_it(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    alpha, beta, gamma = three()
    async with living(tmp_path, pretend, engines=[alpha, beta, gamma], gather_ms=0) as app:
        ada = await owner_of(app, pretend)
        bob = await let_in(app, pretend, ada, "Bob")
        before = await asked(bob, "hello")

        menu = await asked(ada.chat, "/settings")
        question, _ = await press(ada.chat, menu, "Model: Big 1", "More ›", "Beta ›", "Tiny")
        settings, _ = await press(ada.chat, menu, "Yes", "« Back")
        after = await asked(bob, "hello again")

    assert question.text == "Have Tiny answer in every chat that names no model?"
    assert labels(settings)[0] == "Model: Tiny"
    assert (before.text, after.text) == ("alpha: hello", "beta: hello again")
    assert beta.turns[-1].options.model == "tiny"


async def test_full_trust_for_every_chat_cannot_be_set_from_a_chat(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend, engines=three()) as app:
        ada = await owner_of(app, pretend)

        menu = await asked(ada.chat, "/settings")
        modes, _ = await press(ada.chat, menu, "Mode: Ask first")

    assert labels(modes) == ["Plan only", "✓ Ask first", "Edit freely", "Auto", "« Back"]
    assert "Full trust for every chat can only be set on the machine itself" in modes.text


@pytest.mark.report("R193")
async def test_a_typed_setting_is_checked_before_it_counts(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend, engines=three(), gather_ms=0) as app:
        ada = await owner_of(app, pretend)
        menu = await asked(ada.chat, "/settings")
        await press(ada.chat, menu, "More ›", "Tokens a day: no limit")

        wrong = await asked(ada.chat, "lots")
        done = await asked(ada.chat, "500k")
        usage = await asked(ada.chat, "/usage")
        answer = await asked(ada.chat, "750k")

    assert wrong.text.startswith("I can't read that as a number. Send me the number of tokens (200000, 500k, 2M).")
    assert done.text.startswith("Tokens a day: 500,000 from now on.")
    assert "Tokens a day: 500,000 left of 500,000" in usage.text
    assert answer.text == "alpha: 750k"


async def test_the_assistant_s_name_is_typed_and_the_next_turn_has_it(tmp_path: Path, pretend: PretendTelegram) -> None:
    alpha, beta, gamma = three()
    async with living(tmp_path, pretend, engines=[alpha, beta, gamma], gather_ms=0) as app:
        ada = await owner_of(app, pretend)
        menu = await asked(ada.chat, "/settings")
        await press(ada.chat, menu, "Name: Conch")

        done = await asked(ada.chat, "Pearl")
        await asked(ada.chat, "hello")

    assert done.text.startswith("Name is now “Pearl”.")
    assert "Name: Pearl" in labels(done)
    assert "Pearl" in alpha.turns[-1].instructions


@pytest.mark.parametrize("leaving", ["/cancel", "/help", "/new"])
async def test_a_command_leaves_the_setting_that_waits(tmp_path: Path, pretend: PretendTelegram, leaving: str) -> None:
    async with living(tmp_path, pretend, engines=three(), gather_ms=0) as app:
        ada = await owner_of(app, pretend)
        menu = await asked(ada.chat, "/settings")
        await press(ada.chat, menu, "Name: Conch")

        left = await asked(ada.chat, leaving)
        answer = await asked(ada.chat, "Pearl")
        nothing = await asked(ada.chat, "/cancel")

    assert leaving != "/cancel" or left.text == "Left as it was."
    assert answer.text == "alpha: Pearl"
    assert nothing.text == written_in("telegram", NOTHING_WAITED)


async def test_words_of_others_and_files_are_no_value(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend, engines=three(), gather_ms=0) as app:
        ada = await owner_of(app, pretend)
        menu = await asked(ada.chat, "/settings")
        await press(ada.chat, menu, "Name: Conch")

        await ada.chat.forward("Mallory", of="Eve")
        await ada.chat.wait_for_answer()
        done = await asked(ada.chat, "Pearl")

    assert done.text.startswith("Name is now “Pearl”.")


async def test_what_is_fixed_where_conch_was_started_has_a_lock_and_says_where(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    async with living(tmp_path, pretend, engines=three(), budget_day_cost=5.0) as app:
        ada = await owner_of(app, pretend)
        menu = await asked(ada.chat, "/settings")

        locked, _ = await press(ada.chat, menu, "More ›", "🔒 Dollars a day: $5.00")

    assert labels(locked) == ["« Back"]
    assert "(CONCH_BUDGET_DAY_COST or conch.toml): change it there." in locked.text
