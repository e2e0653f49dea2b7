"""The command's side of the local socket: the same `Administration`, done by the server that runs."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import aiohttp
from pydantic import TypeAdapter

from core.errors import ConchError, MaybeDone, TryLater
from web.administration import ChannelView, ConnectedView, ErrorView, GroupView, HelloView, PeopleView, PersonView
from web.diagnosis import Diagnosis

TIMEOUT = aiohttp.ClientTimeout(total=60)
"""Long enough for a chat app that answers slowly while its key is checked."""

_CHANNELS = TypeAdapter(tuple[ChannelView, ...])
_GROUPS = TypeAdapter(tuple[GroupView, ...])
_TEXT = TypeAdapter(str)


class RemoteAdministration:
    """Asks the running server."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        self._session = session

    async def channels(self) -> Sequence[ChannelView]:
        """Every connected bot."""
        return _CHANNELS.validate_json(await self._get("/channels"))

    async def add_channel(self, kind: str, pasted: str) -> ConnectedView:
        """Connect a bot."""
        return ConnectedView.model_validate_json(await self._post("/channels/add", kind=kind, pasted=pasted))

    async def link_channel(self, channel: str | None) -> HelloView:
        """Make a new hello link."""
        return HelloView.model_validate_json(await self._post("/channels/link", channel=channel))

    async def switch_channel(self, channel: str | None, on: bool) -> ChannelView:
        """Turn a bot on or off."""
        return ChannelView.model_validate_json(await self._post("/channels/switch", channel=channel, on=on))

    async def remove_channel(self, channel: str) -> ChannelView:
        """Forget a bot."""
        return ChannelView.model_validate_json(await self._post("/channels/remove", channel=channel))

    async def people(self, channel: str | None) -> PeopleView:
        """Who is let in, blocked or asking."""
        query = {"channel": channel} if channel else {}
        return PeopleView.model_validate_json(await self._get("/people", query))

    async def let_in(self, person_id: str, channel: str | None) -> PersonView:
        """Let someone in."""
        return PersonView.model_validate_json(await self._post("/people/let-in", person_id=person_id, channel=channel))

    async def block(self, person_id: str, channel: str | None) -> PersonView:
        """Never hear of someone again."""
        return PersonView.model_validate_json(await self._post("/people/block", person_id=person_id, channel=channel))

    async def remove_person(self, person_id: str, channel: str | None) -> PersonView:
        """Take back what someone was allowed."""
        return PersonView.model_validate_json(await self._post("/people/remove", person_id=person_id, channel=channel))

    async def groups(self, channel: str | None) -> Sequence[GroupView]:
        """The groups that bots are in."""
        return _GROUPS.validate_json(await self._get("/groups", {"channel": channel} if channel else {}))

    async def switch_group(self, group_id: str, channel: str | None, on: bool) -> GroupView:
        """Turn a group on or off."""
        answer = await self._post("/groups/switch", group_id=group_id, channel=channel, on=on)
        return GroupView.model_validate_json(answer)

    async def diagnose(self) -> Diagnosis:
        """Ask every bot's app, every engine and the database."""
        return Diagnosis.model_validate_json(await self._get("/diagnosis"))

    async def console_link(self) -> str:
        """Make a new link to the web side."""
        return _TEXT.validate_json(await self._post("/console-link"))

    async def _get(self, path: str, query: Mapping[str, str] | None = None) -> bytes:
        return await self._answer(self._session.get(path, params=query))

    async def _post(self, path: str, **ask: str | bool | None) -> bytes:
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


@asynccontextmanager
async def reach(control: Path) -> AsyncIterator[RemoteAdministration]:
    """The server behind a local socket."""
    connector = aiohttp.UnixConnector(path=str(control))
    async with aiohttp.ClientSession("http://conch", connector=connector, timeout=TIMEOUT) as session:
        yield RemoteAdministration(session)
