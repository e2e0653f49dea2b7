"""The API's description: whole, valid, with words for each thing that can be asked."""

from typing import Any

import jsonschema  # type: ignore[import-untyped] # it brings no types
import pytest

from core.events import Effort
from core.settings import Settings
from tests.web.api.conftest import Program


@pytest.fixture
async def document(program: Program) -> Any:
    return (await program.get("/openapi.json")).json


def each_operation(document: Any) -> list[Any]:
    return [operation for methods in document["paths"].values() for operation in methods.values()]


def test_every_operation_says_what_it_does_and_has_a_name_of_its_own(document: Any) -> None:
    operations = each_operation(document)

    assert all(each["summary"] and each["description"] and each["tags"] for each in operations)
    assert len({each["operationId"] for each in operations}) == len(operations)
    assert all("_" in each["operationId"] or each["operationId"].isalpha() for each in operations)


def test_every_operation_says_how_it_can_say_no(document: Any) -> None:
    for each in each_operation(document):
        refused = {status: answer for status, answer in each["responses"].items() if int(status) >= 400}

        assert {"401", "403", "422", "429", "503"} <= set(refused)
        for answer in refused.values():
            assert answer["content"] == {
                "application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}
            }


def test_every_operation_says_what_it_answers(document: Any) -> None:
    for each in each_operation(document):
        [good] = [answer for status, answer in each["responses"].items() if int(status) < 300]
        [(kind, content)] = good["content"].items()

        assert kind in ("application/json", "text/event-stream")
        assert content


def test_whoever_asks_needs_a_token_or_the_session(document: Any) -> None:
    assert document["security"] == [{"token": []}, {"session": []}]
    assert document["components"]["securitySchemes"]["token"]["scheme"] == "bearer"
    assert document["servers"] == [{"url": "/api"}]


def test_every_reference_leads_somewhere(document: Any) -> None:
    schemas = document["components"]["schemas"]

    def references(part: Any) -> set[str]:
        if isinstance(part, dict):
            own = {part["$ref"]} if isinstance(part.get("$ref"), str) else set()
            return own.union(*map(references, part.values()))
        return set().union(*map(references, part)) if isinstance(part, list) else set()

    assert {name.rsplit("/", 1)[1] for name in references(document)} <= set(schemas)


def test_settings_can_be_changed_by_the_very_rules_that_they_have(document: Any) -> None:
    schema = document["paths"]["/settings"]["patch"]["requestBody"]["content"]["application/json"]["schema"]
    whole = {**schema, "components": document["components"]}

    assert set(schema["properties"]) == set(Settings.model_fields)
    for good in ({"voice": "kind"}, {"gather_ms": None}, {"default_effort": Effort.HIGH.value}, {}):
        jsonschema.validate(good, whole)
    for bad in ({"gather_ms": 9_000}, {"unheard_of": 1}, {"default_effort": "huge"}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(bad, whole)
