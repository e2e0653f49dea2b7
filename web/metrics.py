"""`/metrics`: figures for Prometheus. They say how much, how long and of which app, never who, where or what.

What happens is counted while it happens (`core.meter`, the log's commits); what there is at this moment is looked at
when somebody asks. The names are a promise: boards and alarms are built on them.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from fastapi import FastAPI
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from starlette.responses import Response

from core.clock import Clock
from core.events import Event, TurnCompleted, TurnStarted
from core.meter import Sending

DELAY_EVERY = 0.5
"""Seconds between two looks how late the event loop is."""

TURN_SECONDS = (0.1, 0.3, 1, 3, 10, 30, 60, 180, 600, 1800)
COMMIT_SECONDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1)
COMMIT_JOBS = (1, 2, 5, 10, 25, 50, 100, 250, 1000)
DELAY_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1)
"""Upper ends of the histograms' buckets."""


@dataclass(frozen=True, slots=True)
class Levels:
    """What there is at this moment. Keys are an app's name and a state; `oldest` is in seconds.

    Where the database cannot be read, what stands in it is left out.
    """

    can_store: bool = True
    turns: int = 0
    queued: int | None = None
    channels: Mapping[tuple[str, str], int] = field(default_factory=dict)
    inbox: Mapping[tuple[str, str], int] = field(default_factory=dict)
    oldest: Mapping[str, float] = field(default_factory=dict)
    outbox: Mapping[str, int] = field(default_factory=dict)


class Metrics:
    """The figures of one running program; also a `Meter`."""

    def __init__(self, version: str) -> None:
        # A second series for each, which nobody reads; the switch is the library's, for the whole process.
        disable_created_metrics()  # type: ignore[no-untyped-call]  # the library left its types out
        registry = self._registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        Gauge("conch_info", "The release that runs.", ["version"], registry=registry).labels(version).set(1)
        self._received = Counter(
            "conch_updates_received",
            "Updates that apps sent, by what became of them.",
            ["app", "outcome"],
            registry=registry,
        )
        self._sent = Counter(
            "conch_sends", "Tries to send a message, by how they ended.", ["app", "outcome"], registry=registry
        )
        self._turns = Counter("conch_turns", "Answers that ended.", ["outcome"], registry=registry)
        self._turn_seconds = Histogram(
            "conch_turn_seconds", "How long answers took.", buckets=TURN_SECONDS, registry=registry
        )
        self._commit_jobs = Histogram(
            "conch_store_commit_jobs",
            "Callers whose work one transaction held.",
            buckets=COMMIT_JOBS,
            registry=registry,
        )
        self._commit_seconds = Histogram(
            "conch_store_commit_seconds", "How long transactions took.", buckets=COMMIT_SECONDS, registry=registry
        )
        self._delay = Histogram(
            "conch_event_loop_delay_seconds", "How late the event loop was.", buckets=DELAY_SECONDS, registry=registry
        )
        self._levels = _LevelGauges(registry)
        self._began: dict[str, datetime] = {}

    # ---- while it happens ------------------------------------------------------------------------------------------

    def received(self, app: str, new: int, known: int) -> None:
        """Updates were stored."""
        self._received.labels(app, "new").inc(new)
        if known:
            self._received.labels(app, "known").inc(known)

    def skipped(self, app: str) -> None:
        """An update could not be handled."""
        self._received.labels(app, "skipped").inc()

    def sent(self, app: str, outcome: Sending) -> None:
        """A message was tried."""
        self._sent.labels(app, outcome.value).inc()

    def committed(self, jobs: int, seconds: float) -> None:
        """A transaction ended."""
        self._commit_jobs.observe(jobs)
        self._commit_seconds.observe(seconds)

    def hear(self, events: Sequence[Event]) -> None:
        """What the log gained: turns are timed by their first and last event."""
        for event in events:
            if isinstance(event.data, TurnStarted):
                self._began[event.conversation_id] = event.at
            elif isinstance(event.data, TurnCompleted):
                self._turns.labels(event.data.outcome).inc()
                began = self._began.pop(event.conversation_id, None)  # an earlier life's turn began elsewhere
                if began is not None:
                    self._turn_seconds.observe((event.at - began).total_seconds())

    async def watch_loop(self, clock: Clock) -> None:
        """Measure for ever how late the event loop calls back whoever waits."""
        while True:
            before = clock.monotonic()
            await clock.sleep(DELAY_EVERY)
            self._delay.observe(max(0.0, clock.monotonic() - before - DELAY_EVERY))

    # ---- when somebody asks ----------------------------------------------------------------------------------------

    def text(self, levels: Levels) -> bytes:
        """Everything, in Prometheus' text format."""
        self._levels.set(levels)
        return generate_latest(self._registry)


class _LevelGauges:
    """What is looked at when somebody asks."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._turns = Gauge("conch_turns_running", "Answers under way.", registry=registry)
        self._can_store = Gauge("conch_store_writable", "1 where the database takes anything.", registry=registry)
        self._queued = Gauge("conch_queue_length", "Messages that wait for an answer to end.", registry=registry)
        self._channels = Gauge("conch_channels", "Connected bots.", ["app", "state"], registry=registry)
        self._inbox = Gauge("conch_inbox", "Updates not seen through.", ["app", "state"], registry=registry)
        self._oldest = Gauge(
            "conch_inbox_oldest_seconds", "Age of the oldest update that is pending.", ["app"], registry=registry
        )
        self._outbox = Gauge("conch_outbox", "Messages not delivered.", ["state"], registry=registry)

    def set(self, levels: Levels) -> None:
        """Say this from now on; what is not in it is not said any more."""
        self._turns.set(levels.turns)
        self._can_store.set(levels.can_store)
        self._queued.set(float("nan") if levels.queued is None else levels.queued)
        for gauge, counts in ((self._channels, levels.channels), (self._inbox, levels.inbox)):
            gauge.clear()
            for labels, count in counts.items():
                gauge.labels(*labels).set(count)
        for gauge, figures in ((self._oldest, levels.oldest), (self._outbox, levels.outbox)):
            gauge.clear()
            for label, figure in figures.items():
                gauge.labels(label).set(figure)


class MetricsRoute:
    """Answers whoever asks under a name of ours: nothing private is said."""

    def __init__(self, metrics: Metrics, look: Callable[[], Awaitable[Levels]]) -> None:
        self._metrics = metrics
        self._look = look

    def add_to(self, app: FastAPI) -> None:
        """Register the route."""
        app.add_api_route("/metrics", self.metrics, methods=["GET"], response_model=None)

    async def metrics(self) -> Response:
        """Look and say."""
        return Response(self._metrics.text(await self._look()), media_type=CONTENT_TYPE_LATEST)
