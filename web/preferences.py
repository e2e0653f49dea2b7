"""What the owner's commands can ask about settings and about what was used: the protocols and their data."""

from collections.abc import Sequence
from datetime import date
from typing import Protocol

from web.views import View


class SettingView(View):
    """A setting as it is now. `source` says where it comes from; one that is `fixed` can only be changed there."""

    name: str
    value: str
    source: str
    fixed: bool
    description: str


class SettingCommands(Protocol):
    """Looking at the settings and changing them while the program runs.

    Raises:
        UsageError: there is no such setting, it is fixed, or the value does not fit; nothing was changed.
        StoreUnavailable: nothing was changed.
    """

    async def list(self) -> Sequence[SettingView]:
        """Every setting that can be changed while the program runs."""
        ...

    async def set(self, name: str, value: str) -> SettingView:
        """Change one; from now on it counts."""
        ...

    async def unset(self, name: str) -> SettingView:
        """Go back to what the program was started with."""
        ...


class UsedView(View):
    """What was used of a model on a day (UTC), in tokens and US dollars; `unpriced` uses have no known cost."""

    day: date
    engine: str
    model: str | None
    turns: int
    unpriced: int
    input: int
    output: int
    cached: int
    cost: float


class BudgetView(View):
    """What the answers of a day may use, and one answer; None is no limit."""

    day_tokens: int | None = None
    day_cost: float | None = None
    turn_tokens: int | None = None
    turn_cost: float | None = None


class UsageView(View):
    """What was used since a day, the newest day first; `today` as the budgets count it."""

    today: date
    used: tuple[UsedView, ...]
    budget: BudgetView
