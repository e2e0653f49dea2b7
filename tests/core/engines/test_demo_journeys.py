"""What a person can try with the demo, and what they get."""

import ast
import csv
import io
import re
import struct
import zlib
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from core.clock import ManualClock
from core.engines.base import (
    Ended,
    EndReason,
    EngineEvent,
    FileMade,
    HostTool,
    MessageEnd,
    Text,
    Thought,
    ToolAnswer,
    TurnInput,
    Used,
)
from core.engines.demo.engine import DemoEngine
from core.engines.demo.failures import RETRY_AFTER
from core.engines.demo.journeys import JOURNEYS, find
from core.engines.demo.making import PICTURE_SIZE
from core.engines.demo.quoting import fenced, quoted
from core.engines.demo.scripts import LISTED
from core.engines.demo.stage import Group, Journey, pieces
from core.engines.scripted import ScriptedHost
from core.events import Attachment
from core.skills.calling import expanded
from core.skills.folder import read as read_skills
from tests.core.engines.rigs import HINT, Reading, endings, read, turn, words

ROOT = Path(__file__).parents[3]

MARKDOWN = MarkdownIt("commonmark").enable("table")

any_words = st.text(max_size=300)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


async def hear(said: str | TurnInput, clock: ManualClock, host: ScriptedHost | None = None) -> list[EngineEvent]:
    session = await DemoEngine(clock, HINT).open(None)
    return await read(session, turn(said) if isinstance(said, str) else said, host or ScriptedHost(), clock)


def shown(markdown: str) -> str:
    """The words that are left when the markup is gone."""
    tokens = [child for token in MARKDOWN.parse(markdown) for child in token.children or [token]]
    return "".join(token.content for token in tokens)


def made(events: Sequence[EngineEvent]) -> FileMade:
    (file,) = [event for event in events if isinstance(event, FileMade)]
    return file


def journey_of(said: str) -> str | None:
    found = find(JOURNEYS, said)
    return found[0].sentence if found else None


@pytest.mark.parametrize("journey", JOURNEYS, ids=lambda journey: journey.sentence)
async def test_every_answer_begins_by_saying_that_it_is_a_demo(journey: Journey, clock: ManualClock) -> None:
    events = await hear(journey.sentence, clock, ScriptedHost(choice="Allow"))

    (ended,) = endings(events)
    said = shown(words(events)) or ended.message or ""
    assert said.startswith("Demo: ") or ended.reason is EndReason.CANCELLED


@pytest.mark.parametrize("journey", JOURNEYS, ids=lambda journey: journey.sentence)
def test_every_sentence_leads_to_its_own_journey(journey: Journey) -> None:
    assert journey_of(journey.sentence) == journey.sentence


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ("show me a LONG answer, with code!", "Show me a long answer with code"),
        ("can you give me a really long reply please", "Show me a long answer with code"),
        ("  slowly, please", "Give me a slow answer"),
        ("Send me a CSV", "Make me a file"),
        ("what could you do", "What can you do?"),
        ("help", "What can you do?"),
        ("please remember: long answers are slow", "Remember that tea is at four"),
        ("What do you remember?", "What did I tell you?"),
        ("pretend that you are offline", "Fail, please"),
        ("break in the middle", "Fail halfway"),
        ("echo: draw me a picture", "Echo hello"),
        ("ask me a question", "Ask me something"),
        ("please ask me something quickly", "Ask me in a hurry"),
        ("ask me many things", "Ask me several things"),
        ("take a note", "Write a note"),
        ("make two notes", "Write two notes at once"),
        ("take that note anyway", "Write a note anyway"),
        ("show me a plan", "Make a plan"),
        ("plan my week", "Plan a trip"),
        ("show me what's in my calendar", "What's on my calendar today?"),
        ("put lunch in my calendar", "Add lunch to my calendar"),
        ("what goes with my appointments", "What goes with my meetings?"),
        ("can I use a skill?", "Offer me a skill"),
        ("suggest something", "Suggest what to send next"),
        ("what goes wrong?", "What can go wrong?"),
        ("what's the weather?", None),
        ("x" * 300 + " give me a slow answer", None),
    ],
)
def test_a_journey_is_found_in_other_words_too(said: str, sentence: str | None) -> None:
    assert journey_of(said) == sentence


