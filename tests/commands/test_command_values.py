import pytest

from commands.values import EFFORTS, MODELS, Effort, ValueItem, Values, ValuesKind, ValueSource

SONNET, OPUS = ValueItem("sonnet", "Sonnet"), ValueItem("opus", "Opus")


def test_the_models_come_from_the_source_that_is_passed_in() -> None:
    filled = MODELS.filled({ValueSource.MODELS: [SONNET, OPUS]})

    assert filled == Values(ValuesKind.CHOOSE, "Model", (SONNET, OPUS), ValueSource.MODELS)


def test_a_source_that_is_missing_is_an_error_and_not_an_empty_list() -> None:
    with pytest.raises(KeyError):
        MODELS.filled({})


def test_a_fixed_list_needs_no_source() -> None:
    assert EFFORTS.filled({}) == EFFORTS


def test_exactly_the_word_in_use_is_ticked() -> None:
    ticked = EFFORTS.ticked("low").ticked("high")

    assert [item.word for item in ticked.items if item.current] == ["high"]


@pytest.mark.parametrize("word", [None, "enormous"])
def test_nothing_is_ticked_when_nothing_listed_is_in_use(word: str | None) -> None:
    ticked = EFFORTS.ticked("low").ticked(word)

    assert not any(item.current for item in ticked.items)


def test_every_effort_can_be_chosen() -> None:
    assert [item.word for item in EFFORTS.items] == list(Effort)


@pytest.mark.parametrize(
    ("typed", "word"), [("xhigh", "xhigh"), ("Extra  high", "xhigh"), (" LOW ", "low"), ("enormous", None), ("", None)]
)
def test_a_word_is_found_by_itself_or_by_what_a_person_reads(typed: str, word: str | None) -> None:
    assert EFFORTS.word(typed) == word


def test_a_word_that_is_not_listed_is_read_as_it_is() -> None:
    assert EFFORTS.title("xhigh") == "Extra high"
    assert EFFORTS.title("enormous") == "enormous"
