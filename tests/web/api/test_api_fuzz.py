"""Whatever is sent: never a fault of ours, always a problem that says what it is."""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conch.app import App
from tests.web.api.conftest import Program, quiet
from web.security import API

EXAMPLES = 60

FINE = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
"""One Conch for all examples: what an earlier one left is part of what is tried."""

ODD_TEXTS = st.text(max_size=20) | st.sampled_from(["\0", "\ud800", "\u202e", "x" * 300, "..", "%00", "null"])
ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ODD_TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ODD_TEXTS, inner, max_size=3),
    max_leaves=6,
)

PLAIN = {
    "string": st.text(min_size=1, max_size=30) | st.sampled_from(["Hello", "Ask me", "tea", "spare"]),
    "number": st.floats(),
    "boolean": st.booleans(),
    "null": st.none(),
}


class Fitting:
    """Values that a schema allows, and now and then one that it does not."""

    def __init__(self, schemas: Any) -> None:
        self._schemas = schemas

    def of(self, schema: Any) -> st.SearchStrategy[Any]:
        return st.one_of(self._right(schema), self._right(schema), self._right(schema), ODD)

    def _right(self, schema: Any) -> st.SearchStrategy[Any]:
        if "$ref" in schema:
            return self._right(self._schemas[schema["$ref"].rsplit("/", 1)[1]])
        if "enum" in schema:
            return st.sampled_from(schema["enum"])
        if "anyOf" in schema:
            return st.one_of(*map(self.of, schema["anyOf"]))
        match schema.get("type"):
            case "object":
                return self._object(schema)
            case "array":
                return st.lists(self.of(schema.get("items", {})), max_size=3)
            case "integer":
                return st.integers(schema.get("minimum", -(2**70)), schema.get("maximum", 2**70))
        return PLAIN.get(schema.get("type"), ODD)

    def _object(self, schema: Any) -> st.SearchStrategy[Any]:
        properties, required = schema.get("properties", {}), schema.get("required", [])
        if not properties:
            return st.dictionaries(ODD_TEXTS, self.of(schema.get("additionalProperties") or {}), max_size=3)
        return st.fixed_dictionaries(
            {name: self.of(properties[name]) for name in required},
            optional={name: self.of(rules) for name, rules in properties.items() if name not in required},
        )


def operations(document: Any) -> Iterator[tuple[str, str, Any]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if not path.endswith("/stream"):  # it ends when somebody goes
                yield method.upper(), path, operation


@pytest.fixture
async def document(program: Program) -> Any:
    return (await program.get("/openapi.json")).json


@pytest.fixture
async def chat(program: Program, built: App) -> str:
    begun = await program.begin()
    await quiet(built)
    return begun


@st.composite
def requests(draw: st.DrawFn, document: Any, chat: str) -> tuple[str, str, bytes]:
    method, path, operation = draw(st.sampled_from(list(operations(document))))
    fitting = Fitting(document["components"]["schemas"])
    for name in ("conversation_id", "question_id", "permission_id", "offer_id"):
        given_id = draw(st.one_of(st.just(chat), st.just(chat), ODD_TEXTS.filter(bool)))
        path = path.replace(f"{{{name}}}", quote(given_id, safe="", errors="surrogatepass"))
    asked = []
    for parameter in operation.get("parameters", []):
        if parameter["in"] == "query" and draw(st.booleans()):
            value = draw(fitting.of(parameter["schema"]))
            asked.append(f"{parameter['name']}={quote(str(value), safe='', errors='surrogatepass')}")
    body = b""
    if "requestBody" in operation:
        schema = operation["requestBody"]["content"]["application/json"]["schema"]
        body = draw(st.just(json.dumps(draw(fitting.of(schema))).encode()) | st.binary(max_size=20))
    return method, f"{path}?{'&'.join(asked)}", body


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=FINE)
@given(data=st.data())
async def test_nothing_that_is_sent_is_a_fault_of_ours(
    program: Program, document: Any, chat: str, data: st.DataObject
) -> None:
    method, path, body = data.draw(requests(document, chat))

    answer = await program.browser.send(method, API + path, body, {"content_type": "application/json"})

    assert answer.status < 500, answer.text
    if answer.status >= 400:
        assert {"type", "title", "status", "code", "detail"} <= set(answer.json)
        assert answer.json["status"] == answer.status
