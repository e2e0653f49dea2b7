from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute
from hypothesis import given
from hypothesis import strategies as st
from starlette.types import Message

from core.clock import ManualClock
from tests.web.asgi import Browser
from tests.web.fakes import FakeAdministration
from web.app import MOST_BODY
from web.security import CSP, Gate, Guarded
from web.sessions import SESSION_LIFE, Sessions

OPEN = {"/healthz", "/metrics", "/static/base.css"}
PUSHED = ("/channels/{kind}/{channel_id}", "/channels/{kind}/{channel_id}/messages")
"""They have rules of their own; see `test_webhook_route`."""


def every_route(app: Guarded) -> Iterator[tuple[str, str]]:
    """Method and path of each route, found in the application itself: a new one is covered by being there."""
    inner = app.app
    assert isinstance(inner, FastAPI)
    for route in inner.routes:
        if isinstance(route, APIRoute) and route.path not in PUSHED:
            yield from ((method, _filled(route.path)) for method in sorted(route.methods or ()))
    yield "GET", "/static/base.css"


def _filled(path: str) -> str:
    return path.replace("{file_id}", "picture").replace("{file_id:path}", "picture").replace("{app}", "shell")


def test_the_routes_that_are_looked_at_are_all_there(app: Guarded) -> None:
    paths = {path for _, path in every_route(app)}

    assert {"/", "/channels", "/healthz", "/playground", "/playground/api/shell/say"} <= paths
    assert "/playground/api/events" in paths


async def test_no_route_answers_whoever_has_no_session(app: Guarded, stranger: Browser) -> None:
    for method, path in every_route(app):
        answer = await stranger.send(method, path, headers={"origin": "http://127.0.0.1:7654"})

        assert (path, answer.status) == (path, 200 if path in OPEN else 401)


async def test_no_route_answers_a_made_up_session(app: Guarded, stranger: Browser, gate: Gate) -> None:
    stranger.headers["cookie"] = f"{gate.cookie}=made-up"

    for method, path in every_route(app):
        answer = await stranger.send(method, path, headers={"origin": "http://127.0.0.1:7654"})

        assert (path, answer.status) == (path, 200 if path in OPEN else 401)


async def test_no_route_answers_under_a_foreign_name(app: Guarded, owner: Browser) -> None:
    owner.headers["host"] = "rebound.example"

    for method, path in every_route(app):
        answer = await owner.send(method, path)

        assert (path, answer.status, answer.json["code"]) == (path, 400, "foreign-host")


async def test_no_route_answers_another_site(app: Guarded, owner: Browser) -> None:
    for method, path in every_route(app):
        answer = await owner.send(method, path, headers={"origin": "http://evil.example"})

        assert (path, answer.status, answer.json["code"]) == (path, 403, "foreign-origin")


@pytest.mark.parametrize("origin", ["null", "http://127.0.0.1:3000", "https://127.0.0.1:7654", "http://localhost:7654"])
async def test_another_port_or_scheme_or_name_is_another_site(owner: Browser, origin: str) -> None:
    answer = await owner.post("/playground/api/shell/mend", {}, origin=origin)

    assert answer.status == 403


async def test_a_change_without_any_origin_is_refused(owner: Browser) -> None:
    answer = await owner.post("/playground/api/shell/mend", {}, origin=None)

    assert answer.status == 403


async def test_a_change_is_taken_where_the_browser_itself_vouches_for_it(owner: Browser) -> None:
    answer = await owner.post("/playground/api/shell/mend", origin=None, sec_fetch_site="same-origin")

    assert answer.status == 204


async def test_a_page_on_another_port_may_not_even_read(owner: Browser) -> None:
    answer = await owner.get("/playground/api/shell/state", sec_fetch_site="same-site", sec_fetch_mode="no-cors")

    assert answer.status == 403


async def test_a_link_from_elsewhere_leads_to_the_page(owner: Browser) -> None:
    answer = await owner.get("/channels", sec_fetch_site="cross-site", sec_fetch_mode="navigate")

    assert answer.status == 200


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:9000", "localhost:7654", "LOCALHOST.", "[::1]:7654"])
def test_this_machines_own_names_are_known(gate: Gate, host: str) -> None:
    assert gate.knows_host(host)


@pytest.mark.parametrize(
    "host", ["", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "a@127.0.0.1", "127.0.0.1:x", "["]
)
def test_any_other_name_is_foreign(gate: Gate, host: str) -> None:
    assert not gate.knows_host(host)


@given(host=st.text())
def test_no_host_header_whatever_is_in_it_breaks_the_gate(host: str) -> None:
    assert Gate(Sessions(ManualClock()), 7654).knows_host(host) in (True, False)


async def test_two_host_headers_are_refused(owner: Browser) -> None:
    owner.more = ((b"host", b"evil.example"),)

    answer = await owner.get("/channels")

    assert answer.status == 400


