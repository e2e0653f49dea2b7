"""What was used last, with a bound: for values that would else be read again and again."""

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Recent(Generic[K, V]):
    """At most `limit` values; the one not asked for the longest is forgotten first. Not for several threads."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._values: OrderedDict[K, V] = OrderedDict()

    def get(self, key: K) -> V | None:
        """The value, if it is still remembered."""
        value = self._values.get(key)
        if value is not None:
            self._values.move_to_end(key)
        return value

    def put(self, key: K, value: V) -> None:
        """Remember a value."""
        self._values[key] = value
        self._values.move_to_end(key)
        if len(self._values) > self._limit:
            self._values.popitem(last=False)

    def forget(self, key: K) -> None:
        """Remember this one no longer."""
        self._values.pop(key, None)

    def clear(self) -> None:
        """Forget everything."""
        self._values.clear()

    def __len__(self) -> int:
        return len(self._values)
