"""Everything that an adapter is held to, in parts, and the way to hold one to it without any test framework.

With one: parametrise a test over `PROMISES`, give each a fresh `Rig`, and skip where it raises `NotAsked`.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Final

from channels.conformance.drawing import DRAWING
from channels.conformance.failing import FAILING
from channels.conformance.hearing import HEARING
from channels.conformance.promise import NotAsked, Promise
from channels.conformance.rig import Rig
from channels.conformance.saying import SAYING

FIRST: Final[tuple[Promise, ...]] = (*HEARING, *SAYING)
"""What comes in and what goes out while all is well: where to begin with a new adapter."""

PROMISES: Final[tuple[Promise, ...]] = (*FIRST, *FAILING, *DRAWING)
"""All of them."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one promise. `aside` says why it does not concern the adapter, `broken` what broke it."""

    promise: str
    aside: str | None = None
    broken: BaseException | None = None

    def __str__(self) -> str:
        name = self.promise.replace("_", " ")
        if self.broken is not None:
            return f"BROKEN  {name}: {self.broken!r}"
        return f"kept    {name}" if self.aside is None else f"aside   {name} ({self.aside})"


async def examine(
    rig: Callable[[], AbstractAsyncContextManager[Rig]], promises: Sequence[Promise] = PROMISES
) -> tuple[Outcome, ...]:
    """Hold an adapter to each promise in turn, with a fresh rig for each."""
    return tuple([await _outcome(rig, promise) for promise in promises])


async def _outcome(rig: Callable[[], AbstractAsyncContextManager[Rig]], promise: Promise) -> Outcome:
    name = getattr(promise, "__name__", repr(promise))
    try:
        async with rig() as fresh:
            await promise(fresh)
    except NotAsked as reason:
        return Outcome(name, aside=str(reason))
    except Exception as fault:  # noqa: BLE001 - whatever an adapter raises breaks the promise
        return Outcome(name, broken=fault)
    return Outcome(name)
