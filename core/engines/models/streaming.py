"""Asking a model of the library for one answer, as a stream."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import cast

from pydantic_ai.direct import model_request_stream
from pydantic_ai.messages import InstructionPart, ModelMessage
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from core.engines.base import HostTool


def answer_of(
    model: Model,
    messages: Sequence[ModelMessage],
    settings: ModelSettings,
    instructions: str,
    tools: Sequence[HostTool] = (),
) -> AbstractAsyncContextManager[StreamedResponse]:
    """The model's answer while it comes. Raises what the library raises, on entering and on reading."""
    # Else the library puts two hundred words of its own in front of our instructions, about system messages in the
    # middle of a conversation, of which there are none.
    settings = cast("ModelSettings", {**settings, "framing_announcement": "never"})
    return model_request_stream(
        model, messages, model_settings=settings, model_request_parameters=parameters(instructions, tools)
    )


def parameters(instructions: str, tools: Sequence[HostTool]) -> ModelRequestParameters:
    """Instructions and tools in the library's form; a schema stays as it is."""
    return ModelRequestParameters(
        function_tools=[
            ToolDefinition(name=tool.name, description=tool.description, parameters_json_schema=dict(tool.schema))
            for tool in tools
        ],
        instruction_parts=[InstructionPart(content=instructions)] if instructions.strip() else [],
    )
