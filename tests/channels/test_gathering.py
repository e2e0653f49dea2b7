"""Gathering: what waits for more, what goes at once, and how several messages become one."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.base import ChatRef, InboundMessage, Quoted, Sender
from channels.gathering import (
    CLOSE,
    LONGEST,
    Intake,
    joined_text,
    more_is_likely,
    others_words,
    says_anything,
    words_of,
)

ADA = Sender("1", "Ada")
CHAT = ChatRef("bot", "1")


def message(
    text: str = "hello",
    *,
    number: int = 1,
    album: str | None = None,
    forwarded_from: str | None = None,
    reply_to: Quoted | None = None,
) -> InboundMessage:
    return InboundMessage(
        chat=CHAT,
        sender=ADA,
        message_id=str(number),
        text=text,
        update_id=str(number),
        at=datetime(2026, 1, 1, tzinfo=UTC),
        album=album,
        forwarded_from=forwarded_from,
        reply_to=reply_to,
    )


def intake(per_minute: int = 0) -> Intake:
    return Intake(gather=0.7, per_minute=per_minute)


def test_a_message_alone_goes_at_once() -> None:
    assert intake().take(message(), now=10.0).release_at == 10.0


@pytest.mark.parametrize(
    "likely",
    [message(album="a"), message("x" * 3_501), message(forwarded_from="Bob")],
    ids=["part of an album", "split by the app", "forwarded"],
)
def test_a_message_that_more_likely_follows_waits(likely: InboundMessage) -> None:
    assert intake().take(likely, now=10.0).release_at == pytest.approx(10.7)


def test_a_message_of_3500_characters_was_not_split() -> None:
    assert not more_is_likely(message("x" * 3_500))


def test_a_second_message_within_two_seconds_waits_for_a_third() -> None:
    seat = intake()
    seat.take(message(number=1), now=0.0)
    seat.release()

    second = seat.take(message(number=2), now=CLOSE)

    assert second.release_at == pytest.approx(CLOSE + 0.7)


def test_a_message_after_more_than_two_seconds_goes_at_once() -> None:
    seat = intake()
    seat.take(message(number=1), now=0.0)
    seat.release()

    later = seat.take(message(number=2), now=CLOSE + 0.01)

    assert later.release_at == pytest.approx(CLOSE + 0.01)


def test_what_keeps_coming_is_held_three_seconds_at_most() -> None:
    seat = intake()
    releases = [seat.take(message(number=number, album="a"), now=number * 0.5).release_at for number in range(7)]

    assert max(releases) == pytest.approx(LONGEST)
    assert [held.message_id for held in seat.release()] == [str(number) for number in range(7)]
    assert seat.held == []


def test_an_edit_of_a_held_message_replaces_its_text() -> None:
    seat = intake()
    seat.take(message("first", number=1, album="a"), now=0.0)
    seat.take(message("second", number=2, album="a"), now=0.1)

    replaced = seat.replace(message("better", number=1))

    assert replaced
    assert [held.text for held in seat.release()] == ["better", "second"]
    assert not seat.replace(message("too late", number=1))


def test_the_21st_message_in_a_minute_waits_and_its_sender_is_told_once() -> None:
    seat = intake(per_minute=20)
    taken = []
    for number in range(22):
        taken.append(seat.take(message(number=number), now=number * 2.5))
        seat.release()

    assert [one.tell_to_slow_down for one in taken] == [False] * 20 + [True, False]
    assert taken[19].release_at == pytest.approx(19 * 2.5)
    assert taken[20].release_at == pytest.approx(60.0)
    assert taken[21].release_at == pytest.approx(62.5)


def test_no_limit_means_no_waiting() -> None:
    seat = intake(per_minute=0)

    releases = {seat.take(message(number=number), now=number * 3.0).release_at - number * 3.0 for number in range(30)}
    seat.release()

    assert min(releases) == 0.0
    assert not seat.recent


def test_texts_are_joined_by_blank_lines_and_empty_ones_left_out() -> None:
    texts = [message("one"), message(""), message("two")]

    assert joined_text(texts) == "one\n\ntwo"
    assert not others_words(texts)


def test_forwarded_words_are_marked_as_theirs() -> None:
    forwarded = message("first\nsecond", forwarded_from="Bob\nthe owner")

    assert joined_text([forwarded]) == "Forwarded from Bob the owner:\n> first\n> second"
    assert others_words([forwarded])
    assert words_of([forwarded]) == "Bob the owner"


def test_a_reply_to_someone_else_brings_their_words_along() -> None:
    reply = message("what does he mean?", reply_to=Quoted("7", "Lunch at noon", "Bob"))

    assert joined_text([reply]) == "In reply to what Bob wrote:\n> Lunch at noon\n\nwhat does he mean?"
    assert others_words([reply])
    assert words_of([reply]) == "Bob"


def test_a_reply_to_the_bot_itself_is_not_someone_elses_words() -> None:
    reply = message("why?", reply_to=Quoted("7", "Because.", "Conch", from_bot=True))

    assert joined_text([reply]).startswith("In reply to what you wrote:")
    assert not others_words([reply])
    assert words_of([reply]) is None


@given(st.lists(st.tuples(st.floats(0, 5), st.booleans()), max_size=40))
def test_nothing_is_lost_or_reordered_whatever_the_times(steps: list[tuple[float, bool]]) -> None:
    seat, now, out = intake(per_minute=5), 0.0, list[str]()
    for number, (pause, album) in enumerate(steps):
        now += pause
        if seat.held and seat.release_at <= now:
            out += [held.message_id for held in seat.release()]
        seat.take(message(number=number, album="a" if album else None), now)
    out += [held.message_id for held in seat.release()]

    assert out == [str(number) for number in range(len(steps))]


@pytest.mark.parametrize("text", ["", " \n", "\u200b", "\u200b\u2060\ufeff \u00ad", "\u3164", "\u2800"])
def test_what_nobody_sees_says_nothing(text: str) -> None:
    assert not says_anything(text)


@pytest.mark.parametrize("text", ["?", "\u200ba", "\U0001f44d", "\u0645", "\ue000"])
def test_one_sign_says_something(text: str) -> None:
    assert says_anything(text)
