"""What an engine calls back while it answers: in the order of what it says, and never longer than its turn.

A call may put something into the log (a question, a tool's view), so it first waits until whoever writes the turn down
has written everything that the engine said before it. What a call does is the host's.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Coroutine, Mapping, Sequence
from typing import Any, TypeVar

from core.cards import Question, ToolView
from core.engines.base import Frame, Host, HostToolResult, ToolAnswer

T = TypeVar("T")


class Call:
    """A mark among an engine's events: it wants to call back, and everything before the mark comes first."""

    def __init__(self) -> None:
        self._go = asyncio.Event()

    def go_on(self) -> None:
        """What came before is written."""
        self._go.set()

    async def wait(self) -> None:
        """Come back when it is; never, where the turn ends first."""
        await self._go.wait()


class OrderedHost:
    """A host whose calls wait for their place among the events. `announce` puts the mark there."""

    def __init__(self, host: Host, announce: Callable[[Call], Awaitable[None]]) -> None:
        self._host = host
        self._announce = announce
        self._calls: set[asyncio.Task[Any]] = set()
        self._over = False
        self._views: dict[str, ToolView] = {}
        """What calls that have not ended in the log yet want to show, by their ids."""

    def frame(self) -> Frame:
        """As the host says."""
        return self._host.frame()

    async def call_tool(self, call_id: str, name: str, args: Mapping[str, Any]) -> ToolAnswer:
        """As the host does, in its place; a view is kept from the engine."""
        answer = await self._in_order(lambda: self._host.call_tool(call_id, name, args))
        if not isinstance(answer, HostToolResult):
            return answer
        if answer.view is not None and not answer.failed:
            self._views[call_id] = answer.view
        return ToolAnswer(answer.text, answer.failed)

    def take_view(self, call_id: str) -> ToolView | None:
        """What a call wants to show, once; None for nothing."""
        return self._views.pop(call_id, None)

    async def permit(self, call_id: str, title: str, args: Mapping[str, Any], options: Sequence[str]) -> str | None:
        """As the host does, in its place."""
        return await self._in_order(lambda: self._host.permit(call_id, title, args, options))

    async def question(self, question: Question) -> Mapping[str, Any] | None:
        """As the host does, in its place."""
        return await self._in_order(lambda: self._host.question(question))

    def cancel(self) -> Collection[asyncio.Task[Any]]:
        """Take back every call that goes on, and take none from now on; what comes back may still be letting go."""
        self._over = True
        for call in self._calls:
            if not call.cancelling():  # a second time would cut it off while it cleans up
                call.cancel()
        return tuple(self._calls)

    async def _in_order(self, call: Callable[[], Coroutine[Any, Any, T]]) -> T:
        if self._over:
            raise asyncio.CancelledError
        task = asyncio.create_task(self._after_what_was_said(call), name="host call")
        self._calls.add(task)
        task.add_done_callback(self._calls.discard)
        return await task

    async def _after_what_was_said(self, call: Callable[[], Coroutine[Any, Any, T]]) -> T:
        await asyncio.sleep(0)  # an engine may hand over its events through a queue of its own: they go first
        mark = Call()
        await self._announce(mark)
        await mark.wait()
        return await call()
