"""How messages and forms look in Block Kit, judged by the SDK's own models."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from slack_sdk.models.blocks import Block
from slack_sdk.models.views import View

from channels.base import Button, ButtonStyle, ChatRef, Form, MessageRef, OutboundMessage, Press, Sender
from channels.slack import blocks, forms, limits
from core.cards import Choice, ChoiceField, MomentField, NumberField, QuestionField, TextField
from core.clock import ManualClock

WORDS = st.text(min_size=1, max_size=100)
TOKENS = st.text("abcXYZ019-_", min_size=1, max_size=64)
BUTTONS = st.lists(
    st.builds(Button, WORDS, token=TOKENS, style=st.sampled_from(ButtonStyle), option=st.booleans(), form=st.booleans())
    | st.builds(Button, WORDS, url=st.just("https://example.org"), style=st.sampled_from(ButtonStyle)),
    max_size=60,
    unique_by=lambda button: (button.token, button.label),
).map(tuple)
PRESS = Press(
    "13.37", "t", MessageRef(ChatRef("sl", "U1"), "1.000100"), Sender("U1", "Ada"), "press:13.37", ManualClock().now()
)


def judged(drawn: list[dict[str, Any]]) -> None:
    """Raise where Slack's models find something wrong."""
    for block in drawn:
        model = Block.parse(json.loads(json.dumps(block)))
        assert model is not None
        model.validate_json()
        for element in getattr(model, "elements", None) or []:
            element.validate_json()


@given(text=st.text(max_size=300), buttons=BUTTONS, plainer=st.booleans())
def test_every_message_is_made_of_blocks_that_slack_knows(
    text: str, buttons: tuple[Button, ...], plainer: bool
) -> None:
    drawn = blocks.of_message(OutboundMessage(text, text, "k", buttons=buttons), plainer=plainer)

    judged(drawn)
    elements = [element for block in drawn if block["type"] == "actions" for element in block["elements"]]
    assert len({element["action_id"] for element in elements}) == len(elements)
    brought = [element.get("value") for element in elements if element["type"] == "button"]
    listed = [option["value"] for element in elements for option in element.get("options", ())]
    assert sorted(filter(None, [*brought, *listed])) == sorted(button.token for button in buttons if button.token)


@pytest.mark.parametrize(("count", "kinds"), [(5, ["button"] * 5), (6, ["static_select"])])
def test_a_list_is_drawn_from_the_sixth_option_on(count: int, kinds: list[str]) -> None:
    options = [Button(f"Option {n}", token=f"t{n}", option=True) for n in range(count)]
    (actions,) = blocks.of_buttons(options)

    assert [element["type"] for element in actions["elements"]] == kinds


def test_a_label_is_cut_where_slack_would_refuse_it() -> None:
    (actions,) = blocks.of_buttons([Button("x" * 75, token="a"), Button("y" * 76, token="b")])

    shown = [element["text"]["text"] for element in actions["elements"]]
    assert shown == ["x" * 75, "y" * 74 + "…"]


def test_the_longest_text_still_fits_when_it_is_said_plainer() -> None:
    text = "word " * (limits.MAX_TEXT // 5)
    drawn = blocks.of_words(text, text, plainer=True)

    judged(drawn)
    assert len(drawn) <= 50


def test_a_notice_and_plainer_words_call_nobody() -> None:
    message = OutboundMessage("<!channel> hello <@U1>", "<!channel> hello <@U1>", "k")

    assert "<" not in blocks.notice(message)
    assert "<!channel>" not in json.dumps(blocks.of_message(message, plainer=True))


# ---- forms -----------------------------------------------------------------------------------------------------------

FIELDS: tuple[QuestionField, ...] = (
    ChoiceField(
        id="meal",
        label="What?",
        options=(Choice(id="a", label="A" * 80), Choice(id="b", label="B", description="d" * 200)),
        other=True,
    ),
    ChoiceField(
        id="sides", label="With?", options=(Choice(id="x", label="X"), Choice(id="y", label="Y")), multiple=True
    ),
    MomentField(id="when", label="When?", kind="datetime", suggested="2026-12-24T19:30", min="2026-12-01T00:00"),
    NumberField(id="many", label="How many?", min=1, max=12, unit="people", suggested=4),
)


def test_a_form_is_a_modal_that_slack_knows() -> None:
    drawn = forms.view(PRESS, Form("A title that is longer than what fits", FIELDS, "tok"))

    View(**json.loads(json.dumps(drawn))).validate_json()
    judged(drawn["blocks"])
    assert len(drawn["title"]["text"]) <= limits.MAX_TITLE
    assert len(drawn["private_metadata"]) <= limits.MAX_METADATA
    assert len({block["block_id"] for block in drawn["blocks"]}) == len(drawn["blocks"])


def test_each_kind_of_field_has_what_fits_it() -> None:
    drawn = forms.view(PRESS, Form("t", (*FIELDS[:3], TextField(id="w", label="Words?", multiline=True)), "tok"))

    assert [block["element"]["type"] for block in drawn["blocks"]] == [
        "radio_buttons",
        "plain_text_input",
        "checkboxes",
        "datepicker",
        "timepicker",
        "plain_text_input",
    ]


def sent(state: dict[str, dict[str, Any]]) -> dict[str, tuple[str, ...]]:
    """What a form with these fields brings back."""
    drawn = forms.view(PRESS, Form("t", FIELDS, "tok"))
    values = {place: {"value": element} for place, element in state.items()}
    found = forms.read({**drawn, "state": {"values": values}})
    assert found is not None
    assert (found.token, found.chat_id, found.message_id) == ("tok", "U1", "1.000100")
    return dict(found.filled)


def option(value: str) -> dict[str, Any]:
    return {"text": {"type": "plain_text", "text": value}, "value": value}


def test_values_come_back_by_the_fields_names() -> None:
    filled = sent(
        {
            "0": {"type": "radio_buttons", "selected_option": option("b")},
            "0o": {"type": "plain_text_input", "value": None},
            "1": {"type": "checkboxes", "selected_options": [option("x"), option("y")]},
            "2": {"type": "datepicker", "selected_date": "2026-12-24"},
            "2t": {"type": "timepicker", "selected_time": "19:30"},
            "3": {"type": "number_input", "value": "4"},
        }
    )

    assert filled == {"meal": ("b",), "sides": ("x", "y"), "when": ("2026-12-24T19:30",), "many": ("4",)}


def test_what_was_typed_goes_before_what_was_picked() -> None:
    filled = sent(
        {
            "0": {"type": "radio_buttons", "selected_option": option("b")},
            "0o": {"type": "plain_text_input", "value": "soup"},
        }
    )

    assert filled == {"meal": ("soup",)}


def test_a_day_without_a_time_is_half_an_answer() -> None:
    filled = sent(
        {
            "2": {"type": "datepicker", "selected_date": "2026-12-24"},
            "2t": {"type": "timepicker", "selected_time": None},
        }
    )

    assert filled == {"when": ("2026-12-24T",)}


def test_what_is_wrong_stands_at_its_field() -> None:
    drawn = forms.view(PRESS, Form("t", FIELDS, "tok"))

    told = forms.errors(drawn, {"many": "At most 12.", "when": "That day is over."})

    assert told == {"response_action": "errors", "errors": {"3": "At most 12.", "2": "That day is over."}}


def test_a_form_of_somebody_else_is_none_of_ours() -> None:
    assert forms.read({"callback_id": "other"}) is None
