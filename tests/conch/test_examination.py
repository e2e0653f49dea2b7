"""Facts about everything, gathered over a whole Conch."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta

import pytest

from channels.base import Identity
from channels.memory.app import MemoryApp
from channels.memory.kind import MemoryKind
from channels.reach import Probe
from conch.admin import Admin
from conch.app import App, composed
from conch.home import Home
from conch.settings import ProgramSettings
from core.clock import ManualClock
from core.engines.demo.engine import DemoEngine
from core.errors import Refused, RefusedReason, TryLater
from core.safety.secrets import KEY_FILE
from core.store.inbox import Received
from web.diagnosis import Answer


@dataclass
class Telling(MemoryKind):
    """A kind whose app says what the test lines up, the last of it for ever; an exception is raised."""

    clock: ManualClock
    app: MemoryApp
    answers: list[Probe | Exception] = field(default_factory=list)
    asked: int = 0

    def __post_init__(self) -> None:
        super().__init__(self.clock, self.app)

    async def probe(self, channel_id: str, credentials: Mapping[str, str]) -> Probe:
        self.asked += 1
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


class QuickClock(ManualClock):
    """Waits by moving on, so that whoever waits alone goes on at once."""

    async def sleep(self, seconds: float) -> None:
        self._elapsed += seconds


@pytest.fixture
def clock() -> ManualClock:
    return QuickClock()


@pytest.fixture
def telling(clock: ManualClock, shell: MemoryApp) -> Telling:
    return Telling(clock, shell, [Probe(shell.identity)])


@pytest.fixture
async def built(place: Home, clock: ManualClock, shell: MemoryApp, telling: Telling) -> AsyncIterator[App]:
    """Everything, built and not started; `shell` has a kind that says more, `plain` one that does not."""
    kinds = {"shell": telling, "plain": MemoryKind(clock, shell)}
    engines = [DemoEngine(clock, "wait", pace=0)]
    async with composed(place, ProgramSettings(), clock=clock, kinds=kinds, engines=engines) as app:
        yield app


@pytest.fixture
def commands(built: App) -> Admin:
    """As in a command beside no server."""
    return Admin(built)


@pytest.fixture
def server(built: App) -> Admin:
    """As in a running server."""
    return Admin(built, lambda: "a link")


async def test_a_fresh_conch_has_an_engine_that_is_ready_and_no_bot(commands: Admin) -> None:
    found = await commands.diagnose()

    assert [(engine.id, engine.state) for engine in found.engines] == [("demo", "ready")]
    assert (found.bots, found.can_store, found.running, dict(found.unsent)) == ((), True, False, {})


async def test_an_apps_clock_is_compared_with_ours(
    commands: Admin, shell: MemoryApp, telling: Telling, clock: ManualClock
) -> None:
    await commands.add_channel("shell", shell.key)
    telling.answers = [Probe(shell.identity, clock=clock.now() + timedelta(seconds=60))]

    [bot] = (await commands.diagnose()).bots

    assert bot.app.clock_ahead == 60.5


async def test_an_app_that_says_no_more_is_asked_for_its_key(commands: Admin, shell: MemoryApp) -> None:
    await commands.add_channel("plain", shell.key)

    [bot] = (await commands.diagnose()).bots

    assert (bot.name, bot.kind, bot.app.answer, bot.app.clock_ahead) == ("@conch", "plain", Answer.WORKS, None)


@pytest.mark.parametrize(
    ("error", "answer"),
    [
        (Refused("The key does not work.", RefusedReason.AUTH), Answer.REFUSED),
        (TryLater("No route to the app."), Answer.AWAY),
        (TimeoutError(), Answer.AWAY),
    ],
)
async def test_an_app_that_does_not_know_the_key_or_is_away_is_told(
    commands: Admin, shell: MemoryApp, telling: Telling, error: Exception, answer: Answer
) -> None:
    await commands.add_channel("shell", shell.key)
    telling.answers = [error]

    [bot] = (await commands.diagnose()).bots

    assert bot.app.answer is answer
    assert bot.app.words


async def test_a_key_of_another_bot_is_told(commands: Admin, shell: MemoryApp, telling: Telling) -> None:
    await commands.add_channel("shell", shell.key)
    telling.answers = [Probe(Identity("other", "Other"))]

    [bot] = (await commands.diagnose()).bots

    assert (bot.app.answer, "Other" in bot.app.words) == (Answer.REFUSED, True)


async def test_a_key_that_cannot_be_opened_is_told(
    place: Home, clock: ManualClock, shell: MemoryApp, telling: Telling
) -> None:
    engines = [DemoEngine(clock, "wait", pace=0)]
    async with composed(place, ProgramSettings(), clock=clock, kinds={"shell": telling}, engines=engines) as app:
        await Admin(app).add_channel("shell", shell.key)
    forget_the_key(place)

    async with composed(place, ProgramSettings(), clock=clock, kinds={"shell": telling}, engines=engines) as app:
        [bot] = (await Admin(app).diagnose()).bots

    assert (bot.app.answer, "secret key" in bot.app.words) == (Answer.UNREADABLE, True)


def forget_the_key(place: Home) -> None:
    (place.path / KEY_FILE).unlink()


async def test_a_bot_whose_app_nobody_knows_any_more_is_told(
    place: Home, clock: ManualClock, shell: MemoryApp, telling: Telling
) -> None:
    engines = [DemoEngine(clock, "wait", pace=0)]
    async with composed(place, ProgramSettings(), clock=clock, kinds={"shell": telling}, engines=engines) as app:
        await Admin(app).add_channel("shell", shell.key)

    async with composed(place, ProgramSettings(), clock=clock, kinds={}, engines=engines) as app:
        [bot] = (await Admin(app).diagnose()).bots

    assert bot.app.answer is Answer.UNREADABLE


@pytest.mark.report("R131")
async def test_what_waits_at_an_app_is_looked_at_twice_where_somebody_fetches_it(
    server: Admin, commands: Admin, shell: MemoryApp, telling: Telling
) -> None:
    await server.add_channel("shell", shell.key)
    telling.answers = [Probe(shell.identity, waiting=1), Probe(shell.identity, waiting=0)]
    [fetched] = (await server.diagnose()).bots
    telling.answers = [Probe(shell.identity, waiting=4)]

    [stuck] = (await server.diagnose()).bots
    before = telling.asked
    [alone] = (await commands.diagnose()).bots

    assert (fetched.app.waiting, stuck.app.waiting, alone.app.waiting) == (0, 4, 4)
    assert telling.asked - before == 1


@pytest.mark.report("R131")
async def test_what_came_in_and_was_not_seen_through_is_counted_with_its_age(
    commands: Admin, built: App, shell: MemoryApp, clock: ManualClock
) -> None:
    channel = (await commands.add_channel("shell", shell.key)).channel
    await built.database.commit(Received(channel.id, "1", {}))
    await clock.sleep(75)

    [bot] = (await commands.diagnose()).bots

    assert (bot.pending, bot.oldest, bot.poisoned) == (1, 75.0, 0)
