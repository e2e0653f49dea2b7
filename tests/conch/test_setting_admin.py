"""Settings as the owner changes them, and usage as they look at it."""

from datetime import date

import pytest

from conch.admin import Admin
from conch.app import App
from conch.setting_admin import SettingAdmin
from core.clock import ManualClock
from core.errors import UsageError
from core.events import Usage
from core.preferences import Preferences
from core.settings import Settings
from core.store.usage import AddUsage
from web.preferences import SettingView


@pytest.fixture
def settings(built: App) -> SettingAdmin:
    return SettingAdmin(built.preferences, built.engines)


async def named(settings: SettingAdmin, name: str) -> SettingView:
    return next(each for each in await settings.list() if each.name == name)


async def test_every_setting_is_listed_with_its_description(settings: SettingAdmin) -> None:
    listed = await settings.list()

    assert [each.name for each in listed] == list(Settings.model_fields)
    assert all(each.description and each.source == "default" for each in listed)
    assert [each.name for each in listed if each.fixed] == ["public_url"]


@pytest.mark.parametrize(
    ("name", "typed", "now", "shown"),
    [
        ("budget_day_cost", "2.5", 2.5, "2.5"),
        ("budget_day_cost", "5", 5.0, "5"),
        ("budget_turn_cost", "0.00001", 1e-05, "0.00001"),
        ("budget_day_tokens", "1000", 1000, "1000"),
        ("default_fast", "yes", True, "true"),
        ("default_effort", "high", "high", "high"),
        ("commands_for_people", "menu, hours", ("menu", "hours"), "menu, hours"),
        ("default_engine", "demo", "demo", "demo"),
    ],
)
async def test_what_is_typed_counts_at_once(
    settings: SettingAdmin, built: App, name: str, typed: str, now: object, shown: str
) -> None:
    view = await settings.set(name, typed)

    assert getattr(built.preferences.current, name) == now
    assert (view.value, view.source, view.fixed) == (shown, "changed", False)


@pytest.mark.parametrize(
    ("name", "typed", "said"),
    [
        ("budget_day_cost", "much", "“budget_day_cost” cannot be that: it takes a number."),
        ("budget_day_cost", "inf", "it takes a number that has an end"),
        ("gather_ms", "9000", "it must be 3000 or less"),
        ("default_mode", "bold", "it takes plan, ask, edit, auto or full"),
        ("default_engine", "oracle", "There is no engine “oracle”"),
        ("fallback_engine", "oracle", "There is: demo"),
        ("colour", "red", "There is no setting “colour”"),
        ("public_url", "https://conch.example", "change it there"),
    ],
)
async def test_what_does_not_fit_changes_nothing(
    settings: SettingAdmin, built: App, name: str, typed: str, said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        await settings.set(name, typed)

    assert built.preferences.changed == frozenset()


async def test_a_change_is_taken_back(settings: SettingAdmin) -> None:
    await settings.set("assistant_name", "Pearl")

    view = await settings.unset("assistant_name")

    assert (view.value, view.source) == ("Conch", "default")


async def test_where_a_fixed_setting_was_fixed_is_said(built: App) -> None:
    fixed = Preferences(Settings(voice="kind", gather_ms=100), frozenset({"voice", "gather_ms"}))
    settings = SettingAdmin(fixed, built.engines, {"CONCH_VOICE": "kind"})

    voice, gather = await named(settings, "voice"), await named(settings, "gather_ms")

    assert (voice.source, voice.fixed) == ("CONCH_VOICE", True)
    assert (gather.source, gather.fixed) == ("conch.toml", True)


async def test_usage_is_of_the_last_days_today_among_them(built: App, clock: ManualClock) -> None:
    admin = Admin(built)
    await built.database.commit_one(AddUsage("demo", None, Usage(input=1, output=2)))
    await clock.advance(86_400)
    await built.database.commit_one(AddUsage("demo", None, Usage(input=10, output=20, cost=0.5)))
    await admin.settings.set("budget_day_cost", "5")

    today, both = await admin.usage(1), await admin.usage(2)

    assert (today.today, today.budget.day_cost) == (date(2026, 1, 2), 5.0)
    assert [(each.input, each.cost) for each in today.used] == [(10, 0.5)]
    assert [each.day.day for each in both.used] == [2, 1]
    with pytest.raises(UsageError, match="1 or more"):
        await admin.usage(0)
