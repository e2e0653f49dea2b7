"""Breaking things on purpose: which calls to a pretend app go wrong, how, and how often.

Belongs here: the list of faults and which of them strike a call. What a fault looks like on the wire (Telegram's words
for a flood, an aborted connection) belongs to the platform.
"""

from collections.abc import Collection
from dataclasses import dataclass, field, replace

ANY = "*"
"""The method name that stands for every method."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that goes wrong. `times` is how often it still strikes; None is for ever.

    `method` is compared without case. `chat` narrows it to calls about that chat. `seconds` is for a slow answer and
    for how long a flood wants us to wait, `status` for a server error, `html` for an error page where JSON is expected.
    """

    id: int
    kind: str
    method: str = ANY
    times: int | None = 1
    chat: int | str | None = None
    seconds: float = 0.0
    status: int = 500
    html: bool = False

    def concerns(self, method: str, chat: int | str | None) -> bool:
        """Whether a call of `method` about `chat` is one that this fault is for."""
        if self.method != ANY and self.method.lower() != method.lower():
            return False
        return self.chat is None or str(self.chat) == str(chat)


SLOW = "slow"
"""The kind that may strike together with another: a late answer that is also a bad one."""


@dataclass(slots=True)
class Faults:
    """The faults that wait to strike, oldest first. `kinds` are those the platform knows how to play."""

    kinds: frozenset[str]
    _waiting: list[Fault] = field(default_factory=list)
    _last_id: int = 0

    def add(
        self,
        kind: str,
        *,
        method: str = ANY,
        times: int | None = 1,
        chat: int | str | None = None,
        seconds: float = 0.0,
        status: int = 500,
        html: bool = False,
    ) -> Fault:
        """Let the next `times` fitting calls go wrong.

        Raises:
            ValueError: the platform knows no such kind, or `times` is below 1.
        """
        if kind not in self.kinds:
            raise ValueError(f"no fault {kind!r}; there are {', '.join(sorted(self.kinds))}")
        if times is not None and times < 1:
            raise ValueError("a fault strikes at least once")
        self._last_id += 1
        fault = Fault(self._last_id, kind, method, times, chat, seconds, status, html)
        self._waiting.append(fault)
        return fault

    def remove(self, fault_id: int) -> None:
        """Let a fault go, whether it has struck or not."""
        self._waiting = [fault for fault in self._waiting if fault.id != fault_id]

    def clear(self) -> None:
        """Let everything work again."""
        self._waiting.clear()

    @property
    def waiting(self) -> tuple[Fault, ...]:
        """What has yet to strike."""
        return tuple(self._waiting)

    def strike(self, method: str, chat: int | str | None, kinds: Collection[str]) -> tuple[Fault, ...]:
        """The faults that hit this call, used up by one each: the oldest of `kinds`, and a slow one before it."""
        if not self._waiting:
            return ()
        fitting = [f for f in self._waiting if f.kind in kinds and f.concerns(method, chat)]
        slow = [f for f in fitting if f.kind == SLOW][:1]
        other = [f for f in fitting if f.kind != SLOW][:1]
        for fault in slow + other:
            self._use(fault)
        return tuple(slow + other)

    def _use(self, fault: Fault) -> None:
        if fault.times is None:
            return
        used = replace(fault, times=fault.times - 1)
        self._waiting = [used if f.id == fault.id else f for f in self._waiting if f.id != fault.id or used.times]
