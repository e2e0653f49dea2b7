"""`offer`: a card under the reply that turns something on."""

from collections.abc import Mapping
from typing import Any, Final

from core.cards import OfferKind
from core.engines.base import HostTool, ToolAnswer
from core.offers.desk import MAX_WHY, SENTENCES, SHOWN
from core.safety.permissions import ToolKind
from core.tools.tool import Desk

SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "kind": {"type": "string", "enum": [kind.value for kind in OfferKind]},
        "target": {"type": "string", "description": "Its id, as your instructions list it"},
        "why": {
            "type": "string",
            "maxLength": MAX_WHY,
            "description": "What it would do for what they asked, in one short line to them",
        },
    },
    "required": ["kind", "target", "why"],
    "additionalProperties": False,
}
NO_KIND: Final = "Nothing was shown: `kind` must be one of " + ", ".join(f"`{kind.value}`" for kind in OfferKind) + "."
NO_WORDS: Final = "Nothing was shown: `target` must be an id from your instructions, and `why` one line to the person."


class MakeOffer:
    """Shows the card, or says why not; it never waits for the person."""

    kind = ToolKind.READ
    spec = HostTool(
        "offer",
        "Show the person a card that turns on something from your instructions' list of what can be turned on. Only"
        " when it would clearly do what they asked.",
        SCHEMA,
    )

    async def run(self, desk: Desk, args: Mapping[str, Any]) -> ToolAnswer:
        """Fails where no card is shown."""
        kind, target, why = args.get("kind"), args.get("target"), args.get("why")
        if kind not in [each.value for each in OfferKind]:
            return ToolAnswer(NO_KIND, failed=True)
        if not isinstance(target, str) or not isinstance(why, str) or not target.strip() or not why.strip():
            return ToolAnswer(NO_WORDS, failed=True)
        dropped = await desk.offer(OfferKind(kind), target.strip(), why)
        return ToolAnswer(SHOWN) if dropped is None else ToolAnswer(SENTENCES[dropped], failed=True)
