"""How long a model server may take, and how often it is asked again."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a model server may take, in seconds, and how often a request is tried again at once
    (see `asking.LONGEST_WAIT`).

    `read` is the wait for the next piece of an answer, so also for the first: a model that thinks is silent for
    minutes, and one without a graphics card reads a long prompt for many. `listing` is for what needs no model.
    """

    connect: float = 10
    read: float = 600
    read_near: float = 1800
    listing: float = 20
    retries: int = 1


PATIENCE: Final = Patience()
