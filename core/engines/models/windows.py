"""The window to reckon with where nobody says what a model's is."""

from typing import Final

from core.engines.models.addresses import is_near
from core.engines.models.contract import Connection
from core.engines.models.kinds import address_of

API_WINDOW: Final = 128_000
LOCAL_WINDOW: Final = 8_000
"""Tokens. A server of one's own is often started with far less than its model could hold."""


def window_unless_known(connection: Connection) -> int:
    """Tokens that a model there has at least, as far as one can tell from where the server is."""
    address = address_of(connection.kind, connection.base_url)
    return LOCAL_WINDOW if address is not None and is_near(address) else API_WINDOW
