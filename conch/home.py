"""The data folder: where it is and what lies where in it. What is inside each file belongs to whoever writes it."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from core.errors import UsageError

VARIABLE = "CONCH_HOME"

PRIVATE_FOLDER = 0o700
"""Conversations, files and keys are in it: nobody else on the machine may even list it."""


@dataclass(frozen=True, slots=True)
class Home:
    """One data folder and the names of everything that the program keeps in it."""

    path: Path
    is_playground: bool = False

    @property
    def config(self) -> Path:
        """What the owner set by hand."""
        return self.path / "conch.toml"

    @property
    def last_good(self) -> Path:
        """A copy of the last `conch.toml` that a server started with."""
        return self.path / "conch.last-good.toml"

    @property
    def database(self) -> Path:
        """The SQLite file, where no other database is set."""
        return self.path / "conch.sqlite"

    @property
    def files(self) -> Path:
        """Files that belong to messages."""
        return self.path / "files"

    @property
    def commands(self) -> Path:
        """The owner's own commands, a file each; made by whoever saves the first."""
        return self.path / "commands"

    @property
    def skills(self) -> Path:
        """The owner's own skills, a folder each; made by whoever saves the first."""
        return self.path / "skills"

    @property
    def lock(self) -> Path:
        """Locked by the one program that uses this folder."""
        return self.path / "conch.lock"

    @property
    def holder(self) -> Path:
        """Who holds the lock, for people and for other commands to read."""
        return self.path / "conch.running.json"

    @property
    def playground(self) -> "Home":
        """The playground's own data folder."""
        return Home(self.path / "playground", is_playground=True)

    def prepare(self) -> None:
        """Make the folder, closed to everyone else.

        Raises:
            UsageError: it cannot be made or written.
        """
        try:
            self.path.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
            self.path.chmod(PRIVATE_FOLDER)
            self.files.mkdir(exist_ok=True)
        except OSError as fault:
            raise UsageError(
                f"The data folder {self.path} cannot be used: {fault.strerror or fault}. "
                f"Set {VARIABLE} to a folder that you own and may write."
            ) from fault


def find(environment: Mapping[str, str] = os.environ) -> Home:
    """The folder that CONCH_HOME names, or the usual place for a program's data on this system."""
    named = environment.get(VARIABLE)
    folder = Path(named).expanduser() if named else platformdirs.user_data_path("conch", appauthor=False)
    return Home(folder.absolute())
