"""The chat apps that can be connected, and how people are told of them."""

from conch.kinds import CONNECT_ONE, NAMES, connectable
from conch.settings import ProgramSettings
from core.clock import SystemClock


def test_every_app_of_ours_is_named_to_who_has_no_bot() -> None:
    found = connectable(ProgramSettings(), SystemClock())

    assert set(found) == set(NAMES)
    assert all(name in CONNECT_ONE for name in found)
