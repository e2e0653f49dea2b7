"""What people pressed and wait for.

Belongs here: presses by their ids, and what came of them. Doing it belongs to `acting`.
"""

import secrets
from dataclasses import dataclass, field

from channels.emulators.teams.chats import Chat, Message
from channels.emulators.teams.people import Bot, Person


@dataclass(eq=False, slots=True)
class Press:
    """Something that a person did and waits for.

    `failed` is what Teams shows where the bot did not answer; `notes` are lines that only they see.
    """

    bot: Bot
    person: Person
    chat: Chat
    message: Message | None = None
    acked: bool = False
    failed: str | None = None
    notes: list[str] = field(default_factory=list)
    shown: str = ""
    """The id of a card within the card that it opened (`Action.ShowCard`)."""
    since: int = 0
    """How far the journal was when it happened."""
    id: str = field(default_factory=lambda: secrets.token_hex(6))


class Presses:
    """All of them by id."""

    def __init__(self) -> None:
        self._made: dict[str, Press] = {}

    def keep(self, press: Press) -> None:
        """Write it down."""
        self._made[press.id] = press

    def __getitem__(self, press_id: str) -> Press:
        """One by its id.

        Raises:
            LookupError: there is none.
        """
        return self._made[press_id]
