"""What Slack's refusals mean, and how its words read."""

import pytest

from channels.slack.answers import AlreadySo, MarkupRefused, MessageGone, NotStreaming, ScopeMissing, explain
from channels.slack.words import mentions, plain_words
from core.errors import MaybeDone, Refused, RefusedReason, TryLater


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("already_reacted", AlreadySo),
        ("no_reaction", AlreadySo),
        ("invalid_blocks", MarkupRefused),
        ("message_not_found", MessageGone),
        ("message_not_in_streaming_state", NotStreaming),
        ("missing_scope", ScopeMissing),
        ("fatal_error", MaybeDone),
        ("internal_error", MaybeDone),
        ("ratelimited", TryLater),
        ("service_unavailable", TryLater),
        ("something_new", Refused),
    ],
)
def test_each_refusal_is_of_the_kind_that_says_what_to_do(code: str, kind: type[Exception]) -> None:
    assert type(explain(200, {"ok": False, "error": code})) is kind


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("invalid_auth", RefusedReason.AUTH),
        ("token_revoked", RefusedReason.AUTH),
        ("account_inactive", RefusedReason.AUTH),
        ("is_archived", RefusedReason.GONE),
        ("channel_not_found", RefusedReason.GONE),
        ("not_in_channel", RefusedReason.FORBIDDEN),
        ("restricted_action_read_only_channel", RefusedReason.FORBIDDEN),
        ("messages_tab_disabled", RefusedReason.FORBIDDEN),
        ("link_disabled", RefusedReason.FORBIDDEN),
        ("msg_too_long", RefusedReason.BAD_PAYLOAD),
    ],
)
def test_a_refusal_says_its_reason(code: str, reason: RefusedReason) -> None:
    refusal = explain(200, {"ok": False, "error": code})

    assert isinstance(refusal, Refused)
    assert refusal.reason is reason


@pytest.mark.parametrize(("header", "seconds"), [("30", 30.0), (None, None), ("soon", None), ("-1", 0.0)])
def test_how_long_to_wait_is_slacks_to_say(header: str | None, seconds: float | None) -> None:
    later = explain(429, {"ok": False, "error": "ratelimited"}, header)

    assert isinstance(later, TryLater)
    assert later.retry_after == seconds


@pytest.mark.parametrize(("status", "kind"), [(500, MaybeDone), (502, MaybeDone), (503, TryLater), (200, TryLater)])
def test_a_page_instead_of_an_answer_says_nothing_about_the_key(status: int, kind: type[Exception]) -> None:
    assert type(explain(status, None)) is kind


def test_the_scope_that_is_missing_is_named() -> None:
    refusal = explain(200, {"ok": False, "error": "missing_scope", "needed": "files:read", "provided": "chat:write"})

    assert "files:read" in str(refusal)
    assert "OAuth & Permissions" in str(refusal)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("<@UBOT> hello", "hello"),
        ("hello <@UBOT|conch>, you", "hello you"),
        ("ask <@U1> &amp; <@U2|bob>", "ask @Ada & @bob"),
        ("see <#C1|general> and <#C2>", "see #general and #C2"),
        ("<!here> and <!subteam^S1|@team>", "@here and @team"),
        ("<https://example.org> <https://example.org|this>", "https://example.org this (https://example.org)"),
        ("<mailto:ada@example.org|ada@example.org>", "ada@example.org"),
        ("<http://example.org|example.org>", "http://example.org"),
        ("1 &lt; 2 &gt; 0", "1 < 2 > 0"),
        ("&lt;@U1&gt;", "<@U1>"),
    ],
)
def test_words_read_as_people_see_them(written: str, read: str) -> None:
    assert plain_words(written, "UBOT", {"U1": "Ada"}) == read


@pytest.mark.parametrize(
    ("text", "is_named"), [("<@UBOT>", True), ("<@UBOT|x>", True), ("<@UBOT2>", False), ("", False)]
)
def test_the_bot_is_named_by_its_id(text: str, is_named: bool) -> None:
    assert mentions(text, "UBOT") is is_named
