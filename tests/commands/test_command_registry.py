import re
from collections import Counter
from dataclasses import replace

import pytest

from commands.command import ChatUse, Command, Place, Section, Who
from commands.registry import COMMANDS, PENDING, find, is_pending, listed_at
from commands.values import ValuesKind

# The specification's table: name, other names, section, who, groups, hidden, web, yields, values.
TABLE = """
new | | chat | people | yes | | yes | | |
clear | reset | chat | people | | | yes | | |
compact | summarise, summarize, compress | chat | people | | | yes | | |
goal | objective | chat | owner | | | yes | yes | suggest |
plan | | chat | owner | | | yes | yes | suggest |
retry | again, regenerate | chat | people | | | yes | yes | |
undo | rewind, revert | chat | people | | | yes | yes | |
stop | | chat | people | yes | | no | | |
background | task, bg, delegate | chat | – | | | yes | yes | |
rename | title | chat | – | | | yes | yes | |
copy | | chat | – | | | yes | yes | |
export | save, download | chat | – | | | yes | yes | |
resume | chats, history, continue | chat | – | | | yes | yes | |
model | | answers | owner | | | yes | | choose |
effort | think, thinking | answers | owner | | | yes | | choose |
fast | | answers | owner | | | yes | | choose |
mode | trust, permissions, approvals | answers | owner | | | yes | | choose |
status | info, context | answers | owner | | | yes | yes | |
review | | answers | – | | | yes | yes | |
init | | answers | – | | | yes | yes | |
routines | schedule, cron | conch | – | | | yes | | |
skills | | conch | – | | | yes | | |
commands | | conch | – | | | yes | | |
apps | mcp, integrations, connect, tools | conch | – | | | yes | yes | |
channels | bots | conch | – | | | yes | yes | |
providers | login, auth, logout, keys | conch | – | | | yes | yes | |
usage | cost, limits, stats | conch | owner | | | yes | | |
doctor | health, repair, fix | conch | – | | | yes | yes | |
settings | config, preferences | conch | owner | | | yes | | |
theme | | conch | – | | | yes | | choose |
help | ? | conch | people | yes | | yes | | |
start | | conch | people | yes | yes | no | | |
cancel | | conch | owner | | yes | no | | |
""".strip()

NAMES_AND_ALIASES = [name for command in COMMANDS for name in (command.name, *command.aliases)]


def _as_a_row(command: Command) -> str:
    chat = command.chat
    return " | ".join(
        (
            command.name,
            ", ".join(command.aliases),
            command.section.name.lower(),
            chat.who.value if chat else "–",
            "yes" if chat and chat.groups else "",
            "yes" if chat and chat.hidden else "",
            "yes" if command.web else "no",
            "yes" if command.yields else "",
            command.values.kind.value if command.values else "",
            "",
        )
    )


def test_the_registry_is_the_specified_table_in_its_order() -> None:
    rows = [re.sub(r"\s+", " ", _as_a_row(command)).strip() for command in COMMANDS]

    assert rows == TABLE.splitlines()


def test_no_name_or_alias_repeats() -> None:
    repeated = [name for name, times in Counter(NAMES_AND_ALIASES).items() if times > 1]

    assert repeated == []


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_a_name_is_one_that_every_app_takes(command: Command) -> None:
    assert re.fullmatch(r"[a-z0-9_]{1,32}", command.name)
    # Teams inserts the title of a menu entry as it stands, so the slash counts towards its 32.
    assert len("/" + command.name) <= 32


@pytest.mark.parametrize("place", Place)
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_a_description_is_a_sentence_without_its_full_stop(command: Command, place: Place) -> None:
    description = command.description_at(place)

    assert re.fullmatch(r"[A-Z][^\n]{1,254}[^.\s]", description)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_what_has_values_or_needs_words_says_what_they_are(command: Command) -> None:
    takes_words = command.values is not None or command.needs_args

    assert command.argument_hint or not takes_words


