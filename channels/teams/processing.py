"""The SDK's part: it turns an activity that was proven to be Teams' into a turn, and a turn into what Teams is told.

Its own authentication is not asked: it fetches keys without letting go of the loop, never fetches them anew, and fails
in other ways than "not proven" (`proof` is ours). Nothing is sent through the turn either: answers go out by
themselves, after Teams was told that the activity arrived. Imported only when a Teams bot is used, because the SDK is.
"""

from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import Any

from botbuilder.core import CloudAdapterBase, InvokeResponse, TurnContext
from botbuilder.schema import Activity, ActivityTypes
from botframework.connector.aio import ConnectorClient
from botframework.connector.auth import (
    AuthenticateRequestResult,
    BotFrameworkAuthentication,
    ClaimsIdentity,
    ConnectorFactory,
    MicrosoftAppCredentials,
)

from channels.teams.proof import Proven

Json = Mapping[str, Any]
Take = Callable[[], Awaitable[Json | None]]
"""Does what the activity asks for; what comes back is what an invoke is answered with."""


class _NoConnector(ConnectorFactory):  # type: ignore[misc]  # the SDK has no types
    """The turn must have a client for answers; ours has no key, and is never used."""

    async def create(self, service_url: str, audience: str) -> ConnectorClient:
        return ConnectorClient(MicrosoftAppCredentials.empty(), base_url=service_url)


class _NoAuthentication(BotFrameworkAuthentication):  # type: ignore[misc]  # the SDK has no types
    """Nothing comes here that is not proven already, so there is nothing that it could let in."""

    async def authenticate_request(self, activity: Activity, auth_header: str) -> AuthenticateRequestResult:
        raise PermissionError("what is not proven is not processed")

    async def authenticate_streaming_request(self, auth_header: str, channel_id_header: str) -> None:
        raise PermissionError("what is not proven is not processed")

    def create_connector_factory(self, claims_identity: ClaimsIdentity) -> ConnectorFactory:
        return _NoConnector()

    async def create_user_token_client(self, claims_identity: ClaimsIdentity) -> None:
        """Nobody signs in through the bot."""


class Turns:
    """Has the SDK process activities."""

    def __init__(self) -> None:
        self._adapter = CloudAdapterBase(_NoAuthentication())

    async def process(self, proven: Proven, activity: Json, take: Take) -> Json | None:
        """Take the activity; what Teams is to be told with "got it".

        Raises:
            ValueError: this is no activity.
            Exception: whatever `take` raises.
        """

        async def on_turn(context: TurnContext) -> None:
            told = await take()
            if context.activity.type == ActivityTypes.invoke:
                answer = InvokeResponse(status=int(HTTPStatus.OK), body=dict(told or {}))
                await context.send_activity(Activity(type=ActivityTypes.invoke_response, value=answer))

        response = await self._adapter.process_activity(_authenticated(proven), _read(activity), on_turn)
        return response.body if response is not None else None


def _authenticated(proven: Proven) -> AuthenticateRequestResult:
    result = AuthenticateRequestResult()
    result.claims_identity = ClaimsIdentity(dict(proven.claims), True)
    result.connector_factory = _NoConnector()
    return result


def _read(activity: Json) -> Activity:
    """What the SDK needs to know of it: `parse` reads the rest, and gives up on no field that it has no use for."""
    names = ("type", "id", "channelId", "serviceUrl", "name", "conversation", "from", "recipient")
    return Activity().deserialize({name: activity[name] for name in names if name in activity})
