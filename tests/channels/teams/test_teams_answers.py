"""What Microsoft's refusals come to."""

import pytest

from channels.teams.answers import MessageGone, NotStreaming, TooBig, explain, explain_sign_in
from core.errors import MaybeDone, Refused, RefusedReason, TryLater


def error(code: str) -> dict[str, object]:
    return {"error": {"code": code, "message": "words of Teams"}}


@pytest.mark.parametrize("status", [412, 429, 502, 503, 504])
def test_what_microsoft_says_to_try_again_is_tried_again(status: int) -> None:
    assert isinstance(explain(status, error("Throttled")), TryLater)


def test_how_long_to_wait_is_what_teams_says() -> None:
    explained = explain(429, None, "7")

    assert isinstance(explained, TryLater)
    assert explained.retry_after == 7.0


@pytest.mark.report("R205")
@pytest.mark.parametrize("status", [408, 500, 520])
def test_what_may_have_been_taken_is_in_doubt(status: int) -> None:
    assert isinstance(explain(status, None), MaybeDone)


@pytest.mark.parametrize(
    ("status", "code", "kind", "reason"),
    [
        (401, "", Refused, RefusedReason.AUTH),
        (403, "BotNotInConversationRoster", Refused, RefusedReason.GONE),
        (403, "ConversationBlockedByUser", Refused, RefusedReason.GONE),
        (403, "SomethingElse", Refused, RefusedReason.FORBIDDEN),
        (404, "ConversationNotFound", Refused, RefusedReason.GONE),
        (404, "ActivityNotFoundInConversation", MessageGone, RefusedReason.GONE),
        (413, "MessageSizeTooBig", TooBig, RefusedReason.BAD_PAYLOAD),
        (400, "BadSyntax", Refused, RefusedReason.BAD_PAYLOAD),
        (403, "ContentStreamNotAllowed", NotStreaming, RefusedReason.FORBIDDEN),
        (412, "ContentStreamSequenceOrderPreConditionFailed", NotStreaming, RefusedReason.FORBIDDEN),
    ],
)
def test_a_refusal_says_of_which_kind_it_is(status: int, code: str, kind: type[Refused], reason: RefusedReason) -> None:
    explained = explain(status, error(code))

    assert isinstance(explained, kind)
    assert explained.reason is reason


def test_a_page_of_something_on_the_way_is_no_refusal() -> None:
    assert isinstance(explain(400, None), TryLater)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (7000215, "Value, not its Secret ID"),
        (7000222, "too old"),
        (700016, "Application (client) ID"),
        (90002, "Directory (tenant) ID"),
    ],
)
def test_a_sign_in_that_is_refused_names_the_box(code: int, words: str) -> None:
    explained = explain_sign_in(400, {"error": "invalid_client", "error_codes": [code]})

    assert isinstance(explained, Refused)
    assert explained.reason is RefusedReason.AUTH
    assert words in str(explained)


def test_a_sign_in_in_trouble_is_tried_later() -> None:
    assert isinstance(explain_sign_in(503, None), TryLater)
    assert isinstance(explain_sign_in(429, None, "3"), TryLater)