def test_names_that_were_set_are_known_too(clock: ManualClock) -> None:
    gate = Gate(Sessions(clock), 7654, frozenset({"shell.example"}), "https://conch.example")

    assert gate.knows_host("shell.example:7654")
    assert gate.knows_host("conch.example")
    assert gate.knows_origin("https://conch.example", "http", "conch.example")
    assert gate.is_secure("conch.example")
    assert not gate.is_secure("shell.example")


async def test_the_link_works_once_and_leaves_the_address(stranger: Browser, gate: Gate) -> None:
    token = gate.sessions.new_link_token()

    first, second = await stranger.get(f"/?token={token}"), await stranger.get(f"/?token={token}")

    assert (first.status, first.headers["location"]) == (303, "/playground")
    assert (second.status, second.json["code"]) == (401, "link-used")


async def test_the_links_cookie_opens_the_page_and_is_closed_to_script(stranger: Browser, gate: Gate) -> None:
    came = await stranger.get(f"/?token={gate.sessions.new_link_token()}")
    cookie = came.headers["set-cookie"]
    stranger.headers["cookie"] = cookie.partition(";")[0]

    answer = await stranger.get("/playground")

    assert answer.status == 200
    assert {"HttpOnly", "SameSite=lax", "Path=/"} <= set(cookie.split("; "))


async def test_following_the_used_link_again_while_signed_in_leads_in(owner: Browser, gate: Gate) -> None:
    token = gate.sessions.new_link_token()
    came = await owner.get(f"/?token={token}")
    owner.headers["cookie"] = came.headers["set-cookie"].partition(";")[0]

    answer = await owner.get(f"/?token={token}")

    assert (answer.status, answer.headers["location"]) == (303, "/playground")


async def test_a_browser_that_comes_in_anew_has_a_session_of_its_own_and_the_earlier_one_ends(
    owner: Browser, gate: Gate
) -> None:
    earlier = dict(owner.headers)
    came = await owner.get(f"/?token={gate.sessions.new_link_token()}")
    owner.headers["cookie"] = came.headers["set-cookie"].partition(";")[0]

    now, before = await owner.get("/channels"), await Browser(owner.app, earlier).get("/channels")

    assert owner.headers["cookie"] != earlier["cookie"]
    assert (now.status, before.status) == (200, 401)


async def test_whoever_has_no_session_is_told_where_the_link_is(stranger: Browser) -> None:
    answer = await stranger.get("/", accept="text/html,*/*")

    assert answer.status == 401
    assert "<code>conch console</code>" in answer.text


async def test_a_session_ends_in_time(owner: Browser, clock: ManualClock) -> None:
    await clock.advance(SESSION_LIFE.total_seconds())

    answer = await owner.get("/channels")

    assert answer.status == 401


async def test_every_answer_carries_the_strict_headers(app: Guarded, owner: Browser, stranger: Browser) -> None:
    answers = [await owner.get("/playground"), await stranger.get("/channels"), await owner.get("/nowhere")]

    for answer in answers:
        assert answer.headers["content-security-policy"] == CSP
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "same-origin"
        assert answer.headers["cache-control"] == "no-store"


def test_the_policy_lets_no_script_in_but_ours_and_nobody_frame_us() -> None:
    rules = {rule.split()[0]: rule.split()[1:] for rule in CSP.split("; ")}

    assert rules["default-src"] == ["'none'"]
    assert rules["script-src"] == rules["style-src"] == rules["connect-src"] == ["'self'"]
    assert rules["frame-ancestors"] == rules["base-uri"] == ["'none'"]
    assert rules["require-trusted-types-for"] == ["'script'"]


async def test_pages_keep_to_the_policy(owner: Browser) -> None:
    for path in ("/playground", "/channels"):
        text = (await owner.get(path)).text

        assert "<script>" not in text
        assert "style=" not in text
        assert " onclick" not in text


async def test_a_body_up_to_the_limit_is_taken(owner: Browser) -> None:
    answer = await owner.post("/playground/api/shell/attach?person=1&name=a.bin", bytes(MOST_BODY))

    assert answer.status == 204


@pytest.mark.parametrize("length", [str(MOST_BODY + 1), None], ids=["announced", "unannounced"])
async def test_a_larger_body_is_refused(owner: Browser, length: str | None) -> None:
    body = bytes(MOST_BODY + 1)

    answer = await owner.post("/playground/api/shell/attach?person=1&name=a.bin", body, content_length=length)

    assert answer.status == 413


async def test_a_fault_of_ours_says_nothing_about_itself(owner: Browser, administration: FakeAdministration) -> None:
    administration.error = RuntimeError("canary")

    answer = await owner.get("/channels")

    assert answer.status == 500
    assert "canary" not in answer.text
    assert answer.headers["content-security-policy"] == CSP


async def test_a_name_that_someone_set_is_no_markup(owner: Browser) -> None:
    answer = await owner.get("/channels", accept="text/html")

    assert "Shell &lt;b&gt;" in answer.text


async def test_a_websocket_is_turned_away(app: Guarded) -> None:
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "websocket.connect"}

    async def send(message: Message) -> None:
        sent.append(message)

    await app({"type": "websocket", "path": "/", "headers": []}, receive, send)

    assert sent == [{"type": "websocket.close", "code": 1008}]
