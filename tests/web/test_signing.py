"""Signing in: by a password, slowed where somebody guesses; signing out; devices; and where one goes on afterwards."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.clock import ManualClock
from core.store.audit import Audit
from core.store.database import Database
from core.store.owner_keys import KnownPasskey, OwnerKeyRows
from tests.web.asgi import Answer, Browser
from tests.web.fakes import FakeAdministration
from web.app import Backend, create_app
from web.health import HealthReport
from web.security import Gate, Guarded
from web.sessions import RECENT, Device, Sessions
from web.signing.browsers import called
from web.signing.keys import OwnerKeys
from web.signing.next import next_path, path_of_referer
from web.signing.pages import SignIn
from web.signing.throttle import FREE, LONGEST, MOST, Throttle

PASSWORD = "correct horse battery"


@pytest.fixture
async def database(tmp_path: Path, clock: ManualClock) -> AsyncIterator[Database]:
    database = await Database.open(f"sqlite:///{tmp_path / 'conch.sqlite'}", clock)
    yield database
    await database.close()


@pytest.fixture
def keys(database: Database, clock: ManualClock) -> OwnerKeys:
    return OwnerKeys(OwnerKeyRows(database), clock)


@pytest.fixture
def gate(clock: ManualClock, keys: OwnerKeys) -> Gate:
    return Gate(Sessions(clock), 7654, has_keys=lambda: keys.any)


@pytest.fixture
def audit(database: Database) -> Audit:
    return Audit(database)


@pytest.fixture
def app(gate: Gate, keys: OwnerKeys, audit: Audit, clock: ManualClock) -> Guarded:
    async def health() -> HealthReport:
        return HealthReport(can_store=True, channels={})

    return create_app(gate, Backend(FakeAdministration(), health, sign_in=SignIn(keys, audit, clock)))


@pytest.fixture
def stranger(app: Guarded) -> Browser:
    return Browser(app)


@pytest.fixture
def owner(app: Guarded, gate: Gate) -> Browser:
    """A browser that is signed in."""
    return Browser(app, {"cookie": f"{gate.cookie}={gate.sessions.begin()}"})


async def send(browser: Browser, path: str, **form: str) -> Answer:
    kind = "application/x-www-form-urlencoded"
    return await browser.post(path, urlencode(form).encode(), content_type=kind, accept="text/html")


def session_of(answer: Answer, gate: Gate) -> str:
    name, _, value = answer.headers["set-cookie"].partition(";")[0].partition("=")
    assert name == gate.cookie
    return value


# ---- the first visit -------------------------------------------------------------------------------------------------


async def test_the_first_link_leads_to_the_choice_of_how_to_come_in_next_time(stranger: Browser, gate: Gate) -> None:
    came = await stranger.get(f"/?token={gate.sessions.new_link_token()}")
    browser = Browser(stranger.app, {"cookie": came.headers["set-cookie"].partition(";")[0]})

    page = await browser.get("/welcome", accept="text/html")
    short = await send(browser, "/welcome", password="short")
    done = await send(browser, "/welcome", password=PASSWORD)
    again = await send(browser, "/welcome", password="another one here")

    assert came.headers["location"] == "/welcome"
    assert "Later: by a new link each time" in page.text
    assert (short.status, "at least 10 characters" in short.text) == (422, True)
    assert (done.status, done.headers["location"]) == (303, "/")
    assert again.headers["location"] == "/devices"


async def test_a_browser_left_open_sets_no_first_password(owner: Browser, keys: OwnerKeys, clock: ManualClock) -> None:
    await clock.advance(RECENT.total_seconds())

    answer = await send(owner, "/welcome", password=PASSWORD)

    assert answer.status == 403
    assert not keys.any


async def test_at_an_address_one_hears_where_the_passkey_works(
    stranger: Browser, keys: OwnerKeys, clock: ManualClock
) -> None:
    await keys.add_passkey(KnownPasskey("id", "key", 0, "localhost", "", "Laptop", clock.now()))

    page = await stranger.get("/sign-in", accept="text/html")

    assert "On this machine open http://localhost:7654 instead." in page.text


async def test_once_there_is_a_password_a_link_leads_to_the_first_page(
    stranger: Browser, gate: Gate, keys: OwnerKeys
) -> None:
    await keys.set_password(PASSWORD)

    came = await stranger.get(f"/?token={gate.sessions.new_link_token()}")

    assert came.headers["location"] == "/channels"


# ---- the password ----------------------------------------------------------------------------------------------------


async def test_the_right_password_lets_in_and_leads_on(stranger: Browser, gate: Gate, keys: OwnerKeys) -> None:
    await keys.set_password(PASSWORD)
    asked = await stranger.get("/devices?x=1", accept="text/html")

    came = await send(stranger, "/sign-in", password=PASSWORD, next="/devices?x=1")

    assert (asked.status, asked.headers["location"]) == (303, "/sign-in?next=/devices%3Fx%3D1")
    assert (came.status, came.headers["location"]) == (303, "/devices?x=1")
    assert gate.sessions.is_recent(session_of(came, gate))


@pytest.mark.parametrize("wrong", ["", " ", PASSWORD + " ", PASSWORD.upper(), "x" * 1_001, PASSWORD + "x" * 1_000])
async def test_a_wrong_one_lets_nobody_in(stranger: Browser, keys: OwnerKeys, wrong: str) -> None:
    await keys.set_password(PASSWORD)

    answer = await send(stranger, "/sign-in", password=wrong)

    assert answer.status == 401
    assert "That is not it." in answer.text
    assert "set-cookie" not in answer.headers


async def test_without_a_password_none_is_right(stranger: Browser, keys: OwnerKeys) -> None:
    assert (await send(stranger, "/sign-in", password="")).status == 401
    assert not keys.any


async def test_who_guesses_waits_longer_and_longer_also_with_the_right_one(
    stranger: Browser, gate: Gate, keys: OwnerKeys, clock: ManualClock
) -> None:
    await keys.set_password(PASSWORD)
    for _ in range(FREE + 1):
        await send(stranger, "/sign-in", password="a guess at it")

    slowed = await send(stranger, "/sign-in", password=PASSWORD)
    by_link = await stranger.get(f"/?token={gate.sessions.new_link_token()}")
    await clock.advance(float(slowed.headers["retry-after"]))
    came = await send(stranger, "/sign-in", password=PASSWORD)

    assert (slowed.status, slowed.headers["retry-after"]) == (429, "2")
    assert "Too many wrong ones. Try again in 2 seconds." in slowed.text
    assert (by_link.status, came.status) == (303, 303)


async def test_guesses_at_once_are_slowed_as_one_after_the_other(app: Guarded, keys: OwnerKeys) -> None:
    await keys.set_password(PASSWORD)

    sent = [send(Browser(app), "/sign-in", password=f"guess number {number}") for number in range(20)]
    answers = await asyncio.gather(*sent)

    assert sorted(answer.status for answer in answers) == [401] * (FREE + 1) + [429] * (19 - FREE)


async def test_the_hash_is_another_one_each_time_and_says_nothing(database: Database, keys: OwnerKeys) -> None:
    await keys.set_password(PASSWORD)
    first = await OwnerKeyRows(database).password_hash()
    await keys.set_password(PASSWORD)
    second = await OwnerKeyRows(database).password_hash()

    assert first != second
    assert str(first).startswith("$argon2id$")
    assert PASSWORD not in str(first)


async def test_a_restart_knows_the_password(database: Database, keys: OwnerKeys, clock: ManualClock) -> None:
    await keys.set_password(PASSWORD)

    later = OwnerKeys(OwnerKeyRows(database), clock)
    await later.load()

    assert await later.is_password(PASSWORD)
    await later.remove_password()
    assert (later.any, await OwnerKeyRows(database).password_hash()) == (False, None)


# ---- sessions --------------------------------------------------------------------------------------------------------


async def test_signing_in_makes_a_new_session_and_ends_the_one_before(
    app: Guarded, gate: Gate, keys: OwnerKeys
) -> None:
    await keys.set_password(PASSWORD)
    fixed = gate.sessions.begin()
    victim = Browser(app, {"cookie": f"{gate.cookie}={fixed}"})

    came = await send(victim, "/sign-in", password=PASSWORD)

    assert session_of(came, gate) != fixed
    assert not gate.sessions.knows(fixed)


async def test_a_session_that_an_attacker_made_up_is_never_taken(app: Guarded, gate: Gate, keys: OwnerKeys) -> None:
    await keys.set_password(PASSWORD)
    victim = Browser(app, {"cookie": f"{gate.cookie}=made-up"})

    came = await send(victim, "/sign-in", password=PASSWORD)

    assert session_of(came, gate) != "made-up"
    assert not gate.sessions.knows("made-up")


async def test_after_signing_out_the_cookie_is_good_for_nothing(owner: Browser) -> None:
    out = await send(owner, "/sign-out")

    assert (out.status, out.headers["location"]) == (303, "/sign-in")
    assert (await owner.get("/devices")).status == 401
    assert (await send(owner, "/sign-out")).status == 401


async def test_an_old_sign_in_is_asked_again_and_comes_back_to_the_page(
    owner: Browser, gate: Gate, keys: OwnerKeys, clock: ManualClock
) -> None:
    await keys.set_password(PASSWORD)
    await clock.advance(RECENT.total_seconds())

    kind, referer = "application/x-www-form-urlencoded", "http://127.0.0.1:7654/devices"
    body = urlencode({"password": "another password"}).encode()
    asked = await owner.post("/devices/password", body, content_type=kind, accept="text/html", referer=referer)
    page = await owner.get(asked.headers["location"], accept="text/html")
    came = await send(owner, "/sign-in", password=PASSWORD, next="/devices")

    assert (asked.status, asked.headers["location"]) == (303, "/sign-in?next=/devices")
    assert "Is it still you?" in page.text
    assert gate.sessions.is_recent(session_of(came, gate))
    assert await keys.is_password(PASSWORD)


# ---- the devices -----------------------------------------------------------------------------------------------------


async def test_another_browser_is_signed_out(owner: Browser, app: Guarded, gate: Gate) -> None:
    session = gate.sessions.begin()
    theirs = gate.sessions.find(session)
    assert theirs is not None

    ended = await send(owner, "/devices/end", device=theirs.id, name="Firefox")
    again = await send(owner, "/devices/end", device=theirs.id)

    assert (ended.status, again.status) == (303, 422)
    assert not gate.sessions.knows(session)


async def test_every_other_browser_is_signed_out(owner: Browser, app: Guarded, gate: Gate) -> None:
    others = [Browser(app, {"cookie": f"{gate.cookie}={gate.sessions.begin()}"}) for _ in range(3)]

    await send(owner, "/devices/end-others")

    assert [(await other.get("/devices")).status for other in others] == [401] * 3
    assert (await owner.get("/devices")).status == 200


async def test_a_browsers_own_words_are_text(owner: Browser, gate: Gate) -> None:
    gate.sessions.begin(Device("1.2.3.4", "<script>alert(1)</script>"))

    page = await owner.get("/devices")

    assert "<script>alert" not in page.text
    assert "&lt;script&gt;" in page.text


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605 Version/18 Safari/604",
            "Safari on iPhone",
        ),
        ("Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537 Chrome/140.0 Safari/537 Edg/140.0", "Edge on Windows"),
        ("curl/8.5", "curl"),
        ("", "A browser"),
        ("x" * 99, "x" * 59 + "…"),
    ],
)
def test_a_browser_is_called_by_its_name(said: str, expected: str) -> None:
    assert called(said) == expected


async def test_what_was_done_is_noted(owner: Browser, stranger: Browser, keys: OwnerKeys, audit: Audit) -> None:
    await send(owner, "/devices/password", password=PASSWORD)
    await send(stranger, "/sign-in", password="a wrong guess")
    await send(stranger, "/sign-in", password=PASSWORD)
    await send(owner, "/sign-out")

    lines = await audit.page(9)

    assert [line.what for line in lines] == ["signed-out", "signed-in", "sign-in-failed", "password-set"]
    assert {line.address for line in lines} == {"127.0.0.1"}
    assert not [line for line in lines if PASSWORD in repr(line) or "a wrong guess" in repr(line)]


# ---- where one goes on -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "given",
    [
        *("https://evil.example", "//evil.example", "/\\evil.example", "/\\/evil", "javascript:alert(1)", "", "x"),
        *("/a\r\nSet-Cookie: x=1", "/a\nb", "/\t/evil", "/é", "/sign-in", "/sign-in?next=/", "/" + "a" * 1_000),
    ],
)
def test_an_address_that_leads_elsewhere_leads_to_the_first_page(given: str) -> None:
    assert next_path(given) == "/"


@pytest.mark.parametrize(
    ("given", "root", "expected"),
    [
        ("/devices", "", "/devices"),
        ("/chats?q=a%20b", "", "/chats?q=a%20b"),
        ("/conch/devices", "/conch", "/devices"),
        ("/conch//evil.example", "/conch", "/"),
        ("/conchs", "/conch", "/conchs"),
    ],
)
def test_a_page_of_ours_is_gone_on_to(given: str, root: str, expected: str) -> None:
    assert next_path(given, root) == expected


@given(st.text(max_size=40))
def test_whatever_is_given_one_stays_here(given: str) -> None:
    path = next_path(given)

    assert path.startswith("/")
    assert not path.startswith(("//", "/\\"))
    assert path.isprintable()


def test_a_forms_page_is_known_only_where_it_is_ours() -> None:
    assert path_of_referer("http://a.example/people?x=1", "a.example") == "/people?x=1"
    assert path_of_referer("http://evil.example/people", "a.example") == "/"
    assert path_of_referer(None, "a.example") == "/"


# ---- slowing down ----------------------------------------------------------------------------------------------------


async def test_waits_grow_and_end_and_are_forgotten(clock: ManualClock) -> None:
    throttle, waits = Throttle(clock), []
    for _ in range(FREE + 12):
        throttle.wrong("a")
        waits.append(throttle.wait("a"))

    await clock.advance(3601)

    assert waits[:FREE] == [0.0] * FREE
    assert waits[FREE : FREE + 4] == [2.0, 4.0, 8.0, 16.0]
    assert max(waits) == LONGEST
    assert throttle.wait("a") == 0.0


def test_guessing_from_many_addresses_slows_everybody_and_fills_nothing(clock: ManualClock) -> None:
    throttle = Throttle(clock)
    for number in range(MOST + 50):
        throttle.wrong(str(number))

    assert throttle.wait("somebody else") > 0
    assert len(throttle._wrong) == MOST


def test_coming_in_forgets_what_was_mistyped_there(clock: ManualClock) -> None:
    throttle = Throttle(clock)
    for _ in range(FREE + 3):
        throttle.wrong("a")

    throttle.right("a")

    assert throttle.wait("a") == 0.0


def test_right_ones_never_slow_anybody(clock: ManualClock) -> None:
    throttle = Throttle(clock)
    for number in range(100):
        assert throttle.begin(str(number)) == 0.0
        throttle.right(str(number))

    assert throttle.wait("somebody else") == 0.0


async def test_a_session_of_another_port_is_none_here(app: Guarded, gate: Gate) -> None:
    other = Browser(app, {"cookie": f"conch_session_7655={gate.sessions.begin()}"})

    assert (await other.get("/devices")).status == 401


@pytest.mark.parametrize("path", ["/sign-in", "/sign-out", "/devices/end-others", "/devices/password", "/welcome"])
async def test_no_other_site_signs_anybody_in_or_out(owner: Browser, gate: Gate, path: str) -> None:
    kind = "application/x-www-form-urlencoded"

    answer = await owner.post(path, b"password=correct+horse", content_type=kind, origin="https://evil.example")

    assert answer.status == 403
    assert len(gate.sessions.all()) == 1
