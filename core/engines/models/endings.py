"""Holding a streamed answer to its end: one that stops without a reason was cut off, however politely."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, Final

from pydantic_ai import RunContext
from pydantic_ai.exceptions import ModelAPIError
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.settings import ModelSettings

_GOES_ON: Final = ("suspended", "interrupted")
"""States of an answer that goes on in another request, or was stopped by us."""


class EndsPlainly(Model):
    """Goes in front of one of the library's models that takes any end of a stream for the end of the answer.

    A proxy that gives up often closes a stream as if it were done; the API itself always says why it stops.
    """

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        """As the library's, but raises `ModelAPIError` where the answer was read to its end and has none."""
        async with super().request_stream(messages, model_settings, model_request_parameters, run_context) as stream:
            yield stream
            if stream.finish_reason is None and stream.state not in _GOES_ON and not stream.cancelled:
                raise ModelAPIError(self.model_name, "Streamed response ended without a finish_reason")
