"""An Adaptive Card as a person reads it: words, what can be pressed, what can be filled in.

Belongs here: looking at a card's JSON. What is wrong with one is `card_checks`, what pressing and filling in send is
`acting` and `filling`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from channels.emulators.teams.card_checks import REQUIRED
from channels.emulators.teams.markdown import card_plain

CARD = "application/vnd.microsoft.card.adaptive"

Json = Mapping[str, Any]

PRESSABLE = frozenset({"Action.Submit", "Action.Execute"})
"""Actions that a bot hears of."""


@dataclass(frozen=True, slots=True)
class SeenButton:
    """Something to press: what stands on it, and where it leads if it only opens a page."""

    label: str
    url: str | None = None
    enabled: bool = True
    style: str = ""
    """`positive`, `destructive` or nothing special."""
    sends: bool = False
    """Whether what is filled in goes with it."""
    suggested: bool = False
    """Whether it is a suggested action, which says its words."""


@dataclass(frozen=True, slots=True)
class SeenElement:
    """Something that stands on a card: words in a `look`, or with a `field` what can be filled in under them."""

    words: str
    look: str = ""
    """`title`, `attention` or nothing special."""
    field: str = ""
    """The kind of an input, such as `Text` or `ChoiceSet`."""
    id: str = ""
    value: str = ""
    choices: tuple[str, ...] = ()
    several: bool = False
    required: bool = False


def cards_of(attachments: Sequence[Json]) -> list[Json]:
    """The Adaptive Cards among attachments."""
    return [attachment["content"] for attachment in attachments if attachment.get("contentType") == CARD]


ELEMENTS = frozenset({*REQUIRED, "Column"})
"""The elements of cards up to 1.5."""


def shown(item: Json) -> Json | None:
    """What stands in an element's place: itself, or its fallback where the app does not know it."""
    known = item.get("type", "Column") in ELEMENTS
    other = item.get("fallback")
    if known:
        return item if item.get("isVisible", True) is not False else None
    return shown(other) if isinstance(other, Mapping) else None


def for_old_apps(card: Json) -> Json:
    """The card where `Action.Execute` is not known: each has its fallback's place, or none."""

    def read(value: Any) -> Any:  # noqa: ANN401 JSON is anything
        if isinstance(value, Mapping):
            if value.get("type") == "Action.Execute":
                other = value.get("fallback")
                return read(other) if isinstance(other, Mapping) else None
            return {name: read(inner) for name, inner in value.items() if name != "refresh"}
        if isinstance(value, list):
            return [inner for each in value if (inner := read(each)) is not None]
        return value

    old: Json = read(card)
    return old


def elements(items: Sequence[Json]) -> Iterator[Json]:
    """Everything that is shown, in reading order, with what is inside of it; without what is invisible."""
    for given in items:
        item = shown(given)
        if item is None:
            continue
        yield item
        inside = [*item.get("items", ()), *item.get("columns", ()), *item.get("images", ())]
        for row in item.get("rows", ()):
            for cell in row.get("cells", ()):
                inside += cell.get("items", ())
        yield from elements(inside)


def words(card: Json) -> str:
    """What the card says, a line for each element."""
    return "\n".join(line for element in elements(card.get("body", ())) if (line := _line(element)))


def inputs(card: Json) -> list[Json]:
    """What can be filled in."""
    return [e for e in elements(card.get("body", ())) if str(e.get("type", "")).startswith("Input.")]


def label_of(field: Json) -> str:
    """What stands on an input: its label, or else what is in it while it is empty, or its title."""
    return str(field.get("label") or field.get("title") or field.get("placeholder") or field["id"])


def choices_of(field: Json) -> tuple[str, ...]:
    """What can be picked in an input."""
    return tuple(str(choice["title"]) for choice in field.get("choices", ()))


def shown_in(field: Json) -> str:
    """What stands in an input before somebody fills it in."""
    value = str(field.get("value") or "")
    if field["type"] != "Input.ChoiceSet":
        return value
    titles = {str(choice["value"]): str(choice["title"]) for choice in field.get("choices", ())}
    return ", ".join(titles.get(each, each) for each in value.split(",") if each)


def drawn(card: Json) -> tuple[SeenElement, ...]:
    """What stands on the card above its actions, in reading order."""
    return tuple(_drawn(element) for element in elements(card.get("body", ())) if _line(element))


def action_rows(card: Json) -> list[list[Json]]:
    """The actions by rows: those within the card, elements that are pressed themselves, those at its end."""
    rows: list[list[Json]] = []
    for element in elements(card.get("body", ())):
        if element.get("type") == "ActionSet":
            rows.append(list(element["actions"]))
        elif element.get("inlineAction"):
            rows.append([element["inlineAction"]])
        if element.get("selectAction"):
            rows.append([element["selectAction"]])
    if card.get("actions"):
        rows.append(list(card["actions"]))
    return rows


def title_of(action: Json) -> str:
    """What stands on an action's button."""
    return str(action.get("title") or action.get("tooltip") or action.get("iconUrl") or "")


def buttons(card: Json) -> list[tuple[SeenButton, ...]]:
    """What can be pressed, by rows."""
    return [tuple(_button(action) for action in row) for row in action_rows(card)]


def action_named(card: Json, label: str) -> tuple[Json, Json] | None:
    """The action with this label and the card that it stands in, looking into cards within the card too."""
    inner: list[Json] = []
    for row in action_rows(card):
        for action in row:
            if title_of(action) == label:
                return action, card
            if action.get("type") == "Action.ShowCard":
                inner.append(action["card"])
    return next((found for each in inner if (found := action_named(each, label)) is not None), None)


def main_action(card: Json) -> Json | None:
    """What sends a form: the action that is marked so, or else the first that a bot hears of."""
    sending = [a for row in action_rows(card) for a in row if a.get("type") in PRESSABLE]
    sending = [a for a in sending if a.get("associatedInputs") != "none"]
    marked = [a for a in sending if a.get("style") == "positive"]
    return next(iter(marked or sending), None)


def _button(action: Json) -> SeenButton:
    url = action.get("url") if action.get("type") == "Action.OpenUrl" else None
    sends = action.get("type") in PRESSABLE and action.get("associatedInputs") != "none"
    enabled, style = action.get("isEnabled", True) is not False, str(action.get("style") or "")
    return SeenButton(title_of(action), url, enabled, style, sends)


def _drawn(element: Json) -> SeenElement:
    kind = str(element.get("type"))
    if not kind.startswith("Input."):
        look = "title" if element.get("weight") == "bolder" else str(element.get("color") or "")
        return SeenElement(_line(element), look)
    return SeenElement(
        label_of(element),
        field=kind.removeprefix("Input."),
        id=str(element["id"]),
        value=shown_in(element),
        choices=choices_of(element),
        several=bool(element.get("isMultiSelect")),
        required=bool(element.get("isRequired")),
    )


def _line(element: Json) -> str:
    kind = element.get("type")
    if kind == "TextBlock":
        return card_plain(str(element["text"]))
    if kind == "RichTextBlock":
        return "".join(run if isinstance(run, str) else str(run.get("text", "")) for run in element["inlines"])
    if kind == "FactSet":
        return "\n".join(f"{card_plain(str(f['title']))} {card_plain(str(f['value']))}" for f in element["facts"])
    if kind == "Image":
        return str(element.get("altText") or "")
    if str(kind).startswith("Input."):
        return str(element.get("label") or element.get("title") or "")
    return ""
