import json

import pytest

from channels.reach import Pushed
from core.errors import NotAllowed, StoreUnavailable
from tests.web.asgi import Browser
from tests.web.fakes import FakeAdministration
from web.app import MOST_BODY, Backend, create_app
from web.health import HealthReport
from web.security import CSP, Gate

WHERE = "/channels/telegram/c1"


class Bots:
    """Takes what is brought with the header `x-proof`. `error` is raised once the body was read."""

    def __init__(self) -> None:
        self.taken: list[tuple[str, str, object]] = []
        self.error: Exception | None = None

    async def push(self, kind: str, channel_id: str, request: Pushed) -> None:
        if request.headers.get("x-proof") != "yes":
            raise NotAllowed("no proof")
        body = await request.body()
        if self.error is not None:
            raise self.error
        self.taken.append((kind, channel_id, json.loads(body)))


@pytest.fixture
def bots() -> Bots:
    return Bots()


@pytest.fixture
def telegram(gate: Gate, bots: Bots) -> Browser:
    """What Telegram sends: no cookie, no origin, and the name that the proxy gives."""

    async def look() -> HealthReport:
        return HealthReport(can_store=True, channels={})

    app = create_app(gate, Backend(FakeAdministration(), look, push=bots.push))
    return Browser(app, {"host": "behind-the-proxy", "origin": None, "x_proof": "yes"})


async def test_what_is_brought_goes_to_its_bot(telegram: Browser, bots: Bots) -> None:
    answer = await telegram.post(WHERE, {"update_id": 7}, origin=None)

    assert (answer.status, answer.body) == (200, b"")
    assert bots.taken == [("telegram", "c1", {"update_id": 7})]


@pytest.mark.parametrize("proof", [None, "", "no"])
async def test_without_proof_nothing_is_done(telegram: Browser, bots: Bots, proof: str | None) -> None:
    answer = await telegram.post(WHERE, {"update_id": 7}, origin=None, x_proof=proof)

    assert (answer.status, answer.json["code"]) == (403, "unproven")
    assert bots.taken == []


async def test_what_cannot_be_stored_is_to_be_brought_again(telegram: Browser, bots: Bots) -> None:
    bots.error = StoreUnavailable("The disk is full.")

    answer = await telegram.post(WHERE, {"update_id": 7}, origin=None)

    assert answer.status == 503


@pytest.mark.parametrize("body", [b"", b"{", b"\xff"])
async def test_what_is_no_update_is_refused(telegram: Browser, bots: Bots, body: bytes) -> None:
    answer = await telegram.post(WHERE, body, origin=None)

    assert (answer.status, answer.json["code"]) == (400, "invalid")
    assert bots.taken == []


@pytest.mark.parametrize(("size", "status"), [(MOST_BODY, 200), (MOST_BODY + 1, 413)])
@pytest.mark.parametrize("length", ["said", "unsaid"])
async def test_a_body_has_a_limit(telegram: Browser, bots: Bots, size: int, status: int, length: str) -> None:
    body = json.dumps("x" * (size - 2)).encode()
    headers = {"content_length": None} if length == "unsaid" else {}

    answer = await telegram.post(WHERE, body, origin=None, **headers)

    assert answer.status == status
    assert len(bots.taken) == (status == 200)


async def test_a_fault_of_ours_says_nothing_about_itself(telegram: Browser, bots: Bots) -> None:
    bots.error = RuntimeError("canary")

    answer = await telegram.post(WHERE, {}, origin=None)

    assert answer.status == 500
    assert "canary" not in answer.text


async def test_its_answers_carry_the_strict_headers(telegram: Browser) -> None:
    taken, refused = await telegram.post(WHERE, {}, origin=None), await telegram.post(WHERE, {}, x_proof=None)

    for answer in (taken, refused):
        assert answer.headers["content-security-policy"] == CSP
        assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("path", ["/channels", "/channels/telegram", "/channels/telegram/c1/more", "/bots"])
async def test_only_the_addresses_of_bots_are_open(telegram: Browser, bots: Bots, path: str) -> None:
    answer = await telegram.post(path, {"update_id": 7}, origin=None)

    assert answer.status in (400, 404)
    assert bots.taken == []


async def test_looking_at_such_an_address_is_like_looking_at_any_page(telegram: Browser) -> None:
    answer = await telegram.get(WHERE)

    assert (answer.status, answer.json["code"]) == (400, "foreign-host")
