"""One chat that goes from model to model by /model: each is sent exactly what was said and done, once."""

from pathlib import Path

import pytest

from channels.emulators.telegram.pretend import PretendTelegram
from core.clock import SystemClock
from core.engines.demo.engine import DemoEngine
from tests.core.engines.models.wire.lines import ANTHROPIC, GOOGLE, OPENAI, RESPONSES, Api, Line, talking_to
from tests.core.engines.models.wire.serving import Call, End, Thinking, Words
from tests.journeys.living import Owner, living, owner_of
from tests.journeys.menus import asked
from tests.journeys.models import heard, missed, requests
from tests.journeys.test_telegram_cards import card, says, tapped
from tests.journeys.test_telegram_model import DRINK

SECRET = "I must not show what I think"

PLAN = {"steps": [{"title": "Boil water", "state": "active"}, {"title": "Pour", "state": "pending"}]}

PAIRS = pytest.mark.parametrize(
    ("first", "second"), [(OPENAI, ANTHROPIC), (RESPONSES, GOOGLE), (ANTHROPIC, RESPONSES), (GOOGLE, OPENAI)], ids=str
)


def thinking(*pieces: Words | Call) -> tuple[Thinking | Words | Call | End, ...]:
    """An answer with a thought before it."""
    return (Thinking(SECRET, "signed"), *pieces, End())


def demo() -> DemoEngine:
    return DemoEngine(SystemClock(), "run this", pace=0)


async def chosen(owner: Owner, name: str) -> None:
    """Choose who answers."""
    answer = await asked(owner.chat, f"/model {name}")
    assert "answers here" in answer.text


def bodies(line: Line) -> str:
    """Everything that a server was sent."""
    return repr([request.body for request in line.server.asked])


@PAIRS
async def test_from_one_model_to_another_and_the_demo_and_back(
    first: Api, second: Api, tmp_path: Path, pretend: PretendTelegram
) -> None:
    answers = thinking(Words("One from Ada.")), thinking(Words("Two from Ada."))
    async with (
        talking_to(first, *answers, name="lovelace") as lovelace,
        talking_to(second, thinking(Words("One from Alan.")), name="turing") as turing,
        living(tmp_path, pretend, engines=[lovelace.engine, turing.engine, demo()], gather_ms=0) as app,
    ):
        owner = await owner_of(app, pretend)
        await asked(owner.chat, "first")
        await chosen(owner, "turing")
        await asked(owner.chat, "second")
        await chosen(owner, "demo")
        await asked(owner.chat, "Echo third")
        await chosen(owner, "lovelace")
        await asked(owner.chat, "fourth")

        to_turing = heard(turing)
        to_lovelace = [line for line in heard(lovelace) if not line.startswith("thought: ")]

    assert (requests(lovelace), requests(turing)) == (2, 1)
    assert to_turing == [missed("Person: first", "Assistant (lovelace): One from Ada.", then="second")]
    assert to_lovelace == [
        "person: first",
        "assistant: One from Ada.",
        missed(
            "Person: second",
            "Assistant (turing): One from Alan.",
            "Person: Echo third",
            "Assistant (demo): **Demo:** you said:\n  \n  ```text\n  third\n  ```",
            then="fourth",
        ),
    ]
    assert SECRET not in bodies(turing)
    assert "signed" not in bodies(turing)


@PAIRS
async def test_what_was_done_comes_along_in_short_lines(
    first: Api, second: Api, tmp_path: Path, pretend: PretendTelegram
) -> None:
    steps = (
        thinking(Words("Let me ask."), Call("ask", DRINK)),
        thinking(Words("Tea it is."), Call("update_plan", PLAN)),
        thinking(Words("I begin.")),
    )
    async with (
        talking_to(first, *steps, name="lovelace") as lovelace,
        talking_to(second, thinking(Words("Carrying on.")), name="turing") as turing,
        living(tmp_path, pretend, engines=[lovelace.engine, turing.engine], gather_ms=0) as app,
    ):
        owner = await owner_of(app, pretend)
        await owner.chat.say("Get me a drink")
        await tapped(owner.chat, await card(owner.chat, "Which drink?"), "Tea")
        await says(owner.chat, "I begin.")
        await chosen(owner, "turing")
        await asked(owner.chat, "go on")

        to_turing = heard(turing)

    assert to_turing == [
        missed(
            "Person: Get me a drink",
            "Assistant (lovelace): Let me ask.",
            "- asked “Which drink?”: Tea",
            "Assistant (lovelace): Tea it is.",
            "Assistant (lovelace): I begin.",
            "Where things stand:\nThe plan:\n[>] Boil water\n[ ] Pour",
            then="go on",
        )
    ]


