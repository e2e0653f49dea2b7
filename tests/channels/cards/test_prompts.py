"""What cards say and which buttons they have: every kind of field, a permission, a plan; with buttons and without."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.base import ButtonStyle
from channels.cards import prompts
from channels.cards.decided import answered_line, resolved_line
from channels.cards.drawing import choices_of, drawn, with_note
from channels.cards.filling import PICK_FIRST, TYPE_IT, Filling, Finished, Hint, tapped, typed
from channels.cards.forms import Way
from channels.cards.prompts import Prompt, PromptButton, permission_prompt, question_prompt, settled_text
from channels.choices import in_words
from channels.formatting.parts import Dialect, format_message, literal
from channels.memory.channel import CAPABILITIES as WITHOUT_BUTTONS
from channels.telegram.limits import CAPABILITIES as TELEGRAM
from core.cards import Choice, ChoiceField, MomentField, NumberField, PlanStep, Question, QuestionField, TextField
from core.engines.base import EXIT_PLAN_MODE
from core.events import PermissionRequested, PermissionResolved, QuestionAnswered
from core.questions import checked

TEA = Choice(id="tea", label="Tea")
COFFEE = Choice(id="coffee", label="Coffee")
DRINK = ChoiceField(id="drink", label="Which drink?", options=(TEA, COFFEE))
TOPPINGS = ChoiceField(id="tops", label="What on top?", options=(TEA, COFFEE), multiple=True)
DAY = MomentField(id="day", label="Which day?", kind="date", suggested="2026-12-24")
NIGHTS = NumberField(id="nights", label="How many nights?", min=1, max=14, unit="nights", optional=True)
NAME = TextField(id="name", label="For whom?", placeholder="Ada and Bob")


def asked(*fields: QuestionField, title: str | None = None) -> Question:
    return Question(question_id="q", title=title, fields=fields)


def labels(prompt: Prompt) -> list[str]:
    return [button.label for button in prompt.buttons]


def plain(markdown: str) -> str:
    return "\n---\n".join(part.plain for part in format_message(markdown, Dialect.text))


def with_buttons(prompt: Prompt) -> list[str]:
    return [button.label for button in drawn(prompt, TELEGRAM, lambda what: what).buttons]


def without_buttons(prompt: Prompt) -> str:
    return plain(drawn(prompt, WITHOUT_BUTTONS, lambda what: what).markdown)


# ---- a question ----------------------------------------------------------------------------------------------------


def test_a_choice_has_a_button_for_each_option_and_a_way_out() -> None:
    prompt = question_prompt(asked(DRINK, title="Lunch"), Filling())

    assert plain(prompt.text) == "Lunch\n\nWhich drink?"
    assert labels(prompt) == ["Tea", "Coffee", "Skip"]


def test_what_is_ticked_is_seen_and_done_is_the_way_on() -> None:
    prompt = question_prompt(asked(TOPPINGS), Filling(ticked=("coffee",)))

    assert with_buttons(prompt) == ["○ Tea", "✓ Coffee", "Done", "Skip"]


def test_something_else_is_typed() -> None:
    field = DRINK.model_copy(update={"other": True})

    prompt = question_prompt(asked(field), Filling())

    assert labels(prompt) == ["Tea", "Coffee", "Something else…", "Skip"]
    assert plain(prompt.text).endswith("You can also type something else.")
    assert tapped(asked(field), Filling(), "other") == Hint(TYPE_IT)


def test_six_options_still_leave_room_for_the_ways_on() -> None:
    options = tuple(Choice(id=str(number), label=f"Option {number}") for number in range(6))
    field = ChoiceField(id="f", label="Which?", options=options, multiple=True, other=True, optional=True)

    prompt = question_prompt(asked(field, NAME), Filling())

    assert len(prompt.buttons) <= 9
    assert labels(prompt)[-3:] == ["Done", "Leave this out", "Skip"]


def test_a_day_says_how_to_type_it_and_offers_what_is_likely() -> None:
    prompt = question_prompt(asked(DAY), Filling())

    assert plain(prompt.text) == "Which day?\n\nType a date, like 24 December 2026."
    assert labels(prompt) == ["Thursday, 24 December 2026", "Skip"]
    assert prompt.buttons[0].style is ButtonStyle.PRIMARY


def test_each_field_says_how_far_it_is_and_whether_it_may_be_left_out() -> None:
    question = asked(DRINK, NIGHTS, NAME, title="Trip")

    second = question_prompt(question, Filling(field=1))
    third = question_prompt(question, Filling(field=2))

    assert plain(second.text) == ("Trip\n\nHow many nights? (2 of 3, optional)\n\nType a number (from 1 to 14 nights).")
    assert labels(second) == ["Leave this out", "Skip"]
    assert plain(third.text) == "Trip\n\nFor whom? (3 of 3)\n\nFor example: Ada and Bob"


def test_options_are_described_under_the_question() -> None:
    described = TEA.model_copy(update={"description": "green or *black*"})

    prompt = question_prompt(asked(DRINK.model_copy(update={"options": (described, COFFEE)})), Filling())

    assert plain(prompt.text) == "Which drink?\n\n- Tea: green or *black*"


def test_the_words_of_a_card_are_never_markup() -> None:
    evil = asked(TextField(id="f", label="[Log in](https://evil.example) **now**"), title="# Big\n- list")

    text = question_prompt(evil, Filling(), "the group “**Team**”").text

    assert plain(text).startswith("For the group “**Team**”:")
    assert "[Log in](https://evil.example) **now**" in plain(text)
    assert "<a" not in format_message(text, Dialect.telegram)[0].text


def test_fields_are_filled_in_one_after_the_other() -> None:
    question = asked(DRINK, DAY, NIGHTS)

    first = tapped(question, Filling(), "o1")
    assert isinstance(first, Filling)
    second = tapped(question, first, "use")
    assert isinstance(second, Filling)
    third = tapped(question, second, "empty")

    assert third == Finished({"drink": "coffee", "day": "2026-12-24"})


def test_ticks_come_and_go_and_done_needs_one() -> None:
    question = asked(TOPPINGS)

    ticked = tapped(question, Filling(), "o0")
    assert isinstance(ticked, Filling)
    unticked = tapped(question, ticked, "o0")

    assert ticked.ticked == ("tea",)
    assert unticked == Filling()
    assert tapped(question, Filling(), "done") == Hint(PICK_FIRST)
    assert tapped(question, ticked, "done") == Finished({"tops": ["tea"]})


def test_skip_skips_the_whole_question() -> None:
    assert tapped(asked(DRINK, DAY), Filling(field=1, values={"drink": "tea"}), "skip") == Finished(None)


@given(
    st.lists(
        st.sampled_from(["o0", "o1", "o5", "done", "use", "empty", "skip", "other", "tea", "3", "1,2"]), max_size=30
    )
)
def test_however_it_is_filled_in_what_comes_out_is_taken(taps: list[str]) -> None:
    question = asked(DRINK, TOPPINGS, DAY, NIGHTS)
    filling = Filling()

    for what in taps:
        step = tapped(question, filling, what) or typed(question, filling, what)
        if isinstance(step, Finished):
            assert step.values is None or isinstance(checked(question, step.values), dict)
            return
        filling = step if isinstance(step, Filling) else filling
        assert Filling.model_validate_json(filling.model_dump_json()) == filling
        assert question_prompt(question, filling).buttons


@pytest.mark.parametrize("what", ["o2", "o-1", "o", "ox", "o٣", "done", "other", "use", "empty", "allow", ""])
def test_a_button_that_the_field_does_not_have_does_nothing(what: str) -> None:
    assert tapped(asked(DRINK), Filling(), what) is None


def test_typed_words_are_the_value_of_the_field_that_is_next() -> None:
    question = asked(DRINK, DAY)

    first = typed(question, Filling(), "coffee")
    assert isinstance(first, Filling)

    assert typed(question, first, "24.12.2026") == Finished({"drink": "coffee", "day": "2026-12-24"})
    assert typed(question, first, "whenever you like") is None
    assert typed(asked(TOPPINGS), Filling(), "1,2") == Finished({"tops": ["tea", "coffee"]})


# ---- drawn ---------------------------------------------------------------------------------------------------------


def test_a_label_that_is_too_long_is_a_number_on_the_button_and_words_in_the_text() -> None:
    long = Choice(id="long", label="L" * 80)
    prompt = question_prompt(asked(DRINK.model_copy(update={"options": (TEA, long, COFFEE)})), Filling(ticked=()))

    drawing = drawn(prompt, TELEGRAM, lambda what: what)

    assert [button.label for button in drawing.buttons] == ["1", "2", "Coffee", "Skip"]
    assert plain(drawing.markdown) == f"Which drink?\n\n1. Tea\n2. {'L' * 80}"
    assert [button.token for button in drawing.buttons] == ["o0", "o1", "o2", "skip"]


def test_without_buttons_choices_are_numbered() -> None:
    prompt = question_prompt(asked(DRINK), Filling(), way=Way.TYPED)

    assert without_buttons(prompt) == "Which drink?\n\nReply with a number:\n1 Tea\n2 Coffee\n3 Skip"


def test_without_buttons_several_are_typed_at_once() -> None:
    prompt = question_prompt(asked(TOPPINGS), Filling(), way=Way.TYPED)

    assert without_buttons(prompt) == (
        "What on top?\n\nYou can pick several, like 1,2.\n\nReply with a number:\n1 Tea\n2 Coffee\n3 Skip"
    )


def test_without_buttons_a_number_stays_an_answer_where_one_is_asked_for() -> None:
    prompt = question_prompt(asked(NIGHTS), Filling(), way=Way.TYPED)

    assert without_buttons(prompt).endswith("Or reply “Skip”.")


def test_every_button_can_be_picked_by_its_place() -> None:
    prompt = permission_prompt(PermissionRequested(permission_id="p", tool_name="t", summary="Run it"))

    assert [choice.label for choice in choices_of(prompt)] == ["Allow", "Always in this chat", "Don't allow"]


def test_actions_are_numbered_under_a_message_where_there_are_no_buttons() -> None:
    buttons = drawn(Prompt("", (PromptButton("Undo", "u"),)), TELEGRAM, lambda what: what).buttons

    assert plain(in_words("Memory starts anew.", buttons)) == ("Memory starts anew.\n\nReply with a number:\n1 Undo")


@given(label=st.text(min_size=1, max_size=80), title=st.text(max_size=120), limit=st.sampled_from([20, 64, 75]))
def test_whatever_the_words_are_the_app_takes_the_card(label: str, title: str, limit: int) -> None:
    field = DRINK.model_copy(update={"options": (TEA.model_copy(update={"label": label}), COFFEE)})
    prompt = question_prompt(asked(field, title=title), Filling(ticked=("tea",)))

    drawing = drawn(prompt, replace(TELEGRAM, max_label=limit), lambda what: what)

    assert all(1 <= len(button.label) <= limit for button in drawing.buttons)
    assert format_message(drawing.markdown, Dialect.telegram)


# ---- a permission, a plan ------------------------------------------------------------------------------------------


def test_a_permission_says_what_is_wanted_and_why_it_is_asked() -> None:
    wanted = PermissionRequested(
        permission_id="p", tool_name="t", summary="Run `git push`", reason="This chat read a page."
    )

    prompt = permission_prompt(wanted)

    assert plain(prompt.text) == "May I do this?\n\nRun `git push`\n\nThis chat read a page."
    assert [(one.label, one.what, one.style) for one in prompt.buttons] == [
        ("Allow", "allow", ButtonStyle.PRIMARY),
        ("Don't allow", "deny", ButtonStyle.DANGER),
    ]


def test_always_is_not_offered_for_what_is_allowed_once() -> None:
    wanted = PermissionRequested(permission_id="p", tool_name="t", summary="Run it", once=True)

    assert labels(permission_prompt(wanted)) == ["Allow", "Don't allow"]


def test_a_plan_is_drawn_as_steps_before_it_is_asked_about() -> None:
    wanted = PermissionRequested(
        permission_id="p", tool_name=EXIT_PLAN_MODE, summary="", input={"plan": "I tidy up.\n\n1. Look\n2. Clean"}
    )

    text, prompt = prompts.plan_text(wanted), permission_prompt(wanted)

    assert plain(text) == "The plan\n\nI tidy up.\n\n○ Look\n○ Clean"
    assert plain(prompt.text) == "Shall I start with this plan?"
    assert labels(prompt) == ["Start", "Keep planning"]


def test_a_checklist_shows_how_far_each_step_is_and_folds() -> None:
    steps = [
        PlanStep(title="Look", state="done"),
        PlanStep(title="*Clean*", state="active"),
        PlanStep(title="Rest"),
    ]

    assert plain(prompts.checklist_text(steps)) == "✓ Look\n◐ *Clean*\n○ Rest"
    assert plain(prompts.folded_text(steps)) == "○ 1 of 3 done"
    assert plain(prompts.folded_text([step.model_copy(update={"state": "done"}) for step in steps])) == "✓ 3 of 3 done"


# ---- what was decided ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answered", "line"),
    [
        (QuestionAnswered(question_id="q", answer={"drink": "tea"}, words="Tea", by="Ada"), "Ada chose “Tea”."),
        (QuestionAnswered(question_id="q", words="neither, thanks", by="Ada"), "Ada answered “neither, thanks”."),
        (QuestionAnswered(question_id="q", by="Ada"), "Ada skipped this."),
        (QuestionAnswered(question_id="q", expired=True), "Skipped: nobody answered in time."),
        (QuestionAnswered(question_id="q"), "Skipped: I was restarted."),
    ],
)
def test_an_answer_is_said_in_one_line(answered: QuestionAnswered, line: str) -> None:
    assert answered_line(asked(DRINK), answered, "restart") == line


def test_a_long_answer_is_cut_in_the_line() -> None:
    answered = QuestionAnswered(question_id="q", words="x" * 4_000, by="Ada")

    assert len(answered_line(asked(NAME), answered)) < 230


def test_a_decision_is_said_in_one_line() -> None:
    wanted = PermissionRequested(permission_id="p", tool_name="t", summary="Run it")
    plan = wanted.model_copy(update={"tool_name": EXIT_PLAN_MODE})
    expired = PermissionResolved(permission_id="p", decision="expired")

    def by_ada(decision: str) -> PermissionResolved:
        return PermissionResolved.model_validate({"permission_id": "p", "decision": decision, "by": "Ada"})

    assert resolved_line(wanted, by_ada("allow")) == "Ada allowed it."
    assert resolved_line(wanted, by_ada("allow-always")) == "Ada allowed it, always in this chat."
    assert resolved_line(wanted, by_ada("deny")) == "Ada did not allow it."
    assert resolved_line(plan, by_ada("allow")) == "Ada said: start."
    assert resolved_line(plan, by_ada("deny")) == "Ada wants to keep planning."
    assert resolved_line(wanted, expired) == "Nobody answered in time, so nothing was done."
    assert resolved_line(wanted, expired, "stop") == "Skipped: the answer was stopped."


def test_what_was_decided_stands_under_the_card_as_plain_words() -> None:
    assert plain(with_note("Which drink?", "Ada chose “_Tea_”.")) == "Which drink?\n\nAda chose “_Tea_”."


@pytest.mark.parametrize(
    ("question", "left"),
    [
        (asked(DRINK), literal("Which drink?")),
        (asked(DRINK, DAY), f"{literal('Which drink?')} _(and 1 more)_"),
        (asked(DRINK, DAY, title="Trip"), "**Trip**"),
    ],
)
def test_a_question_that_is_over_can_still_be_told(question: Question, left: str) -> None:
    assert settled_text(question) == left
