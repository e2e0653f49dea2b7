"""What the owner's commands about settings and usage do, in the running server or without one."""

import os
from collections.abc import Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import get_origin

from conch.settings import PREFIX
from core.clock import Clock
from core.engines.registry import Engines
from core.errors import UsageError
from core.preferences import Preferences
from core.settings import Settings
from core.store.usage import UsageRows
from web.preferences import BudgetView, SettingView, UsageView, UsedView

_NAMES_ENGINE = ("default_engine", "fallback_engine")


class SettingAdmin:
    """Does the commands about settings."""

    def __init__(
        self,
        preferences: Preferences,
        engines: Engines,
        environment: Mapping[str, str] = os.environ,
        by: str = "The terminal",
    ) -> None:
        self._preferences = preferences
        self._engines = engines
        self._environment = environment
        self._by = by

    async def list(self) -> Sequence[SettingView]:
        """Every setting that can be changed while the program runs."""
        return tuple(map(self._view, Settings.model_fields))

    async def set(self, name: str, value: str) -> SettingView:
        """Change one."""
        if name in _NAMES_ENGINE and self._engines.get(value) is None:
            names = ", ".join(engine.id for engine in self._engines.all())
            raise UsageError(f"There is no engine “{value}”. There is: {names}.")
        await self._preferences.change({name: _read(name, value)}, self._by)
        return self._view(name)

    async def unset(self, name: str) -> SettingView:
        """Go back to what the program was started with."""
        await self._preferences.change({name: None}, self._by)
        return self._view(name)

    def _view(self, name: str) -> SettingView:
        field = Settings.model_fields[name]
        return SettingView(
            name=name,
            value=_written(getattr(self._preferences.current, name)),
            source=self._source(name),
            fixed=name in self._preferences.fixed,
            description=field.description or "",
        )

    def _source(self, name: str) -> str:
        variable = f"{PREFIX}{name.upper()}"
        if name in self._preferences.fixed and self._environment.get(variable):
            return variable
        if name in self._preferences.fixed and getattr(self._preferences.current, name) != _default(name):
            return "conch.toml"
        return "changed" if name in self._preferences.changed else "default"


def _default(name: str) -> object:
    return Settings.model_fields[name].default


def _read(name: str, value: str) -> str | list[str]:
    """What was typed, as the setting takes it; a list is typed with commas. The rest is the model's to read."""
    field = Settings.model_fields.get(name)
    if field is not None and get_origin(field.annotation) is tuple:
        return [part.strip() for part in value.split(",") if part.strip()]
    return value


def _written(value: object) -> str:
    """A value as it is typed; nothing where none is set."""
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case tuple():
            return ", ".join(map(str, value))
        case float():
            return f"{Decimal(repr(value)).normalize():f}"
    return str(value)


async def usage(rows: UsageRows, preferences: Preferences, clock: Clock, days: int) -> UsageView:
    """What was used in the last days, today among them.

    Raises:
        UsageError: it is no number of days.
    """
    if days < 1:
        raise UsageError("Say a number of days, 1 or more.")
    today, current = clock.now().date(), preferences.current
    used = await rows.since(today - timedelta(days=days - 1))
    return UsageView(
        today=today,
        used=tuple(UsedView(**{name: getattr(each, name) for name in UsedView.model_fields}) for each in used),
        budget=BudgetView(
            day_tokens=current.budget_day_tokens,
            day_cost=current.budget_day_cost,
            turn_tokens=current.budget_turn_tokens,
            turn_cost=current.budget_turn_cost,
        ),
    )
