"""A model engine over real HTTP, against servers that speak as OpenAI and as Anthropic do."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from core.clock import ManualClock
from core.engines.base import (
    Ended,
    EndReason,
    Frame,
    ModelOptions,
    Text,
    Thought,
    ToolAnswer,
    ToolCallEnded,
    ToolCallStarted,
    TurnInput,
    Used,
)
from core.engines.scripted import ScriptedHost, host_tool
from core.files import FileStore
from tests.core.engines.models.playing import KEY
from tests.core.engines.models.wire import google_wire
from tests.core.engines.models.wire.lines import ANTHROPIC, EVERY, GOOGLE, OPENAI, RESPONSES, Api, talking_to
from tests.core.engines.models.wire.serving import (
    Call,
    Cut,
    End,
    Pause,
    Refusal,
    Thinking,
    Words,
)
from tests.core.engines.rigs import endings, words

PNG = b"\x89PNG\r\n\x1a\n" + b"picture" * 10


every_api = pytest.mark.parametrize("api", EVERY, ids=str)

SIGNED = ("signed", "c2lnbmVk")
"""A signature, as it is and as base64."""

THREE_WORDS = (Words("one "), Words("two "), Words("three"), End())


class Noticing(ScriptedHost):
    """A host that says when it is called, and waits with its answer."""

    def __init__(self, wait: asyncio.Event) -> None:
        super().__init__(tool=ToolAnswer("blue"), wait=wait)
        self.called = asyncio.Event()

    async def call_tool(self, call_id: str, name: str, args: Mapping[str, Any]) -> ToolAnswer:
        self.called.set()
        return await super().call_tool(call_id, name, args)


HOST = ScriptedHost(tool=ToolAnswer("blue"))


@every_api
async def test_an_answer_streams_piece_by_piece_and_is_counted(api: Api) -> None:
    async with talking_to(api, (*THREE_WORDS[:3], End(sent=1_000, heard=30, cached=800))) as line:
        session = await line.engine.open(None)

        events = [event async for event in session.run(TurnInput("count"), HOST)]

    assert [event.delta for event in events if isinstance(event, Text)] == ["one ", "two ", "three"]
    used = [event.usage for event in events if isinstance(event, Used)][-1]
    assert (used.input, used.output, used.cached) == (1_000, 30, 800)
    assert used.cost is not None
    assert events[-1] == Ended(EndReason.DONE)


@every_api
async def test_two_tools_of_one_answer_are_called_and_their_results_sent(api: Api) -> None:
    calls = (Words("Let me ask."), Call("ask", {"q": "which?"}, "a"), Call("look", {"at": "it"}, "b"), End())
    host = ScriptedHost(tool=ToolAnswer("blue"), frame=Frame("Be kind.", tools=(host_tool("ask"), host_tool("look"))))
    async with talking_to(api, calls, THREE_WORDS) as line:
        session = await line.engine.open(None)

        events = [event async for event in session.run(TurnInput("go"), host)]

    started = {event.name: event.args for event in events if isinstance(event, ToolCallStarted)}
    assert started == {"ask": {"q": "which?"}, "look": {"at": "it"}}
    second = json.dumps(line.server.asked[1].body)
    assert second.count('"blue"') == 2
    assert "Be kind." in second
    assert words(events) == "Let me ask.one two three"


@every_api
async def test_a_stream_that_is_cut_short_does_not_look_finished(api: Api) -> None:
    async with talking_to(api, (Words("one "), Words("two "), Cut())) as line:
        session = await line.engine.open(None)

        events = [event async for event in session.run(TurnInput("count"), HOST)]

    assert words(events) == "one two "
    assert [ended.reason for ended in endings(events)] == [EndReason.UNAVAILABLE]
    assert "one two " in json.dumps(session.state())


@every_api
async def test_a_stop_in_mid_stream_ends_at_once_and_keeps_what_was_said(api: Api) -> None:
    never = asyncio.Event()
    async with talking_to(api, (Words("one "), Pause(never)), THREE_WORDS) as line:
        session = await line.engine.open(None)
        events = []
        async for event in session.run(TurnInput("count"), HOST):
            events.append(event)
            if isinstance(event, Text):
                asyncio.get_running_loop().call_soon(lambda: asyncio.ensure_future(session.cancel()))
        [_ async for _ in session.run(TurnInput("go on", first_seq=9), HOST)]

    assert events[-1] == Ended(EndReason.CANCELLED)
    assert "one " in json.dumps(line.server.asked[1].body)


@every_api
async def test_a_tool_that_waits_for_hours_holds_no_connection_and_no_other_chat(api: Api) -> None:
    answered, clock = asyncio.Event(), ManualClock()
    waiting = Noticing(answered)
    async with talking_to(api, (Call("ask"), End()), THREE_WORDS) as line:
        first, second = await line.engine.open(None), await line.engine.open(None)
        events = []

        async def read() -> None:
            events.extend([event async for event in first.run(TurnInput("go"), waiting)])

        reading = asyncio.create_task(read())
        await waiting.called.wait()
        await clock.advance(10 * 3600)
        other = [event async for event in second.run(TurnInput("hello"), HOST)]
        answered.set()
        await reading

    assert words(other) == words(events) == "one two three"
    assert [event.status for event in events if isinstance(event, ToolCallEnded)] == ["ok"]


@every_api
async def test_pictures_are_sent_and_kept_out_of_the_state(api: Api, tmp_path: Path) -> None:
    kept = await FileStore(tmp_path).save_bytes("cat.jpg", "image/jpeg", PNG)
    async with talking_to(api, THREE_WORDS, files=tmp_path) as line:
        session = await line.engine.open(None)
        [_ async for _ in session.run(TurnInput("look", attachments=(kept,)), HOST)]
        state = json.dumps(session.state())

        again = await line.engine.open(json.loads(state))
        [_ async for _ in again.run(TurnInput("and now?", first_seq=9), HOST)]

    sent = [json.dumps(asked.body) for asked in line.server.asked]
    assert all("image/png" in body and "iVBORw0KGgpwaWN0dXJl" in body for body in sent)
    assert "iVBORw0KGgp" not in state
    assert kept.path in state


@every_api
async def test_a_refusal_is_told_in_a_plain_sentence_without_the_key(api: Api) -> None:
    refusal = Refusal(401, {"error": {"type": "authentication_error", "message": f"bad key {KEY}"}})
    async with talking_to(api, refusal) as line:
        session = await line.engine.open(None)

        events = [event async for event in session.run(TurnInput("hello"), HOST)]

    (ended,) = endings(events)
    assert ended.reason is EndReason.AUTH
    assert "Toy" in (ended.message or "")
    assert KEY in json.dumps(dict(line.server.asked[0].headers))
    assert KEY not in repr(events) + json.dumps(session.state())


@every_api
async def test_an_error_that_names_how_long_to_wait_says_so(api: Api) -> None:
    refusal = Refusal(429, {"error": {"type": "rate_limit_error", "message": "slow down"}}, {"retry-after": "20"})
    async with talking_to(api, refusal) as line:
        session = await line.engine.open(None)

        events = [event async for event in session.run(TurnInput("hello"), HOST)]

    (ended,) = endings(events)
    assert (ended.reason, ended.retry_after) == (EndReason.RATE_LIMITED, 20)


@pytest.mark.parametrize(
    ("api", "reason", "ending"),
    [
        (OPENAI, "length", EndReason.LENGTH),
        (OPENAI, "content_filter", EndReason.REFUSED),
        (RESPONSES, "max_output_tokens", EndReason.LENGTH),
        (RESPONSES, "content_filter", EndReason.REFUSED),
        (ANTHROPIC, "max_tokens", EndReason.LENGTH),
        (ANTHROPIC, "refusal", EndReason.REFUSED),
        (GOOGLE, "MAX_TOKENS", EndReason.LENGTH),
        (GOOGLE, "PROHIBITED_CONTENT", EndReason.REFUSED),
    ],
    ids=str,
)
async def test_why_a_model_stopped_is_how_the_turn_ends(api: Api, reason: str, ending: EndReason) -> None:
    async with talking_to(api, (Words("well "), End(reason))) as line:
        session = await line.engine.open(None)

        events = [event async for event in session.run(TurnInput("hello"), HOST)]

    assert [ended.reason for ended in endings(events)] == [ending]


@pytest.mark.parametrize("api", [RESPONSES, ANTHROPIC, GOOGLE], ids=str)
async def test_signed_thinking_goes_back_to_the_model_that_signed_it_and_to_no_other(api: Api) -> None:
    thought = Thinking("Do they mean cats?", "signed")
    async with talking_to(api, (thought, Words("Cats purr."), End()), THREE_WORDS) as line:
        session = await line.engine.open(None)
        events = [event async for event in session.run(TurnInput("cats?"), HOST)]
        [_ async for _ in session.run(TurnInput("more", first_seq=5), HOST)]
        other = TurnInput("more", first_seq=9, options=ModelOptions(model=api.other_model))
        [_ async for _ in session.run(other, HOST)]

    same, switched = (json.dumps(asked.body) for asked in line.server.asked[1:])
    assert Thought("Do they mean cats?") in events
    assert any(signature in same for signature in SIGNED)
    assert not any(words in switched for words in ("Do they mean cats?", *SIGNED))
    assert "Cats purr." in switched


@pytest.mark.parametrize("api", [RESPONSES, GOOGLE], ids=str)
async def test_a_call_is_remembered_as_its_service_wants_it_back(api: Api) -> None:
    """Within the turn and after it; another model gets no more than that there was one."""
    host = ScriptedHost(tool=ToolAnswer("blue"), frame=Frame(tools=(host_tool("ask"),)))
    calls = (Thinking("Hm.", "signed"), Words("Let me ask."), Call("ask", {"q": "which?"}), End())
    async with talking_to(api, calls, THREE_WORDS) as line:
        session = await line.engine.open(None)
        [_ async for _ in session.run(TurnInput("go"), host)]
        [_ async for _ in session.run(TurnInput("more", first_seq=5), host)]
        other = TurnInput("more", first_seq=9, options=ModelOptions(model=api.other_model))
        [_ async for _ in session.run(other, host)]

    marks = ("fc_2", google_wire.SIGNATURE)
    within, after, switched = (json.dumps(asked.body) for asked in line.server.asked[1:])
    assert all(any(mark in body for mark in marks) for body in (within, after))
    assert not any(mark in switched for mark in marks)
    assert "which?" in switched


async def test_the_system_text_is_ours_alone_and_is_marked_for_the_cache() -> None:
    host = ScriptedHost(frame=Frame("Be kind.", tools=(host_tool("ask"),)))
    async with talking_to(ANTHROPIC, THREE_WORDS) as line:
        session = await line.engine.open(None)
        [_ async for _ in session.run(TurnInput("hello"), host)]

    (system,) = line.server.asked[0].body["system"]
    assert system["text"] == "Be kind."
    assert system["cache_control"]["type"] == "ephemeral"


async def test_unsigned_thinking_is_over_with_its_turn() -> None:
    async with talking_to(OPENAI, (Thinking("Cats?"), Words("Cats purr."), End()), THREE_WORDS) as line:
        session = await line.engine.open(None)
        events = [event async for event in session.run(TurnInput("cats?"), HOST)]
        [_ async for _ in session.run(TurnInput("more", first_seq=5), HOST)]

    assert Thought("Cats?") in events
    assert "Cats?" not in json.dumps(session.state())
    assert '"Cats?"' not in json.dumps(line.server.asked[1].body)
