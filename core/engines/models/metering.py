"""What a turn used so far, and whether that is all it may: as the service counts, estimated where it does not."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from pydantic_ai.usage import RequestUsage

from core.engines.base import Allowance
from core.events import Usage

Price = Callable[[Mapping[str, int]], float | None]
"""US dollars for `input`, `output` and `cached` tokens; None when not known."""


@dataclass(slots=True)
class Meter:
    """Adds up the requests of one turn. `window` is the model's context in tokens, where it is known."""

    price: Price
    window: int | None
    _done: Usage = field(default_factory=Usage)
    _now: Usage = field(default_factory=Usage)
    """Of the request that goes on."""

    def going_on(self, sent: int, heard: int) -> Usage:
        """While an answer streams, by estimate: what a turn that is stopped has used."""
        self._now = self._priced(sent, heard, 0)
        return self.total

    def counted(self, usage: RequestUsage, sent: int, heard: int) -> Usage:
        """A request is over; what its service did not count is taken from the estimates."""
        self._now = Usage()
        request = self._priced(
            usage.input_tokens or sent,
            usage.output_tokens or heard,
            min(usage.cache_read_tokens, usage.input_tokens),
        )
        self._done = _sum(self._done, request)
        return self.total

    def also(self, usage: Usage) -> None:
        """Something else was asked for this turn, such as a summary."""
        self._done = _sum(usage, self._done)

    @property
    def total(self) -> Usage:
        """Everything so far."""
        return _sum(self._done, self._now)

    def is_used_up(self, allowance: Allowance) -> bool:
        """Whether no further request may be made."""
        used = self.total
        return (allowance.tokens is not None and used.input + used.output >= allowance.tokens) or (
            allowance.cost is not None and (used.cost or 0.0) >= allowance.cost
        )

    def _priced(self, sent: int, heard: int, cached: int) -> Usage:
        return Usage(
            input=sent,
            output=heard,
            cached=cached,
            cost=self.price({"input": sent, "output": heard, "cached": cached}),
            context_used=sent + heard,
            context_size=self.window,
        )


def _sum(before: Usage, after: Usage) -> Usage:
    """Both together; how full the context is, is what the later one says."""
    known = [cost for cost in (before.cost, after.cost) if cost is not None]
    return Usage(
        input=before.input + after.input,
        output=before.output + after.output,
        cached=before.cached + after.cached,
        cost=sum(known) if known else None,
        context_used=before.context_used if after.context_used is None else after.context_used,
        context_size=before.context_size if after.context_size is None else after.context_size,
    )
