"""Which pages of the console there are, in the order in which they are named. A page that is not there is not named."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Entry:
    """A page in the navigation; `path` is below the console's root."""

    path: str
    title: str


BOTS: Final = Entry("/bots", "Bots")
PLAYGROUND: Final = Entry("/playground", "Playground")


def entries(*, in_playground: bool) -> tuple[Entry, ...]:
    """Every page, the one that is opened most first."""
    return (*((PLAYGROUND,) if in_playground else ()), BOTS)
