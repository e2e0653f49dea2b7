"""The command's side of the local socket: the same `Administration`, done by the server that runs."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
from pydantic import TypeAdapter

from conch.control_apps import RemoteApps
from conch.control_engines import RemoteEngines, RemoteSettings
from conch.control_line import ControlLine
from conch.control_tokens import RemoteTokens
from web.administration import ChannelView, ConnectedView, GroupView, HelloView, PeopleView, PersonView
from web.diagnosis import Diagnosis
from web.preferences import UsageView

TIMEOUT = aiohttp.ClientTimeout(total=60)
"""Long enough for a chat app that answers slowly while its key is checked."""

_CHANNELS = TypeAdapter(tuple[ChannelView, ...])
_GROUPS = TypeAdapter(tuple[GroupView, ...])
_TEXT = TypeAdapter(str)


class RemoteAdministration:
    """Asks the running server."""

    def __init__(self, line: ControlLine) -> None:
        self._line = line
        self.engines = RemoteEngines(line)
        self.settings = RemoteSettings(line)
        self.tokens = RemoteTokens(line)
        self.apps = RemoteApps(line)

    async def channels(self) -> Sequence[ChannelView]:
        """Every connected bot."""
        return _CHANNELS.validate_json(await self._line.get("/channels"))

    async def add_channel(self, kind: str, pasted: str) -> ConnectedView:
        """Connect a bot."""
        return ConnectedView.model_validate_json(await self._line.post("/channels/add", kind=kind, pasted=pasted))

    async def link_channel(self, channel: str | None) -> HelloView:
        """Make a new hello link."""
        return HelloView.model_validate_json(await self._line.post("/channels/link", channel=channel))

    async def switch_channel(self, channel: str | None, on: bool) -> ChannelView:
        """Turn a bot on or off."""
        return ChannelView.model_validate_json(await self._line.post("/channels/switch", channel=channel, on=on))

    async def remove_channel(self, channel: str) -> ChannelView:
        """Forget a bot."""
        return ChannelView.model_validate_json(await self._line.post("/channels/remove", channel=channel))

    async def people(self, channel: str | None) -> PeopleView:
        """Who is let in, blocked or asking."""
        query = {"channel": channel} if channel else {}
        return PeopleView.model_validate_json(await self._line.get("/people", query))

    async def let_in(self, person_id: str, channel: str | None) -> PersonView:
        """Let someone in."""
        return PersonView.model_validate_json(
            await self._line.post("/people/let-in", person_id=person_id, channel=channel)
        )

    async def block(self, person_id: str, channel: str | None) -> PersonView:
        """Never hear of someone again."""
        return PersonView.model_validate_json(
            await self._line.post("/people/block", person_id=person_id, channel=channel)
        )

    async def remove_person(self, person_id: str, channel: str | None) -> PersonView:
        """Take back what someone was allowed."""
        return PersonView.model_validate_json(
            await self._line.post("/people/remove", person_id=person_id, channel=channel)
        )

    async def groups(self, channel: str | None) -> Sequence[GroupView]:
        """The groups that bots are in."""
        return _GROUPS.validate_json(await self._line.get("/groups", {"channel": channel} if channel else {}))

    async def switch_group(self, group_id: str, channel: str | None, on: bool) -> GroupView:
        """Turn a group on or off."""
        answer = await self._line.post("/groups/switch", group_id=group_id, channel=channel, on=on)
        return GroupView.model_validate_json(answer)

    async def usage(self, days: int) -> UsageView:
        """What was used of models."""
        return UsageView.model_validate_json(await self._line.get("/usage", {"days": str(days)}))

    async def diagnose(self) -> Diagnosis:
        """Ask every bot's app, every engine and the database."""
        return Diagnosis.model_validate_json(await self._line.get("/diagnosis"))

    async def console_link(self) -> str:
        """Make a new link to the web side."""
        return _TEXT.validate_json(await self._line.post("/console-link"))


@asynccontextmanager
async def reach(control: Path) -> AsyncIterator[RemoteAdministration]:
    """The server behind a local socket."""
    connector = aiohttp.UnixConnector(path=str(control))
    async with aiohttp.ClientSession("http://conch", connector=connector, timeout=TIMEOUT) as session:
        yield RemoteAdministration(ControlLine(session))
