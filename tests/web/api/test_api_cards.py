"""Cards through the API: questions and permissions answered; the first answer wins."""

from typing import Any

import pytest

from conch.app import App
from tests.web.api.conftest import Program, quiet, waits


async def asked(program: Program) -> tuple[str, str]:
    """A conversation with a question that waits, and where it is answered."""
    chat = await program.begin("Ask me")
    now = await waits(program, chat)
    return chat, f"/conversations/{chat}/questions/{now['question']['question']['question_id']}/answer"


async def heard(program: Program, chat: str) -> Any:
    return [event["data"] for event in await program.events(chat) if event["type"] == "question.answered"]


@pytest.mark.parametrize(
    ("answer", "words", "values"),
    [
        ({"values": {"drink": "tea"}}, "Tea", {"drink": "tea"}),
        ({"text": "coffee"}, "Coffee", {"drink": "coffee"}),
        ({"text": "just water"}, "just water", None),
        (None, None, None),
    ],
    ids=["values", "its label", "other words", "skipped"],
)
async def test_a_question_is_answered(
    program: Program, built: App, answer: object, words: str | None, values: object
) -> None:
    chat, door = await asked(program)

    told = await program.post(door, answer)
    await quiet(built)

    assert (told.status, told.json) == (200, {"outcome": "answered", "words": words})
    [event] = await heard(program, chat)
    assert (event["words"], event["answer"], event["by"]) == (words, values, "The API (laptop)")


@pytest.mark.parametrize(
    "answer",
    [
        {"values": {"drink": "wine"}},
        {"values": {}},
        {"values": {"drink": 7}},
        {"values": {"drink": ["tea", "coffee"]}},
        {"values": {"food": "cake"}},
        {"values": {"drink": None}},
    ],
)
async def test_an_answer_that_does_not_fit_is_told_why_and_the_question_still_waits(
    program: Program, answer: object
) -> None:
    chat, door = await asked(program)

    told = await program.post(door, answer)
    now = (await program.get(f"/conversations/{chat}")).json

    assert (told.status, told.json["code"], told.json["outcome"]) == (422, "invalid-answer", "invalid")
    assert told.json["detail"].endswith(".")
    assert now["status"] == "waiting"


@pytest.mark.parametrize(
    "answer",
    [{}, {"text": ""}, {"text": "tea", "values": {}}, {"values": {"drink": "\ud800"}}, {"values": {"drink": {"a": 1}}}],
)
async def test_what_is_no_answer_at_all_is_no_answer(program: Program, answer: object) -> None:
    _, door = await asked(program)

    told = await program.post(door, answer)

    assert (told.status, told.json["code"]) == (422, "invalid")


async def test_an_empty_body_does_not_skip(program: Program) -> None:
    chat, door = await asked(program)

    told = await program.browser.send("POST", f"/api{door}", b"", {"content_type": "application/json"})

    assert told.status == 422
    assert (await program.get(f"/conversations/{chat}")).json["status"] == "waiting"


@pytest.mark.report("R079")
async def test_the_second_answer_hears_what_the_first_one_was(program: Program, built: App) -> None:
    chat, door = await asked(program)
    await program.post(door, {"values": {"drink": "tea"}})
    await quiet(built)

    late = await program.post(door, {"values": {"drink": "coffee"}})
    unknown = await program.post(f"/conversations/{chat}/questions/never-asked/answer", None)

    assert (late.status, late.json["code"], late.json["outcome"]) == (404, "not-waiting", "not-found")
    assert (late.json["earlier"]["words"], late.json["earlier"]["by"]) == ("Tea", "The API (laptop)")
    assert (unknown.status, unknown.json["earlier"]) == (404, None)
    assert len(await heard(program, chat)) == 1


@pytest.mark.parametrize(("decision", "said"), [("allow", "done"), ("allow-always", "done"), ("deny", "not done")])
async def test_a_tool_call_is_decided(program: Program, built: App, decision: str, said: str) -> None:
    chat = await program.begin("Write it down")
    [waiting] = (await waits(program, chat))["permissions"]
    door = f"/conversations/{chat}/permissions/{waiting['permission_id']}"

    first = await program.post(door, {"decision": decision})
    await quiet(built)
    second = await program.post(door, {"decision": "deny"})
    events = await program.events(chat)

    assert (first.status, first.json) == (200, {"outcome": "resolved"})
    assert (second.status, second.json["code"]) == (404, "not-waiting")
    assert second.json["earlier"]["decision"] == decision
    assert [event["data"]["text"] for event in events if event["type"] == "assistant.message"] == [said]


async def test_what_a_waiting_call_would_do_is_told(program: Program) -> None:
    chat = await program.begin("Write it down")

    [waiting] = (await waits(program, chat))["permissions"]
    events = await program.events(chat)

    assert (waiting["tool_name"], waiting["reason"]) == ("write_note", None)
    assert events[waiting["seq"]]["data"]["input"] == {"text": "hello"}


@pytest.mark.parametrize("body", [{"decision": "expired"}, {"decision": "yes"}, {}, None])
async def test_a_decision_is_one_of_three(program: Program, body: object) -> None:
    chat = await program.begin("Write it down")
    [waiting] = (await waits(program, chat))["permissions"]

    told = await program.post(f"/conversations/{chat}/permissions/{waiting['permission_id']}", body)

    assert (told.status, told.json["code"]) == (422, "invalid")
