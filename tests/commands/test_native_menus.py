from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands.command import ChatUse, Command, Place, Section, Who
from commands.menus import LIMITS, SHORTEST_DESCRIPTION, WANTED, MenuEntry, MenuLimits, cut, fit, native_menu
from commands.registry import COMMANDS, PENDING, listed_at

CHAT_KINDS = ("telegram", "discord", "teams", "memory")
IN_CHATS = [command.name for command in listed_at(Place.OWNER_CHAT, pending=())]
SHOUT = Command(name="shout", section=Section.CHAT, description="Shout", chat=ChatUse(who=Who.PEOPLE, groups=True))


def entry(name: str, description: str) -> MenuEntry:
    return MenuEntry(name, description, Section.CHAT)


def names(entries: tuple[MenuEntry, ...] | None) -> list[str]:
    return [shown.name for shown in entries or ()]


@pytest.mark.parametrize("kind", ["telegram", "discord", "memory"])
def test_an_app_with_room_shows_every_chat_command_that_is_not_hidden(kind: str) -> None:
    menu = native_menu(kind, pending=())

    assert names(menu.default) == IN_CHATS
    assert not {"start", "cancel"} & set(names(menu.default))


@pytest.mark.report("R165")
def test_telegram_and_discord_show_the_same_menu() -> None:
    telegram, discord = native_menu("telegram", pending=()), native_menu("discord", pending=())

    assert telegram.default == discord.default


@pytest.mark.parametrize("kind", ["telegram", "memory"])
def test_groups_have_a_menu_of_their_own(kind: str) -> None:
    assert names(native_menu(kind, pending=()).groups) == ["new", "stop", "help"]


def test_discord_has_one_menu_and_knows_what_works_in_a_guild() -> None:
    menu = native_menu("discord", pending=())

    assert menu.groups is None
    assert [shown.name for shown in menu.default if shown.groups] == ["new", "stop", "help"]


def test_discord_completes_the_words_of_a_closed_list_only() -> None:
    menu = native_menu("discord", pending=())

    assert [shown.name for shown in menu.default if shown.completes] == ["model", "effort", "fast", "mode"]


def test_an_entry_takes_words_when_its_command_does() -> None:
    menu = native_menu("discord", pending=())

    taking = [shown.name for shown in menu.default if shown.argument_hint]

    assert taking == ["compact", "goal", "plan", "model", "effort", "fast", "mode"]


def test_teams_shows_the_ten_most_wanted_in_the_order_of_the_registry() -> None:
    menu = native_menu("teams", pending=())

    assert set(names(menu.default)) == set(WANTED)
    assert names(menu.default) == [name for name in IN_CHATS if name in WANTED]


def test_slack_has_one_command_whose_hint_names_the_others() -> None:
    [only] = native_menu("slack", pending=()).default

    assert only.name == "conch"
    assert only.argument_hint.partition(": ")[2].split(", ") == IN_CHATS


def test_the_console_shows_what_works_there_in_its_own_words() -> None:
    menu = native_menu("console", pending=())

    expected = [(command.name, command.description) for command in COMMANDS if command.web]
    assert [(shown.name, shown.description) for shown in menu.default] == expected


def test_an_app_that_was_installed_later_has_the_whole_menu() -> None:
    assert names(native_menu("matrix", pending=()).default) == IN_CHATS


@pytest.mark.parametrize("kind", [*CHAT_KINDS, "console"])
def test_a_pending_command_is_left_out(kind: str) -> None:
    menu = native_menu(kind)

    assert names(menu.default)
    assert not set(names(menu.default)) & set(PENDING)


def test_the_slack_hint_does_not_name_a_pending_command() -> None:
    [only] = native_menu("slack", pending=("model",)).default

    assert "model" not in only.argument_hint


@pytest.mark.parametrize("kind", [*CHAT_KINDS, "console", "slack"])
def test_every_menu_is_derived_from_the_registry(kind: str) -> None:
    menu = native_menu(kind, commands=(SHOUT,), pending=())

    assert "shout" in (menu.default[0].name, *menu.default[0].argument_hint.split())
    assert native_menu(kind, commands=(), pending=()) != menu


@pytest.mark.parametrize("kind", CHAT_KINDS)
def test_our_own_menu_fits_every_app_without_a_cut(kind: str) -> None:
    shown = native_menu(kind, pending=()).default

    assert not [line.name for line in shown if line.description.endswith("…")]


