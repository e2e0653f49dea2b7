"""How a bot of the in-memory app is connected: as any other, by its key."""

import re
from collections.abc import Mapping

from channels.base import Capabilities, Channel, Identity
from channels.memory.app import MemoryApp
from channels.memory.channel import CAPABILITIES, MemoryChannel
from core.clock import Clock
from core.errors import Refused, RefusedReason

_KEY = re.compile(r"\bmemory:[\w-]{8,80}")


class MemoryKind:
    """The in-memory apps of this process; without any, no key works. Buttons and limits as in `MemoryChannel`.

    `channel` is what they can do besides, such as forms.
    """

    def __init__(
        self,
        clock: Clock,
        *apps: MemoryApp,
        button_limit: int = 0,
        capabilities: Capabilities = CAPABILITIES,
        channel: type[MemoryChannel] = MemoryChannel,
    ) -> None:
        self._clock = clock
        self._apps = apps
        self._button_limit = button_limit
        self._capabilities = capabilities
        self._channel_type = channel

    @property
    def kind(self) -> str:
        """`memory`, unless it plays another app."""
        return self._capabilities.kind

    def find_credentials(self, pasted: str) -> Mapping[str, str] | None:
        """`memory:` and what follows it; of several the last."""
        found = _KEY.findall(pasted)
        return {"key": found[-1]} if found else None

    async def check(self, credentials: Mapping[str, str]) -> Identity:
        """Whose key it is."""
        return self._app(credentials).identity

    def connect(self, channel_id: str, credentials: Mapping[str, str], identity: Identity) -> Channel:
        """A channel to the app whose bot this is. The key of an app that ended with its process works no more."""
        for app in self._apps:
            if app.identity.bot_id == identity.bot_id:
                return self._channel(channel_id, app, credentials["key"])
        return self._channel(channel_id, MemoryApp(self._clock, identity), key="")

    def hello_link(self, identity: Identity, code: str) -> str | None:
        """For `MemoryChat.open_link`."""
        return f"memory://{identity.username or identity.bot_id}?start={code}"

    def _channel(self, channel_id: str, app: MemoryApp, key: str) -> MemoryChannel:
        return self._channel_type(
            channel_id, app, self._clock, key=key, button_limit=self._button_limit, capabilities=self._capabilities
        )

    def _app(self, credentials: Mapping[str, str]) -> MemoryApp:
        for app in self._apps:
            if app.key == credentials.get("key"):
                return app
        raise Refused("The in-memory app does not know this key.", RefusedReason.AUTH)