async def test_words_without_a_script_are_answered_in_two_sentences(clock: ManualClock) -> None:
    said = words(await hear("What's the weather in *Paris*?", clock))

    assert len(re.findall(r"[.!] |[.!]$", said)) == 2
    assert "“What's the weather in *Paris*?”" in shown(said)
    assert sum(f"“{journey.sentence}”" in said for journey in JOURNEYS) == 3
    assert said.endswith(f"{HINT}.")


async def test_a_very_long_message_is_quoted_shortened(clock: ManualClock) -> None:
    said = words(await hear("word " * 200_000, clock))

    assert len(said) < 500
    assert "word…”" in said


async def test_the_long_answer_is_too_long_for_one_message_and_has_everything_that_is_hard_to_split(
    clock: ManualClock,
) -> None:
    events = await hear("Show me a long answer with code", clock)

    answer = words(events)
    kinds = {token.type for token in MARKDOWN.parse(answer)}
    assert len(answer) > 4096 + 1000
    assert {"heading_open", "bullet_list_open", "ordered_list_open", "table_open", "fence", "blockquote_open"} <= kinds
    assert all(token.info for token in MARKDOWN.parse(answer) if token.type == "fence")
    assert any(isinstance(event, Thought) for event in events)


async def test_the_code_in_the_long_answer_is_python(clock: ManualClock) -> None:
    answer = words(await hear("Show me a long answer with code", clock))

    blocks = [token.content for token in MARKDOWN.parse(answer) if token.info == "python"]

    assert [type(ast.parse(block)) for block in blocks] == [ast.Module]
    assert len(blocks[0]) > 2_000


async def test_the_slow_answer_takes_about_twenty_seconds(clock: ManualClock) -> None:
    session = await DemoEngine(clock, HINT).open(None)
    reading = Reading(session, turn("Give me a slow answer"), ScriptedHost())

    await clock.advance(10)
    halfway = words(reading.events)
    await reading.to_the_end(clock)

    assert 15 < clock.monotonic() < 25
    assert 0.3 < len(halfway) / len(words(reading.events)) < 0.7


async def test_a_pace_of_nothing_takes_no_time(clock: ManualClock) -> None:
    session = await DemoEngine(clock, HINT, pace=0).open(None)

    events = [event async for event in session.run(turn("Give me a slow answer"), ScriptedHost())]

    assert len(words(events)) > 100
    assert clock.monotonic() == 0


@pytest.mark.report("R181")
async def test_a_file_is_made_as_a_table(clock: ManualClock) -> None:
    file = made(await hear("Make me a file", clock))

    rows = list(csv.reader(io.StringIO(file.content.decode())))
    assert (file.name, file.mime) == ("journeys.csv", "text/csv")
    assert [row[0] for row in rows[1:]] == [journey.sentence for journey in JOURNEYS]


async def test_a_picture_is_drawn_as_png(clock: ManualClock) -> None:
    file = made(await hear("Draw me a picture", clock))

    width, height = struct.unpack(">II", file.content[16:24])
    pixels = zlib.decompress(file.content[file.content.index(b"IDAT") + 4 : -16])
    assert (file.content[:8], width, height) == (b"\x89PNG\r\n\x1a\n", PICTURE_SIZE, PICTURE_SIZE)
    assert len(pixels) == PICTURE_SIZE * (3 * PICTURE_SIZE + 1)
    assert len(set(pixels)) > 20


async def test_an_echo_gives_back_the_words_exactly(clock: ManualClock) -> None:
    said = "*stars* ```\n  <b>tags</b> @everyone\nand lines"

    answer = words(await hear(f"Echo {said}", clock))

    (fence,) = [token for token in MARKDOWN.parse(answer) if token.type == "fence"]
    assert fence.content == said + "\n"


