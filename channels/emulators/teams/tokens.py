"""Tokens: those that a bot shows the Connector, and those with which Teams shows a bot that it is Teams.

Belongs here: claims, what was issued and until when, the keys that are published now, changing them. Bad tokens are
`forger`. Times in tokens are the machine's own, since those who check them look at nothing else.
"""

import time
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from channels.emulators.teams import limits
from channels.emulators.teams.keys import Key, new_key
from channels.emulators.teams.people import Bot

ISSUER = "https://api.botframework.com"
SCOPE = "https://api.botframework.com/.default"


class Tokens:
    """What is issued and signed, with a new key unless one is given. `now` gives seconds since 1970."""

    def __init__(self, key: Key | None = None, *, now: Callable[[], float] = time.time) -> None:
        self.now = now
        self.published: list[Key] = [key or new_key()]
        """What the metadata shows; the last of them signs."""
        self._issued: dict[str, tuple[str, float]] = {}

    @property
    def key(self) -> Key:
        """The one that signs."""
        return self.published[-1]

    def roll_over(self, *, keep_old: bool = True) -> Key:
        """Sign with a new key from now on; the old one stays published for a while, or is gone at once."""
        self.published = [*(self.published if keep_old else ()), new_key()]
        return self.key

    def claims(self, bot: Bot, service_url: str) -> dict[str, Any]:
        """What a token to a bot says."""
        now = int(self.now())
        about = {"serviceurl": service_url, "nbf": now - limits.TOKEN_SKEW, "exp": now + 3600}
        return {"iss": ISSUER, "aud": bot.app_id, **about}

    def for_bot(self, bot: Bot, service_url: str) -> str:
        """A token that a bot can trust."""
        return self.key.sign(self.claims(bot, service_url))

    def issue(self, bot: Bot) -> str:
        """A token with which a bot may call the Connector."""
        now = int(self.now())
        claims: Mapping[str, Any] = {
            "aud": ISSUER,
            "iss": f"https://sts.windows.net/{bot.tenant}/",
            "iat": now,
            "nbf": now,
            "exp": now + limits.TOKEN_SECONDS,
            "appid": bot.app_id,
            "tid": bot.tenant,
            "uti": uuid.uuid4().hex,
            "ver": "1.0",
        }
        token = self.key.sign(claims)
        self._issued[token] = (bot.app_id, now + limits.TOKEN_SECONDS)
        return token

    def app_of(self, token: str) -> str | None:
        """Whose token it is; None where nobody issued it, or it is over."""
        app_id, until = self._issued.get(token, ("", 0.0))
        return app_id if until > self.now() else None

    def revoke(self) -> None:
        """Let every token that bots hold be worth nothing."""
        self._issued.clear()
