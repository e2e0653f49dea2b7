"""What a database's own errors mean to the rest of the program; no library's error type gets out of the store."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError, DisconnectionError, InterfaceError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from core.errors import ConchError, Refused, RefusedReason, StoreUnavailable

_SQLITE = {
    "SQLITE_BUSY": "The database is locked by another program.",
    "SQLITE_LOCKED": "The database is locked by another program.",
    "SQLITE_FULL": "The disk is full: the database cannot take anything.",
    "SQLITE_IOERR": "The disk reports an error: the database cannot be read or written.",
    "SQLITE_CANTOPEN": "The database file cannot be opened: is its folder there, and may Conch write to it?",
    "SQLITE_READONLY": "The database is read-only: may Conch write to its file and folder?",
    "SQLITE_CORRUPT": "The database file is damaged: restore it from a backup.",
    "SQLITE_NOTADB": "The database file is damaged, or it is not a database: restore it from a backup.",
}
"""By the start of SQLite's name of the error (https://sqlite.org/rescode.html)."""


def translate(error: SQLAlchemyError) -> ConchError:
    """The error that says what the caller can do about this one."""
    name: str = getattr(getattr(error, "orig", None), "sqlite_errorname", None) or ""
    for start, sentence in _SQLITE.items():
        if name.startswith(start):
            return StoreUnavailable(sentence)
    lost = isinstance(error, DBAPIError) and error.connection_invalidated
    if lost or isinstance(error, DisconnectionError | InterfaceError | PoolTimeoutError):
        return StoreUnavailable("The connection to the database is lost.")
    return Refused("The database does not take this change.", RefusedReason.BAD_PAYLOAD)


@contextmanager
def translated() -> Iterator[None]:
    """Turn the database's errors raised inside into ours."""
    try:
        yield
    except SQLAlchemyError as error:
        raise translate(error) from error
