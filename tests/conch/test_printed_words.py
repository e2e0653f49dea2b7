import json
import re
from datetime import UTC, datetime

from conch import printing
from conch.findings import Finding, Verdict
from tests.web.fakes import SHELL, group, hello, person
from web.administration import ChannelView, ConnectedView, PeopleView, RequestView

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
LOST = SHELL.model_copy(update={"id": "c2", "username": None, "state": "needs-token", "detail": "Get a new key."})


def test_bots_stand_in_a_table_with_what_to_do_about_them_below() -> None:
    text = printing.channels((SHELL, LOST))

    lines = text.splitlines()
    assert lines[0].split() == ["BOT", "APP", "STATE", "ID"]
    assert lines[1].split() == ["@shell_bot", "telegram", "online", "c1"]
    assert lines[3] == "Shell <b>: Get a new key."


def test_a_bot_is_off_running_or_neither() -> None:
    states = [SHELL, SHELL.model_copy(update={"enabled": False}), SHELL.model_copy(update={"state": None})]

    assert [printing.state(each) for each in states] == ["online", "off", "not running"]


def test_a_new_bot_comes_with_its_link_and_what_is_still_missing() -> None:
    view = ConnectedView(channel=SHELL, updated=False, hello=hello())

    running, alone = printing.connected(view, running=True), printing.connected(view, running=False)

    assert "https://t.me/shell_bot?start=code" in running
    assert "conch serve" not in running
    assert "conch serve" in alone


def test_a_bot_that_must_be_invited_comes_with_the_link_for_that_first() -> None:
    view = ConnectedView(channel=SHELL, updated=False, hello=hello(), invite="https://discord.com/oauth2/authorize?x")

    lines = printing.connected(view, running=True).splitlines()

    assert lines[1].startswith("Open this to bring it into a server")
    assert lines[2].strip() == "https://discord.com/oauth2/authorize?x"


def test_a_bot_with_a_new_key_is_where_it_was() -> None:
    nowhere = hello().model_copy(update={"link": None})
    view = ConnectedView(channel=SHELL, updated=True, hello=nowhere, invite="https://discord.com/oauth2/authorize?x")

    assert printing.connected(view, running=True) == "@shell_bot (Shell <b>) has its new key."


def test_an_app_without_links_says_the_other_way_in() -> None:
    assert "conch people list" in printing.hello(hello().model_copy(update={"link": None}))


def test_people_and_requests_are_told_apart() -> None:
    request = RequestView(channel=SHELL, person_id="78", name="Sam", username=None, preview="Hello?", at=NOON)

    text = printing.people(PeopleView(people=(person("owner"),), requests=(request,)))

    assert re.search(r"77 +Ada @ada +owner[\s\S]+Waiting to be let in[\s\S]+78 +Sam +@shell_bot +Hello\?", text)


def test_what_a_stranger_wrote_stays_on_its_line_and_cannot_move_the_cursor() -> None:
    evil = RequestView(
        channel=SHELL, person_id="78", name="\x1b[2JSam", username=None, preview="one\r\ntwo\u202e", at=NOON
    )

    text = printing.people(PeopleView(people=(), requests=(evil,)))

    assert len(text.splitlines()) == 3
    assert not set(text) & {"\x1b", "\r", "\u202e"}


def test_a_bot_that_never_got_a_username_is_called_by_its_name() -> None:
    assert printing.called(ChannelView(id="c", kind="k", name="Nameless", username=None, enabled=True)) == "Nameless"


def test_groups_stand_in_a_table_whatever_they_are_called() -> None:
    lines = printing.groups((group(on=True), group(on=False))).splitlines()

    assert lines[0].split() == ["ID", "TITLE", "IS", "OF", "LAST", "HEARD"]
    assert re.match(r"-1001 +Team \[2J +on +@shell_bot +2026-01-01", lines[1])
    assert re.match(r"-1001 +Team \[2J +off +", lines[2])


def test_without_groups_it_says_how_a_bot_comes_to_one() -> None:
    assert "mention it there" in printing.groups(())


def test_a_group_that_was_switched_is_named_and_cannot_move_the_cursor() -> None:
    on, off = printing.switched(group(on=True)), printing.switched(group(on=False))

    assert on.startswith("@shell_bot answers in “Team [2J” when it is asked.")
    assert off == "@shell_bot does not answer in “Team [2J” any more."
    assert printing.switched(group(on=False).model_copy(update={"title": " "})).endswith("in -1001 any more.")


CHECKUP = (
    Finding("Port", Verdict.OK, "Free."),
    Finding("Bot \x1b[2J@shell_bot", Verdict.FAIL, "No\nkey.", "Get a new one."),
)


def test_a_checkup_tells_one_thing_a_line_with_what_to_do_below() -> None:
    lines = printing.checkup(CHECKUP).splitlines()

    assert lines[0].split() == ["OK", "Port", "Free."]
    assert lines[1].split() == ["FAIL", "Bot", "[2J@shell_bot", "No", "key."]
    assert lines[2].strip() == "→ Get a new one."
    assert lines[-1] == "1 ok, 1 fail."


def test_a_checkup_is_the_same_for_programs() -> None:
    told = json.loads(printing.checkup_json(CHECKUP))

    assert told["ok"] is False
    assert [each["verdict"] for each in told["findings"]] == ["ok", "fail"]
    assert told["findings"][1]["todo"] == "Get a new one."
    assert json.loads(printing.checkup_json(CHECKUP[:1]))["ok"] is True
