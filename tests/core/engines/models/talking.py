"""A model that does what the engine contract asks for: it is told in words what to do, also how to fail."""

from collections.abc import AsyncIterator, Mapping

from pydantic_ai import exceptions as library
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models.function import AgentInfo

from core.clock import Clock
from core.engines.base import EXIT_PLAN_MODE, EndReason
from core.engines.models.engine import ModelEngine
from tests.core.engines.models.playing import Piece, Playing, call, engine_of, prompts, results

ERRORS: Mapping[EndReason, Exception | None] = {
    EndReason.DONE: None,
    EndReason.LENGTH: library.OutputTokenLimitExceeded("cut"),
    EndReason.REFUSED: library.ContentFilterError("no"),
    EndReason.CONTEXT_FULL: library.ModelHTTPError(400, "toy-1", {"message": "prompt is too long"}),
    EndReason.AUTH: library.ModelHTTPError(401, "toy-1"),
    EndReason.RATE_LIMITED: library.ModelHTTPError(429, "toy-1"),
    EndReason.UNAVAILABLE: library.ModelHTTPError(503, "toy-1"),
    EndReason.REJECTED: library.ModelHTTPError(400, "toy-1", {"message": "odd"}),
    EndReason.CRASHED: RuntimeError("broken"),
}


def engine(clock: Clock) -> ModelEngine:
    """An engine whose model can be told what to do."""

    async def talk(messages: list[ModelMessage], _: AgentInfo) -> AsyncIterator[Piece]:
        *earlier, said = prompts(messages)
        said = said.rsplit("\n\n", 1)[-1]  # a summary may stand in front
        if brought := results(messages):
            yield f"it was {brought[0].content}"
        elif said == "long":
            for number in range(60):
                yield f"word{number} "
                await clock.sleep(0.2)
        elif said == "tool":
            yield call("ask", '{"question": "which?"}')
        elif said == "tidy up":
            yield call(EXIT_PLAN_MODE, '{"plan": "1. go"}')
        elif said.startswith("end "):
            error = ERRORS[EndReason(said.removeprefix("end "))]
            if error is not None:
                raise error
            yield "done"
        else:
            yield f"heard before: {', '.join(earlier)}"

    return engine_of(Playing(talk), clock)
