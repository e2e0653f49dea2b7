"""The settings as they are now: what the program was started with, and over it what the owner changed since.

A setting that the program got from the environment or its file is fixed: it can only be changed there. Whoever needs a
setting asks `current` each time, so that a change counts at once.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import structlog
from pydantic import ValidationError

from core import misfits
from core.errors import UsageError
from core.settings import Settings
from core.store.audit import Audit, Deed
from core.store.settings import StoredSettings

_log = structlog.get_logger(__name__)


class Preferences:
    """The settings of one process. Without `stored`, changes last as long as the process.

    Args:
        base: what the program was started with.
        fixed: the names among them that came from the environment or the file.
    """

    def __init__(
        self,
        base: Settings,
        fixed: frozenset[str] = frozenset(),
        stored: StoredSettings | None = None,
        audit: Audit | None = None,
    ) -> None:
        self._base = base
        self._stored = stored
        self._audit = audit
        self._changed: dict[str, Any] = {}
        self._listeners: list[Callable[[Settings], None]] = []
        self.fixed = fixed
        self.current = base

    @property
    def changed(self) -> frozenset[str]:
        """The names of what the owner changed."""
        return frozenset(self._changed)

    async def load(self) -> None:
        """Take up what was changed in earlier lives; what this release cannot use is left out and said in the log.

        Raises:
            StoreUnavailable: it cannot be read now.
        """
        if self._stored is None:
            return
        for name, value in (await self._stored.all()).items():
            if name not in Settings.model_fields:
                continue
            try:
                self._set({**self._changed, name: json.loads(value)})
            except (UsageError, ValueError) as fault:
                _log.warning("a stored setting is left out", setting=name, reason=str(fault))

    async def change(self, changes: Mapping[str, Any], by: str = "Conch") -> Settings:
        """Set these, all or none; None goes back to what the program was started with. `by` says who, for people.

        Raises:
            UsageError: there is no such setting, it is fixed, or the value does not fit; nothing was changed.
            StoreUnavailable: nothing was changed.
        """
        for name in changes:
            if name not in Settings.model_fields:
                raise UsageError(f"There is no setting “{name}”.")
            if name in self.fixed:
                raise UsageError(
                    f"“{name}” is set where Conch was started (CONCH_{name.upper()} or conch.toml): change it there."
                )
        before, earlier = self._changed, self.current
        kept = {name: value for name, value in {**before, **changes}.items() if value is not None}
        valid = self._valid(kept)
        if self._stored is not None:
            fresh = valid.model_dump(mode="json")
            await self._stored.put({name: json.dumps(fresh[name]) if name in kept else None for name in changes})
        self._use(kept, valid)
        await self._note(changes, earlier, valid, by)
        return valid

    def on_change(self, listener: Callable[[Settings], None]) -> None:
        """Tell a listener of every change, after it was stored."""
        self._listeners.append(listener)

    async def _note(self, names: Iterable[str], before: Settings, after: Settings, by: str) -> None:
        """Write down what is another now. No setting is a secret."""
        for name in names:
            old, new = getattr(before, name), getattr(after, name)
            if self._audit is not None and old != new:
                await self._audit.note(Deed.SETTING_CHANGED, by, f"{name} from {_said(old)} to {_said(new)}")

    def _set(self, changed: dict[str, Any]) -> None:
        self._use(changed, self._valid(changed))

    def _valid(self, changed: Mapping[str, Any]) -> Settings:
        over = {name: value for name, value in changed.items() if name not in self.fixed}
        try:
            return Settings.model_validate({**self._base.model_dump(), **over})
        except ValidationError as fault:
            [first, *_] = fault.errors(include_url=False)
            where = ".".join(map(str, first["loc"]))
            raise UsageError(f"“{where}” cannot be that: {misfits.told(first)}.") from None

    def _use(self, changed: dict[str, Any], current: Settings) -> None:
        self._changed, self.current = changed, current
        for listener in self._listeners:
            listener(current)


def _said(value: object) -> str:
    """A value, as people read it in a sentence."""
    match value:
        case None | () | "":
            return "nothing"
        case bool():
            return "on" if value else "off"
        case tuple():
            return ", ".join(map(_said, value))
    return str(value)
