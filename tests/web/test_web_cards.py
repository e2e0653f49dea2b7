"""Cards on a page: every kind in every state, what their forms send, and nothing of outside data that acts."""

from html.parser import HTMLParser
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from core.cards import Question
from web import transcript as ts
from web.cards import Drawer, parse_answer
from web.console.patterns import OTHER, SAMPLES, TIMES, TRIP, sampled
from web.pages import Templates

PROBE = "\"'><script>alert(1)</script><img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def drawer() -> Drawer:
    return Drawer(Templates({"version": "", "in_playground": True, "navigation": ()}), lambda _: "It may look.")


class Read(HTMLParser):
    """What a browser would make of a part of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def read(drawer: Drawer, body: ts.Body) -> Read:
    items = [item for _, item in sampled() if item.body == body]
    item = items[0] if items else ts.Item("one", -1, next(sampled())[1].at, body)
    return Read(drawer.draw(item, conversation_id="c1", root="/conch"))


def test_every_kind_of_thing_has_a_sample() -> None:
    assert {type(item.body) for _, item in sampled()} == set(get_args(ts.Body))


@pytest.mark.parametrize(("heading", "item"), [*sampled()], ids=lambda one: getattr(one, "id", str(one)))
def test_a_thing_is_one_element_under_its_id(drawer: Drawer, heading: str, item: ts.Item) -> None:
    made = Read(drawer.draw(item, conversation_id="c1"))

    assert made.elements[0][1]["id"] == item.id
    assert [attributes.get("id") for _, attributes in made.elements].count(item.id) == 1


# ---- what is open, and what is over ----------------------------------------------------------------------------------


@pytest.mark.parametrize("heading", ["Questions", "Permissions", "Offers"])
def test_only_what_is_open_can_be_answered(drawer: Drawer, heading: str) -> None:
    for body in SAMPLES[heading]:
        assert bool(read(drawer, body).all("form")) is getattr(body, "is_open", None)


def test_one_thing_to_pick_is_answered_by_one_press(drawer: Drawer) -> None:
    made = read(drawer, SAMPLES["Questions"][0])

    assert [(one.get("name"), one.get("value")) for one in made.all("button")] == [
        ("f.drink", "tea"),
        ("f.drink", "coffee"),
        ("skip", "1"),
    ]
    assert made.all("form")[0]["action"] == "/conch/chats/c1/questions/drink"


def test_fields_of_every_kind_are_native_inputs_with_their_bounds(drawer: Drawer) -> None:
    inputs = [*read(drawer, ts.QuestionCard(TRIP)).all("input"), *read(drawer, ts.QuestionCard(TIMES)).all("input")]

    kinds = [one.get("type") for one in inputs]
    assert kinds == ["checkbox", "checkbox", None, "date", "number", "time", "datetime-local", None, "radio", "radio"]
    assert inputs[3] | {"id": None} == {
        "id": None,
        "type": "date",
        "name": "f.day",
        "min": "2026-12-01",
        "value": "2026-12-24",
        "required": None,
    }
    assert (inputs[4]["min"], inputs[4]["max"], inputs[4]["value"]) == ("1.0", "14.0", "3")


def test_a_permission_offers_always_only_where_nothing_speaks_against_it(drawer: Drawer) -> None:
    plain, with_reason, start = SAMPLES["Permissions"][0], SAMPLES["Permissions"][1], SAMPLES["Plans"][0]

    decisions = [[one.get("value") for one in read(drawer, body).all("button")] for body in (plain, with_reason, start)]

    assert decisions == [["allow", "allow-always", "deny"], ["allow", "deny"], ["allow", "deny"]]


def test_a_skill_says_what_it_may_do_before_it_is_turned_on(drawer: Drawer) -> None:
    assert "It may look." in read(drawer, SAMPLES["Offers"][1]).text
    assert "It may look." not in read(drawer, SAMPLES["Offers"][0]).text


# ---- what comes back -------------------------------------------------------------------------------------------------


def test_a_form_is_read_as_values_by_field() -> None:
    form = {"f.with": ["bo"], "o.with": ["Dee"], "f.day": ["2026-12-24"], "f.nights": ["3"], "f.wish": ["", " a view "]}

    assert parse_answer(TRIP, form) == {"with": ["bo", "Dee"], "day": "2026-12-24", "nights": 3, "wish": "a view"}


def test_words_of_ones_own_take_the_place_of_the_one_choice() -> None:
    assert parse_answer(OTHER, {"f.drink": ["tea"], "o.drink": ["Cocoa"]}) == {"drink": "Cocoa"}
    assert parse_answer(OTHER, {"f.drink": ["tea"], "o.drink": [" "]}) == {"drink": "tea"}


def test_fields_that_were_left_empty_are_left_out() -> None:
    assert parse_answer(TRIP, {"f.wish": [""], "unknown": ["x"]}) == {}


# ---- outside data ----------------------------------------------------------------------------------------------------


def poisoned(value: Any) -> Any:
    """The same, with a probe in every text that somebody else may have written."""
    if isinstance(value, dict):
        made = {key: one if key in _OURS else poisoned(one) for key, one in value.items()}
        return made | ({"unit": '"><script>x</script>'} if "unit" in made else {})
    if isinstance(value, list | tuple):
        return [poisoned(one) for one in value]
    return f"{value}{PROBE}"[:60] if isinstance(value, str) else value


_OURS = {
    *("type", "kind", "state", "status", "decision", "outcome", "skill_mode", "by", "url", "call", "role", "source"),
    *("start", "end", "date", "modified", "at", "min", "max", "suggested", "address", "color", "from_"),
}


def body_with_probes(body: ts.Body) -> ts.Body:
    """A body whose models were poisoned."""
    made: dict[str, Any] = {}
    for name in body.__slots__:
        value = getattr(body, name)
        if isinstance(value, BaseModel):
            made[name] = type(value).model_validate(poisoned(value.model_dump(by_alias=True, mode="json")))
        elif isinstance(value, tuple):
            made[name] = tuple(type(one).model_validate(poisoned(one.model_dump(mode="json"))) for one in value)
        else:
            made[name] = value
    return type(body)(**made)


@pytest.mark.parametrize(("heading", "item"), [*sampled()], ids=lambda one: getattr(one, "id", str(one)))
def test_what_somebody_else_wrote_is_text_and_nothing_else(drawer: Drawer, heading: str, item: ts.Item) -> None:
    ours = {tag for _, one in sampled() for tag, _ in Read(drawer.draw(one, conversation_id="c1")).elements}

    body = body_with_probes(item.body)
    made = Read(drawer.draw(ts.Item(item.id, -item.changed, item.at, body), conversation_id="c1"))

    assert {tag for tag, _ in made.elements} <= ours
    assert not {"script", "img", "style"} & ours
    assert not [name for _, attributes in made.elements for name in attributes if name.startswith("on")]
    assert all((link["href"] or "").startswith(("https://", "http://", "/chats/c1/files/")) for link in made.all("a"))


def test_an_id_in_an_address_cannot_lead_elsewhere(drawer: Drawer) -> None:
    question = Question(question_id="../../../sign-out?x=", fields=OTHER.fields)

    made = read(drawer, ts.QuestionCard(question))

    assert made.all("form")[0]["action"] == "/conch/chats/c1/questions/..%2F..%2F..%2Fsign-out%3Fx%3D"
