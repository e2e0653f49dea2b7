"""A question to the running server over its local socket, and its answer or its error."""

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager

import aiohttp

from core.errors import ConchError, MaybeDone, TryLater
from web.administration import ErrorView


class ControlLine:
    """Asks over a session that is bound to the socket.

    Raises:
        ConchError: what the server raised, or that it could not be asked.
    """

    def __init__(self, session: aiohttp.ClientSession) -> None:
        self._session = session

    async def get(self, path: str, query: Mapping[str, str] | None = None) -> bytes:
        """The answer's body."""
        return await self._answer(self._session.get(path, params=query))

    async def post(self, path: str, **ask: str | bool | None) -> bytes:
        """The answer's body."""
        return await self._answer(self._session.post(path, json=ask))

    async def _answer(self, request: AbstractAsyncContextManager[aiohttp.ClientResponse]) -> bytes:
        try:
            async with request as answer:
                body = await answer.read()
        except aiohttp.ClientConnectorError as fault:
            raise TryLater("Conch is just starting or ending. Try again in a moment.") from fault
        except (aiohttp.ClientError, TimeoutError) as fault:
            raise MaybeDone("Conch did not answer. Look whether it was done before you try again.") from fault
        if answer.status == 200:
            return body
        if answer.status == 409:
            raise ErrorView.model_validate_json(body).to_error()
        raise ConchError(f"Conch could not do this ({answer.status}); the reason stands in its log.")
