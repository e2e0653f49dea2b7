"""Where Alembic gets its connection from; it runs this file for every command. `core.store.schema` passes it in."""

from typing import Literal

from alembic import context
from sqlmodel import AutoString

from core.store import app_tables, console_tables, preview_tables, reference_tables, tables  # noqa: F401 - they add their tables to the others
from core.store.moments import Moment


def _plain_type(kind: str, item: object, _: object) -> str | Literal[False]:
    """A revision stands for itself: it names SQLAlchemy's types, never ours, which may change after it."""
    if kind == "type" and isinstance(item, Moment):
        return "sa.BigInteger()"
    if kind == "type" and isinstance(item, AutoString):
        return "sa.String()"
    return False


context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=tables.METADATA,
    render_as_batch=True,  # SQLite changes a table by making a new one
    render_item=_plain_type,
    transactional_ddl=True,  # the caller's transaction holds the whole way
)
with context.begin_transaction():
    context.run_migrations()