async def test_within_one_model_what_was_done_stays_as_it_was(tmp_path: Path, pretend: PretendTelegram) -> None:
    steps = (thinking(Words("Let me ask."), Call("ask", DRINK)), thinking(Words("Tea it is.")))
    async with (
        talking_to(OPENAI, *steps, name="lovelace") as lovelace,
        talking_to(ANTHROPIC, (Words("Hello."), End()), name="turing") as turing,
        living(tmp_path, pretend, engines=[lovelace.engine, turing.engine], gather_ms=0) as app,
    ):
        owner = await owner_of(app, pretend)
        await owner.chat.say("Get me a drink")
        await tapped(owner.chat, await card(owner.chat, "Which drink?"), "Tea")
        await says(owner.chat, "Tea it is.")
        await chosen(owner, "turing")
        await asked(owner.chat, "who are you?")
        await chosen(owner, "lovelace")
        await asked(owner.chat, "go on")

        to_lovelace = heard(lovelace)

    assert to_lovelace == [
        "person: Get me a drink",
        "assistant: Let me ask.",
        "calls ask with fields",
        'result: The person answered. Tea\nExact values: {"drink": "tea"}',
        "assistant: Tea it is.",
        missed("Person: who are you?", "Assistant (turing): Hello.", then="go on"),
    ]


@PAIRS
async def test_after_a_clear_neither_remembers_and_after_an_undo_both_do(
    first: Api, second: Api, tmp_path: Path, pretend: PretendTelegram
) -> None:
    async with (
        talking_to(first, (Words("A."), End()), name="lovelace") as lovelace,
        talking_to(second, (Words("B."), End()), name="turing") as turing,
        living(tmp_path, pretend, engines=[lovelace.engine, turing.engine], gather_ms=0) as app,
    ):
        owner = await owner_of(app, pretend)
        await asked(owner.chat, "one")
        await chosen(owner, "turing")
        await asked(owner.chat, "two")
        cleared = await asked(owner.chat, "/clear")
        await tapped(owner.chat, cleared, "Undo")
        await says(owner.chat, "Taken back")
        await asked(owner.chat, "three")
        undone = heard(turing)
        await asked(owner.chat, "/clear")
        await asked(owner.chat, "four")
        cleared_here = heard(turing)
        await chosen(owner, "lovelace")
        await asked(owner.chat, "five")
        cleared_there = heard(lovelace)
        await chosen(owner, "turing")
        await asked(owner.chat, "six")
        after_it = heard(turing)

    assert undone == [
        missed("Person: one", "Assistant (lovelace): A.", then="two"),
        "assistant: B.",
        "person: three",
    ]
    assert cleared_here == ["person: four"]
    assert cleared_there == [missed("Person: four", "Assistant (turing): B.", then="five")]
    assert after_it == [
        "person: four",
        "assistant: B.",
        missed("Person: five", "Assistant (lovelace): A.", then="six"),
    ]


async def test_a_switch_and_a_restart_between_change_nothing(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with (
        talking_to(OPENAI, (Words("A."), End()), name="lovelace") as lovelace,
        talking_to(ANTHROPIC, (Words("B."), End()), name="turing") as turing,
    ):
        engines = [lovelace.engine, turing.engine]
        async with living(tmp_path, pretend, engines=engines, gather_ms=0) as app:
            owner = await owner_of(app, pretend)
            await asked(owner.chat, "one")
            await chosen(owner, "turing")
            await asked(owner.chat, "two")
        async with living(tmp_path, pretend, engines=engines, gather_ms=0):
            await asked(owner.chat, "three")
            here = heard(turing)
            await chosen(owner, "lovelace")
            await asked(owner.chat, "four")
            there = heard(lovelace)

    assert here[-2:] == ["assistant: B.", "person: three"]
    both = ("Person: two", "Assistant (turing): B.", "Person: three", "Assistant (turing): B.")
    assert there == ["person: one", "assistant: A.", missed(*both, then="four")]


async def test_a_stopped_answer_is_handed_on_as_far_as_it_came(tmp_path: Path, pretend: PretendTelegram) -> None:
    steps = ((Words("Let me ask."), Call("ask", DRINK), End()),)
    async with (
        talking_to(OPENAI, *steps, name="lovelace") as lovelace,
        talking_to(ANTHROPIC, (Words("B."), End()), name="turing") as turing,
        living(tmp_path, pretend, engines=[lovelace.engine, turing.engine], gather_ms=0) as app,
    ):
        owner = await owner_of(app, pretend)
        await owner.chat.say("Get me a drink")
        await card(owner.chat, "Which drink?")
        await owner.chat.say("/stop")
        await says(owner.chat, "Stopped")
        await chosen(owner, "turing")
        await asked(owner.chat, "never mind")

        to_turing = heard(turing)

    assert to_turing == [
        missed(
            "Person: Get me a drink",
            "Assistant (lovelace): Let me ask.",
            "- asked “Which drink?”: skipped",
            then="never mind",
        )
    ]


async def test_model_and_effort_that_are_chosen_in_the_chat_reach_the_server(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    async with (
        talking_to(RESPONSES, (Words("Hm."), End())) as line,
        living(tmp_path, pretend, engines=[line.engine], gather_ms=0) as app,
    ):
        owner = await owner_of(app, pretend)
        await chosen(owner, RESPONSES.other_model)
        await asked(owner.chat, "hello")
        effort = await asked(owner.chat, "/effort high")
        await asked(owner.chat, "think")
        await chosen(owner, "default")
        await asked(owner.chat, "back")

        bodies_sent = [request.body for request in line.server.asked]

    assert effort.text == "Effort is High here now."
    assert [body["model"] for body in bodies_sent] == [RESPONSES.other_model, RESPONSES.other_model, RESPONSES.model]
    assert [body.get("reasoning", {}).get("effort") for body in bodies_sent] == [None, "high", "high"]
