"""A provider connected to a server on loopback, one question to it, and what each kind's whole answer looks like."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Final

from pydantic import SecretStr
from pydantic_ai.direct import model_request_stream
from pydantic_ai.messages import ModelRequest, TextPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.tools import ToolDefinition

from core.engines.base import ModelInfo, ModelOptions
from core.engines.models.contract import Connection, Provider
from core.engines.models.patience import Patience
from core.engines.models.providers import connect
from tests.core.engines.models.wire.listing_wire import CHAT, GEMINI, MESSAGES, Answer, Wire, serving

CANARY: Final = "sk-proj-canary-0123456789-canary-0123456789"

SOON: Final = Patience(connect=2, read=5, read_near=5, listing=5, retries=0)

OPENAI: Final = Connection("work", "Work AI", "openai", "https://api.openai.com/v1", SecretStr(CANARY))

PATHS: Final = {
    "anthropic": ("/v1/messages", MESSAGES),
    "google": ("/v1beta/models/gpt-9:streamGenerateContent", GEMINI),
}
"""Where those answer, and how, that do not speak like OpenAI."""

MODELS: Final = {"openrouter": "some/gpt-9"}

_TOOL = ToolDefinition(name="ask", description="Ask.", parameters_json_schema={"type": "object", "properties": {}})


def connection(wire: Wire, kind: str) -> Connection:
    return Connection(id="work", title="Work AI", kind=kind, base_url=wire.url, key=SecretStr(CANARY), model="gpt-9")


@asynccontextmanager
async def connected(wire: Wire, kind: str, patience: Patience = SOON) -> AsyncIterator[Provider]:
    provider = connect(connection(wire, kind), patience)
    try:
        yield provider
    finally:
        await provider.close()


async def listed(kind: str, answers: Mapping[str, Answer]) -> tuple[tuple[ModelInfo, ...], Wire]:
    async with serving(answers) as wire, connected(wire, kind) as provider:
        return tuple(await provider.models()), wire


async def answer_of(provider: Provider, model: str, options: ModelOptions | None = None) -> str:
    settings = provider.settings(model, options or ModelOptions(), "conversation-7")
    parameters = ModelRequestParameters(function_tools=[_TOOL])
    messages = [ModelRequest.user_text_prompt("Hi")]
    async with model_request_stream(
        provider.model(model), messages, model_settings=settings, model_request_parameters=parameters
    ) as stream:
        async for _ in stream:
            pass
        return "".join(part.content for part in stream.get().parts if isinstance(part, TextPart))


def talking(kind: str) -> dict[str, Answer]:
    path, events = PATHS.get(kind, ("/v1/chat/completions", CHAT))
    return {path: Answer(events=events)}
