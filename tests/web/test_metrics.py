import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import pytest
from prometheus_client.parser import text_string_to_metric_families

from core.clock import ManualClock
from core.events import Event, TurnCompleted, TurnStarted
from core.meter import Sending
from tests.web.asgi import Browser
from web.metrics import DELAY_EVERY, Levels, Metrics

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)

Figures = Mapping[str, float]


@pytest.fixture
def metrics() -> Metrics:
    return Metrics("1.2.3")


def figures(metrics: Metrics, levels: Levels | None = None) -> Figures:
    """Every series with its value, read as Prometheus reads it; histograms by their sum and count."""
    text = metrics.text(levels or Levels()).decode()
    samples = [sample for family in text_string_to_metric_families(text) for sample in family.samples]
    return {f"{each.name}{dict(sorted(each.labels.items())) or ''}": each.value for each in samples}


def turn(conversation: str, seconds: float, outcome: str = "success") -> list[Event]:
    started = TurnStarted(engine="demo")
    ended = TurnCompleted.model_validate({"engine": "demo", "outcome": outcome})
    return [Event(conversation, 1, NOON, started), Event(conversation, 2, NOON + timedelta(seconds=seconds), ended)]


def test_what_came_in_is_counted_by_app_and_what_became_of_it(metrics: Metrics) -> None:
    metrics.received("telegram", new=3, known=0)
    metrics.received("telegram", new=1, known=2)
    metrics.skipped("telegram")

    seen = figures(metrics)

    assert seen["conch_updates_received_total{'app': 'telegram', 'outcome': 'new'}"] == 4
    assert seen["conch_updates_received_total{'app': 'telegram', 'outcome': 'known'}"] == 2
    assert seen["conch_updates_received_total{'app': 'telegram', 'outcome': 'skipped'}"] == 1


@pytest.mark.parametrize("outcome", list(Sending))
def test_what_went_out_is_counted_by_app_and_how_it_ended(metrics: Metrics, outcome: Sending) -> None:
    metrics.sent("telegram", outcome)
    metrics.sent("memory", outcome)

    seen = figures(metrics)

    assert seen[f"conch_sends_total{{'app': 'telegram', 'outcome': '{outcome.value}'}}"] == 1


def test_answers_are_counted_by_outcome_and_timed(metrics: Metrics) -> None:
    first, second = turn("a", 2), turn("b", 5, "error")

    metrics.hear([first[0], second[0]])
    metrics.hear([second[1], first[1]])
    seen = figures(metrics)

    assert seen["conch_turns_total{'outcome': 'success'}"] == seen["conch_turns_total{'outcome': 'error'}"] == 1
    assert (seen["conch_turn_seconds_sum"], seen["conch_turn_seconds_count"]) == (7, 2)


def test_an_answer_that_an_earlier_life_began_is_counted_and_not_timed(metrics: Metrics) -> None:
    metrics.hear(turn("a", 90, "interrupted")[1:])

    seen = figures(metrics)

    assert seen["conch_turns_total{'outcome': 'interrupted'}"] == 1
    assert seen["conch_turn_seconds_count"] == 0


def test_nothing_is_kept_of_answers_that_ended(metrics: Metrics) -> None:
    for number in range(100):
        metrics.hear(turn(str(number), 1))

    assert metrics._began == {}


def test_transactions_are_measured_by_size_and_time(metrics: Metrics) -> None:
    metrics.committed(3, 0.004)

    seen = figures(metrics)

    assert (seen["conch_store_commit_jobs_sum"], seen["conch_store_commit_seconds_sum"]) == (3, 0.004)
    assert seen["conch_store_commit_seconds_bucket{'le': '0.002'}"] == 0
    assert seen["conch_store_commit_seconds_bucket{'le': '0.005'}"] == 1


class LateClock(ManualClock):
    """Calls back a quarter of a second late, three times; then never."""

    rounds = 3

    async def sleep(self, seconds: float) -> None:
        if not self.rounds:
            raise EOFError
        self.rounds -= 1
        self._elapsed += seconds + 0.25


async def test_the_event_loops_delay_is_measured(metrics: Metrics) -> None:
    with pytest.raises(EOFError):
        await metrics.watch_loop(LateClock())

    seen = figures(metrics)

    assert seen["conch_event_loop_delay_seconds_count"] == 3
    assert seen["conch_event_loop_delay_seconds_sum"] == pytest.approx(0.75)
    assert DELAY_EVERY > 0.25


def test_what_there_is_now_is_said_and_what_is_over_is_not(metrics: Metrics) -> None:
    figures(metrics, Levels(channels={("telegram", "reconnecting"): 1}, outbox={"pending": 4}))

    seen = figures(
        metrics,
        Levels(
            turns=2,
            queued=3,
            channels={("telegram", "online"): 1},
            inbox={("telegram", "pending"): 5},
            oldest={"telegram": 1.5},
            outbox={"failed": 6},
        ),
    )

    assert (seen["conch_turns_running"], seen["conch_queue_length"], seen["conch_store_writable"]) == (2, 3, 1)
    assert seen["conch_inbox{'app': 'telegram', 'state': 'pending'}"] == 5
    assert seen["conch_inbox_oldest_seconds{'app': 'telegram'}"] == 1.5
    assert {name: value for name, value in seen.items() if name.startswith(("conch_channels", "conch_outbox"))} == {
        "conch_channels{'app': 'telegram', 'state': 'online'}": 1,
        "conch_outbox{'state': 'failed'}": 6,
    }


def test_a_database_that_cannot_be_read_hides_no_other_figure(metrics: Metrics) -> None:
    metrics.received("telegram", new=1, known=0)

    seen = figures(metrics, Levels(can_store=False))

    assert seen["conch_store_writable"] == 0
    assert seen["conch_queue_length"] != seen["conch_queue_length"], "not a number, for nobody knows"
    assert seen["conch_updates_received_total{'app': 'telegram', 'outcome': 'new'}"] == 1


def test_two_programs_in_one_process_do_not_share_their_figures(metrics: Metrics) -> None:
    metrics.sent("telegram", Sending.DELIVERED)

    assert not any(name.startswith("conch_sends_total") for name in figures(Metrics("1.2.3")))


async def test_it_is_told_without_a_session_to_whoever_knows_our_name(stranger: Browser) -> None:
    answer, foreign = await stranger.get("/metrics"), await stranger.get("/metrics", host="evil.example")

    assert answer.status == 200
    assert answer.headers["content-type"].startswith("text/plain; version=")
    assert re.search(r'^conch_info\{version="1\.2\.3"\} 1\.0$', answer.text, re.MULTILINE)
    assert foreign.status == 400
