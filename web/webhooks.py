"""The addresses to which chat apps bring messages: `POST /channels/<app>/<bot>`, for Teams with
`/messages` at its end.

Answered 200 only when what was brought is stored; the app brings everything else again. What proves that it is the app
which asks, each bot's adapter knows.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from fastapi import FastAPI, Request
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse, Response

from channels.reach import Pushed, Unproven
from core.errors import NotAllowed
from web.problems import problem

Push = Callable[[str, str, Pushed], Awaitable[Mapping[str, Any] | None]]
"""Takes a request for the bot of an app; gives back and raises what `channels.reach.Pushes.pushed` does."""

CLOSED = 499
"""The status for whoever is gone before they said everything; nobody reads it (nginx's number for it)."""


class WebhookRoute:
    """Hands requests to the bots."""

    def __init__(self, push: Push) -> None:
        self._push = push

    def add_to(self, app: FastAPI) -> None:
        """Register the route."""
        for path in ("/channels/{kind}/{channel_id}", "/channels/{kind}/{channel_id}/messages"):
            app.add_api_route(path, self.pushed, methods=["POST"], response_model=None)

    async def pushed(self, kind: str, channel_id: str, request: Request) -> Response:
        """Store it, or say why not; a store that takes nothing becomes a 503 like everywhere."""
        try:
            told = await self._push(kind, channel_id, Pushed(request.headers, request.body))
        except Unproven:
            return problem(request.headers, 401, "unproven")
        except NotAllowed:
            return problem(request.headers, 403, "unproven")
        except ValueError:
            return problem(request.headers, 400, "invalid")
        except ClientDisconnect:
            return Response(status_code=CLOSED)
        return Response(status_code=200) if told is None else JSONResponse(dict(told))
