"""What people type, as Slack's own apps send it beside the text: a `rich_text` block of words and mentions.

Belongs here: that block. Styles are left out; an app is told of them in the text.
"""

import re
from typing import Any

from channels.emulators.slack.mrkdwn import unescaped

_USER = re.compile(r"<@([A-Z0-9]+)>")


def rich_text(text: str, block_id: str) -> dict[str, Any]:
    """The block of a message with this text; of docs.slack.dev/reference/block-kit/blocks/rich-text-block."""
    pieces: list[dict[str, Any]] = []
    for place, part in enumerate(_USER.split(text)):
        if place % 2:
            pieces.append({"type": "user", "user_id": part})
        elif part:
            pieces.append({"type": "text", "text": unescaped(part)})
    section = {"type": "rich_text_section", "elements": pieces}
    return {"type": "rich_text", "block_id": block_id, "elements": [section]}
