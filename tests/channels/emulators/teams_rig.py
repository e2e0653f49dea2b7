"""The real Bot Framework SDK as a bot of the pretend Teams, and calls without any SDK.

The SDK fetches keys and tokens without letting go of the loop, so the pretend Teams serves those from a thread.
"""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from io import BytesIO
from typing import Any
from urllib.parse import urlencode
from urllib.request import urlopen

from aiohttp import ClientSession, web
from botbuilder.core import CloudAdapterBase, TurnContext
from botbuilder.schema import Activity
from botframework.connector.auth import (
    AuthenticationConfiguration,
    BotFrameworkAuthenticationFactory,
    MicrosoftAppCredentials,
    PasswordServiceClientCredentialFactory,
)
from botframework.connector.auth.jwt_token_extractor import JwtTokenExtractor

from channels.emulators.teams.pretend import PretendTeams

Turn = Callable[[TurnContext], Awaitable[None]]
Answer = Callable[[dict[str, Any]], Awaitable[Any]]
CARD = "application/vnd.microsoft.card.adaptive"


class _Credentials(MicrosoftAppCredentials):  # type: ignore[misc]  # untyped there
    """Fetches its token as the SDK's own do, synchronously; those take no address without TLS."""

    def __init__(self, teams: PretendTeams) -> None:
        super().__init__(teams.bot.app_id, teams.bot.password, teams.bot.tenant, teams.issuer)
        self._url = teams.token_url

    def get_access_token(self, force_refresh: bool = False) -> str:
        given = token_request(self.microsoft_app_id, self.microsoft_app_password)
        with urlopen(self._url, urlencode(given).encode()) as response:
            token: str = json.load(response)["access_token"]
            return token


class _Factory(PasswordServiceClientCredentialFactory):  # type: ignore[misc]  # untyped there
    def __init__(self, teams: PretendTeams) -> None:
        super().__init__(teams.bot.app_id, teams.bot.password, teams.bot.tenant)
        self._teams = teams

    async def create_credentials(self, *_: object, **__: object) -> MicrosoftAppCredentials:
        return _Credentials(self._teams)


class SdkBot:
    """A bot on the SDK. `raised` is what its turns raised."""

    def __init__(self, teams: PretendTeams) -> None:
        JwtTokenExtractor.metadataCache.clear()
        self.raised: list[Exception] = []
        authentication = BotFrameworkAuthenticationFactory.create(
            to_channel_from_bot_login_url=f"{teams.login_url}/{teams.bot.tenant}",
            to_channel_from_bot_oauth_scope=teams.issuer,
            to_bot_from_channel_token_issuer=teams.issuer,
            oauth_url=teams.login_url,
            to_bot_from_channel_open_id_metadata_url=teams.openid_url,
            to_bot_from_emulator_open_id_metadata_url=teams.openid_url,
            caller_id=None,
            credential_factory=_Factory(teams),
            auth_configuration=AuthenticationConfiguration(),
        )
        self.adapter = CloudAdapterBase(authentication)
        self.adapter.on_turn_error = self._on_error

    async def _on_error(self, _: TurnContext, error: Exception) -> None:
        self.raised.append(error)

    async def handle(self, request: web.Request, turn: Turn) -> web.Response:
        """Take a post; whatever is wrong with its token is a 401."""
        activity = Activity().deserialize(await request.json())
        header = request.headers.get("Authorization", "")
        try:
            answer = await self.adapter.process_activity(header, activity, turn)
        except Exception:  # noqa: BLE001 - the SDK raises anything where a token is bad
            return web.Response(status=401)
        if answer is None:
            return web.Response(status=200)
        return web.json_response(answer.body, status=answer.status)


@asynccontextmanager
async def on_sdk(teams: PretendTeams, turn: Turn) -> AsyncIterator[SdkBot]:
    """The SDK as the bot of a pretend Teams for the length of a block."""
    bot = SdkBot(teams)

    async def handle(request: web.Request) -> web.Response:
        return await bot.handle(request, turn)

    async with _listening(teams, handle):
        yield bot


