"""Questions as forms: which way an app takes, what a form asks, and what it was sent with comes to. Pure."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.base import ButtonStyle, Channel, ChatRef, OutboundMessage
from channels.cards.drawing import drawn
from channels.cards.filling import Filling, missed
from channels.cards.forms import Way, faults_in, form_of, values_in, way_of
from channels.cards.prompts import once_more, question_prompt
from channels.formatting.parts import Dialect, format_message
from channels.memory.app import MemoryApp
from channels.memory.channel import MemoryChannel
from channels.memory.forms import FieldsChannel, FormChannel
from channels.outbox import message_of, post_of
from channels.telegram.limits import CAPABILITIES as TELEGRAM
from core.cards import Choice, ChoiceField, MomentField, NumberField, Question, QuestionField, TextField
from core.clock import ManualClock
from core.events import QuestionAsked
from core.questions import checked
from core.store.outbox import Kind

TEA, COFFEE = Choice(id="tea", label="Tea"), Choice(id="coffee", label="Coffee")
DRINK = ChoiceField(id="drink", label="Which drink?", options=(TEA, COFFEE))
TOPS = ChoiceField(id="tops", label="What on top?", options=(TEA, COFFEE), multiple=True)
DAY = MomentField(id="day", label="Which day?", kind="date", min="2026-12-01", max="2026-12-31", suggested="2026-12-24")
TIME = MomentField(id="at", label="At what time?", kind="time")
NIGHTS = NumberField(id="nights", label="How many nights?", min=1, max=14, unit="nights", optional=True)
NAME = TextField(id="name", label="For whom?", placeholder="Ada and Bob")


def asked(*fields: QuestionField, title: str | None = None) -> Question:
    return Question(question_id="q", title=title, fields=fields)


def way(kind: type[MemoryChannel], question: Question, buttons: int = 8) -> Way:
    clock = ManualClock()
    channel: Channel = kind("c", MemoryApp(clock), clock, key="", button_limit=buttons)
    return way_of(channel, QuestionAsked(question=question))


def plain(markdown: str) -> str:
    return "\n---\n".join(part.plain for part in format_message(markdown, Dialect.text))


# ---- which way -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("field", [DAY, TIME, NIGHTS, NAME])
def test_more_than_something_to_pick_is_a_form_where_the_app_has_them(field: QuestionField) -> None:
    ways = [way(kind, asked(field)) for kind in (FormChannel, FieldsChannel, MemoryChannel)]

    assert ways == [Way.FORM, Way.FIELDS, Way.TAPS]


def test_one_choice_is_picked_by_its_buttons_and_several_are_a_form() -> None:
    assert [way(kind, asked(DRINK)) for kind in (FormChannel, FieldsChannel)] == [Way.TAPS, Way.TAPS]
    assert way(FormChannel, asked(DRINK, TOPS)) is Way.FORM


def test_an_app_without_buttons_has_no_forms() -> None:
    assert way(FormChannel, asked(DAY), buttons=0) is Way.TYPED


# ---- what stands in the chat ---------------------------------------------------------------------------------------


def test_a_single_field_opens_its_form_or_takes_what_is_suggested() -> None:
    drawing = drawn(question_prompt(asked(DAY), Filling(), way=Way.FORM), TELEGRAM, lambda what: what)

    assert [(button.label, button.token, button.form) for button in drawing.buttons] == [
        ("Answer…", "form", True),
        ("Thursday, 24 December 2026", "use", False),
        ("Skip", "skip", False),
    ]
    assert drawing.buttons[0].style is ButtonStyle.PRIMARY
    assert plain(drawing.markdown).startswith("Which day?\n\nType a date, like 24 December 2026 (from ")


def test_several_fields_are_named_above_the_button_that_opens_them() -> None:
    prompt = question_prompt(asked(DRINK, DAY, NIGHTS, title="A trip"), Filling(), way=Way.FORM)

    assert [button.label for button in prompt.buttons] == ["Answer…", "Skip"]
    assert plain(prompt.text) == ("A trip\n\n- Which drink? (Tea, Coffee)\n- Which day?\n- How many nights? (optional)")


def test_who_began_to_type_goes_on_with_the_next_field() -> None:
    begun = Filling(field=1, values={"drink": "tea"})

    prompts = [question_prompt(asked(DRINK, DAY), begun, way=way) for way in (Way.FORM, Way.FIELDS, Way.TAPS)]

    assert prompts[0] == prompts[1] == prompts[2]


def test_a_message_with_fields_says_nothing_twice_and_has_a_way_out() -> None:
    drawing = drawn(question_prompt(asked(DAY, NAME), Filling(), way=Way.FIELDS), TELEGRAM, lambda what: what)

    assert plain(drawing.markdown) == "I have a question:"
    assert [button.label for button in drawing.buttons] == ["Skip"]
    assert drawing.form == form_of(asked(DAY, NAME), "form")


def test_a_form_in_a_message_is_the_same_when_it_comes_out_of_the_outbox() -> None:
    form = form_of(asked(DRINK, DAY, NIGHTS, NAME), "c.token")
    message = OutboundMessage("Well?", "Well?", "k:0", form=form)

    assert message_of(post_of("k", 0, 1, ChatRef("c", "ada"), message, Kind.NOTICE)) == message


def test_options_are_told_from_what_else_can_be_pressed() -> None:
    field = DRINK.model_copy(update={"other": True})
    one = drawn(question_prompt(asked(field), Filling()), TELEGRAM, lambda what: what)
    several = drawn(question_prompt(asked(TOPS), Filling()), TELEGRAM, lambda what: what)

    assert [button.label for button in one.buttons if button.option] == ["Tea", "Coffee"]
    assert not any(button.option for button in several.buttons)


@pytest.mark.parametrize(("kind", "longest"), [("slack", 75), ("discord", 80)])
def test_only_a_label_that_the_app_would_cut_is_numbered(kind: str, longest: int) -> None:
    app = replace(TELEGRAM, kind=kind, max_label=longest)
    options = tuple(Choice(id=str(size), label="x" * size) for size in (longest, 80))

    drawing = drawn(
        question_prompt(asked(DRINK.model_copy(update={"options": options})), Filling()), app, lambda what: what
    )

    fits = longest == 80
    assert [button.label for button in drawing.buttons] == (["x" * 80] * 2 if fits else ["1", "2"]) + ["Skip"]
    assert ("x" * 80 in drawing.markdown) is not fits


# ---- what a form was sent with -------------------------------------------------------------------------------------


def test_what_stands_in_the_fields_becomes_values() -> None:
    filled = {"tops": ("coffee", "tea"), "at": ("9:30 pm",), "nights": ("3",), "name": (" Ada ",)}

    values = values_in(asked(TOPS, TIME, NIGHTS, NAME), filled)

    assert values == {"tops": ["coffee", "tea"], "at": "21:30", "nights": 3, "name": "Ada"}


def test_an_option_may_be_typed_where_the_app_has_no_lists() -> None:
    assert values_in(asked(DRINK, TOPS), {"drink": ("Coffee",), "tops": ("2", "tea")}) == {
        "drink": "coffee",
        "tops": ["coffee", "tea"],
    }


def test_an_empty_field_is_left_out() -> None:
    assert values_in(asked(NIGHTS, NAME), {"nights": ("",), "name": ("  ",)}) == {}


def test_each_field_hears_what_is_wrong_with_it() -> None:
    faults = faults_in(
        asked(DRINK, DAY, NIGHTS, NAME), {"drink": ("beer",), "day": ("2027-01-01",), "nights": ("many",)}
    )

    assert faults == {
        "drink": "That is none of the choices.",
        "day": "Thursday, 31 December 2026 is the latest.",
        "nights": "That is not a number.",
        "name": "This needs an answer.",
    }


def test_a_day_that_nobody_can_read_is_told_from_one_that_there_is_not() -> None:
    unread, unreal = (faults_in(asked(DAY), {"day": (words,)}) for words in ("soon", "30 February 2026"))

    assert (unread, unreal) == ({"day": "I can't tell which date that is."}, {"day": "There is no such date."})


def test_of_a_single_choice_only_one_thing_is_taken() -> None:
    field = DRINK.model_copy(update={"other": True})

    both = faults_in(asked(field), {"drink": ("tea", "Cocoa")})
    typed = faults_in(asked(field), {"drink": ("Cocoa",)})

    assert (both, typed) == ({"drink": "Only one of these can be picked."}, {})


@given(
    st.dictionaries(
        st.sampled_from(["tops", "day", "nights", "name", "else"]),
        st.lists(st.sampled_from(["tea", "2", "2026-12-24", "30 February 2026", "9:30", "7", "x", ""])).map(tuple),
    )
)
def test_the_core_takes_exactly_what_has_no_fault(filled: dict[str, tuple[str, ...]]) -> None:
    question = asked(TOPS, DAY, NIGHTS, NAME)

    taken = not isinstance(checked(question, values_in(question, filled)), str)

    assert taken == (not faults_in(question, filled))


# ---- words that were tried as a value ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "words", "wrong"),
    [
        (DAY, "24 December 2027", "Thursday, 31 December 2026 is the latest."),
        (DAY, "30.02.2026", "There is no such date."),
        (DAY, "03/04/2026", "I can't tell which date that is."),
        (TIME, "25:70", "There is no such time."),
        (TIME, "9", "I can't tell which time that is."),
        (NIGHTS, "99", "14 nights is the most."),
        (NIGHTS, "1,000", "I can't read that as a number."),
    ],
)
def test_a_value_that_is_none_is_asked_for_again(field: QuestionField, words: str, wrong: str) -> None:
    assert missed(asked(field), Filling(), words) == wrong


@pytest.mark.parametrize(
    ("field", "words"),
    [
        (DAY, "whenever you like"),
        (DAY, "some day in the week after 24 December, please"),
        (TIME, "tomorrow at 9"),
        (NAME, "99"),
        (DRINK, "7"),
    ],
)
def test_other_words_are_an_answer_of_their_own(field: QuestionField, words: str) -> None:
    assert missed(asked(field), Filling(), words) is None


def test_among_several_fields_a_near_miss_does_not_end_the_rest() -> None:
    question = asked(DAY, NAME)

    fault = missed(question, Filling(), "the 24th of December")

    assert fault == "I can't tell which date that is."
    assert plain(once_more(question, Filling(), fault)).startswith(
        "I can't tell which date that is. Type a date, like 24 December 2026 ("
    )