async def test_an_echo_names_what_was_sent_along(clock: ManualClock) -> None:
    files = (
        Attachment(name="my *cat*.png", mime="image/png", size=12_345, path="a"),
        Attachment(name="b.txt", mime="text/plain", size=1, path="b"),
    )

    said = shown(words(await hear(TurnInput("look at these", attachments=files), clock)))

    assert "look at these" in said
    assert "2 files" in said
    assert "“my *cat*.png” (image/png, 12,345 bytes)" in said


async def test_files_without_words_are_named(clock: ManualClock) -> None:
    file = Attachment(name="cat.png", mime="image/png", size=1, path="a")

    said = words(await hear(TurnInput("", attachments=(file,)), clock))

    assert "“cat.png”" in said


@pytest.mark.parametrize(
    "before", ["", "Gmail is connected now, and you can use it. Carry on with what they asked. So.\n\n"]
)
async def test_a_skill_in_front_of_the_words_is_named_and_not_played(clock: ManualClock, before: str) -> None:
    [skill] = [skill for skill in read_skills(None).skills if skill.id == "trip-planner"]

    echoed = words(await hear(TurnInput(expanded(f"{before}Echo hello", [skill])), clock))
    named = words(await hear(TurnInput(expanded(f"{before}Offer me a skill", [skill])), clock))

    assert echoed == "**Demo:** you said:\n\n```text\nhello\n```"
    assert "I was given the skill “Trip planner” with your words." in named


async def test_a_skill_that_is_not_offered_is_said_with_the_host_s_reason(clock: ManualClock) -> None:
    offer = HostTool("offer", "Offers.", {})
    host = ScriptedHost(tool=ToolAnswer("Nothing was shown: not *now*.", failed=True))

    said = words(await hear(TurnInput("Offer me a skill", tools=(offer,)), clock, host))

    assert [asked.args["target"] for asked in host.asked] == ["meeting-notes", "trip-planner"]
    assert shown(said).endswith("the host told me: Nothing was shown: not *now*.")


async def test_a_message_without_anything_is_answered(clock: ManualClock) -> None:
    assert "a message without words" in words(await hear("  ", clock))


async def test_what_it_can_do_is_every_journey_by_group(clock: ManualClock) -> None:
    said = words(await hear("What can you do?", clock))

    listed = [each for each in JOURNEYS if each.group in LISTED]
    assert all(f"- {each.sentence} — {each.shows}\n" in said for each in listed)
    assert [group for group in LISTED if f"**{group}**" in said] == list(LISTED)
    assert "“What can go wrong?”" in said


async def test_what_can_go_wrong_is_every_failure(clock: ManualClock) -> None:
    said = words(await hear("What can go wrong?", clock))

    failures = [each for each in JOURNEYS if each.group is Group.FAILURES]
    assert said.count("\n- ") == len(failures) == 10
    assert all(f"- {each.sentence} — {each.shows}" in said for each in failures)


def test_the_readme_s_tour_has_every_sentence_but_the_failures() -> None:
    tour = (ROOT / "README.md").read_text(encoding="utf-8").partition("| type | and see |")[2].partition("\n\n")[0]

    typed = {words for words in re.findall(r"`([^`\n]+)`", tour) if not words.startswith("/")}

    assert {each.sentence for each in JOURNEYS if each.group is not Group.FAILURES} <= typed
    assert [words for words in typed if find(JOURNEYS, words) is None] == []


@pytest.mark.parametrize("journey", JOURNEYS, ids=lambda journey: journey.sentence)
def test_a_line_of_a_list_is_short_enough_for_a_phone(journey: Journey) -> None:
    assert len(f"{journey.sentence} — {journey.shows}") <= 85


async def test_messages_that_came_while_it_was_busy_are_answered_one_after_the_other(clock: ManualClock) -> None:
    events = await hear("Make me a file\n\nRemember that tea is at four\n\nWhat did I tell you?", clock)

    said = words(events)
    assert made(events).name == "journeys.csv"
    assert "- “tea is at four”" in said
    assert sum(isinstance(event, MessageEnd) for event in events) == 2


async def test_an_echo_of_several_paragraphs_stays_one(clock: ManualClock) -> None:
    answer = words(await hear("Echo one\n\ntwo", clock))

    (fence,) = [token for token in MARKDOWN.parse(answer) if token.type == "fence"]
    assert fence.content == "one\n\ntwo\n"


