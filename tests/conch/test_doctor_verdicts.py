"""What the doctor makes of facts: what is wrong is named with what to do, and what is well is not."""

from datetime import timedelta
from typing import Any

import pytest

from conch.findings import Finding, Verdict
from conch.verdicts import STUCK_AFTER, about_app, about_bot, about_clock, about_engine, about_everything
from tests.web.fakes import DEMO, ENGINE, NOON, diagnosis
from web.diagnosis import Answer, AppSays, BotFacts, ConnectedApp, Diagnosis


def says(answer: Answer = Answer.WORKS, **more: Any) -> AppSays:
    return AppSays(answer=answer, **more)


def bot(**facts: Any) -> BotFacts:
    return diagnosis(**facts).bots[0]


def about(facts: BotFacts, *, running: bool = True) -> list[Finding]:
    return list(about_bot(facts, running=running))


def judged(facts: Diagnosis) -> dict[str, Finding]:
    return {finding.subject: finding for finding in about_everything(facts)}


def test_where_all_is_well_nothing_is_to_be_done() -> None:
    found = judged(diagnosis(last_event=NOON))

    assert {finding.verdict for finding in found.values()} == {Verdict.OK}
    assert all(finding.todo is None for finding in found.values())
    assert set(found) == {"Clock", "Bot @shell_bot", "Engine demo", "Deliveries"}


def test_whatever_is_not_well_has_something_to_do() -> None:
    facts = diagnosis(app=says(Answer.REFUSED, words="Telegram does not accept this key."), poisoned=1).model_copy(
        update={
            "can_store": False,
            "engines": (DEMO.model_copy(update={"state": "not-ready"}),),
            "unsent": {"failed": 2, "unknown": 1, "expired": 0, "pending": 3},
        }
    )

    found = [finding for finding in about_everything(facts) if finding.verdict is not Verdict.OK]

    assert all(finding.todo for finding in found)
    assert [finding.subject for finding in found] == [
        "Store",
        "Bot @shell_bot",
        "Bot @shell_bot",
        "Engine demo",
        "Deliveries",
    ]
    assert "2 failed, 1 unknown" in found[-1].said


def test_without_a_bot_the_way_to_one_is_told() -> None:
    found = judged(diagnosis().model_copy(update={"bots": ()}))

    assert found["Bots"].verdict is Verdict.WARN
    assert "conch channels add" in (found["Bots"].todo or "")


# ---- the clock -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ahead", "verdict", "word"),
    [
        (0.5, Verdict.OK, "Right"),
        (-29.0, Verdict.OK, "Right"),
        (31.0, Verdict.WARN, "31 s slow"),
        (-31.0, Verdict.WARN, "31 s fast"),
        (301.0, Verdict.FAIL, "301 s slow"),
        (None, Verdict.OK, "Not compared"),
    ],
)
def test_this_machines_clock_is_compared_with_the_apps(ahead: float | None, verdict: Verdict, word: str) -> None:
    found = about_clock([bot(app=says(clock_ahead=ahead))])

    assert (found.verdict, word in found.said) == (verdict, True)


def test_an_app_that_answered_late_does_not_make_the_clock_wrong() -> None:
    found = about_clock([bot(app=says(clock_ahead=-40.0)), bot(app=says(clock_ahead=-0.1))])

    assert found.verdict is Verdict.OK


# ---- a bot -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("answer", [Answer.REFUSED, Answer.UNREADABLE, Answer.AWAY])
@pytest.mark.parametrize("running", [True, False])
def test_a_key_that_does_not_work_fails_with_the_words_of_whoever_said_so(answer: Answer, running: bool) -> None:
    [found] = about(bot(app=says(answer, words="Such and such.")), running=running)

    assert (found.verdict, found.said) == (Verdict.FAIL, "Such and such.")


@pytest.mark.report("R125", "R131")
@pytest.mark.parametrize(
    ("facts", "verdict", "word"),
    [
        ({"state": "connecting"}, Verdict.WARN, "connecting"),
        ({"state": "reconnecting", "detail": "No route."}, Verdict.WARN, "No route."),
        ({"state": "conflict", "detail": "Another program."}, Verdict.FAIL, "Another program."),
        ({"state": "error"}, Verdict.FAIL, "error"),
        ({"state": None}, Verdict.FAIL, "not started"),
        ({"app": says(waiting=3)}, Verdict.FAIL, "keeps 3 updates that nobody fetches"),
        ({"app": says(troubles=("Cannot deliver.",), waiting=3)}, Verdict.FAIL, "Cannot deliver."),
        ({"pending": 2, "oldest": STUCK_AFTER + 1}, Verdict.FAIL, "2 updates came in and were not seen through"),
        ({"poisoned": 4}, Verdict.WARN, "4 updates could not be handled"),
    ],
)
def test_messages_that_do_not_get_through_are_told_although_the_server_runs(
    facts: dict[str, Any], verdict: Verdict, word: str
) -> None:
    [found] = about(bot(**facts))

    assert (found.verdict, word in found.said) == (verdict, True)
    assert found.todo


