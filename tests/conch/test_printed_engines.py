"""What the commands about engines, settings and usage print: whole sentences, figures that add up."""

from datetime import timedelta

import pytest

from conch import printing_engines as printing
from tests.web.fakes import ENGINE, MODELS, NOON, TRIAL, USAGE, VOICE
from web.engines import AddedView, EnginesView, ModelsView
from web.preferences import BudgetView

TODAY = NOON.date()


def test_what_is_wrong_stands_below_the_table() -> None:
    away = ENGINE.model_copy(update={"id": "shed", "is_default": False, "is_fallback": True, "trouble": "It is away."})

    text = printing.engines(EnginesView(engines=(ENGINE, away), remarks=("Mind this.",)))

    lines = text.splitlines()
    assert lines[1].split() == ["openai", "OpenAI", "ready", "by", "default", "gpt-6", "connected", "by", "you"]
    assert "see below" in lines[2]
    assert "as fallback" in lines[2]
    assert lines[3:] == ["", "shed: It is away.", "Mind this."]


def test_what_was_connected_says_whether_it_answers() -> None:
    first = printing.added(AddedView(engine=ENGINE, updated=False))
    second = printing.added(AddedView(engine=ENGINE.model_copy(update={"is_default": False}), updated=True))

    assert first.startswith("OpenAI is connected, with 1 model. It answers from the next message on, with gpt-6.")
    assert second.startswith("OpenAI has its new key, with 1 model. Another one answers by default")
    assert "`conch engines default openai`" in second


def test_the_fallback_is_told_when_it_goes_too() -> None:
    assert printing.is_fallback(None) == "No engine takes over for another any more."
    assert printing.is_fallback(ENGINE.model_copy(update={"is_default": False})) == (
        "OpenAI takes over for one reply whenever another engine is out of reach or takes no more."
    )
    assert printing.is_fallback(ENGINE).endswith("nothing takes over for itself: choose another for one of the two.")


def test_models_are_told_with_what_is_known_of_them() -> None:
    text = printing.models([MODELS, ModelsView(engine="shed", title="Shed", models=(), trouble="It is away.")])

    assert "gpt-6  GPT-6  400,000" in text
    assert text.endswith("Shed (shed): It is away.")


@pytest.mark.parametrize(
    ("news", "said"),
    [
        ({}, "OpenAI (gpt-6) answers, after 0.4 s:\n  Yes.\n20 tokens in, 2 out."),
        ({"cost": 0.0004}, "OpenAI (gpt-6) answers, after 0.4 s:\n  Yes.\n20 tokens in, 2 out, $0.0004."),
        ({"problem": "It is away."}, "OpenAI (gpt-6) did not answer, after 0.4 s: It is away."),
    ],
)
def test_a_trial_says_what_came_of_it(news: dict[str, object], said: str) -> None:
    assert printing.trial(TRIAL.model_copy(update=news)) == said


def test_a_setting_says_what_it_is_now() -> None:
    assert printing.is_set(VOICE) == "voice is kind."
    assert printing.is_set(VOICE.model_copy(update={"value": "", "source": "default"})) == (
        "voice is not set (the default)."
    )


def test_usage_adds_up_and_says_what_is_left_today() -> None:
    [used] = USAGE.used
    earlier = used.model_copy(update={"day": TODAY - timedelta(days=1), "cost": 2.0})

    text = printing.usage(USAGE.model_copy(update={"used": (used, earlier)}))

    lines = text.splitlines()
    assert lines[1].split() == ["2026-01-01", "openai", "gpt-6", "2", "1,000", "800", "50", "$0.5000"]
    assert lines[3].split() == ["all", "4", "2,000", "1,600", "100", "$2.50"]
    assert lines[-1] == "Today $0.5000 of $5.00 (budget_day_cost)."


def test_a_cost_that_is_not_known_is_said() -> None:
    [used] = USAGE.used
    unknown = used.model_copy(update={"unpriced": 1, "cost": 0.0})
    some = used.model_copy(update={"unpriced": 1})

    text = printing.usage(USAGE.model_copy(update={"used": (some, unknown), "budget": BudgetView()}))

    assert text.splitlines()[1].endswith("$0.5000 + ?")
    assert text.splitlines()[2].endswith("  ?")
    assert "“?”: what some of it cost is not known." in text
    assert "No budget is set" in text


def test_every_budget_is_named() -> None:
    budget = BudgetView(day_tokens=2_000, day_cost=5, turn_tokens=500, turn_cost=0.5)

    text = printing.usage(USAGE.model_copy(update={"used": (), "budget": budget}))

    assert text.splitlines() == [
        "Nothing was used in that time.",
        "",
        "Today 0 of 2,000 tokens (budget_day_tokens).",
        "Today $0.00 of $5.00 (budget_day_cost).",
        "One answer may use 500 tokens (budget_turn_tokens).",
        "One answer may cost $0.5000 (budget_turn_cost).",
    ]
