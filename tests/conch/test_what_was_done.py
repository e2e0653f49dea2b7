"""What the owner does is written down once, whichever door it came through."""

import pytest

from channels.memory.app import MemoryApp
from conch.admin import CONSOLE, Admin
from conch.app import App
from core.errors import ConchError
from core.preferences import Preferences
from core.store.audit import Audit


@pytest.fixture
def admin(built: App) -> Admin:
    return Admin(built)


async def lines(built: App) -> list[tuple[str, str, str]]:
    """The oldest first."""
    return [(line.what, line.by, line.about) for line in reversed(await Audit(built.database).page(100))]


async def deeds(built: App) -> list[str]:
    return [what for what, _, _ in await lines(built)]


async def test_everything_about_a_bot_is_written_down_once(admin: Admin, built: App, shell: MemoryApp) -> None:
    bot = (await admin.add_channel("shell", shell.key)).channel
    await admin.add_channel("shell", shell.renew_key())
    await admin.link_channel(bot.id)
    for on in (False, False, True, True):
        await admin.switch_channel(bot.id, on)
    await admin.remove_channel(bot.id)

    told = await lines(built)
    assert [what for what, _, _ in told] == [
        "bot-connected",
        "bot-key-changed",
        "link-made",
        "bot-off",
        "bot-on",
        "bot-removed",
    ]
    assert {(by, about) for _, by, about in told} == {("The terminal", "@conch (Shell)")}


async def test_who_may_talk_to_a_bot_is_written_down(built: App, shell: MemoryApp) -> None:
    admin = Admin(built, by=CONSOLE)
    bot = (await admin.add_channel("shell", shell.key)).channel
    for person in ("Ada", "Eve"):
        now = built.clock.now()
        await built.people.request(bot.id, person, person, None, chat_id=person, preview="Hi", answered_before=now)
    await built.groups.heard_of(bot.id, "g", "Friends")

    await admin.let_in("Ada", None)
    await admin.let_in("Ada", None)
    await admin.block("Eve", None)
    await admin.let_in("Eve", None)
    await admin.remove_person("Eve", None)
    await admin.switch_group("g", None, True)
    await admin.switch_group("g", None, False)

    assert (await lines(built))[1:] == [
        ("let-in", "The console", "Ada, for @conch (Shell)"),
        ("blocked", "The console", "Eve, for @conch (Shell)"),
        ("let-in", "The console", "Eve, for @conch (Shell)"),
        ("person-removed", "The console", "Eve, for @conch (Shell)"),
        ("group-on", "The console", "“Friends”, for @conch (Shell)"),
        ("group-off", "The console", "“Friends”, for @conch (Shell)"),
    ]


async def test_a_setting_is_written_down_with_what_it_was(admin: Admin, built: App) -> None:
    await admin.settings.set("messages_per_minute", "7")
    await admin.settings.set("messages_per_minute", "7")
    await built.preferences.change({"default_mode": "full"}, "Ada")
    await admin.settings.unset("messages_per_minute")

    first, second, third = await lines(built)
    assert first[:2] == ("setting-changed", "The terminal")
    assert first[2].endswith(" to 7")
    assert second[1] == "Ada"
    assert second[2].endswith(" to full")
    assert third[2].startswith("messages_per_minute from 7 to ")


async def test_a_value_that_is_none_is_called_nothing(admin: Admin, built: App) -> None:
    await admin.settings.set("voice", "kind")
    await admin.settings.unset("voice")

    assert [about for _, _, about in await lines(built)] == ["voice from nothing to kind", "voice from kind to nothing"]


async def test_tokens_are_written_down_by_name_and_never_as_they_are(admin: Admin, built: App) -> None:
    made = await admin.tokens.add("my script", read_only=True)
    await admin.tokens.revoke("my script")

    told = await lines(built)
    assert told == [
        ("token-made", "The terminal", "my script, to read only"),
        ("token-revoked", "The terminal", "my script"),
    ]
    assert made.token.get_secret_value() not in str(told)


async def test_what_failed_is_not_written_down(admin: Admin, built: App) -> None:
    with pytest.raises(ConchError):
        await admin.add_channel("shell", "memory:" + "x" * 20)
    with pytest.raises(ConchError):
        await admin.tokens.revoke("nobody")
    with pytest.raises(ConchError):
        await admin.apps.disconnect("demo-calendar")

    assert await deeds(built) == []


async def test_settings_go_on_working_without_a_book(built: App) -> None:
    preferences = Preferences(built.preferences.current)

    changed = await preferences.change({"default_mode": "plan"})

    assert changed.default_mode == "plan"
