"""The menus about model, effort, speed and mode: what there is, what is ticked, what is asked about."""

import pytest

from channels.commands.options import Answering
from channels.menu_views import Name, View
from channels.menus.book import menu_for
from channels.menus.facts import Facts
from channels.menus.menu import Choose, Menu, Set, Show
from core.engines.base import ModelInfo
from core.engines.catalogue import EngineChoice
from core.events import Effort, Mode, OptionsSet
from core.options import OptionsChange
from core.settings import Settings

ABLE = ModelInfo("able", "Able", efforts=(Effort.HIGH, Effort.LOW), fast=True)
PLAIN = ModelInfo("plain", "Plain")
OFFERED = (
    EngineChoice("alpha", "Alpha", ready=True, models=(ABLE, PLAIN)),
    EngineChoice("beta", "Beta", ready=False, trouble="It cannot be reached."),
    EngineChoice("demo", "Demo", ready=True),
)


def facts(chosen: OptionsSet | None = None, settings: Settings | None = None, **more: object) -> Facts:
    """A chat that chose this; Alpha is the default."""
    options = chosen or OptionsSet()
    engine = options.engine or "alpha"
    title = next(one.title for one in OFFERED if one.engine == engine)
    why_no_plan = str(more["why_no_plan"]) if "why_no_plan" in more else None
    answering = Answering(options, engine, title, "alpha", settings or Settings(), why_no_plan=why_no_plan)
    return Facts(answering, OFFERED)


def labels(menu: Menu) -> list[str]:
    return [button.label for button in menu.buttons]


def pressed(menu: Menu, label: str) -> object:
    return next(button.deed for button in menu.buttons if button.label == label)


def test_the_models_of_the_engine_in_use_come_first_and_the_one_in_use_is_ticked() -> None:
    menu = menu_for(View(name=Name.MODEL), facts(), 8)

    assert labels(menu) == ["✓ Able", "Plain", "Beta ⚠", "Demo"]
    assert menu.text == "**Model**\nAble (Alpha) answers here."


def test_an_engine_in_trouble_says_so_when_it_is_looked_at() -> None:
    deed = pressed(menu_for(View(name=Name.MODEL), facts(), 8), "Beta ⚠")

    assert isinstance(deed, Show)
    assert "Beta: It cannot be reached" in menu_for(deed.view, facts(), 8).text


def test_a_chat_s_own_choice_can_go_back_to_the_default_after_a_question() -> None:
    chosen = facts(OptionsSet(engine="demo"))
    menu = menu_for(View(name=Name.MODEL), chosen, 8)

    deed = pressed(menu, "As everywhere: Able")
    assert isinstance(deed, Show)
    question = menu_for(deed.view, chosen, 8)

    assert labels(menu)[0] == "✓ Demo"
    yes = pressed(question, "Yes")
    assert isinstance(yes, Choose)
    assert yes.change.applied_to(OptionsSet(engine="demo", model="x")) == OptionsSet()


def test_another_model_leaves_behind_what_it_does_not_have() -> None:
    known = facts(OptionsSet(effort=Effort.HIGH, fast=True))

    to_plain = pressed(menu_for(View(name=Name.MODEL), known, 8), "Plain")
    to_able = pressed(menu_for(View(name=Name.MODEL), known, 8), "✓ Able")

    assert isinstance(to_plain, Choose)
    assert isinstance(to_able, Choose)
    assert to_plain.change == OptionsChange(engine="alpha", model="plain", effort=None, fast=None)
    assert to_able.change == OptionsChange(engine="alpha", model="able")


def test_a_default_model_is_the_default_engine_s_only() -> None:
    settings = Settings(default_model="plain")

    here, elsewhere = facts(settings=settings), facts(OptionsSet(engine="demo"), settings)

    assert here.answering.named_model == "plain"
    assert elsewhere.answering.named_model is None


def test_efforts_are_those_of_the_model_weakest_first() -> None:
    able = menu_for(View(name=Name.EFFORT), facts(settings=Settings(default_effort=Effort.LOW)), 8)
    plain = menu_for(View(name=Name.EFFORT), facts(OptionsSet(engine="alpha", model="plain")), 8)

    assert labels(able) == ["Auto", "✓ Low", "High"]
    assert labels(plain) == []
    assert "Plain (Alpha) has no effort to choose." in plain.text


def test_a_model_without_quick_answers_has_no_switch() -> None:
    able = menu_for(View(name=Name.FAST), facts(OptionsSet(fast=True)), 8)
    plain = menu_for(View(name=Name.FAST), facts(OptionsSet(engine="alpha", model="plain")), 8)

    assert labels(able) == ["✓ On", "Off", "As everywhere: Off"]
    assert labels(plain) == []


@pytest.mark.parametrize(
    ("now", "asked_about"),
    [
        (Mode.PLAN, {"Edit freely", "Auto", "Full trust"}),
        (Mode.ASK, {"Edit freely", "Auto", "Full trust"}),
        (Mode.AUTO, {"Full trust"}),
        (Mode.FULL, set[str]()),
    ],
)
def test_a_mode_that_does_more_than_now_is_asked_about(now: Mode, asked_about: set[str]) -> None:
    menu = menu_for(View(name=Name.MODE), facts(settings=Settings(default_mode=now)), 8)

    questions = {
        button.label for button in menu.buttons if isinstance(button.deed, Show) and button.deed.view.sure is not None
    }

    assert questions == asked_about


def test_where_an_engine_cannot_be_kept_to_planning_there_is_no_plan_mode() -> None:
    menu = menu_for(View(name=Name.MODE), facts(why_no_plan="Demo has no plan mode."), 8)

    assert "Plan only" not in labels(menu)
    assert "Demo has no plan mode" in menu.text


@pytest.mark.parametrize("name", [Name.MODEL, Name.EFFORT, Name.FAST, Name.MODE])
def test_every_default_for_all_chats_is_asked_about(name: Name) -> None:
    menu = menu_for(View(name=name, everywhere=True), facts(), 9)

    at_once = [button.label for button in menu.buttons if isinstance(button.deed, Set)]

    assert at_once == [button.label for button in menu.buttons if button.label.startswith("✓")]
    assert labels(menu)[-1] == "« Back"