@asynccontextmanager
async def on_wire(teams: PretendTeams, answer: Answer) -> AsyncIterator["Wire"]:
    """A bot without any SDK: `answer` gives None, a status, or the body of an answer to an invoke."""

    async def handle(request: web.Request) -> web.Response:
        said = await answer(await request.json())
        if isinstance(said, int):
            return web.Response(status=said)
        return web.Response(status=200) if said is None else web.json_response(said)

    async with _listening(teams, handle), ClientSession() as session:
        yield Wire(teams, session)


class Wire:
    """Calls of the Connector as JSON."""

    def __init__(self, teams: PretendTeams, session: ClientSession) -> None:
        self._teams = teams
        self.session = session
        self._token = teams.world.tokens.issue(teams.bot)
        self.headers: Mapping[str, str] = {}

    async def call(self, verb: str, path: str, body: object = None, *, token: str | None = None) -> tuple[int, Any]:
        """One call; the status and the answer."""
        headers = {"Authorization": f"Bearer {token or self._token}"}
        url = f"{self._teams.service_url}v3/{path}"
        given = None if body is None else BytesIO(json.dumps(body).encode())
        headers |= {"Content-Type": "application/json"}
        async with self.session.request(verb, url, data=given, headers=headers) as response:
            text = await response.text()
            self.headers = response.headers
            return response.status, json.loads(text) if text else None

    async def send(self, conversation: str, text: str = "", **more: Any) -> tuple[int, Any]:
        """Say something."""
        body = {"type": "message", "text": text, **more}
        return await self.call("POST", f"conversations/{conversation}/activities", body)

    async def card(self, conversation: str, card: Mapping[str, Any], **more: Any) -> tuple[int, Any]:
        """Send a card."""
        return await self.send(conversation, attachments=[{"contentType": CARD, "content": card}], **more)

    async def stream(self, conversation: str, text: str, kind: str = "streaming", **info: Any) -> tuple[int, Any]:
        """Send a piece of a message that is being written, or its end."""
        names = {"sequence": "streamSequence", "stream": "streamId"}
        about = {"type": "streaminfo", "streamType": kind, **{names[name]: value for name, value in info.items()}}
        body = {"type": "message" if kind == "final" else "typing", "text": text, "entities": [about]}
        return await self.call("POST", f"conversations/{conversation}/activities", body)


async def take(_: dict[str, Any]) -> None:
    """A bot that takes everything and says nothing."""


def card(*body: Mapping[str, Any], actions: list[Mapping[str, Any]] | None = None, **more: Any) -> dict[str, Any]:
    """An Adaptive Card."""
    made = {"type": "AdaptiveCard", "version": "1.5", "body": list(body), **more}
    return made | {"actions": actions} if actions else made


def words(text: str) -> dict[str, Any]:
    """A text in a card."""
    return {"type": "TextBlock", "text": text, "wrap": True}


def submit(title: str, **data: Any) -> dict[str, Any]:
    """A button that posts a message."""
    return {"type": "Action.Submit", "title": title, "data": data}


def execute(title: str, **data: Any) -> dict[str, Any]:
    """A button that asks, with what stands there for old apps."""
    return {"type": "Action.Execute", "title": title, "verb": "go", "data": data, "fallback": submit(title, **data)}


def token_request(app_id: str, password: str) -> dict[str, str]:
    """What a bot posts to get a token."""
    scope = "https://api.botframework.com/.default"
    credentials = {"client_id": app_id, "client_secret": password}
    return {"grant_type": "client_credentials", "scope": scope, **credentials}


@asynccontextmanager
async def _listening(
    teams: PretendTeams, handle: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> AsyncIterator[None]:
    app = web.Application()
    app.router.add_post("/api/messages", handle)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.01)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    [(host, port)] = runner.addresses
    teams.bot.endpoint = f"http://{host}:{port}/api/messages"
    try:
        yield
    finally:
        await runner.cleanup()
