"""The data folder's lock: one program at a time, and everyone else can read who it is.

The lock itself is the operating system's, so it is gone when its holder dies, however it dies. Who holds it stands in a
file beside it, because taking a lock may empty the locked file.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from filelock import FileLock, Timeout
from pydantic import BaseModel, ConfigDict, ValidationError

from conch.home import Home
from core.clock import Clock
from core.errors import UsageError


class Holder(BaseModel):
    """Who uses the data folder. `address` and `control` (its local socket) are a running server's."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    program: str
    pid: int
    since: datetime
    address: str | None = None
    control: Path | None = None

    def __str__(self) -> str:
        where = f", at {self.address}" if self.address else ""
        return f"`{self.program}` (process {self.pid}, since {self.since:%Y-%m-%d %H:%M} UTC{where})"


class DataInUse(UsageError):
    """Another program holds the data folder; `holder` is None for the moment before it has said who it is."""

    def __init__(self, home: Home, holder: Holder | None) -> None:
        who = str(holder) if holder else "Another program that is just starting"
        super().__init__(f"{who} is using the data in {home.path}. End it first, or set CONCH_HOME to another folder.")
        self.holder = holder


class Held:
    """The lock while it is ours."""

    def __init__(self, home: Home, holder: Holder) -> None:
        self._home = home
        self._holder = holder
        self._write()

    def announce(self, *, address: str, control: Path | None) -> None:
        """Tell others where to reach us."""
        self._holder = self._holder.model_copy(update={"address": address, "control": control})
        self._write()

    def _write(self) -> None:
        fresh = self._home.holder.with_suffix(".new")
        fresh.write_text(self._holder.model_dump_json(indent=2), encoding="utf-8")
        fresh.replace(self._home.holder)


@contextmanager
def hold(home: Home, program: str, clock: Clock, *, patience: float = 0) -> Iterator[Held]:
    """Use the data folder alone; another short command is waited for up to `patience` seconds.

    Raises:
        DataInUse: somebody else has it.
    """
    lock = FileLock(home.lock, timeout=patience)
    try:
        lock.acquire()
    except Timeout:
        raise DataInUse(home, holder(home)) from None
    try:
        yield Held(home, Holder(program=program, pid=os.getpid(), since=clock.now()))
    finally:
        home.holder.unlink(missing_ok=True)
        lock.release()


def holder(home: Home) -> Holder | None:
    """Who said to be using the folder; it may have died since, which only taking the lock tells."""
    try:
        return Holder.model_validate_json(home.holder.read_text(encoding="utf-8"))
    except (OSError, ValidationError):
        return None
