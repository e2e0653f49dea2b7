"""The local socket's side of the owner's commands: an application of its own, never reachable over the network.

Who may use it is decided by the file system: the socket belongs to the owner and only they may open it. So there is no
sign-in here, and nothing here may ever be mounted into the web application.
"""

from collections.abc import Sequence

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from starlette.responses import Response

from core.errors import ConchError
from web.administration import (
    Administration,
    ChannelView,
    ConnectedView,
    ErrorView,
    GroupView,
    HelloView,
    PeopleView,
    PersonView,
)
from web.control_apps import AppRoutes
from web.control_engines import Ask, EngineRoutes, SettingRoutes
from web.control_tokens import TokenRoutes
from web.diagnosis import Diagnosis
from web.preferences import UsageView

MOST_BODY = 64 * 1024
"""Bytes; the longest thing sent is a pasted message with a key in it."""


class Paste(Ask):
    """A key, somewhere in what was pasted."""

    kind: str
    pasted: str


class ForChannel(Ask):
    """Which bot."""

    channel: str | None = None


class Switch(ForChannel):
    """On or off."""

    on: bool


class ForPerson(ForChannel):
    """Who, by the app's own id."""

    person_id: str


class SwitchGroup(Switch):
    """A group on or off, by the app's own id."""

    group_id: str


class ControlRoutes:
    """One route for each thing that a command can ask."""

    def __init__(self, administration: Administration) -> None:
        self._administration = administration

    def add_to(self, app: FastAPI) -> None:
        """Register the routes."""
        app.add_api_route("/channels", self.channels)
        app.add_api_route("/channels/add", self.add_channel, methods=["POST"])
        app.add_api_route("/channels/link", self.link_channel, methods=["POST"])
        app.add_api_route("/channels/switch", self.switch_channel, methods=["POST"])
        app.add_api_route("/channels/remove", self.remove_channel, methods=["POST"])
        app.add_api_route("/people", self.people)
        app.add_api_route("/people/let-in", self.let_in, methods=["POST"])
        app.add_api_route("/people/block", self.block, methods=["POST"])
        app.add_api_route("/people/remove", self.remove_person, methods=["POST"])
        app.add_api_route("/groups", self.groups)
        app.add_api_route("/groups/switch", self.switch_group, methods=["POST"])
        app.add_api_route("/usage", self.usage)
        app.add_api_route("/diagnosis", self.diagnose)
        app.add_api_route("/console-link", self.console_link, methods=["POST"])

    async def channels(self) -> Sequence[ChannelView]:
        """Every connected bot."""
        return await self._administration.channels()

    async def add_channel(self, ask: Paste) -> ConnectedView:
        """Connect a bot."""
        return await self._administration.add_channel(ask.kind, ask.pasted)

    async def link_channel(self, ask: ForChannel) -> HelloView:
        """Make a new hello link."""
        return await self._administration.link_channel(ask.channel)

    async def switch_channel(self, ask: Switch) -> ChannelView:
        """Turn a bot on or off."""
        return await self._administration.switch_channel(ask.channel, ask.on)

    async def remove_channel(self, ask: ForChannel) -> ChannelView:
        """Forget a bot."""
        return await self._administration.remove_channel(ask.channel or "")

    async def people(self, channel: str | None = None) -> PeopleView:
        """Who is let in, blocked or asking."""
        return await self._administration.people(channel)

    async def let_in(self, ask: ForPerson) -> PersonView:
        """Let someone in."""
        return await self._administration.let_in(ask.person_id, ask.channel)

    async def block(self, ask: ForPerson) -> PersonView:
        """Never hear of someone again."""
        return await self._administration.block(ask.person_id, ask.channel)

    async def remove_person(self, ask: ForPerson) -> PersonView:
        """Take back what someone was allowed."""
        return await self._administration.remove_person(ask.person_id, ask.channel)

    async def groups(self, channel: str | None = None) -> Sequence[GroupView]:
        """The groups that bots are in."""
        return await self._administration.groups(channel)

    async def switch_group(self, ask: SwitchGroup) -> GroupView:
        """Turn a group on or off."""
        return await self._administration.switch_group(ask.group_id, ask.channel, ask.on)

    async def usage(self, days: int) -> UsageView:
        """What was used of models."""
        return await self._administration.usage(days)

    async def diagnose(self) -> Diagnosis:
        """Ask every bot's app, every engine and the database."""
        return await self._administration.diagnose()

    async def console_link(self) -> str:
        """Make a new link to the web side."""
        return await self._administration.console_link()


def create_control_app(administration: Administration) -> FastAPI:
    """The application behind the local socket."""
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, max_body_size=MOST_BODY)
    app.add_exception_handler(ConchError, _answer_error)
    ControlRoutes(administration).add_to(app)
    EngineRoutes(administration.engines).add_to(app)
    SettingRoutes(administration.settings).add_to(app)
    TokenRoutes(administration.tokens).add_to(app)
    AppRoutes(administration.apps).add_to(app)
    return app


async def _answer_error(request: Request, error: Exception) -> Response:
    """Our own errors travel to the command as data; anything else is a fault and becomes a 500."""
    if not isinstance(error, ConchError):
        raise error
    return JSONResponse(ErrorView.of(error).model_dump(mode="json"), 409)
