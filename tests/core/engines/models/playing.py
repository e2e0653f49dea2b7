"""A provider whose models are functions: no network, no key, and what was asked is kept for a test to look at."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from pydantic import SecretStr
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolReturnPart, UserPromptPart
from pydantic_ai.models import Model, StreamedResponse
from pydantic_ai.models.function import AgentInfo, DeltaThinkingCalls, DeltaToolCall, DeltaToolCalls, FunctionModel
from pydantic_ai.settings import ModelSettings

from core.clock import Clock
from core.engines.base import ModelInfo, ModelOptions
from core.engines.models.contract import Connection
from core.engines.models.engine import ModelEngine
from core.files import FileStore

Piece = str | DeltaToolCalls | DeltaThinkingCalls
Script = Callable[[list[ModelMessage], AgentInfo], AsyncIterator[Piece]]

KEY = "sk-canary-0123456789"
CONNECTION = Connection("toy", "Toy", "compatible", "https://toy.example/v1", SecretStr(KEY))


class Ending(FunctionModel):
    """A function that ends as services do: it says that this is the end."""

    @asynccontextmanager
    async def request_stream(self, *arguments: Any, **options: Any) -> AsyncGenerator[StreamedResponse]:
        async with super().request_stream(*arguments, **options) as response:
            response.finish_reason = "stop"
            yield response


class Playing:
    """Plays `script` as every model of the engine. `asked` are the requests, the newest last."""

    def __init__(
        self,
        script: Script,
        models: Sequence[ModelInfo] = (ModelInfo("toy-1", "Toy 1", window=100_000, images=True),),
        price: float | None = None,
    ) -> None:
        self._script = script
        self.listed = tuple(models)
        self._price = price
        self.asked: list[tuple[list[ModelMessage], AgentInfo]] = []
        self.settings_asked: list[tuple[str, ModelOptions, str]] = []
        self.lists = 0
        self.closed = False

    def model(self, model_id: str) -> Model:
        def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Piece]:
            self.asked.append((messages, info))
            return self._script(messages, info)

        return Ending(stream_function=stream, model_name=model_id)

    def settings(self, model_id: str, options: ModelOptions, conversation: str) -> ModelSettings:
        self.settings_asked.append((model_id, options, conversation))
        return ModelSettings()

    async def models(self) -> Sequence[ModelInfo]:
        self.lists += 1
        return self.listed

    def known(self, model_id: str) -> ModelInfo:
        return next((info for info in self.listed if info.id == model_id), ModelInfo(model_id, model_id))

    def price(self, model_id: str, usage: Mapping[str, int]) -> float | None:
        return None if self._price is None else self._price * (usage["input"] + usage["output"])

    async def close(self) -> None:
        self.closed = True


def engine_of(
    provider: Playing, clock: Clock, files: Path = Path("/nonexistent"), connection: Connection = CONNECTION
) -> ModelEngine:
    """An engine over it; where no folder is given, every file is gone."""
    return ModelEngine(connection, lambda: provider, FileStore(files), clock)


def call(name: str, arguments: str = "{}", call_id: str = "call_1", index: int = 0) -> DeltaToolCalls:
    """The model calls a tool."""
    return {index: DeltaToolCall(name, arguments, tool_call_id=call_id)}


def last_words(messages: Sequence[ModelMessage]) -> str:
    """What the person said last."""
    return prompts(messages)[-1]


def prompts(messages: Sequence[ModelMessage]) -> list[str]:
    """Everything that a person said, each message as text."""
    return [
        part.content
        if isinstance(part.content, str)
        else " ".join(item for item in part.content if isinstance(item, str))
        for message in messages
        for part in message.parts
        if isinstance(part, UserPromptPart)
    ]


def results(messages: Sequence[ModelMessage]) -> list[ToolReturnPart]:
    """The results in the last message."""
    return [part for part in messages[-1].parts if isinstance(part, ToolReturnPart)]


def answers(messages: Sequence[ModelMessage]) -> list[str]:
    """What the model said before."""
    return [
        part.content
        for message in messages
        if isinstance(message, ModelResponse)
        for part in message.parts
        if isinstance(part, TextPart)
    ]
