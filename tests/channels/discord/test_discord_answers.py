"""What Discord's refusals and closed connections come to."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.discord.answers import MessageGone, ThreadExists, TooLateToAnswer, explain, explain_close
from core.errors import ConchError, MaybeDone, Refused, RefusedReason, TryLater


@pytest.mark.parametrize(
    ("status", "code", "reason"),
    [
        (401, 0, RefusedReason.AUTH),
        (400, 40001, RefusedReason.AUTH),
        (403, 50007, RefusedReason.GONE),
        (404, 10003, RefusedReason.GONE),
        (403, 50013, RefusedReason.FORBIDDEN),
        (403, 50001, RefusedReason.FORBIDDEN),
        (403, 99999, RefusedReason.FORBIDDEN),
        (404, 99999, RefusedReason.GONE),
        (400, 50035, RefusedReason.BAD_PAYLOAD),
    ],
)
def test_a_refusal_is_sorted_by_what_is_done_about_it(status: int, code: int, reason: RefusedReason) -> None:
    error = explain(status, {"message": "No.", "code": code})

    assert isinstance(error, Refused)
    assert error.reason is reason


@pytest.mark.parametrize(
    ("code", "kind"), [(10008, MessageGone), (160004, ThreadExists), (10062, TooLateToAnswer), (50027, TooLateToAnswer)]
)
def test_some_refusals_have_a_remedy(code: int, kind: type[Refused]) -> None:
    assert isinstance(explain(400, {"message": "No.", "code": code}), kind)


def test_a_missing_right_is_named() -> None:
    assert "create threads" in str(explain(403, {"message": "Missing Permissions", "code": 50013}))


def test_a_malformed_call_says_what_is_wrong_with_it() -> None:
    errors = {
        "components": {"0": {"components": {"1": {"label": {"_errors": [{"code": "X", "message": "Too long."}]}}}}}
    }

    assert "Too long." in str(explain(400, {"message": "Invalid Form Body", "code": 50035, "errors": errors}))


@pytest.mark.parametrize(
    ("answer", "header", "seconds"),
    [({"message": "x", "retry_after": 0.3}, 1.0, 0.3), (None, 60.0, 60.0), ({"retry_after": "soon"}, None, None)],
)
def test_too_many_calls_wait_as_long_as_discord_says(
    answer: dict[str, Any] | None, header: float | None, seconds: float | None
) -> None:
    error = explain(429, answer, header)

    assert isinstance(error, TryLater)
    assert error.retry_after == seconds


def test_trouble_at_discord_leaves_it_open_whether_it_was_taken() -> None:
    assert isinstance(explain(502, None), MaybeDone)


def test_a_page_on_the_way_says_nothing() -> None:
    assert isinstance(explain(403, None), TryLater)


def test_closed_for_the_key_or_an_intent_is_for_the_owner_and_all_else_is_tried_again() -> None:
    key, intent, blip = explain_close(4004), explain_close(4014), explain_close(4000)

    assert isinstance(key, Refused)
    assert key.reason is RefusedReason.AUTH
    assert isinstance(intent, Refused)
    assert "the intents Guilds, Guild Messages and Direct Messages" in str(intent)
    assert isinstance(blip, TryLater)


JSON = st.recursive(
    st.none() | st.integers() | st.text(max_size=5), lambda inner: st.dictionaries(st.text(max_size=5), inner)
)


@given(st.integers(300, 600), st.dictionaries(st.sampled_from(["message", "code", "errors", "retry_after"]), JSON))
def test_no_answer_is_without_a_meaning(status: int, answer: dict[str, Any]) -> None:
    assert isinstance(explain(status, answer), ConchError)
