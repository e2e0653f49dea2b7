"""Block Kit: what Slack takes in a message and in a view, and the words of its refusals.

Belongs here: blocks, elements and their limits, as docs.slack.dev/reference/block-kit has them. What they look like
belongs to `drawing`. What Slack would let pass although it is surely a mistake begins with "strict:".
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from channels.emulators.slack import limits
from channels.emulators.slack.checks import (
    Check,
    anything,
    fields,
    flag,
    items,
    link,
    number,
    one_of,
    string,
    text,
    typed,
    wrong,
)

Block = Mapping[str, Any]

_ID = string(limits.ID)
_PLACEHOLDER = text(limits.PLACEHOLDER, plain=True)
_OPTION_TEXT = text(limits.OPTION_TEXT)
_OPTION = fields(
    {"text": _OPTION_TEXT, "value": string(limits.OPTION_VALUE)},
    {"description": text(limits.OPTION_TEXT), "url": link},
)
_CONFIRM = fields(
    {
        "title": text(limits.CONFIRM_TITLE, plain=True),
        "text": text(limits.CONFIRM_TEXT),
        "confirm": text(limits.CONFIRM_BUTTON, plain=True),
        "deny": text(limits.CONFIRM_BUTTON, plain=True),
    },
    {"style": one_of("primary", "danger")},
)
_OPTIONS = items(_OPTION, limits.OPTIONS)
_GROUP = fields({"label": text(limits.OPTION_TEXT, plain=True), "options": _OPTIONS}, {})
_COMMON: dict[str, Check] = {"action_id": _ID, "confirm": _CONFIRM, "focus_on_load": flag}
_LISTED: dict[str, Check] = {
    **_COMMON,
    "options": _OPTIONS,
    "option_groups": items(_GROUP, limits.OPTIONS),
    "placeholder": _PLACEHOLDER,
}
_CHECKED: dict[str, Check] = {**_COMMON, "initial_options": items(_OPTION, limits.CHECKBOXES)}
_PICKED: dict[str, Check] = {**_COMMON, "placeholder": _PLACEHOLDER}

BUTTON = fields(
    {"text": text(limits.BUTTON_TEXT, plain=True)},
    {
        **_COMMON,
        "value": string(limits.BUTTON_VALUE),
        "url": link,
        "style": one_of("primary", "danger"),
        "accessibility_label": string(75),
    },
)
_SELECT = fields({}, {**_LISTED, "initial_option": _OPTION})
_MULTI_SELECT = fields({}, {**_LISTED, "initial_options": items(_OPTION, limits.OPTIONS), "max_selected_items": number})
_RADIO = fields({"options": items(_OPTION, limits.CHECKBOXES)}, {**_COMMON, "initial_option": _OPTION})
_CHECKBOXES = fields({"options": items(_OPTION, limits.CHECKBOXES)}, _CHECKED)
_OVERFLOW = fields({"options": items(_OPTION, 5)}, _COMMON)
_DATE = fields({}, {**_PICKED, "initial_date": string(10, 10)})
_TIME = fields({}, {**_PICKED, "initial_time": string(5, 5), "timezone": string(64)})
_IMAGE_ELEMENT = fields({"image_url": link, "alt_text": string(2_000)}, {})
_TYPED = {"min_length": number, "max_length": number, "dispatch_action_config": anything, "multiline": flag}
_PLAIN_INPUT = fields({}, {**_PICKED, **_TYPED, "initial_value": string(limits.INPUT_TEXT, 0)})
_BOUNDS = {"min_value": number, "max_value": number, "initial_value": number, "dispatch_action_config": anything}
_NUMBER_INPUT = fields({"is_decimal_allowed": flag}, {**_PICKED, **_BOUNDS})
_WORDS_INPUT = fields({}, {**_PICKED, "dispatch_action_config": anything, "initial_value": string(limits.INPUT_TEXT)})

_ACTIONS: dict[str, Check] = {
    "button": BUTTON,
    "static_select": _SELECT,
    "multi_static_select": _MULTI_SELECT,
    "radio_buttons": _RADIO,
    "checkboxes": _CHECKBOXES,
    "overflow": _OVERFLOW,
    "datepicker": _DATE,
    "timepicker": _TIME,
}
_INPUTS: dict[str, Check] = {
    "plain_text_input": _PLAIN_INPUT,
    "number_input": _NUMBER_INPUT,
    "email_text_input": _WORDS_INPUT,
    "url_text_input": _WORDS_INPUT,
    **{name: check for name, check in _ACTIONS.items() if name not in ("button", "overflow")},
}
_NAMED: dict[str, Check] = {"block_id": _ID}
_CONTEXT: dict[str, Check] = {
    "image": _IMAGE_ELEMENT,
    "mrkdwn": text(limits.SECTION),
    "plain_text": text(limits.SECTION),
}

_SHOWN: dict[str, Check] = {
    "section": fields(
        {},
        {
            **_NAMED,
            "text": text(limits.SECTION),
            "fields": items(text(limits.FIELD), limits.FIELDS),
            "accessory": typed({**_ACTIONS, "image": _IMAGE_ELEMENT}),
            "expand": flag,
        },
    ),
    "header": fields({"text": text(limits.HEADER, plain=True)}, _NAMED),
    "divider": fields({}, _NAMED),
    "context": fields({"elements": items(typed(_CONTEXT), limits.CONTEXT_ELEMENTS)}, _NAMED),
    "actions": fields({"elements": items(typed(_ACTIONS), limits.ACTIONS_ELEMENTS)}, _NAMED),
    "image": fields({"image_url": link, "alt_text": string(2_000)}, {**_NAMED, "title": text(2_000, plain=True)}),
    "rich_text": fields({"elements": items(anything, 1_000)}, _NAMED),
    "input": fields(
        {"label": text(limits.LABEL, plain=True), "element": typed(_INPUTS)},
        {**_NAMED, "hint": text(limits.HINT, plain=True), "optional": flag, "dispatch_action": flag},
    ),
}
_IN_MESSAGES: dict[str, Check] = {
    **_SHOWN,
    "markdown": fields({"text": string(limits.MARKDOWN)}, _NAMED),
    "table": fields({"rows": items(items(anything, 20), 100)}, {**_NAMED, "column_settings": anything}),
}
_MESSAGE = items(typed(_IN_MESSAGES), limits.BLOCKS, 0)
_VIEW_BLOCKS = items(typed(_SHOWN), limits.VIEW_BLOCKS, 0)
_VIEW: dict[str, Check] = {
    "private_metadata": string(limits.PRIVATE_METADATA, 0),
    "callback_id": string(limits.CALLBACK_ID, 0),
    "external_id": string(255, 0),
}
_TITLE = text(limits.VIEW_TITLE, plain=True)
_MODAL = fields(
    {"title": _TITLE, "blocks": _VIEW_BLOCKS},
    {**_VIEW, "submit": _TITLE, "close": _TITLE, "clear_on_close": flag, "notify_on_close": flag},
)
_HOME = fields({"blocks": _VIEW_BLOCKS}, _VIEW)


def check_message(blocks: Sequence[Block], *, is_strict: bool) -> list[str]:
    """What is wrong with a message's blocks."""
    if not isinstance(blocks, list):
        return [wrong("must be an array", "/blocks")]
    found = list(_MESSAGE(blocks, "/blocks"))
    if found:
        return found
    found += _together(blocks, "/blocks")
    markdown = sum(len(block["text"]) for block in blocks if block["type"] == "markdown")
    if markdown > limits.MARKDOWN:
        found.append(wrong(f"markdown blocks must be less than {limits.MARKDOWN + 1} characters in all", "/blocks"))
    if is_strict:
        found += _careless(blocks, "/blocks")
    return found


