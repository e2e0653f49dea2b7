import pytest

from channels.reach import Pushed
from core.clock import ManualClock
from core.errors import NotAllowed
from tests.web.asgi import Browser
from tests.web.fakes import FakeAdministration, FakeBacking, FakePretendApp
from web.app import Backend, create_app
from web.health import HealthReport
from web.metrics import Levels, Metrics, MetricsRoute
from web.playground import Playground
from web.security import Gate, Guarded
from web.sessions import Sessions


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def gate(clock: ManualClock) -> Gate:
    return Gate(Sessions(clock), 7654)


@pytest.fixture
def administration() -> FakeAdministration:
    return FakeAdministration()


@pytest.fixture
def backing(administration: FakeAdministration) -> FakeBacking:
    return FakeBacking(administration._note)


@pytest.fixture
def pretend() -> FakePretendApp:
    return FakePretendApp()


@pytest.fixture
def app(gate: Gate, administration: FakeAdministration, backing: FakeBacking, pretend: FakePretendApp) -> Guarded:
    async def health() -> HealthReport:
        return HealthReport(can_store=True, channels={"online": 1})

    playground = Playground([pretend], ["What can you do?"])

    async def levels() -> Levels:
        return Levels()

    async def push(kind: str, channel_id: str, request: Pushed) -> None:
        raise NotAllowed("nobody is believed here")

    metrics = MetricsRoute(Metrics("1.2.3"), levels)
    return create_app(
        gate, Backend(administration, health, playground, push, metrics, version="1.2.3", backing=backing)
    )


@pytest.fixture
def stranger(app: Guarded) -> Browser:
    return Browser(app)


@pytest.fixture
def owner(app: Guarded, gate: Gate) -> Browser:
    session = gate.sessions.exchange(gate.sessions.new_link_token())
    return Browser(app, {"cookie": f"{gate.cookie}={session}"})