async def test_a_pretended_rate_limit_says_how_long(clock: ManualClock) -> None:
    (ended,) = endings(await hear("Pretend to be rate limited", clock))

    assert (ended.reason, ended.retry_after) == (EndReason.RATE_LIMITED, RETRY_AFTER)


@pytest.mark.parametrize("journey", JOURNEYS, ids=lambda journey: journey.sentence)
async def test_every_failure_says_in_a_plain_sentence_what_it_is(journey: Journey, clock: ManualClock) -> None:
    (ended,) = endings(await hear(journey.sentence, clock))

    plain = ended.reason in (EndReason.DONE, EndReason.CANCELLED, EndReason.LENGTH)
    assert plain or re.fullmatch(r"Demo: .*\.", ended.message or "")


async def test_an_answer_that_fails_halfway_has_said_something(clock: ManualClock) -> None:
    events = await hear("Fail halfway", clock)

    assert len(words(events)) > 50
    assert endings(events)[0].reason is EndReason.UNAVAILABLE


async def test_what_was_used_is_told_before_the_end(clock: ManualClock) -> None:
    events = await hear("Fail halfway", clock)

    used, ended = events[-2:]
    assert isinstance(used, Used)
    assert isinstance(ended, Ended)
    assert used.usage.output == -(-len(words(events)) // 4) > 0


@settings(max_examples=150)
@given(any_words, st.integers(1, 40))
def test_pieces_lose_nothing(text: str, size: int) -> None:
    found = list(pieces(text, size))

    assert "".join(found) == (text if text.strip() else "")
    assert all(found)


@settings(max_examples=150)
@given(any_words)
def test_quoted_words_are_never_read_as_markup(text: str) -> None:
    tokens = [child for token in MARKDOWN.parse(f"Demo {quoted(text)}") for child in token.children or []]

    assert {token.type for token in tokens} <= {"text", "text_special"}


@settings(max_examples=150)
@given(st.text("`~ab \n", max_size=60))
def test_a_fence_holds_whatever_stands_in_it(text: str) -> None:
    (token,) = MARKDOWN.parse(fenced(text))

    assert token.content == text + "\n"


@settings(max_examples=60, deadline=None)
@given(any_words)
async def test_any_words_get_an_answer(text: str) -> None:
    session = await DemoEngine(ManualClock(), HINT, pace=0).open(None)

    events = [event async for event in session.run(turn(text), ScriptedHost())]

    assert len(endings(events)) == 1


# ---- words only ----------------------------------------------------------------------------------------------------


@pytest.mark.report("R117")
@pytest.mark.parametrize("each", JOURNEYS, ids=lambda each: each.sentence)
async def test_who_gets_words_only_gets_no_file_no_tool_and_no_question(each: Journey, clock: ManualClock) -> None:
    host = ScriptedHost(choice="Allow", values={"drink": "tea"})

    events = await hear(TurnInput(each.sentence, words_only=True), clock, host)

    assert list(host.asked) == []
    assert {type(event) for event in events} <= {Text, Thought, MessageEnd, Used, Ended}
    assert HINT not in words(events)


async def test_who_gets_words_only_is_not_told_what_there_is_on_this_machine(clock: ManualClock) -> None:
    events = await hear(TurnInput("Make me a file", words_only=True), clock)

    assert "For a real assistant" not in words(events)
    assert words(events).endswith("for a real assistant, ask whoever runs this bot.")
    assert "Make me a file" not in words(await hear(TurnInput("What can you do?", words_only=True), clock))


async def test_a_cue_in_quoted_or_forwarded_words_starts_nothing(clock: ManualClock) -> None:
    quoted = "In reply to what you wrote:\n> Give me a slow answer\n\nEcho only mine"
    forwarded = "Forwarded from Bob:\n> Make me a file\n\nWhat did I tell you?"

    echoed, recalled = words(await hear(quoted, clock)), words(await hear(forwarded, clock))

    assert "only mine" in echoed
    assert "slow" not in echoed
    assert "file" not in recalled
