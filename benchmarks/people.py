"""People who write to a bot over the lean Bot API, and what they got to read: how many, how fast, in which order.

Every message holds its number, and so does its echo. What has no number (a notice, the answer to a command) counts only
where it is asked for.
"""

import asyncio
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.wire import Wire

FIRST_PERSON = 100_001
PATIENCE = 90.0
"""Seconds that a bot has for one scenario; what is not answered then is lost."""

_NUMBER = re.compile(r"number (\d+)")


def person_ids(count: int) -> list[int]:
    """The people of a bench; their chats with the bot have the same ids."""
    return list(range(FIRST_PERSON, FIRST_PERSON + count))


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a scenario went. `waits` are seconds from an update to the call that says its answer; `calls` all calls."""

    messages: int
    seconds: float
    calls: int
    lost: int
    doubled: int
    in_order: bool
    waits: Sequence[float] = field(repr=False)
    first_words: Sequence[float] = field(repr=False)
    """As `waits`, to the first call that shows any of the answer: a draft, or the answer itself."""

    @property
    def rate(self) -> float:
        """Answered messages a second."""
        return self.messages / self.seconds

    @property
    def faults(self) -> str:
        """What went wrong, in words; empty where nothing did."""
        found = [f"{self.lost} lost"] if self.lost else []
        found += [f"{self.doubled} doubled"] if self.doubled else []
        return ", ".join([*found, *([] if self.in_order else ["order not kept"])])


@dataclass(slots=True)
class _Chat:
    """What one person said and got to read. `open` are the messages not answered yet, with their times."""

    person: int
    said: int = 0
    last_heard: int = -1
    last_shown: int = -1
    open: dict[int, float] = field(default_factory=dict)


class People:
    """Everyone who writes, one private chat each."""

    def __init__(self, wire: Wire, count: int) -> None:
        self._wire = wire
        self._chats = {person: _Chat(person) for person in person_ids(count)}
        self._begin(())
        wire.heard, wire.answered = self._hear, self._go_on

    def _begin(self, chats: Sequence[_Chat], *, in_words: bool = True, each: int = 0) -> None:
        self._waits: list[float] = []
        self._first_words: list[float] = []
        self._doubled, self._in_order, self._last_at = 0, True, 0.0
        self._left = {chat.person: each for chat in chats}
        self._open, self._numbered, self._calls = 0, in_words, self._wire.calls
        self._all_answered = asyncio.Event()

    # ---- scenarios -------------------------------------------------------------------------------------------------

    async def flood(self, chats: int, each: int) -> Outcome:
        """Everybody says everything at once."""
        writing = self._first(chats)
        self._begin(writing)
        begun = time.perf_counter()
        for _ in range(each):
            for chat in writing:
                self._say(chat)
        return await self._outcome(begun, chats * each)

    async def in_turn(self, chats: int, each: int, words: str = "") -> Outcome:
        """Everybody says something when what they said before is answered. `words` are said instead of a number."""
        writing = self._first(chats)
        self._begin(writing, in_words=not words, each=each - 1)
        self._words = words
        begun = time.perf_counter()
        for chat in writing:
            self._say(chat, words)
        return await self._outcome(begun, chats * each)

    async def steady(self, chats: int, rate: float, seconds: float) -> Outcome:
        """`rate` messages a second, from one after the other."""
        writing = self._first(chats)
        count = int(rate * seconds)
        self._begin(writing)
        begun = time.perf_counter()
        for number in range(count):
            if (early := begun + number / rate - time.perf_counter()) > 0:
                await asyncio.sleep(early)
            self._say(writing[number % chats])
        return await self._outcome(begun, count)

    async def shown(self, count: int) -> None:
        """Come back when so many answers of the scenario that goes on have begun to be shown."""
        await asyncio.sleep(0)  # it begins
        while len(self._first_words) < count:  # noqa: ASYNC110 - a bench may look now and then
            await asyncio.sleep(0.05)

    # ---- what is said and heard ------------------------------------------------------------------------------------

    def _first(self, count: int) -> list[_Chat]:
        return list(self._chats.values())[:count]

    def _say(self, chat: _Chat, words: str = "") -> None:
        number = chat.said
        chat.said += 1
        text = words or f"This is number {number}, and it wants an answer."
        self._open += 1
        chat.open[number] = time.perf_counter()
        self._wire.push("message", _message(self._wire.next_message_id(), chat.person, text))

    def _hear(self, method: str, given: Mapping[str, Any], at: float) -> None:
        chat = self._chats.get(int(given.get("chat_id") or 0))
        if chat is None or method not in ("sendmessage", "sendmessagedraft"):
            return
        if self._numbered:
            numbers = [int(number) for number in _NUMBER.findall(given["text"])]
        else:
            numbers = [next(iter(chat.open), -1)]
        for number in numbers:
            self._shown(chat, number, at)
            if method == "sendmessage":
                self._answered(chat, number, at)

    def _shown(self, chat: _Chat, number: int, at: float) -> None:
        said_at = chat.open.get(number)
        if said_at is not None and number > chat.last_shown:
            chat.last_shown = number
            self._first_words.append(at - said_at)

    def _answered(self, chat: _Chat, number: int, at: float) -> None:
        said_at = chat.open.pop(number, None)
        if said_at is None:
            self._doubled += 1
            return
        self._in_order = self._in_order and number > chat.last_heard
        chat.last_heard = max(number, chat.last_heard)
        self._waits.append(at - said_at)
        self._last_at = at
        self._open -= 1

    def _go_on(self, given: Mapping[str, Any]) -> None:
        person = int(given.get("chat_id") or 0)
        chat = self._chats.get(person)
        if chat is not None and not chat.open and self._left.get(person):
            self._left[person] -= 1
            self._say(chat, self._words)
        if not self._open:
            self._all_answered.set()

    async def _outcome(self, begun: float, messages: int) -> Outcome:
        if self._open:
            self._all_answered.clear()
        try:
            async with asyncio.timeout(PATIENCE):
                await self._all_answered.wait()
        except TimeoutError:
            pass
        ended = self._last_at or time.perf_counter()
        await asyncio.sleep(0.1)  # a double would come now
        lost = messages - len(self._waits)
        for chat in self._chats.values():
            chat.open.clear()
        calls = self._wire.calls - self._calls
        in_order, seconds = self._in_order, ended - begun
        return Outcome(messages, seconds, calls, lost, self._doubled, in_order, self._waits, self._first_words)


def _message(message_id: int, person: int, text: str) -> Mapping[str, Any]:
    user = {"id": person, "first_name": "Ada"}
    message: dict[str, Any] = {"message_id": message_id, "from": user | {"is_bot": False, "language_code": "en"}}
    message |= {"chat": user | {"type": "private"}, "date": int(time.time()), "text": text}
    if text.startswith("/"):
        message["entities"] = [{"type": "bot_command", "offset": 0, "length": len(text)}]
    return message
