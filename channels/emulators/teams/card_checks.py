"""What is wrong with an Adaptive Card that a bot sends: what Teams does not show, or does not show as it was meant.

Belongs here: rules of cards up to 1.5 (adaptivecards.io/explorer, and Teams's own in cards/cards-reference). The
published schema is a second opinion in `schema`, used in tests.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from channels.emulators.teams import limits

REQUIRED: Mapping[str, Sequence[str]] = {
    "ActionSet": ("actions",),
    "ColumnSet": (),
    "Container": ("items",),
    "FactSet": ("facts",),
    "Image": ("url",),
    "ImageSet": ("images",),
    "Media": ("sources",),
    "RichTextBlock": ("inlines",),
    "Table": (),
    "TextBlock": ("text",),
    "Input.ChoiceSet": ("id",),
    "Input.Date": ("id",),
    "Input.Number": ("id",),
    "Input.Text": ("id",),
    "Input.Time": ("id",),
    "Input.Toggle": ("id", "title"),
}
"""The elements, and what each of them must have."""

ACTIONS: Mapping[str, Sequence[str]] = {
    "Action.Execute": (),
    "Action.OpenUrl": ("url",),
    "Action.ShowCard": ("card",),
    "Action.Submit": (),
    "Action.ToggleVisibility": ("targetElements",),
}

TEAMS_WAYS: Mapping[str, Sequence[str]] = {"imBack": ("value",), "messageBack": ("text",)}
"""What Teams does with a press if `msteams` in its data says so, and what each needs. Others are not played."""

Json = Mapping[str, Any]


def card_faults(card: Json, *, strict: bool = True) -> list[str]:
    """What is wrong; empty is right. `strict` also says what Teams would show in a poorer way without a word."""
    return list(_Check(card, is_strict=strict).faults())


class _Check:
    """One card, with the ids that were seen in it."""

    def __init__(self, card: Json, *, is_strict: bool) -> None:
        self._card = card
        self._strict = is_strict
        self._ids: set[str] = set()
        self._version = _version(card)

    def faults(self) -> Iterator[str]:
        card = self._card
        if card.get("type") != "AdaptiveCard":
            yield "type is not AdaptiveCard"
        if self._version is None:
            yield "version is missing or no version"
        elif self._version > limits.CARD_VERSION:
            yield f"version {card['version']} is newer than {'.'.join(map(str, limits.CARD_VERSION))}"
        if not card.get("body") and not card.get("actions"):
            yield "nothing in it"
        yield from self._elements(card.get("body", ()), "body")
        yield from self._actions(card.get("actions", ()), "actions")
        yield from self._refresh()

    def _elements(self, items: object, where: str) -> Iterator[str]:
        if not isinstance(items, Sequence) or isinstance(items, str):
            yield f"{where} is no list"
            return
        for place, item in enumerate(items):
            yield from self._element(item, f"{where}[{place}]")

    def _element(self, item: Json, where: str) -> Iterator[str]:
        kind = str(item.get("type", ""))
        if kind not in REQUIRED:
            if isinstance(item.get("fallback"), Mapping):
                yield from self._element(item["fallback"], f"{where}.fallback")
            elif item.get("fallback") != "drop":
                yield f"{where}: no element {kind!r}"
            return
        yield from (f"{where}: {kind} without {name}" for name in REQUIRED[kind] if name not in item)
        yield from self._id(item, where)
        if kind.startswith("Input."):
            yield from self._input(item, where)
        elif kind == "TextBlock" and self._strict and not str(item.get("text", "?")).strip():
            yield f"{where}: nothing in the text"
        elif kind == "FactSet":
            yield from (
                f"{where}: a fact without {n}" for f in item.get("facts", ()) for n in ("title", "value") if n not in f
            )
        yield from self._inside(item, where)

    def _inside(self, item: Json, where: str) -> Iterator[str]:
        yield from self._elements(item.get("items", ()), f"{where}.items")
        for place, column in enumerate(item.get("columns", ()) if item.get("type") == "ColumnSet" else ()):
            if column.get("type", "Column") != "Column":
                yield f"{where}.columns[{place}]: no column"
            yield from self._elements(column.get("items", ()), f"{where}.columns[{place}].items")
        for place, row in enumerate(item.get("rows", ())):
            for cell in row.get("cells", ()):
                yield from self._elements(cell.get("items", ()), f"{where}.rows[{place}]")
        yield from self._elements(item.get("images", ()), f"{where}.images")
        yield from self._actions(item.get("actions", ()), f"{where}.actions")
        for name in ("selectAction", "inlineAction"):
            if name in item:
                yield from self._action(item[name], f"{where}.{name}", titled=name != "selectAction")

    def _id(self, item: Json, where: str) -> Iterator[str]:
        if "id" not in item:
            return
        if item["id"] in self._ids:
            yield f"{where}: id {item['id']!r} is there twice"
        self._ids.add(item["id"])

    def _input(self, item: Json, where: str) -> Iterator[str]:
        if self._strict and not item.get("label") and item.get("type") != "Input.Toggle":
            yield f"{where}: an input without a label"
        if self._strict and item.get("isRequired") and not item.get("errorMessage"):
            yield f"{where}: required without errorMessage"
        if item.get("type") == "Input.ChoiceSet":
            choices = item.get("choices", ())
            yield from (f"{where}: a choice without {n}" for c in choices for n in ("title", "value") if n not in c)
            values = [choice.get("value") for choice in choices]
            if len(set(values)) != len(values):
                yield f"{where}: two choices have one value"
            if self._strict and item.get("isMultiSelect") and any("," in str(value) for value in values):
                yield f"{where}: a comma in a value of a choice of several"
        if item.get("type") == "Input.Text" and "regex" in item and not _compiles(item["regex"]):
            yield f"{where}: no regex"

    def _actions(self, actions: object, where: str) -> Iterator[str]:
        if not isinstance(actions, Sequence) or isinstance(actions, str):
            yield f"{where} is no list"
            return
        for place, action in enumerate(actions):
            yield from self._action(action, f"{where}[{place}]")

    def _action(self, action: Json, where: str, *, titled: bool = True) -> Iterator[str]:
        kind = str(action.get("type", ""))
        if kind not in ACTIONS:
            yield f"{where}: no action {kind!r}"
            return
        yield from (f"{where}: {kind} without {name}" for name in ACTIONS[kind] if name not in action)
        if titled and self._strict and not (action.get("title") or action.get("iconUrl")):
            yield f"{where}: nothing stands on it"
        if kind == "Action.OpenUrl" and not re.match(r"[a-z][a-z0-9+.-]*:", str(action.get("url", "")), re.I):
            yield f"{where}: no address"
        if kind == "Action.Execute":
            yield from self._execute(action, where)
        yield from self._teams_way(action, where)
        if kind == "Action.ShowCard" and isinstance(action.get("card"), Mapping):
            yield from self._elements(action["card"].get("body", ()), f"{where}.card.body")
            yield from self._actions(action["card"].get("actions", ()), f"{where}.card.actions")

    def _teams_way(self, action: Json, where: str) -> Iterator[str]:
        """What `msteams` in the data asks for (cards/cards-actions)."""
        data = action.get("data")
        asked = data.get("msteams") if isinstance(data, Mapping) else None
        if asked is None:
            return
        wanted = TEAMS_WAYS.get(str(asked.get("type"))) if isinstance(asked, Mapping) else None
        if wanted is None:
            yield f"{where}: msteams asks for nothing that is known"
        else:
            yield from (f"{where}: msteams without {name}" for name in wanted if name not in asked)

    def _execute(self, action: Json, where: str) -> Iterator[str]:
        if self._version is not None and self._version < limits.EXECUTE_VERSION:
            yield f"{where}: Action.Execute in a card older than 1.4"
        fallback = action.get("fallback")
        if isinstance(fallback, Mapping):
            yield from self._action(fallback, f"{where}.fallback")
        elif self._strict and fallback != "drop":
            yield f"{where}: Action.Execute without a fallback"

    def _refresh(self) -> Iterator[str]:
        refresh = self._card.get("refresh")
        if refresh is None:
            return
        if not isinstance(refresh, Mapping) or refresh.get("action", {}).get("type") != "Action.Execute":
            yield "refresh: no Action.Execute"
        elif len(refresh.get("userIds", ())) > limits.REFRESH_USERS:
            yield f"refresh: more than {limits.REFRESH_USERS} people"


def _version(card: Json) -> tuple[int, ...] | None:
    match = re.fullmatch(r"(\d+)\.(\d+)", str(card.get("version", "")))
    return (int(match[1]), int(match[2])) if match else None


def _compiles(pattern: object) -> bool:
    try:
        re.compile(str(pattern))
    except re.error:
        return False
    return True