def test_a_bot_whose_key_its_connection_refuses_gets_another_though_the_key_still_calls() -> None:
    [found] = about(bot(kind="discord", state="needs-token", detail="The key does not work any more."))

    assert (found.verdict, found.todo) == (
        Verdict.FAIL,
        "Get the key from the app and run `conch channels add discord`.",
    )


def test_a_bot_that_works_tells_when_it_was_last_heard_of() -> None:
    fresh, quiet = about(bot(last_event=NOON + timedelta(minutes=5)))[0], about(bot())[0]

    assert "last heard of 2026-01-01" in fresh.said
    assert "nothing heard of yet" in quiet.said


def test_what_is_on_its_way_right_now_is_no_fault() -> None:
    assert [found.verdict for found in about(bot(pending=2, oldest=1.0))] == [Verdict.OK]


def test_without_a_server_what_waits_is_no_fault() -> None:
    facts = bot(state=None, since=None, pending=2, oldest=9_999.0, app=says(waiting=3))

    [found] = about(facts, running=False)

    assert (found.verdict, found.said) == (Verdict.OK, "Its key works. 5 updates wait for the next start.")


def test_without_a_server_a_trouble_is_one_that_a_start_may_mend() -> None:
    [found] = about(bot(app=says(troubles=("A webhook is left behind.",))), running=False)

    assert (found.verdict, found.todo) == (Verdict.WARN, "Start `conch serve`.")


def test_of_a_bot_that_is_off_nothing_is_expected() -> None:
    [found] = about(bot(enabled=False, state=None, app=says(Answer.REFUSED, words="No.")))

    assert (found.verdict, found.said) == (Verdict.OK, "Turned off.")


def test_an_engine_that_is_well_says_what_it_answers_with() -> None:
    found = about_engine(ENGINE.model_copy(update={"models": 12}))

    assert found.verdict is Verdict.OK
    assert found.said == "OpenAI is ready (connected by you, 12 models). It answers by default, with gpt-6."


@pytest.mark.parametrize(
    ("facts", "said", "todo"),
    [
        (
            {"state": "broken", "trouble": "Its key is sealed."},
            "cannot be used: Its key",
            "conch engines remove openai",
        ),
        ({"trouble": "OpenAI does not take its key."}, "does not take its key", "conch engines test openai"),
        ({"state": "not-ready"}, "messages are kept", "conch engines add openai"),
        ({"state": "not-ready", "standing": "found", "source": "the KEY"}, "cannot answer now", "here by the KEY"),
        ({"state": "not-ready", "standing": "built-in"}, "cannot answer now", "log"),
    ],
)
def test_an_engine_that_cannot_answer_says_what_to_do(facts: dict[str, str], said: str, todo: str) -> None:
    found = about_engine(ENGINE.model_copy(update=facts))

    assert found.verdict is Verdict.FAIL
    assert said in found.said
    assert found.todo is not None
    assert todo in found.todo


def test_an_engine_that_nobody_is_answered_by_is_no_failure() -> None:
    found = about_engine(ENGINE.model_copy(update={"state": "not-ready", "is_default": False}))

    assert found.verdict is Verdict.WARN


def test_what_is_set_and_not_there_is_told() -> None:
    facts = diagnosis().model_copy(update={"remarks": ("The settings name “oracle”.",)})

    assert judged(facts)["Engines"].said == "The settings name “oracle”."


@pytest.mark.parametrize(
    ("answer", "verdict", "said"),
    [
        (Answer.WORKS, Verdict.OK, "Demo Calendar is connected."),
        (Answer.AWAY, Verdict.WARN, "Demo Calendar does not answer at the moment."),
        (Answer.REFUSED, Verdict.FAIL, "Demo Calendar is connected, and its keys are good for nothing any more."),
    ],
)
def test_an_app_whose_keys_are_good_for_nothing_has_to_be_connected_again(
    answer: Answer, verdict: Verdict, said: str
) -> None:
    found = about_app(ConnectedApp(id="demo-calendar", name="Demo Calendar", answer=answer))

    assert (found.verdict, found.said) == (verdict, said)
    assert (found.todo is None) is (verdict is Verdict.OK)
