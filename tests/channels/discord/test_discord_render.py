"""What calls look like: rows and lists, forms, keys."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.base import Button, ButtonStyle, Form, OutboundMessage
from channels.discord import forms, limits, menu, render, tokens
from commands.menus import NativeMenu, native_menu
from core.cards import Choice, ChoiceField, MomentField, NumberField, QuestionField, TextField
from core.errors import Refused


def labels(rows: list[dict[str, Any]]) -> list[list[str]]:
    return [[part.get("label", "list") for part in row["components"]] for row in rows]


def options(count: int) -> list[Button]:
    return [Button(f"Option {at}", token=f"t{at}", option=True) for at in range(count)]


def test_five_buttons_stand_in_a_row() -> None:
    buttons = [Button(str(at), token=str(at)) for at in range(7)]

    assert labels(render.components(buttons)) == [["0", "1", "2", "3", "4"], ["5", "6"]]


def test_few_options_are_buttons() -> None:
    assert labels(render.components([*options(3), Button("Back", token="b")])) == [
        ["Option 0", "Option 1", "Option 2", "Back"]
    ]


def test_many_options_are_a_list_between_the_buttons_before_and_after() -> None:
    rows = render.components([Button("Above", token="a"), *options(8), Button("Back", token="b")])

    assert labels(rows) == [["Above"], ["list"], ["Back"]]
    assert [option["value"] for option in rows[1]["components"][0]["options"]] == [f"b:t{at}" for at in range(8)]


def test_more_options_than_a_list_holds_are_two_lists() -> None:
    rows = render.components(options(30))

    assert [len(row["components"][0]["options"]) for row in rows] == [25, 5]
    assert len({row["components"][0]["custom_id"] for row in rows}) == 2


def test_styles_and_links_are_discords() -> None:
    buttons = [
        Button("Yes", token="y", style=ButtonStyle.PRIMARY),
        Button("No", token="n", style=ButtonStyle.DANGER),
        Button("Later", token="l"),
        Button("Read", url="https://example.org"),
    ]

    drawn = render.components(buttons)[0]["components"]

    assert [part["style"] for part in drawn] == [1, 4, 2, 5]
    assert "custom_id" not in drawn[3]


def test_a_label_is_cut_where_discord_would_refuse_it() -> None:
    (row,) = render.components([Button("x" * 90, token="t")])

    assert row["components"][0]["label"] == "x" * 79 + "…"


@given(st.text())
def test_a_key_is_as_long_as_discord_takes_and_its_own(key: str) -> None:
    assert len(render.nonce(key)) == limits.MAX_NONCE
    assert render.nonce(key) != render.nonce(f"{key}.")


def test_the_longest_token_fits_into_what_a_button_brings_back() -> None:
    assert len(tokens.of_button("t" * 64, form=True)) <= limits.MAX_CUSTOM_ID
    assert len(tokens.of_other("f" * 64, also=True)) <= limits.MAX_CUSTOM_ID


@pytest.mark.parametrize("given_id", ["", "12x", "../1", "１２"])
def test_what_is_no_id_never_becomes_part_of_an_address(given_id: str) -> None:
    with pytest.raises(Refused):
        render.snowflake(given_id)


def test_a_silent_message_is_silent() -> None:
    quiet = render.send("1", OutboundMessage("a", "a", "k", silent=True)).json
    loud = render.send("1", OutboundMessage("a", "a", "k")).json

    assert isinstance(quiet, dict)
    assert isinstance(loud, dict)
    assert quiet["flags"] & render.SILENT
    assert not loud["flags"] & render.SILENT


# ---- forms ---------------------------------------------------------------------------------------------------------

LIKE = ChoiceField(
    id="like", label="What?", options=(Choice(id="a", label="Art", description="Old"), Choice(id="f", label="Food"))
)


def parts(*fields: QuestionField) -> list[dict[str, Any]]:
    drawn = forms.drawn(Form("T" * 60, fields, "tok"))
    assert len(drawn["title"]) == limits.MAX_MODAL_TITLE
    components: list[dict[str, Any]] = drawn["components"]
    return components


def test_a_choice_is_a_list_and_what_else_can_be_typed_a_field_below() -> None:
    pick, typed = parts(LIKE.model_copy(update={"other": True}))

    assert [option["value"] for option in pick["component"]["options"]] == ["a", "f"]
    assert pick["component"]["required"] is False
    assert typed["label"] == "Something else"


def test_where_there_is_no_room_nothing_else_can_be_typed_and_a_pick_is_needed() -> None:
    other = [LIKE.model_copy(update={"id": str(at), "other": True}) for at in range(4)]

    drawn = parts(*other)

    assert len(drawn) == limits.MAX_MODAL_FIELDS
    assert [part["component"].get("required") for part in drawn] == [False, False, True, True, True]


def test_a_date_says_how_it_is_written_and_between_what() -> None:
    field = MomentField(id="d", kind="date", label="When?", min="2026-01-01", max="2026-12-31", suggested="2026-06-01")

    (part,) = parts(field)

    assert part["description"] == "YYYY-MM-DD, 2026-01-01 to 2026-12-31"
    assert part["component"]["value"] == "2026-06-01"


def test_a_number_says_its_unit() -> None:
    (part,) = parts(NumberField(id="n", label="How much?", min=1, unit="kg", suggested=2.0))

    assert part["description"] == "kg, from 1"
    assert part["component"]["value"] == "2"


def test_a_long_question_stands_whole_below_its_label() -> None:
    label = "Which of all the things that I could do for you today should I begin with now?"

    (part,) = parts(TextField(id="t", label=label, optional=True, multiline=True))

    assert part["label"].endswith("…")
    assert part["description"] == label
    assert (part["component"]["style"], part["component"]["required"]) == (2, False)


def test_what_is_typed_instead_counts_instead_and_what_is_typed_too_counts_too() -> None:
    data = {
        "components": [
            {"type": 18, "component": {"type": 3, "custom_id": tokens.of_field("one"), "values": ["a"]}},
            {"type": 18, "component": {"type": 4, "custom_id": tokens.of_other("one", also=False), "value": "Tea"}},
            {"type": 18, "component": {"type": 3, "custom_id": tokens.of_field("two"), "values": ["a"]}},
            {"type": 18, "component": {"type": 4, "custom_id": tokens.of_other("two", also=True), "value": "Tea"}},
        ]
    }

    assert tokens.filled(data) == {"one": ("Tea",), "two": ("a", "Tea")}


# ---- menus ---------------------------------------------------------------------------------------------------------


@pytest.mark.report("R165")
def test_every_command_of_the_registry_is_in_the_menu() -> None:
    shown = native_menu("discord")

    assert [command["name"] for command in menu.commands_of(shown)] == [entry.name for entry in shown.default]


def test_a_command_takes_a_value_where_it_has_one_to_take() -> None:
    commands = {command["name"]: command for command in menu.commands_of(native_menu("discord"))}

    assert "options" not in commands["status"]
    assert commands["effort"]["options"][0]["autocomplete"] is True
    assert "autocomplete" not in commands["goal"]["options"][0]


def test_what_discord_adds_to_a_menu_is_no_difference() -> None:
    wanted = menu.commands_of(native_menu("discord"))
    found = [
        {**command, "id": "1", "version": "2", "nsfw": False, "default_member_permissions": None} for command in wanted
    ]

    assert not menu.differs(list(reversed(found)), wanted)
    assert menu.differs(found[1:], wanted)
    assert menu.differs([{**found[0], "description": "old"}, *found[1:]], wanted)
    assert menu.differs(None, wanted)


def test_nothing_completes_a_command_that_is_not_there() -> None:
    assert menu.completions(NativeMenu("discord", ()), {"name": "effort", "options": []}) == {}
