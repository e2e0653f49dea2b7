"""The skills as they are now, with when each is used, and which of them a turn may use.

Files are read anew by `look`, which is asked at the start of each turn; everything else answers from what it found.
"""

import asyncio
from pathlib import Path

from commands.naming import fold_name
from core.cards import OfferKind, TakenOffer
from core.events import Origin
from core.preferences import Preferences
from core.skills import calling
from core.skills.folder import Found, read
from core.skills.modes import lists_of, with_modes
from core.skills.skill import Skill
from core.store.queue import QueuedMessage


class Skills:
    """The skills of one data folder. Without a `folder`, only those that Conch brings."""

    def __init__(self, folder: Path | None, preferences: Preferences) -> None:
        self._folder = folder
        self._preferences = preferences
        self._found = Found()
        self._stamp = 0

    async def look(self) -> None:
        """Read the files again."""
        self._stamp = self._changed_at()
        self._found = await asyncio.to_thread(read, self._folder)

    async def keep_up(self) -> None:
        """Read the files again where any skill is on; where none is, only when one came or went."""
        if any(lists_of(self._preferences.current).values()) or self._changed_at() != self._stamp:
            await self.look()

    def _changed_at(self) -> int:
        """When a skill last came or went; 0 without a folder."""
        try:
            return self._folder.stat().st_mtime_ns if self._folder else 0
        except OSError:
            return 0

    def all(self) -> tuple[Skill, ...]:
        """Every skill by its id, with when it is used."""
        return with_modes(self._found.skills, lists_of(self._preferences.current))

    def automatic(self, origin: Origin) -> tuple[Skill, ...]:
        """Those that the assistant may use by itself when this person is answered."""
        return tuple(skill for skill in self._of(origin) if skill.mode == "automatic")

    def names(self, origin: Origin) -> tuple[str, ...]:
        """What this person can type after a slash."""
        return tuple(skill.id for skill in self._of(origin))

    def called(self, message: QueuedMessage) -> tuple[Skill, ...]:
        """The skills that a message asks for by `/name`, or the one that it carries on with.

        Words that somebody else wrote ask for none.
        """
        if message.carries is not None:
            return tuple(skill for skill in self._of(message.origin) if _is_taken(skill, message.carries))
        if message.others_words and (message.origin.role != "let-in" or message.words_of is not None):
            return ()
        by_id = {skill.id: skill for skill in self._of(message.origin)}
        return tuple(by_id[name] for name in calling.named(message.text) if name in by_id)

    def _of(self, origin: Origin) -> tuple[Skill, ...]:
        """The ones that are on for this person: people have those that the owner switched on for them."""
        on = tuple(skill for skill in self.all() if skill.mode != "off")
        if origin.role == "guest":
            return ()
        if origin.role != "let-in":
            return on
        for_people = set(map(fold_name, self._preferences.current.skills_for_people))
        return tuple(skill for skill in on if skill.id in for_people)


def _is_taken(skill: Skill, taken: TakenOffer) -> bool:
    return taken.offer.kind is OfferKind.SKILL and taken.offer.target == skill.id
