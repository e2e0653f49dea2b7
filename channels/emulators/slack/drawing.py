"""A message's blocks as a person sees them: words, and what can be pressed or picked.

Belongs here: one drawing for each kind of block. What is allowed in a block belongs to `blocks`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from channels.emulators.slack.chats import Block, Content
from channels.emulators.slack.mrkdwn import Names, named, plain, plain_markdown

BUTTON, URL, OPTION = "button", "url", "option"

SINGLE = frozenset({"static_select", "radio_buttons", "overflow"})
SEVERAL = frozenset({"multi_static_select", "checkboxes"})


@dataclass(frozen=True, slots=True)
class SeenButton:
    """Something to press. `does` is `button`, `url` or `option` (of a list to pick from); `value` what it sends.

    `style` is Slack's word for its colour: `primary`, `danger`, or none. `multi`: of a list where several are picked.
    """

    label: str
    does: str
    value: str
    action_id: str
    block_id: str
    style: str | None = None
    multi: bool = False


def words(content: Content, names: Names) -> str:
    """What a message says: its blocks' words, a line for each; its text where there are no blocks."""
    if not content.blocks:
        text = plain(content.text, names)
    else:
        text = "\n".join(drawn for block in content.blocks if (drawn := _drawn(block, names)))
    attached = [plain(str(a.get("text") or a.get("fallback") or ""), names) for a in content.attachments]
    return "\n".join(part for part in (text, *attached) if part)


def parts(content: Content, names: Names) -> Iterator[tuple[str, str]]:
    """The same with its signs, block by block: `mrkdwn`, `markdown`, `header`, `context`, `divider`, `plain`."""
    if not content.blocks and content.text:
        yield "mrkdwn", named(content.text, names)
    for block in content.blocks:
        if block["type"] == "divider":
            yield "divider", ""
        elif block["type"] == "markdown":
            yield "markdown", named(block["text"], names)
        elif block["type"] == "header":
            yield "header", block["text"]["text"]
        elif block["type"] == "section":
            texts = [block["text"]] if block.get("text") else []
            yield from (_signed("mrkdwn", text, names) for text in [*texts, *block.get("fields", [])])
        elif block["type"] == "context":
            yield from (_signed("context", e, names) for e in block["elements"] if e["type"] != "image")
        elif drawn := _drawn(block, names):
            yield "plain", drawn
    for attached in content.attachments:
        yield "mrkdwn", named(str(attached.get("text") or attached.get("fallback") or ""), names)


def _signed(kind: str, part: Mapping[str, Any], names: Names) -> tuple[str, str]:
    text: str = part["text"]
    if part["type"] == "mrkdwn":
        return kind, named(text, names)
    return ("plain", text) if kind == "mrkdwn" else (kind, text)


def rows(content: Content) -> tuple[tuple[SeenButton, ...], ...]:
    """What can be pressed, by rows; each option of a list is a row."""
    found: list[tuple[SeenButton, ...]] = []
    for block in content.blocks:
        elements = block.get("elements", []) if block["type"] == "actions" else [block.get("accessory") or {}]
        buttons = [_button(element, block) for element in elements if element.get("type") == "button"]
        if buttons:
            found.append(tuple(buttons))
        for element in elements:
            found += [(option,) for option in _options(element, block)]
    return tuple(found)


def _drawn(block: Block, names: Names) -> str:
    drawing = _DRAWINGS.get(block["type"])
    return drawing(block, names) if drawing is not None else ""


def _section(block: Block, names: Names) -> str:
    parts = [block["text"]] if block.get("text") else []
    return "\n".join(_text(part, names) for part in [*parts, *block.get("fields", [])])


def _context(block: Block, names: Names) -> str:
    return " ".join(_text(element, names) for element in block["elements"] if element["type"] != "image")


def _text(part: Mapping[str, Any], names: Names) -> str:
    text: str = part["text"]
    return plain(text, names) if part["type"] == "mrkdwn" else text


def _table(block: Block, names: Names) -> str:
    return "\n".join(" | ".join(_cell(cell, names) for cell in row) for row in block["rows"])


def _cell(cell: Mapping[str, Any], names: Names) -> str:
    return _rich(cell, names) if cell.get("type") == "rich_text" else str(cell.get("text", ""))


def _rich(block: Block, names: Names) -> str:
    return "\n".join(_rich_part(part, names) for part in block.get("elements", []))


def _rich_part(part: Mapping[str, Any], names: Names) -> str:
    inside: Sequence[Mapping[str, Any]] = part.get("elements", [])
    if part["type"] == "rich_text_list":
        ordered = part.get("style") == "ordered"
        signs = [f"{place}." if ordered else "•" for place in range(1, len(inside) + 1)]
        return "\n".join(f"{sign} {_rich_part(item, names)}" for sign, item in zip(signs, inside, strict=True))
    return "".join(_rich_piece(piece, names) for piece in inside)


def _rich_piece(piece: Mapping[str, Any], names: Names) -> str:
    if piece["type"] == "user":
        return f"@{names(piece['user_id'])}"
    if piece["type"] == "emoji":
        return f":{piece['name']}:"
    return str(piece.get("text") or piece.get("url") or "")


_DRAWINGS = {
    "section": _section,
    "context": _context,
    "header": lambda block, names: _text(block["text"], names),
    "markdown": lambda block, names: plain_markdown(block["text"], names),
    "divider": lambda _block, _names: "",
    "image": lambda block, _names: block["alt_text"],
    "input": lambda block, names: _text(block["label"], names),
    "rich_text": _rich,
    "table": _table,
}


def _button(element: Mapping[str, Any], block: Block) -> SeenButton:
    url = element.get("url")
    return SeenButton(
        element["text"]["text"],
        URL if url else BUTTON,
        url or element.get("value", ""),
        element.get("action_id", ""),
        block["block_id"],
        element.get("style"),
    )


def _options(element: Mapping[str, Any], block: Block) -> Iterator[SeenButton]:
    kind = element.get("type")
    if kind in SINGLE | SEVERAL:
        for option in all_options(element):
            label, value = option["text"]["text"], option.get("value", "")
            yield SeenButton(
                label, OPTION, value, element.get("action_id", ""), block["block_id"], multi=kind in SEVERAL
            )


def all_options(element: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The options of a list, those of its groups among them."""
    groups = element.get("option_groups") or []
    return [*(element.get("options") or []), *(option for group in groups for option in group["options"])]
