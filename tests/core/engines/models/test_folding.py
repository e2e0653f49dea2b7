"""When a transcript is folded, what of it stays, and what the chat is told."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    UserPromptPart,
)

from core.engines.base import Compacted
from core.engines.models.estimating import text_tokens, tokens
from core.engines.models.folding import (
    MAX_SUMMARY,
    SUMMARY_FRAME,
    Folded,
    Room,
    fit,
    fold_earlier,
)
from core.engines.models.summarising import Summary, SummaryRequest
from core.engines.models.transcript import PastTurn, Transcript
from core.errors import TryLater
from core.events import Usage
from tests.core.engines.models.messages import answered, asked, brought, called, exchange

ROOM = Room(window=10_000, overhead=500)
"""A budget of 7,000 tokens."""


@dataclass
class Writer:
    """A model that sums up, and what it was asked."""

    text: str = "They met in Rome."
    fault: Exception | None = None
    asked: list[SummaryRequest] = field(default_factory=list)

    async def __call__(self, request: SummaryRequest) -> Summary:
        self.asked.append(request)
        if self.fault:
            raise self.fault
        return Summary(self.text, "small", Usage(input=10, output=5))


def turn(seq: int, size: int = 1_000, answer: str = "Done.") -> PastTurn:
    """A turn of about so many tokens."""
    return PastTurn(seq, exchange(f"{seq}:" + "x" * (size * 4), answer))


def turns(count: int, size: int = 1_000) -> tuple[PastTurn, ...]:
    return tuple(turn(seq * 10, size) for seq in range(count))


NEW = PastTurn(990, (asked("And now?"),))


def size(folded: Folded) -> int:
    """Of all that goes out."""
    summary = folded.transcript.summary
    of_summary = text_tokens(summary) + SUMMARY_FRAME if summary else 0
    kept = sum(tokens(each.messages) for each in folded.transcript.turns)
    return of_summary + kept + tokens(folded.current.messages)


# ---- how much room there is ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("window", "overhead", "budget"),
    [
        (10_000, 0, 7_500),
        (10_000, 500, 7_000),
        (4_000, 0, 2_600),
        (128_000, 3_200, 96_000),
        (200_000, 0, 100_000),
        (1_000_000, 50_000, 100_000),
        (8_000, 20_000, 0),
    ],
    ids=["15 % for the answer", "less the tools", "1K at least", "16K at most", "100K", "never more", "nothing left"],
)
def test_the_budget_is_what_the_window_leaves(window: int, overhead: int, budget: int) -> None:
    assert Room(window, overhead).budget == budget


# ---- folding by itself ---------------------------------------------------------------------------------------------


async def test_within_the_budget_nothing_is_touched() -> None:
    writer, transcript = Writer(), Transcript(turns(6), summary="Earlier.")

    folded = await fit(transcript, NEW, ROOM, writer)

    assert folded == Folded(transcript, NEW)
    assert folded.transcript is transcript
    assert writer.asked == []


@pytest.mark.report("R143")
async def test_over_the_budget_the_first_turns_fold_until_the_rest_fits_half_of_it() -> None:
    transcript = Transcript(turns(7))

    folded = await fit(transcript, NEW, ROOM, Writer())

    assert folded.transcript.turns == transcript.turns[4:]
    assert folded.transcript.summary == "They met in Rome."
    assert folded.compacted == Compacted("They met in Rome.", 40, 4, "small", Usage(input=10, output=5))


async def test_the_summary_is_made_of_what_folds_and_of_the_earlier_one() -> None:
    writer = Writer()

    await fit(Transcript(turns(7), summary="Once upon a time."), NEW, ROOM, writer)

    [request] = writer.asked
    assert "Once upon a time." in request.text
    assert "Person: 0:xxx" in request.text
    assert "Person: 30:xxx" in request.text
    assert "40:xxx" not in request.text


async def test_real_usage_makes_it_fold_earlier() -> None:
    transcript = Transcript(turns(5), scale=1.5)

    folded = await fit(transcript, NEW, ROOM, Writer())

    assert [each.first_seq for each in folded.transcript.turns] == [30, 40]


async def test_where_the_new_turn_leaves_no_room_everything_before_it_folds() -> None:
    new = PastTurn(990, (asked("x" * 4 * 6_000),))

    folded = await fit(Transcript(turns(3)), new, ROOM, Writer())

    assert folded.transcript.turns == ()
    assert folded.current == new
    assert folded.compacted is not None
    assert (folded.compacted.before_seq, folded.compacted.turns) == (990, 3)


async def test_a_turn_that_is_too_long_by_itself_has_its_longest_text_cut() -> None:
    call, result = called(read={"path": "a.txt"}), brought(read="x" * 4 * 20_000)
    new = PastTurn(990, (asked("What is in it?"), call, result))

    folded = await fit(Transcript(), new, ROOM, Writer())

    assert folded.current.messages[:2] == new.messages[:2]
    assert "left out" in str(folded.current.messages[2])
    assert size(folded) <= ROOM.budget
    assert folded.compacted is None


async def test_without_a_summary_turns_are_dropped_and_the_earlier_one_stays() -> None:
    writer = Writer(fault=RuntimeError("no model"))

    folded = await fit(Transcript(turns(7), summary="Once upon a time."), NEW, ROOM, writer)

    assert len(folded.transcript.turns) == 3
    assert folded.transcript.summary == "Once upon a time."
    assert folded.compacted == Compacted("", 40, 4)


async def test_an_empty_summary_is_none() -> None:
    folded = await fit(Transcript(turns(7)), NEW, ROOM, Writer(text=" \n"))

    assert folded.transcript.summary is None
    assert folded.compacted == Compacted("", 40, 4)


async def test_a_summary_has_a_quarter_of_the_budget_and_never_more_than_its_limit() -> None:
    large = Room(1_000_000)

    small = await fit(Transcript(turns(7)), NEW, ROOM, Writer(text="s" * 100_000))
    huge = await fit(Transcript(turns(7, 20_000)), NEW, large, Writer(text="s" * 100_000))

    assert text_tokens(small.transcript.summary or "") <= ROOM.budget // 4
    assert len(huge.transcript.summary or "") == MAX_SUMMARY


async def test_an_earlier_summary_that_a_smaller_model_has_no_room_for_is_cut() -> None:
    folded = await fit(Transcript(summary="s" * 40_000), NEW, ROOM, Writer())

    assert size(folded) <= ROOM.budget
    assert folded.compacted is None


# ---- what a service refused as too long ----------------------------------------------------------------------------


async def test_what_was_refused_as_too_long_folds_though_it_seemed_to_fit() -> None:
    transcript = Transcript(turns(6))

    folded = await fit(transcript, NEW, ROOM, Writer(), harder=True)

    assert len(folded.transcript.turns) == 1
    assert size(folded) <= 3_100


async def test_a_single_turn_that_was_refused_is_cut_to_half() -> None:
    new = PastTurn(990, (asked("x" * 4 * 3_000),))

    folded = await fit(Transcript(), new, ROOM, Writer(), harder=True)

    assert size(folded) <= 1_510


# ---- when somebody asks --------------------------------------------------------------------------------------------


async def test_asked_to_fold_all_but_the_newest_turn_goes() -> None:
    writer, transcript = Writer(), Transcript(turns(3))

    folded = await fold_earlier(transcript, ROOM, writer, "the hotel")

    assert folded is not None
    assert folded.transcript == replace(transcript, turns=transcript.turns[2:], summary="They met in Rome.")
    assert folded.compacted == Compacted("They met in Rome.", 20, 2, "small", Usage(input=10, output=5))
    assert "“the hotel”" in writer.asked[0].instructions


@pytest.mark.parametrize("count", [0, 1])
async def test_with_one_turn_or_none_there_is_nothing_to_fold(count: int) -> None:
    writer = Writer()

    assert await fold_earlier(Transcript(turns(count), summary="Earlier."), ROOM, writer, None) is None
    assert writer.asked == []


async def test_asked_to_fold_without_a_model_that_can_nothing_changes() -> None:
    with pytest.raises(TryLater, match="nothing was changed"):
        await fold_earlier(Transcript(turns(3)), ROOM, Writer(fault=TimeoutError()), None)


# ---- whatever is folded --------------------------------------------------------------------------------------------

_words = st.integers(1, 12_000).map(lambda count: "w" * count) | st.text(min_size=1, max_size=300)
_tools = st.lists(_words, max_size=3)


@st.composite
def _messages(draw: st.DrawFn) -> tuple[ModelMessage, ...]:
    messages: list[ModelMessage] = [asked(draw(_words))]
    for result in draw(_tools):
        messages += [called(read={"path": "a"}), brought(read=result)]
    return (*messages, answered(draw(_words)))


_transcripts = st.builds(
    lambda each, summary, scale: Transcript(
        tuple(PastTurn(seq * 10, messages) for seq, messages in enumerate(each)), summary, None, scale
    ),
    st.lists(_messages(), max_size=8),
    st.none() | _words,
    st.floats(1.0, 4.0),
)
_rooms = st.builds(Room, st.integers(2_000, 40_000), st.integers(0, 2_000))
_current = _messages().map(lambda messages: PastTurn(990, messages[:-1]))


def is_valid(history: Sequence[ModelMessage]) -> bool:
    """Whether every provider takes it: a person first, every call answered by what follows, no result without one."""
    first = history[0]
    if not (isinstance(first, ModelRequest) and isinstance(first.parts[0], UserPromptPart)):
        return False
    open_calls: list[str] = []
    for message in history:
        if isinstance(message, ModelResponse):
            if open_calls:
                return False
            open_calls = [call.tool_call_id for call in message.tool_calls]
        else:
            brings = [part.tool_call_id for part in message.parts if part.part_kind == "tool-return"]
            if brings != open_calls:
                return False
            open_calls = []
    return not open_calls


@given(_transcripts, _current, _rooms, st.booleans(), st.booleans())
async def test_whatever_was_folded_can_be_sent(
    transcript: Transcript, current: PastTurn, room: Room, harder: bool, broken: bool
) -> None:
    writer = Writer(fault=RuntimeError() if broken else None)

    folded = await fit(transcript, current, room, writer, harder=harder)

    assert is_valid(folded.transcript.with_turn(folded.current).history())


@given(_transcripts, _current, _rooms)
async def test_it_is_never_over_the_budget_unless_the_turn_itself_is(
    transcript: Transcript, current: PastTurn, room: Room
) -> None:
    folded = await fit(transcript, current, room, Writer(text="s" * 50_000))

    budget = room.estimated(transcript.scale)
    assert size(folded) <= budget or (not folded.transcript.turns and tokens(current.messages) > budget // 2)


@given(_transcripts, _current, _rooms, st.booleans())
async def test_the_turns_that_stay_are_the_newest_and_the_same_to_the_byte(
    transcript: Transcript, current: PastTurn, room: Room, harder: bool
) -> None:
    folded = await fit(transcript, current, room, Writer(), harder=harder)

    kept = folded.transcript.turns
    assert kept == transcript.turns[len(transcript.turns) - len(kept) :]
    assert all(_bytes(new) == _bytes(old) for new, old in zip(kept[::-1], transcript.turns[::-1], strict=False))
    assert folded.current.first_seq == current.first_seq
    assert len(folded.current.messages) == len(current.messages)


@given(_transcripts, _current, _rooms)
async def test_what_was_folded_once_is_not_folded_again(transcript: Transcript, current: PastTurn, room: Room) -> None:
    once = await fit(transcript, current, room, Writer(text="s" * 50_000))

    twice = await fit(once.transcript, once.current, room, Writer())

    assert twice.compacted is None
    assert twice.transcript.turns == once.transcript.turns


@given(_transcripts, _rooms)
async def test_folding_because_somebody_asked_leaves_the_newest_turn_and_nothing_more_to_fold(
    transcript: Transcript, room: Room
) -> None:
    folded = await fold_earlier(transcript, room, Writer(), None)

    if folded is None:
        assert len(transcript.turns) < 2
    else:
        assert folded.transcript.turns == transcript.turns[-1:]
        assert is_valid(folded.transcript.history())
        assert await fold_earlier(folded.transcript, room, Writer(), None) is None


def _bytes(turn: PastTurn) -> bytes:
    return ModelMessagesTypeAdapter.dump_json(list(turn.messages))
