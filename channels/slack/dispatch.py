"""Bolt, between the two roads in and `intake`: it says what kind of thing came, and what Slack is told for it.

Every listener is a catch-all that only hands over, and runs before the answer: what could not be stored is not
acknowledged. Nothing here asks Slack for anything, so that nothing stands between storing and acknowledging.
"""

import logging
import re
from collections.abc import Awaitable, Callable
from typing import Any, Final

import structlog
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse
from slack_sdk.web.async_client import AsyncWebClient

from channels.base import Sink
from channels.slack.fields import Json
from channels.slack.intake import Intake
from channels.slack.parse import EVENT, INTERACTIVE, SLASH
from core.errors import TryLater

_EVERYTHING: Final = re.compile("")
_TAKEN: Final = 200
_FAILED: Final = 500

QUIET: Final = logging.Logger("slack_bolt", logging.CRITICAL)
"""For the SDK, whose lines repeat whole payloads; what there is to know is logged by us."""

_log = structlog.get_logger(__name__)


class Dispatch:
    """One bot's Bolt app, for as long as it receives."""

    def __init__(self, intake: Intake, bot_user_id: str) -> None:
        self._intake = intake
        self._bot_user_id = bot_user_id
        self._sink: Sink | None = None
        self._app = self._built()

    def begin(self, sink: Sink) -> None:
        """What comes goes there from now on."""
        self._sink = sink

    def end(self) -> None:
        """Nothing is taken any more."""
        self._sink = None

    async def answer(self, request: AsyncBoltRequest) -> BoltResponse:
        """What Slack is to be told; any status but 200 means that nothing was stored, and Slack must try again."""
        try:
            return await self._app.async_dispatch(request)
        except Exception as error:  # noqa: BLE001 - Bolt looks into what it is given, and trips over what is odd
            return await self._failed(error, request.body) or BoltResponse(status=_FAILED)

    # ---- what Bolt calls -------------------------------------------------------------------------------------------

    def _built(self) -> AsyncApp:
        """The signature is checked before a request is made of it, which is before Bolt would; see `events`."""
        app = AsyncApp(
            name="slack_bolt_app",  # Bolt silences the logger of this name, with all below it
            logger=QUIET,
            client=AsyncWebClient(logger=QUIET),
            signing_secret="",
            process_before_response=True,
            raise_error_for_unhandled_request=True,
            authorize=_known(self._bot_user_id),
            request_verification_enabled=False,
            ssl_check_enabled=False,
            ignoring_self_events_enabled=False,
            attaching_function_token_enabled=False,
            attaching_conversation_kwargs_enabled=False,
        )
        app.event(_EVERYTHING)(self._listener(EVENT))
        app.command(_EVERYTHING)(self._listener(SLASH))
        interactive = self._listener(INTERACTIVE)
        for register in (app.action, app.view, app.view_closed, app.shortcut, app.options):
            register(_EVERYTHING)(interactive)
        app.error(self._failed)
        return app

    def _listener(self, kind: str) -> Callable[..., Awaitable[BoltResponse]]:
        async def take(body: dict[str, Any]) -> BoltResponse:
            return await self._take(kind, body)

        return take

    async def _take(self, kind: str, payload: Json) -> BoltResponse:
        """Come back when it is seen to.

        Raises:
            _NotTaken: it could not be.
        """
        try:
            if self._sink is None:
                raise TryLater("This bot does not receive now.")
            told = await self._intake.take(kind, payload, self._sink)
        except Exception as fault:
            raise _NotTaken from fault
        return BoltResponse(status=_TAKEN, body=dict(told) if told is not None else "")

    async def _failed(self, error: Exception, body: dict[str, Any]) -> BoltResponse | None:
        """What Bolt has no name for, or cannot read, is for `intake` all the same."""
        if not isinstance(error, _NotTaken):
            try:
                return await self._take(_kind_of(body), body)
            except _NotTaken as not_taken:
                error = not_taken
        if isinstance(error.__cause__, TryLater):
            _log.warning("nothing was stored; Slack will bring it again", reason=str(error.__cause__))
        else:
            _log.error("something that Slack told was not stored", exc_info=error.__cause__)
        return None


def _known(bot_user_id: str) -> Callable[[], Awaitable[AuthorizeResult]]:
    """Who the bot is, without asking: `start` asked whose key this is. No method, because Bolt fills in `self` too."""

    async def authorize() -> AuthorizeResult:
        return AuthorizeResult(enterprise_id=None, team_id=None, bot_user_id=bot_user_id)

    return authorize


class _NotTaken(Exception):
    """Why it was not is the cause."""


def _kind_of(payload: Json) -> str:
    if "event" in payload:
        return EVENT
    return SLASH if "command" in payload else INTERACTIVE
