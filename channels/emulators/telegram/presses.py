"""Buttons that people pressed, and what the bots answered.

Belongs here: the life of a press. Buttons themselves belong to `keyboards`.
"""

import asyncio
import secrets
from dataclasses import dataclass, field

from channels.emulators.clock import Clock
from channels.emulators.telegram import limits
from channels.emulators.telegram.chats import Message
from channels.emulators.telegram.errors import PRESS_TOO_OLD, bad_request
from channels.emulators.telegram.people import Bot, Person


@dataclass(frozen=True, slots=True)
class PressAnswer:
    """What the person saw for their press: nothing, a line at the top, or (`alert`) a window to close."""

    text: str = ""
    alert: bool = False
    url: str | None = None


@dataclass(eq=False, slots=True)
class Press:
    """One press of one button. `data` is what the button carried; `at` is monotonic."""

    id: str
    person: Person
    message: Message
    bot: Bot
    data: str
    at: float
    answer: PressAnswer | None = None
    answered: asyncio.Event = field(default_factory=asyncio.Event)


class Presses:
    """All presses by id."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._presses: dict[str, Press] = {}

    def add(self, person: Person, message: Message, bot: Bot, data: str) -> Press:
        """A button was pressed."""
        press = Press(str(secrets.randbits(62)), person, message, bot, data, self._clock.monotonic())
        self._presses[press.id] = press
        return press

    def answer(self, bot: Bot, press_id: str, answer: PressAnswer) -> Press:
        """The bot answers, once and in time.

        Raises:
            ApiError: 400 "query is too old …" for every other case, as Telegram does.
        """
        press = self._presses.get(press_id)
        if press is None or press.bot is not bot or press.answer is not None:
            raise bad_request(PRESS_TOO_OLD)
        if self._clock.monotonic() - press.at > limits.PRESS_SECONDS:
            raise bad_request(PRESS_TOO_OLD)
        press.answer = answer
        press.answered.set()
        return press
