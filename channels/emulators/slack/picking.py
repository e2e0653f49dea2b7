"""What is sent when somebody presses, picks or fills in: the `actions` and the `state` of a payload. Pure.

Belongs here: from labels to values, with what Slack's own app refuses. Sending it belongs to `acting`.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from channels.emulators.slack import limits
from channels.emulators.slack.blocks import elements_of
from channels.emulators.slack.chats import Content
from channels.emulators.slack.drawing import SEVERAL, SINGLE, all_options

TYPED = {"plain_text_input": "value", "number_input": "value", "email_text_input": "value", "url_text_input": "value"}
CHOSEN = {"datepicker": "selected_date", "timepicker": "selected_time"}
Values = Mapping[str, str | Sequence[str]]


def action(contents: Sequence[Content], labels: Sequence[str]) -> dict[str, Any] | None:
    """The action for what carries these labels, in the first of `contents` that has it; None where nothing does."""
    for content in contents:
        for block in content.blocks:
            for element in elements_of(block):
                found = _of_element(element, labels)
                if found is not None:
                    about = {"action_id": element.get("action_id", ""), "block_id": block["block_id"]}
                    return {"type": element["type"], **about, **found}
    return None


def _of_element(element: Mapping[str, Any], labels: Sequence[str]) -> dict[str, Any] | None:
    if element["type"] == "button":
        if [element["text"]["text"]] != list(labels) or element.get("url"):
            return None
        value = {"value": element["value"]} if "value" in element else {}
        return {"text": element["text"], **value}
    if element["type"] not in SINGLE | SEVERAL:
        return None
    by_label = {option["text"]["text"]: option for option in all_options(element)}
    if not labels or any(label not in by_label for label in labels):
        return None
    picked = [by_label[label] for label in labels]
    if element["type"] in SEVERAL:
        return {"selected_options": picked}
    return {"selected_option": picked[0]} if len(picked) == 1 else None


def inputs(view: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """The input blocks of a view and the element of each."""
    for block in view["blocks"]:
        if block["type"] == "input":
            yield block, block["element"]


def state(view: Mapping[str, Any], values: Values) -> dict[str, dict[str, Any]]:
    """The `state.values` of a form that is sent with these values by label.

    Raises:
        LookupError: no such field or option.
        ValueError: Slack's app would not send it.
    """
    left = dict(values)
    found: dict[str, dict[str, Any]] = {}
    for block, element in inputs(view):
        label = block["label"]["text"]
        value = _filled(element, left.pop(label)) if label in left else before(element)
        if not block.get("optional") and _empty(value):
            raise ValueError(f"Please complete this required field: {label}")
        found[block["block_id"]] = {element.get("action_id", ""): {"type": element["type"], **value}}
    if left:
        raise LookupError(f"no field {sorted(left)[0]!r}")
    return found


def before(element: Mapping[str, Any]) -> dict[str, Any]:
    """What a field holds before anybody touches it."""
    kind = element["type"]
    if kind in TYPED:
        return {"value": element.get("initial_value")}
    if kind in CHOSEN:
        return {CHOSEN[kind]: element.get(CHOSEN[kind].replace("selected", "initial"))}
    if kind in SEVERAL:
        return {"selected_options": list(element.get("initial_options", []))}
    return {"selected_option": element.get("initial_option")}


def shown(element: Mapping[str, Any]) -> str:
    """What stands on a field before anybody touches it."""
    value = next(iter(before(element).values()))
    if isinstance(value, list):
        return ", ".join(option["text"]["text"] for option in value)
    return value["text"]["text"] if isinstance(value, Mapping) else value or ""


def _filled(element: Mapping[str, Any], given: str | Sequence[str]) -> dict[str, Any]:
    kind = element["type"]
    if kind in TYPED:
        if not isinstance(given, str):
            raise LookupError("this field takes words")
        return {"value": _typed(element, given) or None}
    if kind in CHOSEN:
        return {CHOSEN[kind]: given or None}
    labels = [given] if isinstance(given, str) else list(given)
    if not labels or labels == [""]:
        return {"selected_options": []} if kind in SEVERAL else {"selected_option": None}
    found = _of_element(element, labels)
    if found is None:
        raise LookupError(f"no option {labels}")
    most = element.get("max_selected_items")
    if most is not None and len(labels) > int(most):
        raise ValueError(f"at most {most} can be picked")
    return found


def _typed(element: Mapping[str, Any], words: str) -> str:
    if element["type"] == "number_input":
        _check_number(element, words)
        return words
    least, most = element.get("min_length", 0), element.get("max_length", limits.INPUT_TEXT)
    if words and not least <= len(words) <= most:
        raise ValueError(f"{least} to {most} characters, please")
    return words


def _check_number(element: Mapping[str, Any], words: str) -> None:
    number = float(words) if element.get("is_decimal_allowed") else int(words)
    least, most = element.get("min_value"), element.get("max_value")
    if (least is not None and number < float(least)) or (most is not None and number > float(most)):
        raise ValueError(f"a number from {least} to {most}, please")


def _empty(value: Mapping[str, Any]) -> bool:
    return next(iter(value.values())) in (None, "", [])
