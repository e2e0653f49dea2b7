import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands.naming import fold_name, is_name
from commands.parsing import (
    ClearGoal,
    GoalChange,
    ParsedCommand,
    SetGoal,
    ShowGoal,
    Switch,
    TypedMode,
    expand_custom,
    parse_chat_command,
    parse_effort_arg,
    parse_goal_arg,
    parse_mode_arg,
    parse_switch,
    slash_in,
)
from commands.values import Effort

NAMES = st.text(st.sampled_from("abcXYZ09_?-éßжあก"), min_size=1, max_size=64)
# Any text at all, with the characters that parsers trip over more often than chance would have it.
TEXTS = st.text(st.characters() | st.sampled_from("/@?{} \n\t\u0000İ\u200d"))


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("/new", ParsedCommand("new")),
        ("/NEW", ParsedCommand("new")),
        ("  /new \n", ParsedCommand("new")),
        ("/?", ParsedCommand("?")),
        ("/goal  finish the book ", ParsedCommand("goal", "finish the book")),
        ("/plan one\n\ntwo", ParsedCommand("plan", "one\n\ntwo")),
        ("/plan\none\ntwo", ParsedCommand("plan", "one\ntwo")),
        ("/plan\u00a0it", ParsedCommand("plan", "it")),
        ("/my-own_2 x", ParsedCommand("my-own_2", "x")),
        ("/помощь мне", ParsedCommand("помощь", "мне")),
        ("/नया काम", ParsedCommand("नया", "काम")),
        ("/new@conch_bot", ParsedCommand("new", bot="conch_bot")),
        ("/goal@Conch.Bot write", ParsedCommand("goal", "write", "Conch.Bot")),
        ("/goal see /tmp/x", ParsedCommand("goal", "see /tmp/x")),
        ("/goal @ada", ParsedCommand("goal", "@ada")),
        ("/" + "x" * 64, ParsedCommand("x" * 64)),
    ],
)
def test_a_message_that_starts_with_slash_and_name_is_a_command(text: str, command: ParsedCommand) -> None:
    assert parse_chat_command(text) == command


@pytest.mark.parametrize(
    "text",
    [
        "",
        "/",
        " / ",
        "/ new",
        "//new",
        "/Users/ada/x",
        "/tmp/",
        "/x/y z",
        "new",
        "please /new",
        "hello\n/new",
        "./new",
        "/new@",
        "/new@ bot",
        "/new@a@b",
        "/@bot",
        "/new!",
        "/a.b",
        "/" + "x" * 65,
    ],
)
def test_anything_else_is_an_ordinary_message(text: str) -> None:
    assert parse_chat_command(text) is None


@given(TEXTS)
def test_parsing_never_fails_and_a_command_has_a_folded_name_and_trimmed_words(text: str) -> None:
    for typed in (text, "/" + text):
        command = parse_chat_command(typed)

        if command is not None:
            assert typed.strip().startswith("/")
            assert command.name == fold_name(command.name)
            assert command.arguments == command.arguments.strip()


@given(NAMES, TEXTS)
def test_a_command_written_out_is_read_back(name: str, words: str) -> None:
    command = ParsedCommand(fold_name(name), words.strip())

    assert parse_chat_command(slash_in("telegram", command.name, command.arguments)) == command


@given(NAMES)
def test_whatever_is_a_name_can_be_typed(name: str) -> None:
    assert is_name(name)
    assert parse_chat_command("/" + name) == ParsedCommand(fold_name(name))


@pytest.mark.parametrize(
    ("text", "ours"), [("/new", True), ("/new@conch_bot", True), ("/new@CONCH_Bot", True), ("/new@other_bot", False)]
)
def test_a_command_for_another_bot_is_not_ours(text: str, ours: bool) -> None:
    command = parse_chat_command(text)

    assert command is not None
    assert command.is_for("conch_bot") is ours


@pytest.mark.parametrize("kind", ["telegram", "discord", "teams", "memory", "console"])
def test_a_command_is_written_with_a_slash(kind: str) -> None:
    assert slash_in(kind, "goal", "write a book") == "/goal write a book"
    assert slash_in(kind, "new") == "/new"