def test_only_two_commands_wait_for_words_when_chosen() -> None:
    assert [command.name for command in COMMANDS if command.needs_args] == ["background", "rename"]


def test_a_list_to_choose_from_says_each_word_once_or_names_its_source() -> None:
    for values in (command.values for command in COMMANDS if command.values):
        words = [item.word for item in values.items]

        assert len(words) == len(set(words))
        assert bool(words) != (values.source is not None)


def test_only_chosen_values_stand_where_a_closed_list_is_meant() -> None:
    closed = [c.name for c in COMMANDS if c.values and c.values.kind is ValuesKind.CHOOSE]

    assert closed == ["model", "effort", "fast", "mode", "theme"]


def test_six_commands_have_words_of_their_own_in_a_chat_app() -> None:
    own = [
        command.name
        for command in COMMANDS
        if command.chat and command.description_at(Place.OWNER_CHAT) != command.description_at(Place.CONSOLE)
    ]

    assert own == ["new", "clear", "undo", "status", "settings", "help"]


def test_a_chat_app_may_have_a_hint_of_its_own() -> None:
    command = Command(
        name="move",
        section=Section.CHAT,
        description="Move this chat",
        argument_hint="folder",
        chat=ChatUse(who=Who.PEOPLE, argument_hint=""),
    )

    assert command.argument_hint_at(Place.CONSOLE) == "folder"
    assert command.argument_hint_at(Place.PERSON_CHAT) == ""


def test_exactly_four_commands_work_in_a_group() -> None:
    usable = [command.name for command in COMMANDS if command.works_at(Place.GROUP)]

    assert usable == ["new", "stop", "help", "start"]


def test_people_run_only_what_concerns_their_own_conversation() -> None:
    usable = [command.name for command in COMMANDS if command.works_at(Place.PERSON_CHAT)]

    assert usable == ["new", "clear", "compact", "retry", "undo", "stop", "help", "start"]


def test_the_owner_runs_in_a_private_chat_whatever_a_chat_app_has() -> None:
    usable = {command.name for command in COMMANDS if command.works_at(Place.OWNER_CHAT)}

    assert usable == {command.name for command in COMMANDS if command.chat}


def test_the_console_runs_everything_but_what_only_a_chat_app_needs() -> None:
    missing = [command.name for command in COMMANDS if not command.works_at(Place.CONSOLE)]

    assert missing == ["stop", "start", "cancel"]


def test_every_command_works_somewhere() -> None:
    assert all(any(command.works_at(place) for place in Place) for command in COMMANDS)


@pytest.mark.parametrize(("typed", "name"), [("new", "new"), ("NEW", "new"), ("reset", "clear"), ("?", "help")])
def test_a_command_is_found_by_any_of_its_names_in_any_case(typed: str, name: str) -> None:
    command = find(typed)

    assert command is not None
    assert command.name == name


def test_what_is_no_name_of_ours_is_not_found() -> None:
    assert find("xyzzy") is None


def test_only_names_of_commands_are_pending() -> None:
    names = [command.name for command in COMMANDS]

    assert [name for name in names if name in PENDING] == list(PENDING)


def test_a_command_is_pending_while_the_tuple_names_it() -> None:
    assert [command.name for command in COMMANDS if is_pending(command)] == list(PENDING)


def test_hidden_and_pending_commands_are_not_listed() -> None:
    listed = [command.name for command in listed_at(Place.PERSON_CHAT, pending=("clear", "stop"))]

    assert listed == ["new", "compact", "retry", "undo", "help"]


def test_a_list_can_be_made_of_other_commands() -> None:
    shout = Command(name="shout", section=Section.CHAT, description="Shout", chat=ChatUse(who=Who.PEOPLE))
    whisper = replace(shout, name="whisper", chat=ChatUse(who=Who.OWNER))

    assert listed_at(Place.PERSON_CHAT, commands=(shout, whisper)) == (shout,)
