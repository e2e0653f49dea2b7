"""Conversations through the API: begun, talked in, stopped, cleared, retried, looked at."""

import pytest

from conch.app import App
from core.engines.scripted import ScriptedEngine
from core.events import Origin, UserMessage
from core.store.log import EventLog
from core.store.queue import MAX_WAITING
from core.store.tokens import ApiTokens
from tests.core.lives import until
from tests.web.api.conftest import Program, Script, quiet
from tests.web.asgi import Browser
from web.security import API


async def said(built: App, conversation_id: str) -> list[UserMessage]:
    events = await EventLog(built.database).read(conversation_id)
    return [event.data for event in events if isinstance(event.data, UserMessage)]


async def test_a_first_message_begins_a_conversation_and_is_answered(program: Program, built: App) -> None:
    begun = await program.post("/conversations", {"text": "Hello"})
    await quiet(built)
    events = await program.events(begun.json["conversation_id"])

    assert begun.json["outcome"] == "started"
    assert [event["type"] for event in events] == [
        "user.message",
        "turn.started",
        "assistant.message",
        "turn.completed",
    ]
    assert events[2]["data"]["text"] == "echo: Hello"
    assert [event["seq"] for event in events] == [0, 1, 2, 3]


async def test_the_words_are_the_owners_and_the_log_says_by_which_token_they_came(
    program: Program, owner: Browser, built: App
) -> None:
    [token] = await ApiTokens(built.database).list()
    by_token = await program.begin()
    by_session = (await owner.post(f"{API}/conversations", {"text": "Hello"})).json["conversation_id"]

    [one], [other] = await said(built, by_token), await said(built, by_session)

    assert one.origin == Origin(kind="api", person_id=token.id, role="owner")
    assert other.origin == Origin(kind="console", role="owner")


async def test_the_model_is_not_told_a_name_that_is_no_persons(program: Program, built: App) -> None:
    await program.begin()
    await quiet(built)

    [scripted, _] = built.engines.all()
    assert isinstance(scripted, ScriptedEngine)
    assert "laptop" not in scripted.turns[0].instructions
    assert "The API" not in scripted.turns[0].instructions


async def test_the_same_first_message_again_begins_nothing(program: Program, viewer: Program, built: App) -> None:
    first = await program.post("/conversations", {"text": "Hello", "client_id": "1"})
    again = await program.post("/conversations", {"text": "Hello", "client_id": "1"})
    other = await program.post("/conversations", {"text": "Hello", "client_id": "2"})

    assert again.json == {**first.json, "outcome": "duplicate"}
    assert other.json["conversation_id"] != first.json["conversation_id"]
    assert len(await said(built, first.json["conversation_id"])) == 1


async def test_the_same_client_id_of_another_program_is_another_message(program: Program, owner: Browser) -> None:
    one = await program.post("/conversations", {"text": "Hello", "client_id": "1"})
    other = await owner.post(f"{API}/conversations", {"text": "Hello", "client_id": "1"})

    assert one.json["conversation_id"] != other.json["conversation_id"]


async def test_a_message_that_is_sent_again_is_one(program: Program, built: App) -> None:
    chat = await program.begin()
    await quiet(built)

    first = await program.post(f"/conversations/{chat}/messages", {"text": "More", "client_id": "m1"})
    await quiet(built)
    again = await program.post(f"/conversations/{chat}/messages", {"text": "More", "client_id": "m1"})

    assert (first.json["outcome"], again.json["outcome"]) == ("started", "duplicate")
    assert [message.text for message in await said(built, chat)] == ["Hello", "More"]


async def test_without_an_id_of_its_own_each_message_is_a_new_one(program: Program, built: App) -> None:
    chat = await program.begin()
    await quiet(built)

    first = await program.post(f"/conversations/{chat}/messages", {"text": "More"})
    await quiet(built)
    second = await program.post(f"/conversations/{chat}/messages", {"text": "More"})
    await quiet(built)

    assert first.json["client_id"] != second.json["client_id"]
    assert [message.text for message in await said(built, chat)] == ["Hello", "More", "More"]


