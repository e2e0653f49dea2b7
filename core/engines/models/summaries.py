"""Asking a model for a summary: the cheapest one first, then the chat's own. What is asked is `summarising`'s."""

from collections.abc import Iterator
from typing import cast

import structlog
from pydantic_ai.messages import ModelRequest, ModelResponse
from pydantic_ai.settings import ModelSettings

from core.engines.base import ModelOptions
from core.engines.models import listening, ranking, refusals
from core.engines.models.contract import Connection, Provider
from core.engines.models.estimating import text_tokens
from core.engines.models.metering import Meter
from core.engines.models.roster import Roster
from core.engines.models.streaming import answer_of
from core.engines.models.summarising import Summary, SummaryRequest
from core.errors import TryLater
from core.events import Effort

_log = structlog.get_logger(__name__)

THINKING_ROOM = 2_000
"""Tokens that a model may think before it writes: they count as part of its answer."""


class Summaries:
    """Asks the models of one connection. `own` is the model of the chat, `key` the chat's own for prompt caches."""

    def __init__(self, connection: Connection, provider: Provider, roster: Roster, own: str, key: str) -> None:
        self._connection = connection
        self._provider = provider
        self._roster = roster
        self._own = own
        self._key = key

    async def __call__(self, request: SummaryRequest) -> Summary:
        """The first summary that is to be had.

        Raises:
            TryLater: there is none now.
        """
        for model in self._models():
            try:
                return await self._ask(model, request)
            except Exception as error:  # noqa: BLE001 - the next model may do, and the chat goes on without
                reason = refusals.ended_for(error, self._connection).reason
                _log.warning("a model gave no summary", engine=self._connection.id, model=model, reason=reason)
        raise TryLater("no summary is to be had now")

    def _models(self) -> Iterator[str]:
        cheapest = ranking.cheapest(self._connection.kind, self._roster.listed)
        if cheapest is not None and cheapest.id != self._own:
            yield cheapest.id
        yield self._own

    async def _ask(self, model: str, request: SummaryRequest) -> Summary:
        settings = self._provider.settings(model, ModelOptions(effort=Effort.LOW), self._key)
        # Streamed, because a slow server's silence is only bearable between the pieces of an answer.
        async with answer_of(
            self._provider.model(model),
            [ModelRequest.user_text_prompt(request.text)],
            cast("ModelSettings", {**settings, "max_tokens": request.tokens + THINKING_ROOM}),
            request.instructions,
        ) as stream:
            async for _ in stream:
                pass
            response = stream.get()
        if not (response.text or "").strip() or not listening.is_whole(response):
            raise TryLater("the summary is empty or was cut off")
        return self._summary(model, request, response)

    def _summary(self, model: str, request: SummaryRequest, response: ModelResponse) -> Summary:
        meter = Meter(lambda tokens: self._provider.price(model, tokens), None)
        sent = text_tokens(request.instructions) + text_tokens(request.text)
        usage = meter.counted(response.usage, sent, text_tokens(listening.words_in(response)))
        return Summary(response.text or "", model, usage.model_copy(update={"context_used": None}))
