"""Trouble on demand: which calls of the in-memory app fail, how often, and whether it did as asked all the same."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum


class Call(StrEnum):
    """The calls that can fail."""

    START = "start"
    SEND = "send"
    EDIT = "edit"
    DELETE = "delete"
    DRAFT = "draft"
    TYPING = "typing"
    OPEN_STREAM = "open stream"
    STREAM = "stream"
    MARK = "mark"
    UNMARK = "unmark"
    MISSED = "missed"
    ANSWER_PRESS = "answer press"
    DOWNLOAD = "download"


@dataclass(slots=True)
class _Fault:
    call: Call
    error: Exception
    times: int
    taken: bool
    chat_id: str | None


class Faults:
    """The faults in waiting; the oldest that fits a call comes first."""

    def __init__(self) -> None:
        self._waiting: list[_Fault] = []

    def add(
        self, call: Call, error: Exception, *, times: int = 1, taken: bool = False, chat_id: str | None = None
    ) -> None:
        """Let the next `times` such calls raise `error`; `taken`: only after the app did as asked, receipt lost.

        With `chat_id` only calls for that chat.
        """
        self._waiting.append(_Fault(call, error, times, taken, chat_id))

    @contextmanager
    def around(self, call: Call, chat_id: str | None = None) -> Iterator[None]:
        """Wraps what the app does for one call."""
        fault = self._next(call, chat_id)
        if fault is not None and not fault.taken:
            raise fault.error
        yield
        if fault is not None:
            raise fault.error

    def _next(self, call: Call, chat_id: str | None) -> _Fault | None:
        for fault in self._waiting:
            if fault.call is call and fault.chat_id in (None, chat_id):
                fault.times -= 1
                if fault.times <= 0:
                    self._waiting.remove(fault)
                return fault
        return None
