"""What a person is told of an ending: a plain sentence and what to do."""

import pytest

from core import problems
from core.engines.base import Ended, EndReason
from core.events import Problem

NO_PROBLEM = (EndReason.DONE, EndReason.LENGTH, EndReason.CANCELLED)
PROBLEMS = [reason for reason in EndReason if reason not in NO_PROBLEM]


@pytest.mark.parametrize("reason", NO_PROBLEM)
def test_an_end_that_is_no_problem_has_no_sentence(reason: EndReason) -> None:
    assert problems.problem_of(reason) is None
    assert problems.sentence(Ended(reason, "odd"), "Demo") is None


@pytest.mark.parametrize("reason", PROBLEMS)
def test_each_problem_has_a_sentence_of_its_own(reason: EndReason) -> None:
    words = problems.sentence(Ended(reason), "Demo {engine}")

    assert problems.problem_of(reason) is Problem(reason.value)
    assert words is not None
    assert words.endswith(".")
    assert "{when}" not in words
    assert len({problems.sentence(Ended(each), "Demo") for each in PROBLEMS}) == len(PROBLEMS)


def test_every_problem_that_a_log_knows_can_be_told() -> None:
    assert {problems.problem_of(reason) for reason in PROBLEMS} == set(Problem)


def test_the_engines_own_words_come_first_for_the_owner() -> None:
    assert problems.sentence(Ended(EndReason.AUTH, "Sign in again."), "Demo") == "Sign in again."


@pytest.mark.parametrize(
    ("seconds", "when"),
    [
        (None, "in a moment"),
        (0, "in a moment"),
        (1, "in a second"),
        (30.4, "in 30 seconds"),
        (90, "in 90 seconds"),
        (600, "in about 10 minutes"),
        (7_200, "in about 2 hours"),
    ],
)
@pytest.mark.parametrize("reason", [EndReason.RATE_LIMITED, EndReason.UNAVAILABLE])
def test_it_says_when_to_try_again(reason: EndReason, seconds: float | None, when: str) -> None:
    words = problems.sentence(Ended(reason, retry_after=seconds), "Demo") or ""

    assert words.endswith(f"Send it again {when}.")


def test_an_answer_that_is_not_whole_has_a_remark() -> None:
    remarks = {reason: problems.remark(Ended(reason), "Demo") for reason in EndReason}

    assert {reason for reason, remark in remarks.items() if remark} == {EndReason.LENGTH, EndReason.CANCELLED}
    assert all("Demo" in remark.message for remark in remarks.values() if remark)
    own = problems.remark(Ended(EndReason.LENGTH, "Cut."), "Demo")
    assert own is not None
    assert own.message == "Cut."
