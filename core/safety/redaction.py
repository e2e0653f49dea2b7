"""Taking secrets out of text: the last step before anything is written to a log, an error or an export.

Two nets, because either may have holes: the shapes that keys have, and the very secrets that this process holds.
"""

import json
import logging
import re
from typing import Final
from urllib.parse import quote

from core.errors import UsageError

REDACTED: Final = "[redacted]"

MIN_SECRET: Final = 6
"""Characters of an exact secret; a shorter one would tear holes into ordinary text."""

# What comes before the secret is bounded everywhere: a line of any length is searched in linear time.
_WORD: Final = r"[A-Za-z0-9_-]"
_SHAPES: Final = tuple(
    (re.compile(pattern, re.IGNORECASE if ignore_case else 0), replacement)
    for pattern, replacement, ignore_case in (
        # Telegram's, also inside URLs: core.telegram.org/bots/api#authorizing-your-bot
        (rf"\d{{5,20}}(?::|%3[Aa]){_WORD}{{30,}}", REDACTED, False),
        # Slack's, of every kind: docs.slack.dev/authentication/tokens
        (r"(?:xoxe\.)?(?:xox[a-z]|xapp)-[A-Za-z0-9-]{10,}", REDACTED, False),
        # Microsoft Entra's client secrets: three characters, a digit, Q~, and the rest
        (r"[A-Za-z0-9_.~-]{3}\dQ~[A-Za-z0-9_.~-]{31,}", REDACTED, False),
        # Discord bot tokens and JSON web tokens: three parts
        (rf"{_WORD}{{18,100}}\.{_WORD}{{6,}}\.{_WORD}{{25,}}", REDACTED, False),
        # OpenAI and Anthropic; Google
        (rf"sk-{_WORD}{{16,}}", REDACTED, False),
        (rf"AIza{_WORD}{{30,}}", REDACTED, False),
        (r"ya29\.[A-Za-z0-9._-]{16,}", REDACTED, False),
        # our own API's: core.store.tokens
        (rf"conch_{_WORD}{{40,}}", REDACTED, False),
        # headers
        (r"(\bbearer\s{1,5})[A-Za-z0-9._~+/=-]{8,}", rf"\g<1>{REDACTED}", True),
        # after a word that people write as well only what is no word: "Basic Information" is nobody's password
        (r"(\bbasic\s{1,5})(?=[A-Za-z/]{0,100}[0-9+=])[A-Za-z0-9+/=]{16,}", rf"\g<1>{REDACTED}", True),
        (r"(\bauthorization\W{1,6}(?:(?:bot|basic)\s{1,5})?)[^\s\"',\[]{8,}", rf"\g<1>{REDACTED}", True),
        # hello codes, in their link and as the message that the link sends
        (rf"([?&]start=){_WORD}{{12,}}", rf"\g<1>{REDACTED}", False),
        (rf"(/start(?:@\w{{1,64}})?\s{{1,5}}){_WORD}{{12,}}", rf"\g<1>{REDACTED}", False),
        # addresses with a password or a secret parameter
        (r"(://[^\s:/@]{1,100}:)[^\s@/]+(?=@)", rf"\g<1>{REDACTED}", False),
        (r"([?&#](?:token|key|secret|code|password|access_token|api_key)=)[^&\s\"']{6,}", rf"\g<1>{REDACTED}", True),
    )
)


def redact(text: str) -> str:
    """The text without anything that has the shape of a secret."""
    for shape, replacement in _SHAPES:
        text = shape.sub(replacement, text)
    return text


class Redactor:
    """Takes out the known shapes, and the very secrets that it was told of."""

    def __init__(self) -> None:
        self._exact: dict[str, None] = {}
        self._search: re.Pattern[str] | None = None

    def add(self, secret: str) -> None:
        """From now on take out this secret, also as it looks inside a URL or a JSON text.

        Raises:
            UsageError: it has fewer than 6 characters.
        """
        if len(secret) < MIN_SECRET:
            raise UsageError(f"A secret needs at least {MIN_SECRET} characters to be taken out of logs.")
        self._exact |= dict.fromkeys((secret, quote(secret, safe=""), json.dumps(secret)[1:-1]))
        longest_first = sorted(self._exact, key=len, reverse=True)
        self._search = re.compile("|".join(re.escape(known) for known in longest_first))

    def redact(self, text: str) -> str:
        """The text without secrets."""
        if self._search is not None:
            text = self._search.sub(REDACTED, text)
        return redact(text)

    def processor(self, logger: object, method: str, line: object) -> str:
        """A structlog processor that stands after the renderer: what is in the line now is what is written."""
        return self.redact(str(line))


class RedactingFilter(logging.Filter):
    """For a handler of the standard library: no record leaves it with a secret in message, arguments or traceback."""

    def __init__(self, redactor: Redactor) -> None:
        super().__init__()
        self._redactor = redactor

    def filter(self, record: logging.LogRecord) -> bool:
        """Always lets the record through, cleaned."""
        record.msg, record.args = self._redactor.redact(record.getMessage()), None
        if record.exc_info and not record.exc_text:
            record.exc_text = logging.Formatter().formatException(record.exc_info)
        if record.exc_text:
            record.exc_text = self._redactor.redact(record.exc_text)
        if record.stack_info:
            record.stack_info = self._redactor.redact(record.stack_info)
        return True
