"""What a whole Conch tells its meter while messages come in and go out."""

from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest

from channels.base import ChatRef, Update
from channels.memory.app import MemoryApp
from channels.memory.faults import Call
from channels.memory.kind import MemoryKind
from conch.admin import Admin
from conch.app import App, composed
from conch.home import Home
from conch.settings import ProgramSettings
from core.clock import ManualClock
from core.engines.demo.engine import DemoEngine
from core.errors import MaybeDone, Refused, RefusedReason, TryLater
from core.meter import NoMeter, Sending
from core.store.outbox import Kind, Post


@dataclass
class Noted(NoMeter):
    """Keeps what it is told."""

    received_: Counter[str] = field(default_factory=Counter)
    sent_: Counter[tuple[str, Sending]] = field(default_factory=Counter)
    jobs: int = 0

    def received(self, app: str, new: int, known: int) -> None:
        self.received_.update({"new": new, "known": known})

    def skipped(self, app: str) -> None:
        self.received_["skipped"] += 1

    def sent(self, app: str, outcome: Sending) -> None:
        self.sent_[app, outcome] += 1

    def committed(self, jobs: int, seconds: float) -> None:
        assert seconds >= 0
        self.jobs += jobs


@pytest.fixture
def noted() -> Noted:
    return Noted()


@pytest.fixture
async def built(place: Home, clock: ManualClock, shell: MemoryApp, noted: Noted) -> AsyncIterator[App]:
    kinds = {"shell": MemoryKind(clock, shell)}
    engines = [DemoEngine(clock, "wait", pace=0)]
    async with composed(place, ProgramSettings(), clock=clock, kinds=kinds, engines=engines, meter=noted) as app:
        await app.start()
        yield app


async def connected(built: App, shell: MemoryApp, clock: ManualClock) -> str:
    """A bot that is online."""
    channel = (await Admin(built).add_channel("shell", shell.key)).channel
    await clock.advance(0)
    return channel.id


async def test_updates_are_counted_new_known_and_skipped(
    built: App, shell: MemoryApp, clock: ManualClock, noted: Noted
) -> None:
    channel = built.outbox.channel(await connected(built, shell, clock))
    assert channel is not None

    for _ in range(2):
        await built.service.receive(channel, [Update("1", {"what": "nonsense"}), Update("2", {"what": "nonsense"})])
    await built.service.settled()

    assert noted.received_ == {"new": 2, "known": 2, "skipped": 2}
    assert noted.jobs > 0


@pytest.mark.parametrize(
    ("fault", "outcomes"),
    [
        (None, [Sending.DELIVERED]),
        (TryLater("busy", retry_after=1.0), [Sending.RETRIED, Sending.DELIVERED]),
        (MaybeDone("lost"), [Sending.UNKNOWN, Sending.DELIVERED]),
        (Refused("blocked", RefusedReason.GONE), [Sending.FAILED]),
    ],
)
async def test_every_try_to_send_is_counted_with_how_it_ended(
    built: App,
    shell: MemoryApp,
    clock: ManualClock,
    noted: Noted,
    fault: TryLater | MaybeDone | Refused | None,
    outcomes: list[Sending],
) -> None:
    chat = ChatRef(await connected(built, shell, clock), shell.private_chat("Ada").id)
    if fault is not None:
        shell.faults.add(Call.SEND, fault)

    await built.outbox.post([post(chat)])
    await clock.advance(5)
    await built.drain()

    assert dict(noted.sent_) == {("memory", outcome): 1 for outcome in outcomes}


def post(chat: ChatRef) -> Post:
    body = '{"text":"hello","fallback":"hello","key":"k:0"}'
    return Post("k", 0, 1, chat.channel_id, chat.id, "private", None, body, Kind.NOTICE)
