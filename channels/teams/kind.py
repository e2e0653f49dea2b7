"""How Teams bots are connected: the ids and the secret in what was pasted, and whether they work."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from channels.base import Channel, Identity
from channels.reach import Probe
from channels.teams import limits
from channels.teams.addresses import Addresses
from channels.teams.answers import PORTAL, NoSuchApp
from core.clock import Clock
from core.errors import Refused, RefusedReason

if TYPE_CHECKING:
    from channels.teams.client import TeamsClient

_GUID = re.compile(r"(?<![\w-])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\w-])", re.IGNORECASE)
_NAMED_TENANT = re.compile(rf"(?:tenant|directory)[^0-9]{{0,30}}({_GUID.pattern})", re.IGNORECASE)
_NAMED_APP = re.compile(rf"(?:app|application|client)[^0-9]{{0,30}}({_GUID.pattern})", re.IGNORECASE)
_NAMED_OTHER = re.compile(rf"(?:object|secret)[ _-]?id[^0-9]{{0,20}}({_GUID.pattern})", re.IGNORECASE)
_SECRET = re.compile(r"(?<![\w.~-])[\w.~-]{3}\dQ~[\w.~-]{31,37}(?![\w.~-])", re.ASCII)
"""How Entra makes them now: three characters, a digit, `Q~`, the rest."""
_NAMED_SECRET = re.compile(r"(?:secret|password|value)\b[^\S\n]*(?:value)?[^\S\n]*[:=\s]\s*(\S{8,64})", re.IGNORECASE)

NO_APP = f"The bot's Application (client) ID is missing. It stands on the app's Overview page at {PORTAL}."
NO_TENANT = (
    "The Directory (tenant) ID is missing. It stands below the Application (client) ID on the app's Overview page at "
    f"{PORTAL}. Paste both ids and the client secret together."
)
NO_SECRET = (
    "The client secret is missing. Make one under Certificates & secrets of the app at "
    f"{PORTAL}, and paste its Value together with both ids."
)
NO_ADDRESS = (
    "Teams brings messages to Conch, which needs public_url: the https address at which Microsoft reaches Conch. "
    "Set it, then connect the bot again."
)


class TeamsKind:
    """Teams, or something that speaks its protocol at other addresses.

    `webhooks` is the address of ours below which Teams brings messages; without one no bot can be connected.
    """

    def __init__(self, clock: Clock, addresses: Addresses | None = None, *, webhooks: str | None = None) -> None:
        self._clock = clock
        self._addresses = addresses or Addresses()
        self._webhooks = webhooks

    @property
    def kind(self) -> str:
        """Its name in settings, links and logs."""
        return limits.CAPABILITIES.kind

    def find_credentials(self, pasted: str) -> Mapping[str, str] | None:
        """The ids and the secret, in whatever order; where two ids have no names, the first is the app's.

        Some may be missing. None where there is no id at all.
        """
        others = {found.lower() for found in _NAMED_OTHER.findall(pasted)}
        ids = [found.lower() for found in _GUID.findall(pasted) if found.lower() not in others]
        if not ids:
            return None
        tenant = next((found.lower() for found in _NAMED_TENANT.findall(pasted)), None)
        apps = [found.lower() for found in _NAMED_APP.findall(pasted) if found.lower() not in others]
        app_id = next((found for found in [*apps, *ids] if found != tenant), None)
        tenant = tenant or next((found for found in ids if found != app_id), None)
        secret = _secret_in(_GUID.sub(" ", pasted))
        found = {"app_id": app_id, "tenant": tenant, "secret": secret}
        return {name: words for name, words in found.items() if words is not None}

    async def check(self, credentials: Mapping[str, str]) -> Identity:
        """Ask Microsoft for a token; where it does not know the ids, once more with the two the other way round."""
        self._see_that_all_are_there(credentials)
        try:
            await self._sign_in(credentials, credentials["app_id"])
        except NoSuchApp as refusal:
            other = credentials["tenant"]
            try:
                await self._sign_in(credentials, other)
            except Refused:
                raise refusal from None
            return _identity(other)
        return _identity(credentials["app_id"])

    async def probe(self, channel_id: str, credentials: Mapping[str, str]) -> Probe:
        """Whether the bot can sign in, and where Teams must bring its messages."""
        identity = await self.check(credentials)
        return Probe(identity)

    def connect(self, channel_id: str, credentials: Mapping[str, str], identity: Identity) -> Channel:
        """A channel for a bot that was checked."""
        from channels.teams.channel import TeamsChannel  # noqa: PLC0415 - see `_client`

        return TeamsChannel(channel_id, identity, self._client(credentials, identity.bot_id), self._clock)

    def hello_link(self, identity: Identity, code: str) -> str | None:
        """Teams has none: the person writes to the bot, and the owner lets them in."""
        return None

    def endpoint(self, channel_id: str) -> str | None:
        """Where Teams must bring what is for this bot; None where there is no address from outside."""
        return None if self._webhooks is None else f"{self._webhooks}/{channel_id}/messages"

    def _see_that_all_are_there(self, credentials: Mapping[str, str]) -> None:
        for name, words in (("app_id", NO_APP), ("tenant", NO_TENANT), ("secret", NO_SECRET)):
            if name not in credentials:
                raise Refused(words, RefusedReason.AUTH)
        if self._webhooks is None:
            raise Refused(NO_ADDRESS, RefusedReason.AUTH)

    async def _sign_in(self, credentials: Mapping[str, str], app_id: str) -> None:
        client = self._client(credentials, app_id)
        await client.open()
        try:
            await client.sign_in()
        finally:
            await client.close()

    def _client(self, credentials: Mapping[str, str], app_id: str) -> "TeamsClient":
        # The SDK takes a second and much memory to import, so that is done only when a Teams bot is used.
        from channels.teams.client import TeamsClient  # noqa: PLC0415 - see above

        ids = credentials.get("app_id", ""), credentials.get("tenant", "")
        tenant = ids[1] if app_id == ids[0] else ids[0]
        if app_id not in ids or not all(_GUID.fullmatch(found) for found in ids):
            raise Refused("These are not the ids of a Teams bot.", RefusedReason.AUTH)
        return TeamsClient(app_id, tenant, credentials.get("secret", ""), self._addresses, self._clock)


def _secret_in(words: str) -> str | None:
    """The newest secret by its shape, else what is named as one, else a word that can be nothing else."""
    if found := _SECRET.findall(words):
        return str(found[-1])
    if named := _NAMED_SECRET.findall(words):
        return str(named[-1])
    alone = [word for word in words.split() if 20 <= len(word) <= 64 and _is_mixed(word)]
    return alone[-1] if alone else None


def _is_mixed(word: str) -> bool:
    """Letters of both kinds and digits, and nothing of an address."""
    return (
        "/" not in word
        and any(c.isdigit() for c in word)
        and any(c.islower() for c in word)
        and any(c.isupper() for c in word)
    )


def _identity(app_id: str) -> Identity:
    return Identity(app_id, f"Teams bot {app_id[:8]}")
