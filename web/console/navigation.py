"""Which pages of the console there are, in the order in which they are named. A page that is not there is not named."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Entry:
    """A page in the navigation; `path` is below the console's root, as is what begins with `also`."""

    path: str
    title: str
    also: str | None = None

    def holds(self, path: str) -> bool:
        """Whether a page is this one, or belongs to it."""
        return any(path == each or path.startswith(f"{each}/") for each in (self.path, self.also) if each)


CHATS: Final = Entry("/chats", "Chats")
PLAYGROUND: Final = Entry("/playground", "Playground")
CHANNELS: Final = Entry("/channels", "Channels", also="/bots")
PEOPLE: Final = Entry("/people", "People", also="/groups")
ENGINES: Final = Entry("/engines", "Engines", also="/engine")
APPS: Final = Entry("/apps", "Apps")
SKILLS: Final = Entry("/skills", "Skills")
SETTINGS: Final = Entry("/settings", "Settings")
USAGE: Final = Entry("/usage", "Usage")
DEVICES: Final = Entry("/devices", "Devices")
ACTIVITY: Final = Entry("/activity", "Activity")
HEALTH: Final = Entry("/health", "Health")


def entries(*, in_playground: bool, has_chats: bool = False, has_devices: bool = False) -> tuple[Entry, ...]:
    """Every page, the one that is opened most first."""
    first = (PLAYGROUND,) if in_playground else ()
    chats = (CHATS,) if has_chats else ()
    devices = (DEVICES,) if has_devices else ()
    return (*first, *chats, CHANNELS, PEOPLE, ENGINES, APPS, SKILLS, SETTINGS, USAGE, ACTIVITY, HEALTH, *devices)
