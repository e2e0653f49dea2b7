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


_POSTGRESQL = {
    "08": "The connection to the database is lost.",
    "25006": "The database is read-only: is it a standby?",
    "28": "The database does not let Conch in: the name or the password is wrong.",
    "3D000": "There is no database of that name on the server.",
    "40": "The database is busy: another program writes the same at this moment.",
    "42501": "The database is read-only for Conch: its user may not change the tables.",
    "53100": "The disk is full: the database cannot take anything.",
    "53300": "The database has too many connections.",
    "53": "The database server has no memory left.",
    "55P03": "The database is locked by another program.",
    "57014": "The database took too long.",
    "57P": "The database server is starting or ending.",
    "58": "The disk reports an error: the database cannot be read or written.",
    "XX": "The database is damaged: restore it from a backup.",
}
"""By the start of the code of the error (https://www.postgresql.org/docs/current/errcodes-appendix.html)."""

_COLLISIONS = ("23505", "40001", "40P01")
"""What several writers at once run into: a row that another one wrote first, and two that wait for each other."""


def translate(error: SQLAlchemyError | OSError) -> ConchError:
    """The error that says what the caller can do about this one."""
    if isinstance(error, OSError):
        reason = "it does not answer in time" if isinstance(error, TimeoutError) else error.strerror or str(error)
        return StoreUnavailable(f"The database cannot be reached: {reason}.")
    for codes, code in ((_SQLITE, _of_sqlite(error)), (_POSTGRESQL, _of_postgresql(error))):
        for start, sentence in codes.items():
            if code.startswith(start):
                return StoreUnavailable(sentence)
    if isinstance(error, DisconnectionError | InterfaceError | PoolTimeoutError) or is_lost(error):
        return StoreUnavailable("The connection to the database is lost.")
    return Refused("The database does not take this change.", RefusedReason.BAD_PAYLOAD)


def is_lost(error: BaseException | None) -> bool:
    """Whether the connection is gone, so that nobody knows what came of a statement."""
    return isinstance(error, OSError) or (isinstance(error, DBAPIError) and error.connection_invalidated)


def collided(error: Exception) -> bool:
    """Whether a transaction failed only because another program wrote the same rows: run again, it sees them."""
    return _of_postgresql(error.__cause__) in _COLLISIONS


def _of_sqlite(error: object) -> str:
    return getattr(getattr(error, "orig", None), "sqlite_errorname", None) or ""


def _of_postgresql(error: object) -> str:
    return getattr(getattr(error, "orig", None), "sqlstate", None) or ""


@contextmanager
def translated() -> Iterator[None]:
    """Turn the database's errors raised inside into ours."""
    try:
        yield
    except (SQLAlchemyError, OSError) as error:
        raise translate(error) from error
