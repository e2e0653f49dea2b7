"""The pages from which somebody set out to sign in with an app, so that they find back. In memory, and bounded.

A browser keeps its session for the name that it came in by; the sign-in may be under another name of the same Conch.
"""

from collections import OrderedDict
from typing import Final

MOST: Final = 64


class WaysBack:
    """The address of a chat's page, by the conversation."""

    def __init__(self) -> None:
        self._ways: OrderedDict[str, str] = OrderedDict()

    def remember(self, conversation_id: str, address: str) -> None:
        """They set out from there."""
        self._ways.pop(conversation_id, None)
        self._ways[conversation_id] = address
        while len(self._ways) > MOST:
            self._ways.popitem(last=False)

    def of(self, conversation_id: str | None) -> str | None:
        """Where somebody set out from for this conversation; None where nobody did."""
        return self._ways.get(conversation_id) if conversation_id is not None else None
