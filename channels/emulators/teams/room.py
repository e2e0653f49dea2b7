"""A group chat or a channel from outside: who comes and goes.

Belongs here: what people do to a room. What they do in it belongs to `screen`.
"""

from channels.emulators.teams.chats import Chat
from channels.emulators.teams.people import Bot, Person
from channels.emulators.teams.screen import Screen
from channels.emulators.teams.world import World


class Room:
    """A group chat, or a channel of a team. The first member is in whose name things are done unless said."""

    def __init__(self, world: World, chat: Chat) -> None:
        self.world = world
        self.chat = chat

    @property
    def id(self) -> str:
        """Its id."""
        return self.chat.id

    def screen(self, person: Person) -> Screen:
        """The room as one of its members has it open.

        Raises:
            LookupError: they are no member.
        """
        if person.id not in self.chat.members:
            raise LookupError(f"{person.name} is not in {self.chat.title}")
        return Screen(self.world, self.chat, person)

    def settle(self, *accounts: Person | Bot) -> None:
        """Have somebody in it as if they had been there for long."""
        for account in accounts:
            self.chat.members[account.id] = account
            self.chat.installed = self.chat.installed or isinstance(account, Bot)

    async def join(self, person: Person) -> None:
        """Somebody comes in."""
        self.world.come(self.chat, person, came=True)

    async def leave(self, person: Person) -> None:
        """Somebody goes."""
        self.world.come(self.chat, person, came=False)

    async def add_bot(self, bot: Bot, *, by: Person | None = None) -> None:
        """Put a bot there; it hears that it has come."""
        self.world.install(self.chat, by or self.chat.people[0], bot, added=True)

    async def remove_bot(self, bot: Bot) -> None:
        """Throw a bot out; it hears that it is gone, and of nothing after."""
        self.world.install(self.chat, self.chat.people[0], bot, added=False)
