"""Block Kit: a message's words and buttons as blocks.

Pure. Words go out in the `markdown` block, which takes ordinary Markdown; where Slack does not want that, the same
words in mrkdwn in `section` blocks. Source: docs.slack.dev/reference/block-kit/blocks.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from channels.base import Button, ButtonStyle, OutboundMessage
from channels.formatting.parts import Dialect, Part, escape, fallback, format_message
from channels.slack import limits
from channels.slack.forms import OPENS_FORM, plain

Block = dict[str, Any]

_STYLES = {ButtonStyle.PRIMARY: "primary", ButtonStyle.DANGER: "danger"}
_ROOM_FOR_BUTTONS = 10
"""Blocks that are left for what is not words; a message has 50 at most."""


def of_message(message: OutboundMessage, *, plainer: bool = False) -> list[Block]:
    """All blocks of a message: its words, then its buttons."""
    return [*of_words(message.text, message.fallback, plainer=plainer), *of_buttons(message.buttons)]


def of_words(text: str, words: str, *, plainer: bool = False) -> list[Block]:
    """The words; `plainer` where Slack refused the usual block. `words` are the same without any markup."""
    if not text.strip():
        return []
    if not plainer:
        return [{"type": "markdown", "text": text}]
    whole = fallback(Part(text, words), Dialect.slack)
    pieces = [piece for part in whole for piece in _sections(part)]
    return [section(piece) for piece in pieces[: 50 - _ROOM_FOR_BUTTONS]]


def _sections(part: Part) -> Sequence[str]:
    if len(part.text) <= limits.MAX_SECTION:
        return [part.text]
    return [escape(piece.text, Dialect.mrkdwn) for piece in format_message(part.plain, Dialect.text, 2_000)]


def section(mrkdwn: str) -> Block:
    """A paragraph in mrkdwn."""
    return {"type": "section", "text": {"type": "mrkdwn", "text": mrkdwn}}


def small(words: str) -> Block:
    """A line in small grey letters, in mrkdwn."""
    return {"type": "context", "elements": [{"type": "mrkdwn", "text": words}]}


def notice(message: OutboundMessage) -> str:
    """What a notification and a screen reader say: the words without markup, the first of them."""
    words = message.fallback or message.text
    kept = words if len(words) <= limits.MAX_NOTICE else words[: limits.MAX_NOTICE - 1].rstrip() + "…"
    return escape(kept, Dialect.mrkdwn)


def of_buttons(buttons: Sequence[Button]) -> list[Block]:
    """Buttons in rows; many options that belong together as one list to pick from."""
    options = [button for button in buttons if button.option and button.token]
    listed = options if len(options) > limits.BUTTONS_BEFORE_A_LIST else []
    elements: list[Block] = []
    for number, button in enumerate(buttons):
        if button not in listed:
            elements.append(_button(number, button))
        elif button is listed[0]:
            elements.append(_list(number, listed))
    rows = range(0, len(elements), limits.BUTTONS_IN_A_BLOCK)
    return [{"type": "actions", "elements": elements[at : at + limits.BUTTONS_IN_A_BLOCK]} for at in rows]


def _button(number: int, button: Button) -> Block:
    drawn: Block = {"type": "button", "text": plain(button.label, limits.MAX_LABEL), "action_id": f"press:{number}"}
    if button.url is not None:
        drawn |= {"url": button.url, "action_id": f"open:{number}"}
    elif button.token is not None:
        drawn |= {"value": button.token}
        drawn |= {"action_id": f"{OPENS_FORM}{number}"} if button.form else {}
    if style := _STYLES.get(button.style):
        drawn["style"] = style
    return drawn


def _list(number: int, options: Sequence[Button]) -> Block:
    return {
        "type": "static_select",
        "action_id": f"pick:{number}",
        "placeholder": plain("Choose…", limits.MAX_LABEL),
        "options": [{"text": plain(option.label, limits.MAX_LABEL), "value": option.token} for option in options],
    }


def home(console: str | None) -> Mapping[str, Any]:
    """What the app's Home tab shows."""
    words = (
        "*Hello!* Write to me under *Messages*, or mention me in a channel that I was invited to.\n"
        f"Everything that I can do stands behind `{limits.COMMAND} help`."
    )
    shown: list[Block] = [section(words)]
    if console is not None:
        button = _button(0, Button("Open the console", url=console, style=ButtonStyle.PRIMARY))
        shown.append({"type": "actions", "elements": [button]})
    return {"type": "home", "blocks": shown}
