"""Secrets in text, planted and looked for."""

import io
import logging
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import UsageError
from core.safety.redaction import REDACTED, RedactingFilter, Redactor, redact

_WORD = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
_PLAIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


def _of(alphabet: str, low: int, high: int) -> st.SearchStrategy[str]:
    return st.text(alphabet, min_size=low, max_size=high)


TELEGRAM = st.builds("{}:{}".format, st.integers(10**7, 10**10), _of(_WORD, 35, 35))
SHAPED = st.one_of(
    TELEGRAM,
    st.builds("xoxb-{}-{}".format, st.integers(10**10, 10**12), _of(_PLAIN, 24, 24)),
    st.builds("xapp-1-A{}".format, _of(_PLAIN, 40, 60)),
    st.builds("{}.{}.{}".format, _of(_WORD, 24, 26), _of(_WORD, 6, 6), _of(_WORD, 27, 38)),
    st.builds("sk-ant-api03-{}".format, _of(_WORD, 40, 90)),
    st.builds("sk-proj-{}".format, _of(_WORD, 40, 90)),
    st.builds("AIza{}".format, _of(_WORD, 35, 35)),
    st.builds("conch_{}".format, _of(_WORD, 43, 43)),
)
SEPARATOR = st.sampled_from((" ", "\n", '"', "'", "(", "/", "=", ",", "<"))
AROUND = st.text(max_size=20)


@given(AROUND, SEPARATOR, SHAPED, SEPARATOR, AROUND)
@pytest.mark.report("R121")
def test_nothing_shaped_like_a_key_stays(before: str, left: str, canary: str, right: str, after: str) -> None:
    text = f"{before}{left}{canary}{right}{after}"

    assert canary not in redact(text)


@given(AROUND, TELEGRAM, AROUND)
def test_a_telegram_token_does_not_stay_in_a_url(before: str, canary: str, after: str) -> None:
    plain = f"{before} https://api.telegram.org/bot{canary}/getMe {after}"
    quoted = f"{before} https://api.telegram.org/file/bot{quote(canary, safe='')}/photo.jpg {after}"

    assert canary.split(":")[1] not in redact(plain)
    assert canary.split(":")[1] not in redact(quoted)


@pytest.mark.parametrize(
    "line",
    [
        "Authorization: Bearer CANARY-1234567890",
        "{'authorization': 'Bot CANARY-1234567890'}",
        '"Authorization": "CANARY-1234567890"',
        "curl -H 'authorization: basic CANARY1234567890='",
        "'Authorization': 'Basic CANARYCANARY'",
        "tried Basic CANARYQWRhOnNlY3JldDE=",
        "https://t.me/my_bot?start=CANARY_12345678",
        "tg://resolve?domain=my_bot&start=CANARY_12345678",
        "text='/start CANARY_12345678'",
        "/start@my_bot CANARY_12345678",
        "postgresql+asyncpg://conch:CANARY@db.example/conch",
        "http://127.0.0.1:8080/sign-in?token=CANARY-1234",
    ],
)
def test_a_secret_in_its_usual_place_does_not_stay(line: str) -> None:
    assert "CANARY" not in redact(line)


@pytest.mark.parametrize(
    "line",
    [
        "the turn 4711 of conversation 0123456789abcdef0123456789abcdef took 12:30",
        "core.store.database.Database opened sqlite:////data/conch.sqlite",
        "bearer of bad news",
        "Open Settings, Basic Information, then App Credentials",
        "https://t.me/my_bot?start=hello",
        "/start",
        "skating-along-the-road",
    ],
)
def test_ordinary_words_stay(line: str) -> None:
    assert redact(line) == line


@given(st.text(min_size=6, max_size=40), AROUND, AROUND)
@pytest.mark.report("R121")
def test_a_secret_that_is_known_does_not_stay(secret: str, before: str, after: str) -> None:
    redactor = Redactor()
    redactor.add(secret)

    cleaned = redactor.redact(f"{before}{secret}{after}")

    assert all(secret not in piece for piece in cleaned.split(REDACTED))


def test_a_known_secret_is_found_in_urls_and_json_too() -> None:
    redactor = Redactor()
    redactor.add('p/ss w"rd')

    cleaned = redactor.redact('url=p%2Fss%20w%22rd json="p/ss w\\"rd"')

    assert cleaned == f'url={REDACTED} json="{REDACTED}"'


def test_a_secret_too_short_to_look_for_is_refused() -> None:
    with pytest.raises(UsageError):
        Redactor().add("abc")


def test_a_long_line_without_secrets_is_searched_in_linear_time() -> None:
    line = "a" * 200_000 + "1" * 200_000 + "?start=" * 10_000

    assert redact(line) == line


@pytest.mark.report("R121")
def test_a_log_record_leaves_without_secrets_wherever_they_were() -> None:
    redactor = Redactor()
    redactor.add("CANARY-1")
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.addFilter(RedactingFilter(redactor))
    logger = logging.Logger("canaries")
    logger.addHandler(handler)

    try:
        raise ValueError("in the error: CANARY-1")
    except ValueError:
        logger.exception("in the message: CANARY-1, %s", "in the arguments: CANARY-1", stack_info=True)

    written = stream.getvalue()
    assert written.count(REDACTED) >= 3
    assert "CANARY-1" not in written


def test_the_processor_cleans_the_rendered_line() -> None:
    redactor = Redactor()
    redactor.add("CANARY-1")

    assert redactor.processor(None, "info", "token=CANARY-1 done") == f"token={REDACTED} done"