def check_view(view: Mapping[str, Any], *, home: bool = False) -> list[str]:
    """What is wrong with a view."""
    found = list(typed({"home": _HOME} if home else {"modal": _MODAL})(view, "/view"))
    if found:
        return found
    found += _together(view["blocks"], "/view/blocks")
    if any(block["type"] == "input" for block in view["blocks"]) and not home and not view.get("submit"):
        found.append(wrong("missing required field: submit", "/view"))
    return found


def text_length(blocks: Sequence[Block]) -> int:
    """Characters in all that blocks say."""
    return sum(_length(block) for block in blocks)


def _length(value: Any) -> int:  # noqa: ANN401 JSON is anything
    if isinstance(value, Mapping):
        own = value.get("text")
        deeper = (item for name, item in value.items() if not (name == "text" and isinstance(own, str)))
        return (len(own) if isinstance(own, str) else 0) + sum(_length(item) for item in deeper)
    if isinstance(value, list):
        return sum(_length(item) for item in value)
    return 0


def _together(blocks: Sequence[Block], at: str) -> Iterator[str]:
    """What is wrong although each part is right by itself."""
    for name, count in Counter(block["block_id"] for block in blocks if block.get("block_id")).items():
        if count > 1:
            yield wrong(f"block_id `{name}` already exists", at)
    for place, block in enumerate(blocks):
        if block["type"] == "section" and not block.get("text") and not block.get("fields"):
            yield wrong("missing required field: text", f"{at}/{place}")
        for element in elements_of(block):
            if "options" in element and "option_groups" in element:
                yield wrong("only one of options, option_groups allowed", f"{at}/{place}")
            if "select" in element["type"] and not element.get("options") and not element.get("option_groups"):
                yield wrong("missing required field: options", f"{at}/{place}")
        ids = Counter(element["action_id"] for element in elements_of(block) if element.get("action_id"))
        for name, count in ids.items():
            if count > 1:
                yield wrong(f"action_id `{name}` already exists for this block", f"{at}/{place}/elements")


def elements_of(block: Block) -> list[Mapping[str, Any]]:
    """What can be acted on in a block."""
    elements = block.get("elements", []) if block["type"] == "actions" else []
    return [*elements, *(block[name] for name in ("accessory", "element") if block.get(name))]


def _careless(blocks: Sequence[Block], at: str) -> Iterator[str]:
    for place, block in enumerate(blocks):
        for element in elements_of(block):
            if element["type"] != "image" and not element.get("action_id"):
                yield wrong("strict: missing action_id", f"{at}/{place}")
            values = [option["value"] for option in element.get("options") or []]
            if len(values) != len(set(values)):
                yield wrong("strict: two options have one value", f"{at}/{place}")
