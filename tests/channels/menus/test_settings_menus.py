"""The menus about settings, and what typed words mean for one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.commands.options import Answering
from channels.menu_views import Name, View
from channels.menus.book import menu_for
from channels.menus.facts import Facts
from channels.menus.menu import Menu, Set, Show
from channels.menus.settings import LISTED, Kind, typed_value
from core.engines.base import ModelInfo
from core.engines.catalogue import EngineChoice
from core.errors import UsageError
from core.events import Mode, OptionsSet
from core.preferences import Preferences
from core.settings import Settings

OFFERED = (
    EngineChoice("alpha", "Alpha", ready=True, models=(ModelInfo("big", "Big"), ModelInfo("small", "Small"))),
    EngineChoice("demo", "Demo", ready=True),
)


def facts(settings: Settings | None = None, fixed: frozenset[str] = frozenset()) -> Facts:
    answering = Answering(OptionsSet(), "alpha", "Alpha", "alpha", settings or Settings())
    return Facts(answering, OFFERED, fixed)


def labels(menu: Menu) -> list[str]:
    return [button.label for button in menu.buttons]


def settable(view: View, known: Facts) -> list[Set]:
    """Everything that can be set from a view, behind a question or not."""
    found = []
    for button in menu_for(view, known, 9).buttons:
        if isinstance(button.deed, Set):
            found.append(button.deed)
        elif isinstance(button.deed, Show) and button.deed.view.sure:
            found += [one.deed for one in menu_for(button.deed.view, known, 9).buttons if isinstance(one.deed, Set)]
    return found


def test_the_list_shows_every_value() -> None:
    known = facts(Settings(default_model="small", budget_day_tokens=200_000, budget_turn_cost=0.5, voice="Be brief."))

    first = menu_for(View(name=Name.SETTINGS), known, 9)
    rest = menu_for(View(name=Name.SETTINGS, page=1), known, 9)

    assert labels(first) + labels(rest) == [
        "Model: Small",
        "Effort: Auto",
        "Fast answers: Off",
        "Mode: Ask first",
        "Fallback: none",
        "Name: Conch",
        "Voice: Be brief.",
        "Dollars a day: no limit",
        "More ›",
        "Tokens a day: 200,000",
        "Dollars an answer: $0.50",
        "Tokens an answer: no limit",
        "‹ Previous",
    ]


@pytest.mark.report("R193")
async def test_whatever_a_menu_sets_is_a_setting_that_fits() -> None:
    known = facts(Settings(default_engine="alpha", voice="Brief", budget_day_cost=5, budget_turn_tokens=10))
    views = [View(name=name, everywhere=True) for name in (Name.MODEL, Name.EFFORT, Name.FAST, Name.MODE)]
    views += [View(name=Name.SETTING, setting=name) for name in LISTED]

    deeds = [deed for view in views for deed in settable(view, known)]

    assert len(deeds) > 15
    for deed in deeds:
        await Preferences(Settings()).change(deed.values)


def test_no_menu_makes_full_trust_the_default() -> None:
    for now in Mode:
        deeds = settable(View(name=Name.MODE, everywhere=True), facts(Settings(default_mode=now)))

        assert {"default_mode": "full"} not in [dict(deed.values) for deed in deeds]
        assert {"default_mode": "auto"} in [dict(deed.values) for deed in deeds]


@pytest.mark.parametrize("name", [*LISTED, "default_engine", "default_effort", "default_fast", "default_mode"])
def test_what_is_fixed_has_a_lock_and_nothing_to_press_but_back(name: str) -> None:
    known = facts(Settings(voice="Brief"), frozenset({name}))
    entries = [button for page in (0, 1) for button in menu_for(View(name=Name.SETTINGS, page=page), known, 9).buttons]

    [locked] = [button for button in entries if button.label.startswith("🔒")]
    assert isinstance(locked.deed, Show)
    inside = menu_for(locked.deed.view, known, 9)

    assert labels(inside) == ["« Back"]
    assert f"CONCH_{name.upper()}" in inside.text
    assert inside.waits_for is None


def test_the_words_of_others_say_only_themselves() -> None:
    known = facts(Settings(voice="*loud* `now`"))

    menu = menu_for(View(name=Name.SETTING, setting="voice"), known, 9)

    assert "*loud*" not in menu.text.replace("\\*", "")


# ---- what is typed -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "words", "value"),
    [
        ("budget_day_tokens", "200000", 200_000),
        ("budget_day_tokens", " 200,000 tokens ", 200_000),
        ("budget_day_tokens", "500k", 500_000),
        ("budget_turn_tokens", "1.5M", 1_500_000),
        ("budget_day_cost", "$5", 5.0),
        ("budget_day_cost", "0.50 dollars", 0.5),
        ("budget_turn_cost", ".25", 0.25),
        ("budget_turn_cost", "5 USD", 5.0),
        ("assistant_name", " Pearl ", "Pearl"),
        ("voice", "One line.\nAnother.", "One line.\nAnother."),
    ],
)
def test_typed_words_are_read_as_people_write_them(name: str, words: str, value: object) -> None:
    assert typed_value(name, words) == value


@pytest.mark.parametrize(
    ("name", "words", "says"),
    [
        ("budget_day_tokens", "lots", "can't read that as a number"),
        ("budget_day_tokens", "0", "from 1 on"),
        ("budget_day_tokens", "1.5", "whole numbers"),
        ("budget_day_tokens", "-5", "can't read that"),
        ("budget_day_cost", "0", "more than nothing"),
        ("budget_day_cost", "1e5", "can't read that"),
        ("budget_day_tokens", "99999999999999999", "smaller number"),
        ("assistant_name", "x" * 81, "up to 80 fit"),
        ("voice", "x" * 1_001, "up to 1,000 fit"),
    ],
)
def test_what_does_not_fit_is_refused_with_what_would(name: str, words: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        typed_value(name, words)


@given(st.sampled_from([name for name, one in LISTED.items() if one.kind is not Kind.ENGINE]), st.text(min_size=1))
async def test_any_words_are_a_value_that_fits_or_refused_in_words(name: str, words: str) -> None:
    preferences = Preferences(Settings())

    refused = False
    try:
        await preferences.change({name: typed_value(name, words)})
    except UsageError:
        refused = True

    assert refused == (preferences.current == Settings())


@given(st.sampled_from(["assistant_name", "voice"]), st.text(st.characters(categories=["L"]), min_size=1, max_size=80))
async def test_words_are_kept_as_they_were_typed(name: str, words: str) -> None:
    assert typed_value(name, words) == words