async def test_a_message_waits_while_an_answer_is_given_and_too_many_are_refused(
    program: Program, built: App, script: Script
) -> None:
    chat = await program.begin("Wait")

    outcomes = [
        (await program.post(f"/conversations/{chat}/messages", {"text": "More"})).json for _ in range(MAX_WAITING)
    ]
    full = await program.post(f"/conversations/{chat}/messages", {"text": "Too much"})
    now = (await program.get(f"/conversations/{chat}")).json

    assert {answer["outcome"] for answer in outcomes} == {"queued"}
    assert outcomes[-1]["waiting"] == MAX_WAITING
    assert (full.status, full.json["code"]) == (409, "queue-full")
    assert now["queue"] == {"waiting": MAX_WAITING, "held": False}


async def test_a_stop_ends_the_answer_and_what_waits(program: Program, built: App) -> None:
    chat = await program.begin("Wait")
    await program.post(f"/conversations/{chat}/messages", {"text": "More"})

    stopped = await program.post(f"/conversations/{chat}/stop")
    again = await program.post(f"/conversations/{chat}/stop")

    assert stopped.json == {"turn": True, "waiting": 1}
    assert again.json == {"turn": False, "waiting": 0}
    assert (await program.events(chat))[-1]["data"]["cut_off_by"] == "stop"


async def test_a_clear_can_be_taken_back_until_something_is_said(program: Program, built: App) -> None:
    chat = await program.begin()
    await quiet(built)

    cleared = await program.post(f"/conversations/{chat}/clear")
    nothing = await program.post(f"/conversations/{chat}/clear")
    forgotten = (await program.get(f"/conversations/{chat}")).json["memory"]
    another = await program.post(f"/conversations/{chat}/restore_context", {"cleared_seq": 1})
    restored = await program.post(f"/conversations/{chat}/restore_context", {"cleared_seq": cleared.json["seq"]})
    again = await program.post(f"/conversations/{chat}/restore_context", {})

    assert cleared.json == {"outcome": "cleared", "seq": 4}
    assert nothing.json == {"outcome": "nothing", "seq": 4}
    assert (forgotten["cleared_seq"], forgotten["undoable_seq"]) == (4, 4)
    assert [each.json["outcome"] for each in (another, restored, again)] == ["nothing", "restored", "nothing"]


@pytest.mark.parametrize(
    ("route", "body"), [("clear", None), ("compact", {}), ("retry", {})], ids=["clear", "compact", "retry"]
)
async def test_what_needs_quiet_is_refused_while_an_answer_is_given(program: Program, route: str, body: object) -> None:
    chat = await program.begin("Wait")

    answer = await program.post(f"/conversations/{chat}/{route}", body)

    assert (answer.status, answer.json["code"]) == (409, "busy")


async def test_the_newest_message_is_answered_again(program: Program, built: App) -> None:
    chat = await program.begin()
    await quiet(built)

    too_old = await program.post(f"/conversations/{chat}/retry", {"of_turn": 99})
    again = await program.post(f"/conversations/{chat}/retry", {"client_id": "r1"})
    await quiet(built)
    twice = await program.post(f"/conversations/{chat}/retry", {"client_id": "r1"})

    assert (too_old.status, too_old.json["code"]) == (409, "nothing-to-retry")
    assert (again.json["outcome"], twice.json["outcome"]) == ("started", "duplicate")
    assert [message.text for message in await said(built, chat)] == ["Hello", "Hello"]


async def test_an_engine_that_keeps_its_memory_to_itself_is_not_summed_up(program: Program, built: App) -> None:
    chat = await program.begin()
    await quiet(built)

    answer = await program.post(f"/conversations/{chat}/compact", {"focus": "names"})

    assert answer.json["outcome"] in ("own-memory", "nothing")


# ---- what there is to see --------------------------------------------------------------------------------------------


