"""How Slack bots are connected: the keys in what was pasted, whose they are, and whether they are allowed enough."""

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from channels.base import Channel, Identity
from channels.slack import limits, render
from channels.slack.addresses import API, check_address
from channels.slack.answers import APPS, scope_missing
from core.clock import Clock
from core.errors import Refused, RefusedReason, TryLater

if TYPE_CHECKING:
    from channels.slack.client import SlackClient

_BOT_TOKEN = re.compile(r"(?<![A-Za-z0-9-])xoxb-[A-Za-z0-9-]{10,250}")
_APP_TOKEN = re.compile(r"(?<![A-Za-z0-9-])xapp-[A-Za-z0-9-]{10,250}")
_NAMED_SECRET = re.compile(r"signing\W+secret\W{0,10}([0-9a-f]{32})(?![0-9A-Za-z])", re.IGNORECASE)
_SECRET = re.compile(r"(?<![0-9A-Za-z])([0-9a-f]{32})(?![0-9A-Za-z])")
"""The app's other secrets look the same, so one that is named goes before."""

NO_BOT_KEY = f"The bot's key is missing. It begins with xoxb- and stands under OAuth & Permissions at {APPS}."
NO_APP_KEY = (
    "The app's key is missing. It begins with xapp- and is made under Basic Information → App-Level Tokens, "
    f"with the scope connections:write, at {APPS}. Paste both keys together."
)
NO_ADDRESS = (
    "With a signing secret Slack brings messages to Conch, which needs public_url. "
    "Set it, or paste the app's key (xapp-…) instead, which needs no address."
)


class SlackKind:
    """Slack, or something that speaks its Web API at another address.

    Keys go to Slack or to this machine, and to any other host only with `allow_remote`. `webhooks` is the address of
    ours below which Slack brings messages to bots that have a signing secret and no key for Socket Mode. `console` is
    where the owner's web side is, for the app's Home tab.

    Raises:
        UsageError: the address is another host's, or none.
    """

    def __init__(
        self,
        clock: Clock,
        *,
        base_url: str = API,
        allow_remote: bool = False,
        webhooks: str | None = None,
        console: str | None = None,
    ) -> None:
        check_address(base_url, allow_remote=allow_remote)
        self._clock = clock
        self._base_url = base_url
        self._webhooks = webhooks
        self._console = console

    @property
    def kind(self) -> str:
        """Its name in settings, links and logs."""
        return limits.CAPABILITIES.kind

    def find_credentials(self, pasted: str) -> Mapping[str, str] | None:
        """The keys, in whatever order; of several of a kind the last, as the newest. Some may be missing."""
        found = {}
        for name, pattern in (("bot_token", _BOT_TOKEN), ("app_token", _APP_TOKEN)):
            if keys := pattern.findall(pasted):
                found[name] = keys[-1]
        rest = _APP_TOKEN.sub(" ", _BOT_TOKEN.sub(" ", pasted))
        if secrets := _NAMED_SECRET.findall(rest) or _SECRET.findall(rest):
            found["signing_secret"] = secrets[-1].lower()
        return found if "bot_token" in found or "app_token" in found else None

    async def check(self, credentials: Mapping[str, str]) -> Identity:
        """Ask Slack whose keys they are, whether the bot is allowed enough, and whether it can listen."""
        self._see_that_all_are_there(credentials)
        client = self._client(credentials)
        async with _opened(client):
            me = await client.call(render.who_am_i())
            if client.scopes and (missing := [scope for scope in limits.SCOPES if scope not in client.scopes]):
                raise scope_missing(missing)
            if "app_token" in credentials:
                await client.call(render.open_socket())
            return _identity(me)

    def connect(self, channel_id: str, credentials: Mapping[str, str], identity: Identity) -> Channel:
        """A channel for keys that were checked."""
        from channels.slack.channel import SlackChannel  # noqa: PLC0415 - see `_client`

        by_http = "app_token" not in credentials
        return SlackChannel(
            channel_id,
            identity,
            self._client(credentials),
            self._clock,
            signing_secret=credentials.get("signing_secret") if by_http else None,
            console=self._console,
        )

    def hello_link(self, identity: Identity, code: str) -> str | None:
        """Slack has none: the person writes to the bot, and the owner lets them in."""
        return None

    def _see_that_all_are_there(self, credentials: Mapping[str, str]) -> None:
        if "bot_token" not in credentials:
            raise Refused(NO_BOT_KEY, RefusedReason.AUTH)
        if "app_token" not in credentials and "signing_secret" not in credentials:
            raise Refused(NO_APP_KEY, RefusedReason.AUTH)
        if "app_token" not in credentials and self._webhooks is None:
            raise Refused(NO_ADDRESS, RefusedReason.AUTH)

    def _client(self, credentials: Mapping[str, str]) -> "SlackClient":
        # The SDK takes a moment and memory to import, so that is done only when a Slack bot is used.
        from channels.slack.client import SlackClient  # noqa: PLC0415 - see above

        bot_token, app_token = credentials.get("bot_token", ""), credentials.get("app_token")
        if not _BOT_TOKEN.fullmatch(bot_token) or not (app_token is None or _APP_TOKEN.fullmatch(app_token)):
            raise Refused("These are not the keys of a Slack bot.", RefusedReason.AUTH)
        return SlackClient(bot_token, app_token, self._base_url)


@asynccontextmanager
async def _opened(client: "SlackClient") -> AsyncIterator[None]:
    await client.open()
    try:
        yield
    finally:
        await client.close()


def _identity(me: Mapping[str, object]) -> Identity:
    user_id, name, team = me.get("user_id"), me.get("user"), me.get("team")
    if not isinstance(user_id, str) or not user_id:
        raise TryLater("Slack's answer does not say whose key this is.")
    username = name if isinstance(name, str) and name else None
    title = username or "Slack bot"
    return Identity(user_id, f"{title} in {team}" if isinstance(team, str) and team else title, username)
