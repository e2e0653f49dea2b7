"""Payloads as Discord sends them, ids replaced; from its documentation and from what was seen on the wire."""

import json
from pathlib import Path
from typing import Any

from channels.discord.parse import Parser

BOT, ADA, SAM = "1100000000000000001", "1200000000000000001", "1200000000000000002"
PARSER = Parser("dc", BOT)
FOLDER = Path(__file__).parent / "payloads"
NAMES = sorted(path.stem for path in FOLDER.glob("*.json"))


def load(name: str) -> Any:
    """A recorded event, in the envelope in which it is stored."""
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def message(**changes: Any) -> dict[str, Any]:
    """Ada's message in her private chat, with some fields changed."""
    return {"t": "MESSAGE_CREATE", "d": load("private_message")["d"] | changes, "place": {}}
