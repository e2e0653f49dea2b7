"""Whether it is still the owner who sits there: what is sensitive wants somebody who came in not long ago.

Connecting a bot, letting somebody in, a new key, turning a group on: a browser that was left open does none of these.
Turning something off never asks.
"""

from starlette.requests import Request

from web.security import Gate, read_cookie


class NotRecent(Exception):
    """They came in too long ago."""


class Recently:
    """Looked at before a form is taken, as a dependency of its route."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate

    async def __call__(self, request: Request) -> None:
        """Raises NotRecent unless the browser came in by a link in the last ten minutes."""
        session = read_cookie(request.headers, self._gate.cookie)
        if session is None or not self._gate.sessions.is_recent(session):
            raise NotRecent
