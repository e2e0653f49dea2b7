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
"""One Conch for all examples: what an earlier one left is part of what is tried, so they are the same each time."""

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
async def chat(program: Program, built: App) -> str:
    begun = await program.begin()
    await quiet(built)
    return begun


KNOWN = "a-conversation-that-is-there"
"""Stands for the id of one, which only a running test knows."""

IDS = st.one_of(st.just(KNOWN), st.just(KNOWN), ODD_TEXTS.filter(bool))


def escaped(part: object) -> str:
    return quote(str(part), safe="", errors="surrogatepass")


def paths(path: str) -> st.SearchStrategy[str]:
    parts = [IDS.map(escaped) if part.startswith("{") else st.just(part) for part in path.split("/")]
    return st.tuples(*parts).map("/".join)


def queries(operation: Any, fitting: Fitting) -> st.SearchStrategy[str]:
    named = {each["name"]: each for each in operation.get("parameters", []) if each["in"] == "query"}
    given_ones = st.fixed_dictionaries({}, optional={n: fitting.of(each["schema"]) for n, each in named.items()})
    return given_ones.map(lambda values: "&".join(f"{name}={escaped(value)}" for name, value in values.items()))


def bodies(operation: Any, fitting: Fitting) -> st.SearchStrategy[bytes]:
    if "requestBody" not in operation:
        return st.just(b"")
    schema = operation["requestBody"]["content"]["application/json"]["schema"]
    written = fitting.of(schema).map(lambda value: json.dumps(value).encode())
    return st.one_of(written, written, st.binary(max_size=20))


@pytest.fixture
async def requests(program: Program) -> st.SearchStrategy[tuple[str, str, str, bytes]]:
    """Method, path, query and body."""
    document = (await program.get("/openapi.json")).json
    fitting = Fitting(document["components"]["schemas"])
    each = [
        st.tuples(st.just(method), paths(path), queries(operation, fitting), bodies(operation, fitting))
        for method, path, operation in operations(document)
    ]
    return st.one_of(*each)


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=FINE, derandomize=True, database=None)
@given(data=st.data())
async def test_nothing_that_is_sent_is_a_fault_of_ours(
    program: Program, requests: st.SearchStrategy[tuple[str, str, str, bytes]], chat: str, data: st.DataObject
) -> None:
    method, path, query, body = data.draw(requests)
    where = f"{API}{path.replace(KNOWN, chat)}?{query}"

    answer = await program.browser.send(method, where, body, {"content_type": "application/json"})

    assert answer.status < 500, answer.text
    if answer.status >= 400:
        assert {"type", "title", "status", "code", "detail"} <= set(answer.json)
        assert answer.json["status"] == answer.status
