"""What each refusal of Telegram's means to the one who called."""

from collections.abc import Mapping
from typing import Any

import pytest

from channels.telegram import answers
from channels.telegram.answers import explain
from core.errors import ConchError, MaybeDone, Refused, RefusedReason, TryLater


def refusal(status: int, description: str, **parameters: Any) -> Mapping[str, Any]:
    answer = {"ok": False, "error_code": status, "description": description}
    return {**answer, "parameters": parameters} if parameters else answer


@pytest.mark.report("R059")
def test_a_flood_wait_says_how_long() -> None:
    error = explain(429, refusal(429, "Too Many Requests: retry after 17", retry_after=17))

    assert isinstance(error, TryLater)
    assert error.retry_after == 17


@pytest.mark.report("R061")
def test_a_flood_wait_is_never_taken_for_bad_markup() -> None:
    error = explain(429, refusal(429, "Too Many Requests: can't parse entities, retry after 3", retry_after=3))

    assert type(error) is TryLater


@pytest.mark.report("R205")
@pytest.mark.parametrize("status", [408, 500, 502, 504, 520])
def test_trouble_at_telegram_leaves_it_open_whether_it_was_taken(status: int) -> None:
    assert isinstance(explain(status, refusal(status, "Internal Server Error")), MaybeDone)


@pytest.mark.report("R019")
@pytest.mark.parametrize("status", [412, 503])
def test_what_surely_was_not_taken_is_tried_again(status: int) -> None:
    error = explain(status, refusal(status, "Service Unavailable"))

    assert isinstance(error, TryLater)
    assert error.retry_after is None


@pytest.mark.parametrize("answer", [None, {}, {"error": "sign in to the hotel's network"}])
@pytest.mark.parametrize("status", [302, 401, 403, 404, 407, 503])
def test_what_is_not_telegrams_answer_says_nothing_about_the_key(status: int, answer: Mapping[str, Any] | None) -> None:
    error = explain(status, answer)

    assert type(error) is TryLater


@pytest.mark.report("R013")
@pytest.mark.parametrize(
    ("status", "description", "reason"),
    [
        (401, "Unauthorized", RefusedReason.AUTH),
        (404, "Not Found", RefusedReason.AUTH),
        (403, "Forbidden: bot was blocked by the user", RefusedReason.GONE),
        (403, "Forbidden: user is deactivated", RefusedReason.GONE),
        (403, "Forbidden: bot was kicked from the supergroup chat", RefusedReason.GONE),
        (403, "Forbidden: bot is not a member of the supergroup chat", RefusedReason.GONE),
        (403, "Forbidden: the group chat was deleted", RefusedReason.GONE),
        (403, "Forbidden: bot can't initiate conversation with a user", RefusedReason.FORBIDDEN),
        (403, "Forbidden: something new", RefusedReason.FORBIDDEN),
        (400, "Bad Request: chat not found", RefusedReason.GONE),
        (400, "Bad Request: PEER_ID_INVALID", RefusedReason.GONE),
        (400, "Bad Request: message thread not found", RefusedReason.GONE),
        (400, "Bad Request: message to edit not found", RefusedReason.GONE),
        (400, "Bad Request: not enough rights to send text messages to the chat", RefusedReason.FORBIDDEN),
        (400, "Bad Request: have no rights to send a message", RefusedReason.FORBIDDEN),
        (400, "Bad Request: TOPIC_CLOSED", RefusedReason.FORBIDDEN),
        (400, "Bad Request: message can't be deleted for everyone", RefusedReason.FORBIDDEN),
        (400, "Bad Request: message is too long", RefusedReason.BAD_PAYLOAD),
        (400, "Bad Request: message text is empty", RefusedReason.BAD_PAYLOAD),
        (400, "Bad Request: BUTTON_DATA_INVALID", RefusedReason.BAD_PAYLOAD),
        (400, "Bad Request: something new", RefusedReason.BAD_PAYLOAD),
        (413, "Request Entity Too Large", RefusedReason.BAD_PAYLOAD),
    ],
)
def test_a_refusal_is_classed(status: int, description: str, reason: RefusedReason) -> None:
    error = explain(status, refusal(status, description))

    assert isinstance(error, Refused)
    assert error.reason is reason
    assert description in str(error)


@pytest.mark.parametrize(
    ("description", "kind"),
    [
        ("Bad Request: can't parse entities: Can't find end tag corresponding to start tag \"b\"", "MarkupRefused"),
        ("Bad Request: message is not modified: specified new message content … exactly the same", "AlreadySo"),
        ("Bad Request: query is too old and response timeout expired or query ID is invalid", "AlreadySo"),
        ("Bad Request: message to delete not found", "AlreadySo"),
        ("Bad Request: there is no text in the message to edit", "NoText"),
        ("Bad Request: message is too long", "WordsRefused"),
        ("Bad Request: message text is empty", "WordsRefused"),
        ("Bad Request: text must be non-empty", "WordsRefused"),
        ("Bad Request: PHOTO_INVALID_DIMENSIONS", "PictureRefused"),
        ("Bad Request: BOT_COMMANDS_TOO_MUCH", "MenuTooLarge"),
    ],
)
def test_a_refusal_with_a_remedy_has_a_kind_of_its_own(description: str, kind: str) -> None:
    error = explain(400, refusal(400, description))

    assert type(error) is getattr(answers, kind)


def test_a_group_that_became_a_supergroup_names_its_new_id() -> None:
    description = "Bad Request: group chat was upgraded to a supergroup chat"

    error = explain(400, refusal(400, description, migrate_to_chat_id=-1001234567890))

    assert isinstance(error, answers.ChatMoved)
    assert error.chat_id == -1001234567890


@pytest.mark.parametrize(
    ("description", "webhook"),
    [
        ("Conflict: terminated by other getUpdates request; make sure that only one bot instance is running", False),
        ("Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete …", True),
        ("Conflict: terminated by setWebhook request", True),
    ],
)
def test_a_conflict_says_with_whom(description: str, webhook: bool) -> None:
    error = explain(409, refusal(409, description))

    assert isinstance(error, answers.TakenByOther)
    assert error.webhook is webhook


@pytest.mark.parametrize(
    "answer",
    [
        {"ok": False},
        {"ok": False, "description": None, "parameters": None},
        {"ok": False, "description": 7, "parameters": {"retry_after": "soon", "migrate_to_chat_id": "x"}},
        {"ok": False, "description": "x", "parameters": [1]},
    ],
)
@pytest.mark.parametrize("status", [302, 400, 401, 403, 404, 409, 418, 429, 500, 503, 599])
def test_an_odd_answer_still_has_a_class(status: int, answer: Mapping[str, Any]) -> None:
    error = explain(status, answer)

    assert isinstance(error, ConchError)
    assert str(error)
