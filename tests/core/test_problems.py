"""What a person is told of an ending: a plain sentence and what to do."""

from typing import Any

import pytest

from core import events as ev
from core import problems
from core.budget import Budget
from core.engines.base import Ended, EndReason
from core.events import Problem
from core.problems import Reader

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


@pytest.mark.report("R113")
@pytest.mark.parametrize("reader", Reader)
@pytest.mark.parametrize("reason", PROBLEMS)
def test_only_the_owner_hears_an_engines_own_words_unless_they_are_about_the_message(
    reason: EndReason, reader: Reader
) -> None:
    words = problems.sentence(Ended(reason, "Enter a new key at 10.0.0.7."), "Demo", reader) or ""

    about_the_message = reason in (EndReason.REFUSED, EndReason.CONTEXT_FULL)
    hears = reader is Reader.OWNER or (reader is Reader.PERSON and about_the_message)
    assert (words == "Enter a new key at 10.0.0.7.") == hears


@pytest.mark.parametrize("reason", PROBLEMS)
def test_whoever_is_not_the_owner_is_told_of_no_key_command_or_setting(reason: EndReason) -> None:
    for reader in (Reader.PERSON, Reader.GUEST):
        words = problems.sentence(Ended(reason), "Demo", reader) or ""

        assert words.endswith(".")
        assert not any(word in words for word in ("`", "key", "/model", "{"))


@pytest.mark.parametrize("reason", PROBLEMS)
def test_a_guest_hears_nothing_of_engines_or_the_owner(reason: EndReason) -> None:
    words = problems.sentence(Ended(reason), "Demo", Reader.GUEST) or ""

    assert "Demo" not in words
    assert "owner" not in words


@pytest.mark.parametrize(
    ("role", "kind", "reader"),
    [
        ("owner", ev.ChatKind.PRIVATE, Reader.OWNER),
        ("owner", ev.ChatKind.GROUP, Reader.PERSON),
        ("let-in", ev.ChatKind.PRIVATE, Reader.PERSON),
        ("guest", ev.ChatKind.GROUP, Reader.GUEST),
        (None, ev.ChatKind.PRIVATE, Reader.PERSON),
    ],
)
def test_in_a_group_everybody_reads_what_the_owner_is_told(role: Any, kind: ev.ChatKind, reader: Reader) -> None:
    address = ev.Address(channel_id="telegram", chat_id="9", chat_kind=kind)

    assert problems.reader_of(ev.Origin(kind="channel", role=role, address=address)) is reader


@pytest.mark.parametrize("kind", ["console", "api", "routine"])
def test_where_no_chat_app_is_the_owner_reads(kind: Any) -> None:
    assert problems.reader_of(ev.Origin(kind=kind)) is Reader.OWNER


@pytest.mark.parametrize(
    ("reason", "model", "words"),
    [
        (
            "rate_limited",
            "llama3.2",
            "Claude takes no more requests for now, so Ollama (llama3.2) answers this time.",
        ),
        ("unavailable", None, "Claude cannot be reached right now, so Ollama answers this time."),
    ],
)
def test_a_chat_hears_which_engine_answers_instead_and_why(reason: str, model: str | None, words: str) -> None:
    routed = ev.TurnRouted(
        from_engine="a", to_engine="b", reason=reason, from_title="Claude", to_title="Ollama", to_model=model
    )

    assert problems.took_over(routed) == words


def test_an_older_log_knows_engines_by_their_ids() -> None:
    words = problems.took_over(ev.TurnRouted(from_engine="a", to_engine="b", reason="rate limit"))

    assert words == "a cannot be reached right now, so b answers this time."


@pytest.mark.parametrize("span", ["turn", "day"])
@pytest.mark.parametrize("unit", ["tokens", "cost"])
def test_of_a_budget_each_reader_hears_what_is_theirs(span: Any, unit: Any) -> None:
    budget = Budget(span, unit, 2_500)

    owner, person, guest = (problems.used_up(budget, reader) for reader in Reader)

    assert f"`conch settings set budget_{span}_{unit} NUMBER`" in owner
    assert ("2,500 tokens" if unit == "tokens" else "$2,500.00") in owner
    assert ("only the owner can raise it" in person, "`" in person) == (True, False)
    assert not any(word in guest for word in ("budget", "owner", "`", "2,500"))
    assert all(("00:00 UTC" in words) == (span == "day") for words in (owner, person, guest))


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
