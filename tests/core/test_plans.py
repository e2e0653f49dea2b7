"""Plans: steps as they are kept, and a plan in Markdown as it is shown."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.cards import PlanStep
from core.plans import MAX_PLAN, MAX_STEPS, outline, plan_from, steps_from


def titles(plan: str) -> list[str]:
    return [step.title for step in outline(plan).steps]


# ---- update_plan ---------------------------------------------------------------------------------------------------


def test_steps_are_kept_in_one_line_each() -> None:
    given_steps = [
        {"title": "Look\n around ", "state": "done"},
        {"title": "Do it", "state": "active"},
        {"title": "End"},
    ]

    steps = steps_from({"steps": given_steps})

    assert steps == (
        PlanStep(title="Look around", state="done"),
        PlanStep(title="Do it", state="active"),
        PlanStep(title="End"),
    )


@pytest.mark.parametrize(
    ("given_steps", "fix"),
    [
        (None, "1 to 30 steps"),
        ([], "1 to 30 steps"),
        ([{"title": "x", "state": "done"}] * (MAX_STEPS + 1), "1 to 30 steps"),
        (["x"], "Step 1 needs"),
        ([{"title": "x"}, {"title": " ", "state": "done"}], "Step 2 needs"),
        ([{"title": "x" * 201, "state": "done"}], "Step 1 needs"),
        ([{"title": "x", "state": "finished"}], "Step 1 needs"),
    ],
)
def test_steps_that_cannot_be_shown_say_what_to_fix(given_steps: Any, fix: str) -> None:
    refused = steps_from({"steps": given_steps})

    assert isinstance(refused, str)
    assert fix in refused


# ---- exit_plan_mode ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("plan", [None, "", " \n ", 7, "x" * (MAX_PLAN + 1)])
def test_what_is_no_plan_is_none(plan: Any) -> None:
    assert plan_from({"plan": plan}) is None


def test_the_list_of_a_plan_is_its_steps_and_the_rest_stays_markdown() -> None:
    plan = "# The trip\n\nBy train.\n\n1. **Book** the `seats`\n2. [ ] Pack\n   the bag\n\nIt takes *two* days."

    shown = outline(plan)

    assert [step.title for step in shown.steps] == ["Book the seats", "Pack the bag"]
    assert {step.state for step in shown.steps} == {"pending"}
    assert shown.rest == "# The trip\n\nBy train.\n\nIt takes *two* days."


def test_what_an_item_says_beyond_its_title_stays_too() -> None:
    shown = outline("- Book\n  - by the window\n  - in the quiet car\n- Go")

    assert [step.title for step in shown.steps] == ["Book", "Go"]
    assert shown.rest == "Step 1:\n\n- by the window\n- in the quiet car"


def test_an_item_that_is_too_long_for_a_title_stands_whole_in_the_rest() -> None:
    long = "word " * 60

    shown = outline(f"1. {long}\n2. Go")

    assert shown.steps[0].title.endswith("…")
    assert len(shown.steps[0].title) == 200
    assert long.strip() in shown.rest


@pytest.mark.parametrize("plan", ["Just do it.", "> - quoted\n> - list", "\n".join(f"{n}. step" for n in range(31))])
def test_without_a_list_of_its_own_or_with_too_long_a_one_it_is_all_markdown(plan: str) -> None:
    shown = outline(plan)

    assert (shown.steps, shown.rest) == ((), plan)


words = st.text(alphabet=st.sampled_from("ab*_`>#-1. \n"), min_size=1, max_size=120)


@settings(deadline=None, max_examples=200)
@given(words)
def test_whatever_a_plan_is_it_can_be_shown_and_no_word_is_lost(plan: str) -> None:
    shown = outline(plan)

    left = " ".join([*(step.title for step in shown.steps), shown.rest])
    assert all(left.count(letter) >= plan.count(letter) for letter in "ab")
    assert len(shown.steps) <= MAX_STEPS
