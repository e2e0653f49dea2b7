"""Texts cut in the middle, and messages whose longest texts are."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from pydantic_ai.messages import (
    BinaryContent,
    ModelResponse,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from core.engines.models.estimating import text_tokens, tokens
from core.engines.models.shortening import LEAST, in_the_middle, shortened
from tests.core.engines.models.messages import answered, asked, brought, called

LONG = "start " + "x" * 10_000 + " end"


def test_a_cut_keeps_both_ends_and_says_how_much_it_took() -> None:
    short = in_the_middle(LONG, 500)

    assert short.startswith("start xxx")
    assert short.endswith("xxx end")
    assert "characters left out …]" in short
    assert text_tokens(short) <= 500


@given(st.text(max_size=2_000), st.integers(0, 500))
def test_a_cut_text_has_the_room_it_was_given_or_the_least(text: str, room: int) -> None:
    short = in_the_middle(text, room)

    assert text_tokens(short) <= max(room, LEAST)
    assert short == text or text_tokens(text) > room


def test_messages_that_fit_are_the_same_objects() -> None:
    messages = (asked("Hello"), answered("Hi"))

    assert all(new is old for new, old in zip(shortened(messages, 100), messages, strict=True))


def test_the_longest_texts_are_cut_and_the_short_ones_stay() -> None:
    messages = (asked("What is in it?"), called(read={"path": "a.txt"}), brought(read=LONG), answered("Much."))

    short = shortened(messages, 1_000)

    assert tokens(short) <= 1_000
    assert (short[0], short[1], short[3]) == (messages[0], messages[1], messages[3])
    assert "left out" in str(short[2])


def test_long_arguments_are_cut_where_they_are_words() -> None:
    messages = (asked("Write it"), called(write={"path": "a.txt", "text": LONG, "append": True}))

    [_, call] = shortened(messages, 300)

    [part] = call.parts
    assert isinstance(part, ToolCallPart)
    written = part.args_as_dict()
    assert (written["path"], written["append"]) == ("a.txt", True)
    assert "left out" in written["text"]


def test_a_result_that_is_no_text_is_cut_as_the_text_that_the_model_sees() -> None:
    result = brought(read="")
    [part] = result.parts
    assert isinstance(part, ToolReturnPart)
    part.content = {"rows": [{"name": "x" * 100} for _ in range(100)]}

    [short] = shortened((result,), 300)

    assert tokens([short]) <= 300
    [cut] = short.parts
    assert isinstance(cut, ToolReturnPart)
    assert (cut.tool_call_id, cut.tool_name) == ("read", "read")


def test_thinking_and_files_stay_as_they_are() -> None:
    picture = BinaryContent(b"png", media_type="image/png")
    thought = ModelResponse(parts=[ThinkingPart(content=LONG, signature="signed")])
    messages = (asked([LONG, picture]), thought)

    question, thinking = shortened(messages, 100)

    assert thinking is thought
    [prompt] = question.parts
    assert isinstance(prompt, UserPromptPart)
    assert prompt.content[1] is picture


_sizes = st.lists(st.integers(0, 4_000), min_size=1, max_size=8)


@given(_sizes, st.integers(100, 4_000))
def test_shortened_messages_fit_wherever_cutting_can_bring_them(sizes: list[int], room: int) -> None:
    messages: list[Any] = [asked("x" * size) for size in sizes]

    short = shortened(messages, room)

    frame = tokens([asked("")]) * len(messages)
    assert tokens(short) <= max(room, frame + LEAST * len(messages))
    assert len(short) == len(messages)
