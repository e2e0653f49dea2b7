"""Updates as Telegram shapes them, with ids and names replaced, by the name of their file in `payloads/`."""

import json
from pathlib import Path
from typing import Any

from channels.telegram.parse import Parser

FOLDER = Path(__file__).parent / "payloads"
NAMES = sorted(path.stem for path in FOLDER.glob("*.json"))

PARSER = Parser(channel_id="tg", bot_id=5550001111, username="conch_bot")
"""The bot to which all of them were sent."""


def load(name: str) -> dict[str, Any]:
    payload: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return payload


def _field_names(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set(value).union(*map(_field_names, value.values()))
    return set().union(*map(_field_names, value)) if isinstance(value, list) else set()


FIELD_NAMES = sorted(set().union(*(_field_names(load(name)) for name in NAMES)))
"""Of all fields in all of them."""