async def test_an_overview_says_what_a_screen_needs(program: Program, built: App) -> None:
    chat = await program.begin("Wait", goal="Learn to swim", options={"mode": "edit", "effort": "high"})

    now = (await program.get(f"/conversations/{chat}")).json

    assert (now["id"], now["status"], now["goal"], now["mode"]) == (chat, "running", "Learn to swim", "edit")
    assert now["engine"] == {"id": "scripted", "title": "Scripted", "model": "big-one"}
    assert now["options"] == {"engine": None, "model": None, "effort": "high", "fast": None, "mode": "edit"}
    assert now["turn"]["engine"] == "scripted"
    assert (now["question"], now["permissions"], now["offers"], now["plan"], now["taint"]) == (None, [], [], [], [])


async def test_a_conversation_can_begin_in_plan_mode(program: Program) -> None:
    chat = await program.begin("Wait", plan=True)

    assert (await program.get(f"/conversations/{chat}")).json["mode"] == "plan"


async def test_conversations_are_listed_page_by_page(program: Program, built: App) -> None:
    begun = [await program.begin(f"Number {number}") for number in range(5)]
    await quiet(built)

    seen: list[str] = []
    after: str | None = ""
    while after is not None:
        page = (await program.get(f"/conversations?limit=2{after and f'&after={after}'}")).json
        seen += [each["id"] for each in page["conversations"]]
        after = page["next"]

    assert sorted(seen) == sorted(begun)
    assert len(seen) == 5


@pytest.mark.parametrize("query", ["after=nowhere", "after=AAAA", "after=%C3%A4", "limit=0", "limit=x", "limit=1000"])
async def test_a_page_that_is_none_is_refused(program: Program, query: str) -> None:
    answer = await program.get(f"/conversations?{query}")

    assert (answer.status, answer.json["code"]) == (422, "invalid")


async def test_events_are_read_from_where_one_is(program: Program, built: App) -> None:
    chat = await program.begin()
    await quiet(built)

    page = (await program.get(f"/conversations/{chat}/events?after=0&limit=2")).json
    none = (await program.get(f"/conversations/{chat}/events?after=3")).json

    assert [event["seq"] for event in page["events"]] == [1, 2]
    assert page["last_seq"] == 3
    assert none == {"events": [], "last_seq": 3}


async def test_events_hold_all_their_fields_and_the_time(program: Program, built: App) -> None:
    chat = await program.begin(client_id="c1")
    await quiet(built)

    [first, *_] = await program.events(chat)

    assert first["conversation_id"] == chat
    assert first["at"] == built.clock.now().isoformat().replace("+00:00", "Z")
    assert first["data"]["attachments"] == []
    assert first["data"]["client_id"] == "c1"


async def test_a_message_that_cannot_be_answered_now_is_held(
    program: Program, built: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    for engine in built.engines.all():
        monkeypatch.setattr(engine, "is_ready", False)

    held = await program.post("/conversations", {"text": "Hello"})
    chat = held.json["conversation_id"]
    await until(lambda: built.conversations.active == 1)
    now = (await program.get(f"/conversations/{chat}")).json

    assert held.json["outcome"] == "held"
    assert now["queue"] == {"waiting": 1, "held": True}


@pytest.mark.parametrize(
    "body",
    [
        {"text": ""},
        {"text": " \n "},
        {"text": "x" * 100_001},
        {"text": "\ud800"},
        {"text": 7},
        {"text": "Hello", "client_id": "two words"},
        {"text": "Hello", "client_id": "\0"},
        {"text": "Hello", "client_id": ""},
        {"text": "Hello", "goal": " "},
        {"text": "Hello", "goal": "x" * 501},
        {"text": "Hello", "options": {"mode": "reckless"}},
        {"text": "Hello", "options": {"engine": "nobody"}},
        {"text": "Hello", "options": {"model": "\ud800"}},
        {"text": "Hello", "origin": {"kind": "console"}},
    ],
)
async def test_a_message_that_does_not_fit_begins_nothing(program: Program, built: App, body: object) -> None:
    answer = await program.post("/conversations", body)

    assert (answer.status, answer.json["code"]) == (422, "invalid")
    assert (await program.get("/conversations")).json["conversations"] == []
