"""How a moment is stored: whole milliseconds since 1970 in UTC, an integer in every database.

Integers compare and sort the same everywhere and cost a tenth of what a database's own date text costs to read.
"""

from datetime import UTC, datetime, timedelta

from sqlalchemy import BigInteger, Dialect
from sqlalchemy.types import TypeDecorator

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def to_stored(moment: datetime) -> int:
    """Milliseconds since 1970; what is finer is cut off."""
    return (moment - _EPOCH) // _MILLISECOND


def from_stored(milliseconds: int) -> datetime:
    """The moment in UTC, exact to the millisecond."""
    return _EPOCH + timedelta(milliseconds=milliseconds)


class Moment(TypeDecorator[datetime]):
    """A column of moments: aware datetimes in Python, milliseconds in the database."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        """To the database."""
        return None if value is None else to_stored(value)

    def process_result_value(self, value: int | None, dialect: Dialect) -> datetime | None:
        """From the database."""
        return None if value is None else from_stored(value)