@pytest.mark.parametrize(("kind", "longest"), [("telegram", 256), ("discord", 100), ("teams", 128)])
@pytest.mark.parametrize("over", [0, 1])
def test_a_description_over_the_limit_of_an_app_is_cut_with_an_ellipsis(kind: str, longest: int, over: int) -> None:
    wordy = replace(SHOUT, description="x" * (longest + over))

    [shown] = native_menu(kind, commands=(wordy,), pending=()).default

    assert shown.description == ("x" * longest if not over else "x" * (longest - 1) + "…")


def test_a_hint_over_the_limit_is_cut_too() -> None:
    wordy = replace(SHOUT, argument_hint="x" * 101)

    [shown] = native_menu("discord", commands=(wordy,), pending=()).default

    assert shown.argument_hint == "x" * 99 + "…"


@pytest.mark.report("R157")
def test_no_command_is_dropped_while_descriptions_can_still_be_shortened() -> None:
    wordy = tuple(replace(command, description="many words " * 23, chat=SHOUT.chat) for command in COMMANDS)

    menu = native_menu("telegram", commands=wordy, pending=())

    assert names(menu.default) == [command.name for command in COMMANDS]
    assert all(SHORTEST_DESCRIPTION < len(shown.description) < 150 for shown in menu.default)
    assert all(shown.description.endswith("…") for shown in menu.default)


@pytest.mark.report("R157")
def test_only_what_is_too_long_is_shortened() -> None:
    entries = [entry("new", "Short"), entry("stop", "A description that is far too long")]

    shown = fit(entries, MenuLimits(total_bytes=31))

    assert [line.description for line in shown] == ["Short", "A description…"]


@pytest.mark.report("R157")
def test_when_not_even_the_shortest_fit_the_least_wanted_goes_first() -> None:
    entries = [entry(name, "Long enough") for name in ("rename", "help", "new", "stop")]

    shown = fit(entries, MenuLimits(total_bytes=27))

    assert [(line.name, len(line.description)) for line in shown] == [("help", 3), ("new", 3), ("stop", 3)]


@given(
    st.lists(st.text(min_size=1, max_size=12), unique=True, max_size=8),
    st.lists(st.text(min_size=1, max_size=60), min_size=8, max_size=8),
    st.integers(0, 8),
    st.integers(SHORTEST_DESCRIPTION, 50),
    st.integers(0, 400),
)
def test_a_menu_always_fits_and_keeps_its_order(
    called: list[str], sentences: list[str], most: int, longest: int, total: int
) -> None:
    entries = [entry(name, sentence) for name, sentence in zip(called, sentences, strict=False)]

    shown = fit(entries, MenuLimits(commands=most, description=longest, total_bytes=total))

    assert len(shown) <= most
    assert all(0 < len(line.description) <= longest for line in shown)
    assert sum(len((line.name + line.description).encode()) for line in shown) <= total
    assert names(shown) == [name for name in called if name in names(shown)]


@pytest.mark.parametrize(
    ("length", "text"),
    [
        (20, "Start, then carry on"),
        (19, "Start, then carry…"),
        (18, "Start, then carry…"),
        (17, "Start, then…"),
        (8, "Start…"),
        (6, "Start…"),
        (5, "Star…"),
        (1, "…"),
    ],
)
def test_a_cut_keeps_whole_words_where_it_can(length: int, text: str) -> None:
    assert cut("Start, then carry on", length) == text


@given(st.text(), st.integers(1, 300))
def test_a_cut_is_never_too_long_and_shows_that_it_is_one(text: str, length: int) -> None:
    shown = cut(text, length)

    assert len(shown) <= length
    assert shown == text or shown.endswith("…")


def test_every_command_name_is_known_to_the_want_order() -> None:
    assert set(WANTED) <= set(IN_CHATS)
    assert len(WANTED) == LIMITS["teams"].commands


def test_the_digest_is_that_of_what_the_menu_shows() -> None:
    menu = native_menu("telegram", pending=())
    reworded = native_menu("telegram", commands=(replace(SHOUT, description="Cry out"),), pending=())

    assert menu.digest() == native_menu("telegram", pending=()).digest()
    assert reworded.digest() != native_menu("telegram", commands=(SHOUT,), pending=()).digest()
    assert menu.digest() != native_menu("telegram", pending=("goal",)).digest()
