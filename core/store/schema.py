"""Bringing a database to the shape that this release knows.

The revisions are Alembic's, in `core/store/migrations`. All that are missing run in one transaction when the database
is opened, so that a crash in the middle leaves it as it was.
"""

from pathlib import Path
from typing import Final

from sqlalchemy import Connection, column, inspect, select, table

from core.errors import UsageError

HEAD: Final = "0014"
"""The newest revision; a test compares it with the files."""

MIGRATIONS: Final = Path(__file__).parent / "migrations"

_version = table("alembic_version", column("version_num"))


def revision_of(connection: Connection) -> str | None:
    """The revision that a database is at; None for one without tables."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(select(_version.c.version_num)).scalar()


def revisions() -> frozenset[str]:
    """Every revision that this release knows, by the beginnings of their files' names."""
    return frozenset(path.name.partition("_")[0] for path in (MIGRATIONS / "versions").glob("[0-9]*.py"))


def migrate(connection: Connection) -> None:
    """Run what is missing inside the connection's transaction.

    Raises:
        UsageError: the database was written by a newer release.
    """
    current = revision_of(connection)
    if current == HEAD:
        return
    # Imported only when there is something to do: it takes 0.3 s and 12 MiB, and most starts need nothing of it.
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415
    from alembic.script import ScriptDirectory  # noqa: PLC0415

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if current is not None and current not in known:
        raise UsageError("This database was written by a newer release of Conch: start that one, or restore a backup.")
    command.upgrade(config, "head")
