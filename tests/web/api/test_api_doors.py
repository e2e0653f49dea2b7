"""Who may use the API: every operation of its own description is tried without a token, from elsewhere, and so on."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from conch.app import App
from core.clock import ManualClock
from core.events import Mode
from core.store.tokens import ApiTokens
from tests.web.api.conftest import Program
from tests.web.asgi import ORIGIN, Answer, Browser
from web.callers import IN_SECONDS, MOST_WRONG
from web.security import API, Gate, Guarded
from web.sessions import RECENT, SESSION_LIFE

PROBLEM = {"type", "title", "status", "code", "detail"}


class Operation(NamedTuple):
    method: str
    path: str
    described: Any

    @property
    def filled(self) -> str:
        """The path with ids that nothing has."""
        return self.path.replace("{conversation_id}", "nothing").replace("{", "").replace("}", "")

    @property
    def needs_body(self) -> bool:
        return "requestBody" in self.described


async def described(program: Program) -> Any:
    answer = await program.get("/openapi.json")
    assert answer.status == 200
    return answer.json


async def operations(program: Program) -> list[Operation]:
    return list(_operations(await described(program)))


def _operations(document: Any) -> Iterator[Operation]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield Operation(method.upper(), path, operation)


async def test_the_operations_that_are_tried_are_all_there(program: Program) -> None:
    found = {f"{each.method} {each.path}" for each in await operations(program)}

    one = "/conversations/{conversation_id}"
    assert found >= {
        "GET /conversations",
        "POST /conversations",
        f"GET {one}",
        f"GET {one}/events",
        f"GET {one}/stream",
        *(f"POST {one}/{what}" for what in ("messages", "stop", "clear", "restore_context", "compact", "retry")),
        f"POST {one}/goal",
        f"PATCH {one}/options",
        f"POST {one}/plan",
        f"POST {one}/questions/{{question_id}}/answer",
        f"POST {one}/permissions/{{permission_id}}",
        f"POST {one}/offers/{{offer_id}}/accept",
        f"POST {one}/offers/{{offer_id}}/dismiss",
        "GET /engines",
        "GET /models",
        "GET /settings",
        "PATCH /settings",
        "GET /usage",
        "GET /activity",
    }


async def test_nothing_answers_without_a_token(program: Program, stranger: Program) -> None:
    for each in [*await operations(program), Operation("GET", "/openapi.json", {}), Operation("GET", "/nothing", {})]:
        answer = await stranger.browser.send(each.method, API + each.filled, headers={"accept": "text/html"})

        assert (each.path, answer.status, answer.json["code"]) == (each.path, 401, "no-token")
        assert answer.headers["www-authenticate"] == 'Bearer realm="conch"'
        assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    "header", ["Bearer conch_made-up", "Bearer", "", "Basic {token}", "{token}", "Bearer {token}x", "Bearer \xff"]
)
async def test_nothing_answers_a_wrong_token(stranger: Program, token: str, header: str) -> None:
    stranger.browser.headers["authorization"] = header.replace("{token}", token)

    answer = await stranger.get("/conversations")

    assert answer.status == 401
    assert answer.headers["www-authenticate"] == 'Bearer realm="conch", error="invalid_token"'


async def test_two_tokens_at_once_are_none(program: Program, token: str) -> None:
    program.browser.more = ((b"authorization", f"Bearer {token}".encode()),)

    assert (await program.get("/conversations")).status == 401


async def test_a_wrong_token_counts_before_a_good_session(owner: Browser) -> None:
    answer = await owner.get(f"{API}/conversations", authorization="Bearer conch_made-up")

    assert answer.status == 401


async def test_nothing_answers_another_site_whatever_it_brings(
    program: Program, owner: Browser, app: Guarded, token: str
) -> None:
    both = Browser(app, {**owner.headers, "authorization": f"Bearer {token}"})

    for each in await operations(program):
        for browser in (owner, program.browser, both):
            answer = await browser.send(each.method, API + each.filled, headers={"origin": "http://evil.example"})

            assert (each.path, answer.status, answer.json["code"]) == (each.path, 403, "foreign-origin")


async def test_a_browser_left_open_cannot_have_everything_done_without_asking(
    owner: Browser, built: App, clock: ManualClock
) -> None:
    await clock.advance(RECENT.total_seconds())

    full = await change_settings(owner, {"voice": "kind", "default_mode": "full"})
    back = await change_settings(owner, {"default_mode": None})
    other = await change_settings(owner, {"voice": "kind"})

    assert (full.status, full.json["code"]) == (403, "too-long-ago")
    assert (back.status, other.status) == (200, 200)
    assert built.preferences.current.default_mode is not Mode.FULL


async def test_a_browser_that_came_in_just_now_and_a_token_at_any_time_set_the_mode(
    owner: Browser, program: Program, clock: ManualClock
) -> None:
    just_now = await change_settings(owner, {"default_mode": "full"})
    await clock.advance(RECENT.total_seconds())
    by_token = await program.patch("/settings", {"default_mode": "full"})

    assert (just_now.status, by_token.status) == (200, 200)


async def change_settings(owner: Browser, changes: dict[str, str | None]) -> Answer:
    headers = {"origin": ORIGIN, "content_type": "application/json"}
    return await owner.send("PATCH", f"{API}/settings", json.dumps(changes).encode(), headers)


async def test_another_site_cannot_even_lead_a_browser_here(owner: Browser) -> None:
    answer = await owner.get(f"{API}/conversations", sec_fetch_site="cross-site", sec_fetch_mode="navigate")

    assert answer.status == 403


async def test_another_site_hears_nothing_when_it_asks_whether_it_may(program: Program) -> None:
    asked = {"origin": "http://evil.example", "access_control_request_method": "POST"}

    answer = await program.browser.send("OPTIONS", f"{API}/conversations", headers=asked)

    assert answer.status == 403
    assert not any(name.startswith("access-control") for name in answer.headers)


async def test_nothing_answers_under_a_foreign_name(program: Program) -> None:
    program.browser.headers["host"] = "rebound.example"

    for path in ("/conversations", "/openapi.json"):
        answer = await program.get(path)

        assert (answer.status, answer.json["code"]) == (400, "foreign-host")


async def test_a_token_that_only_looks_changes_nothing(program: Program, viewer: Program) -> None:
    for each in await operations(program):
        answer = await viewer.browser.send(each.method, API + each.filled)

        if each.method == "GET":
            assert (each.path, answer.status) in {(each.path, 200), (each.path, 404)}
        else:
            assert (each.path, answer.status, answer.json["code"]) == (each.path, 403, "read-only")


async def test_the_session_of_the_console_may_do_everything_from_its_own_pages(owner: Browser) -> None:
    made = await owner.post(f"{API}/conversations", {"text": "Hello"})
    without_origin = await owner.post(f"{API}/conversations", {"text": "Hello"}, origin=None)

    assert made.status == 202
    assert (without_origin.status, without_origin.json["code"]) == (403, "foreign-origin")


async def test_a_session_that_is_over_is_none(owner: Browser, clock: ManualClock) -> None:
    await clock.advance(SESSION_LIFE.total_seconds())

    assert (await owner.get(f"{API}/conversations")).status == 401


async def test_a_token_opens_the_api_and_nothing_else(program: Program) -> None:
    for path in ("/bots", "/", "/nothing", "/apiary"):
        answer = await program.browser.get(path)

        assert (path, answer.status) == (path, 401)


async def test_a_program_needs_no_origin_as_no_browser_sends_its_token(program: Program) -> None:
    assert (await program.post("/conversations", {"text": "Hello"})).status == 202
    assert (await program.browser.post(f"{API}/conversations", {"text": "Hello"}, origin=ORIGIN)).status == 202


async def test_a_revoked_token_is_turned_away_at_once(program: Program, built: App) -> None:
    before = await program.get("/conversations")

    await ApiTokens(built.database).revoke("laptop")
    after = await program.get("/conversations")

    assert (before.status, after.status) == (200, 401)


async def test_the_owner_sees_when_a_token_was_used(program: Program, built: App, clock: ManualClock) -> None:
    await clock.advance(90)
    await program.get("/conversations")

    [record] = await ApiTokens(built.database).list()

    assert record.last_used == clock.now()


# ---- wrong ones, again and again -------------------------------------------------------------------------------------


async def wrong(stranger: Program, times: int) -> list[int]:
    stranger.browser.headers["authorization"] = "Bearer conch_made-up"
    return [(await stranger.get("/conversations")).status for _ in range(times)]


async def test_wrong_tokens_are_told_to_wait_after_a_while(stranger: Program, clock: ManualClock) -> None:
    statuses = await wrong(stranger, MOST_WRONG + 2)
    told = await stranger.get("/conversations")
    await clock.advance(IN_SECONDS)
    later = await wrong(stranger, 1)

    assert statuses == [401] * MOST_WRONG + [429] * 2
    assert (told.json["code"], told.headers["retry-after"]) == ("too-many-wrong", "60")
    assert later == [401]


async def test_a_right_token_is_not_turned_away_for_the_wrong_ones_of_others(
    stranger: Program, program: Program
) -> None:
    await wrong(stranger, MOST_WRONG + 1)

    assert (await program.get("/conversations")).status == 200


async def test_whoever_sends_none_is_not_counted(stranger: Program) -> None:
    statuses = {(await stranger.get("/conversations")).status for _ in range(2 * MOST_WRONG)}

    assert statuses == {401}


async def test_without_a_database_nobody_is_let_in(program: Program, built: App, owner: Browser) -> None:
    await built.database.close()

    by_token, by_session = await program.get("/settings"), await owner.get(f"{API}/conversations")

    assert (by_token.status, by_token.json["code"]) == (503, "unavailable")
    assert (by_session.status, by_session.json["code"]) == (503, "unavailable")


# ---- what does not fit -----------------------------------------------------------------------------------------------


async def test_a_conversation_that_nobody_began_is_not_there(program: Program) -> None:
    bodies = {
        "messages": {"text": "Hello"},
        "restore_context": {},
        "compact": {},
        "retry": {},
        "goal": {"goal": None},
        "options": {},
        "plan": {"on": True},
        "answer": None,
        "permission_id": {"decision": "allow"},
        "accept": {},
        "dismiss": {},
    }

    for each in await operations(program):
        if "{conversation_id}" in each.path:
            for unknown in ("nothing", "%00", "x" * 300, "%ff", "a%0ab", "🐚"):
                path = each.filled.replace("nothing", unknown, 1)
                answer = await program.post(path, bodies.get(each.filled.rsplit("/", 1)[1]), each.method)

                assert (path, answer.status, answer.json["code"]) == (path, 404, "not-found")
                assert set(answer.json) == PROBLEM


@pytest.mark.parametrize("body", [b"", b"[", b"7", b"[]", b'{"unheard_of": 1}', b"\xff", b"[" * 50_000])
async def test_a_body_that_does_not_fit_is_refused(program: Program, body: bytes) -> None:
    for each in await operations(program):
        if each.needs_body:
            headers = {"content_type": "application/json"}
            answer = await program.browser.send(each.method, API + each.filled, body, headers)

            assert (each.path, answer.status, answer.json["code"]) in {
                (each.path, 422, "invalid"),
                (each.path, 400, "invalid"),
            }
            assert set(answer.json) == PROBLEM


async def test_an_address_that_is_none_and_a_method_that_is_none_are_problems_too(program: Program) -> None:
    nowhere, other = await program.get("/nowhere"), await program.post("/engines", {})

    assert (nowhere.status, nowhere.json["code"]) == (404, "not-found")
    assert (other.status, other.json["code"]) == (405, "wrong-method")


async def test_a_fault_of_ours_says_nothing_about_itself(
    program: Program, built: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def breaks(*_: object) -> None:
        raise RuntimeError("canary")

    monkeypatch.setattr(built.conversations, "overview", breaks)
    conversation_id = await program.begin()

    answer = await program.get(f"/conversations/{conversation_id}")

    assert (answer.status, answer.json["code"]) == (500, "failed")
    assert "canary" not in answer.text


def test_the_gate_lets_nobody_in_by_a_token_where_it_knows_none(clock: ManualClock, gate: Gate) -> None:
    assert Gate(gate.sessions, 7654).tokens is None
