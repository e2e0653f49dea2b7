"""How many tokens a history is thought to take."""

import pytest
from pydantic_ai.messages import BinaryContent, ModelResponse, ThinkingPart

from core.engines.models.estimating import FILE, PART, corrected, text_tokens, tokens
from tests.core.engines.models.messages import answered, asked, brought, called


@pytest.mark.parametrize(
    ("text", "expected"), [("", 0), ("a", 1), ("four", 1), ("fours", 2), ("слово", 5), ("日本", 2), ("tea 茶", 2)]
)
def test_four_ascii_characters_are_a_token_and_one_of_any_other_script(text: str, expected: int) -> None:
    assert text_tokens(text) == expected


def test_a_picture_counts_as_much_whatever_its_size() -> None:
    picture = BinaryContent(b"png" * 100_000, media_type="image/png")

    assert tokens([asked(["Look", picture])]) == 1 + FILE + PART


def test_calls_and_their_results_count() -> None:
    call, result = called(search={"query": "x" * 400}), brought(search="y" * 800)

    assert tokens([call]) > 100
    assert tokens([result]) > 200


def test_thinking_counts_as_it_goes_back_to_its_service() -> None:
    thought = ModelResponse(parts=[ThinkingPart(content="x" * 400)])

    assert tokens([thought]) == 100 + PART


def test_a_history_is_the_sum_of_its_messages() -> None:
    first, second = asked("How are you?"), answered("Fine.")

    assert tokens([first, second]) == tokens([first]) + tokens([second])


@pytest.mark.parametrize(
    ("scale", "estimated", "counted", "expected"),
    [
        (1.0, 100, 150, 1.5),
        (2.0, 100, 150, 1.5),
        (1.5, 100, 80, 1.0),
        (1.0, 100, 100_000, 4.0),
        (1.5, 100, 0, 1.5),
        (1.5, 0, 100, 1.5),
    ],
    ids=["more", "less than before", "never under the estimate", "beyond belief", "not counted", "nothing estimated"],
)
def test_what_a_service_counts_corrects_the_estimate_upward(
    scale: float, estimated: int, counted: int, expected: float
) -> None:
    assert corrected(scale, estimated, counted) == expected
