import pytest

from tests.web.asgi import Browser
from tests.web.fakes import FakeAdministration
from web.app import Backend, create_app
from web.health import HealthReport
from web.security import Gate


def asking(gate: Gate, report: HealthReport) -> Browser:
    async def look() -> HealthReport:
        return report

    return Browser(create_app(gate, Backend(FakeAdministration(), look)))


async def test_all_is_well_while_messages_can_be_stored_and_every_bot_is_online(gate: Gate) -> None:
    answer = await asking(gate, HealthReport(can_store=True, channels={"online": 2})).get("/healthz")

    assert (answer.status, answer.json) == (200, {"status": "ok", "channels": {"online": 2}})


@pytest.mark.parametrize("state", ["reconnecting", "needs-token", "conflict", "error"])
async def test_a_bot_that_is_away_degrades_it(gate: Gate, state: str) -> None:
    answer = await asking(gate, HealthReport(can_store=True, channels={"online": 1, state: 1})).get("/healthz")

    assert (answer.status, answer.json["status"]) == (200, "degraded")


async def test_a_database_that_cannot_be_written_is_an_outage(gate: Gate) -> None:
    answer = await asking(gate, HealthReport(can_store=False, channels={"online": 1})).get("/healthz")

    assert (answer.status, answer.json["status"]) == (503, "degraded")


@pytest.mark.parametrize(("can_store", "status"), [(True, 200), (False, 503)])
async def test_whoever_asks_for_the_head_alone_gets_the_same_status(gate: Gate, can_store: bool, status: int) -> None:
    browser = asking(gate, HealthReport(can_store=can_store, channels={"online": 1}))

    answer = await browser.send("HEAD", "/healthz")

    assert answer.status == status


async def test_without_a_playground_its_page_is_not_there(gate: Gate) -> None:
    browser = asking(gate, HealthReport(can_store=True, channels={}))
    browser.headers["cookie"] = f"{gate.cookie}={gate.sessions.exchange(gate.sessions.new_link_token())}"

    answers = await browser.get("/playground"), await browser.get("/")

    assert answers[0].status == 404
    assert answers[1].headers["location"] == "/channels"
