"""Bad tokens, each bad in one way: what a bot must not let in.

Belongs here: forging and posting them. Good ones are `tokens`.
"""

import hmac
import time
from collections.abc import Mapping
from typing import Any

from channels.emulators.teams import payloads
from channels.emulators.teams.chats import Content, Message
from channels.emulators.teams.keys import base64url, new_key, unsigned
from channels.emulators.teams.people import Bot, Person
from channels.emulators.teams.world import World

ELSEWHERE = "https://smba.elsewhere.example/teams/"
UNENDORSED = ("webchat", "directline")

KINDS = (
    "none",
    "wrong key",
    "wrong issuer",
    "wrong audience",
    "expired",
    "not yet valid",
    "wrong service address",
    "missing endorsement",
    "unsigned",
    "hmac with the public key",
)
"""The ways in which a token can be bad; `good` is the one that is not."""

GOOD = "good"

_LONG = 24 * 3600


class Forger:
    """Makes tokens and posts with them, as anyone on the internet could."""

    def __init__(self, world: World) -> None:
        self._world = world

    def authorization(self, bot: Bot, kind: str) -> str | None:
        """The `Authorization` of a post to a bot; None where there is none at all.

        `missing endorsement` publishes one more key, which signs for other channels only.

        Raises:
            ValueError: there is no such kind.
        """
        if kind == "none":
            return None
        return f"Bearer {self._token(bot, kind)}"

    async def post(self, person: Person, text: str, kind: str = GOOD, **over: Any) -> tuple[int, Any]:  # noqa: ANN401 JSON
        """Post a message of a person to their bot once, with such a token; `over` replaces fields of the activity.

        Nothing of it stands in their chat. Returns the status and the answer.
        """
        world, bot = self._world, self._bot()
        chat = world.private_chat(person, bot)
        said = Message(world.new_id(), 0, chat, person, Content(text, text_format="plain"))
        activity = payloads.message(said, person, bot, world.clock.now())
        activity = {**activity, "serviceUrl": world.deliveries.service_url, **over}
        return await world.deliveries.post(bot, activity, self.authorization(bot, kind))

    def _bot(self) -> Bot:
        return self._world.bots[0]

    def _token(self, bot: Bot, kind: str) -> str:
        tokens = self._world.tokens
        claims = tokens.claims(bot, self._world.deliveries.service_url)
        now = int(time.time())
        changed: Mapping[str, Mapping[str, Any]] = {
            "wrong issuer": {"iss": "https://sts.windows.net/elsewhere/"},
            "wrong audience": {"aud": "00000000-0000-4000-8000-000000000000"},
            "expired": {"nbf": now - 2 * _LONG, "exp": now - _LONG},
            "not yet valid": {"nbf": now + _LONG, "exp": now + 2 * _LONG},
            "wrong service address": {"serviceurl": ELSEWHERE},
        }
        if kind == GOOD or kind in changed:
            return tokens.key.sign({**claims, **changed.get(kind, {})})
        if kind == "wrong key":
            return new_key(key_id=tokens.key.id).sign(claims)
        if kind == "missing endorsement":
            other = new_key(endorsements=UNENDORSED)
            tokens.published.insert(0, other)
            return other.sign(claims)
        if kind == "unsigned":
            return unsigned({"alg": "none", "typ": "JWT", "kid": tokens.key.id}, claims) + "."
        if kind == "hmac with the public key":
            signed = unsigned({"alg": "HS256", "typ": "JWT", "kid": tokens.key.id}, claims)
            return f"{signed}.{base64url(hmac.digest(tokens.key.public_pem, signed.encode(), 'sha256'))}"
        raise ValueError(f"no kind {kind!r}; there are {', '.join(KINDS)}")