def test_slack_has_one_command_for_all() -> None:
    assert slash_in("slack", "goal", "write a book") == "/conch goal write a book"
    assert slash_in("slack", "new") == "/conch new"


@pytest.mark.parametrize(
    ("words", "switch"),
    [
        ("", Switch.TOGGLE),
        ("  ", Switch.TOGGLE),
        ("toggle", Switch.TOGGLE),
        *((word, Switch.ON) for word in ("on", "yes", "true", "start", "enable", " ON ")),
        *((word, Switch.OFF) for word in ("off", "no", "false", "stop", "disable", "done", "exit", "Exit\n")),
        *((word, None) for word in ("onn", "on please", "1", "a trip to Rome")),
    ],
)
def test_a_switch_has_many_words(words: str, switch: Switch | None) -> None:
    assert parse_switch(words) == switch


@pytest.mark.parametrize(
    ("words", "effort"),
    [
        *((effort.value, effort) for effort in Effort),
        ("maximum", Effort.MAX),
        ("extra", Effort.XHIGH),
        (" HIGH ", Effort.HIGH),
        ("", None),
        ("extra high", None),
        ("huge", None),
    ],
)
def test_an_effort_is_one_of_six_however_it_is_written(words: str, effort: Effort | None) -> None:
    assert parse_effort_arg(words) == effort


@pytest.mark.parametrize(
    ("words", "change"),
    [
        ("", ShowGoal()),
        (" \n ", ShowGoal()),
        *((word, ClearGoal()) for word in ("clear", "off", "none", "remove", "delete", "reset", "done", " CLEAR ")),
        (" finish the book ", SetGoal("finish the book")),
        ("clear the backlog", SetGoal("clear the backlog")),
        ("Done\nby Friday", SetGoal("Done\nby Friday")),
    ],
)
def test_a_goal_is_shown_cleared_or_set(words: str, change: GoalChange) -> None:
    assert parse_goal_arg(words) == change


@given(TEXTS)
def test_no_words_make_an_argument_parser_fail(words: str) -> None:
    goal = parse_goal_arg(words)

    assert parse_switch(words) in (*Switch, None)
    assert parse_effort_arg(words) in (*Effort, None)
    assert isinstance(goal, ShowGoal | ClearGoal) or goal.text == words.strip()


@pytest.mark.parametrize(
    ("body", "arguments", "words"),
    [
        ("Sum up {{input}}.", "the news", "Sum up the news."),
        ("Sum up {{input}}.", "  ", "Sum up this."),
        ("{{input}} and {{input}}", "a\nb", "a\nb and a\nb"),
        ("Say {{input}}", "{{input}} twice", "Say {{input}} twice"),
        ("Say {{input}}", r"\1 \g<0>", r"Say \1 \g<0>"),
        ("Sum up.\n", "the news", "Sum up.\n\nthe news"),
        ("Sum up.\n", "", "Sum up.\n"),
        ("  ", "the news", "the news"),
        ("Keep {{ input }}", "x", "Keep {{ input }}\n\nx"),
    ],
)
def test_a_saved_command_is_filled_in(body: str, arguments: str, words: str) -> None:
    assert expand_custom(body, arguments) == words


@given(TEXTS, TEXTS)
def test_a_saved_command_never_loses_what_was_typed(body: str, arguments: str) -> None:
    for saved in (body, body + "{{input}}"):
        assert arguments.strip() in expand_custom(saved, arguments)


@pytest.mark.parametrize(
    ("words", "mode"),
    [
        ("auto", TypedMode("auto")),
        ("Auto yes", TypedMode("auto", sure=True)),
        ("FULL  trust", TypedMode("full")),
        ("full trust Yes", TypedMode("full", sure=True)),
        ("ask first", TypedMode("ask")),
        ("default", TypedMode("default")),
        ("reset yes", TypedMode("default", sure=True)),
        ("yes", None),
        ("auto maybe", None),
        ("", None),
    ],
)
def test_a_mode_is_named_by_its_word_or_its_title(words: str, mode: TypedMode | None) -> None:
    assert parse_mode_arg(words) == mode
