"""The commands about how answers come and what they cost, and what they are made of."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from channels.commands.call import ChatCommand
from channels.commands.effort import Effort
from channels.commands.fast import Fast
from channels.commands.menus import Menus
from channels.commands.mode import Mode
from channels.commands.model import Model
from channels.commands.options import ChatOptions
from channels.commands.settings import SettingsMenu
from channels.commands.status import ChatStatus, OffersAnew
from channels.commands.usage import Usage
from core.engines.catalogue import Catalogue
from core.preferences import Preferences
from core.store.usage import UsageRows


@dataclass(frozen=True, slots=True)
class Answers:
    """What these commands look at and change."""

    options: ChatOptions
    catalogue: Catalogue
    menus: Menus
    preferences: Preferences
    usage: UsageRows
    now: Callable[[], datetime]
    offers: OffersAnew


def about_answers(parts: Answers) -> Mapping[str, ChatCommand]:
    """Each command by its name in the registry."""
    return {
        "model": Model(parts.options, parts.catalogue, parts.menus),
        "effort": Effort(parts.options, parts.catalogue, parts.menus),
        "fast": Fast(parts.options, parts.catalogue, parts.menus),
        "mode": Mode(parts.options, parts.menus),
        "status": ChatStatus(parts.menus, parts.offers),
        "usage": Usage(parts.usage, parts.preferences, parts.now),
        "settings": SettingsMenu(parts.menus),
    }
