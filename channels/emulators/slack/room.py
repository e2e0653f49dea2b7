"""A channel from outside: who comes and goes, and whether anything may be said in it.

Belongs here: what people do to a channel. What they do in it belongs to `screen`.
"""

from channels.emulators.slack.chats import Chat
from channels.emulators.slack.people import Bot, Person
from channels.emulators.slack.screen import Screen
from channels.emulators.slack.world import World


class Room:
    """A channel. The first member is who made it, in whose name things are done unless said."""

    def __init__(self, world: World, chat: Chat) -> None:
        self.world = world
        self.chat = chat

    @property
    def id(self) -> str:
        """Its id."""
        return self.chat.id

    def screen(self, person: Person) -> Screen:
        """The channel as one of its members has it open.

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

    async def join(self, person: Person) -> None:
        """Somebody comes in."""
        self.world.join(self.chat, person)

    async def leave(self, person: Person) -> None:
        """Somebody goes."""
        self.world.leave(self.chat, person)

    async def add_bot(self, bot: Bot, *, by: Person | None = None) -> None:
        """Invite an app; it hears that it has come."""
        self.world.join(self.chat, bot, by=by or next(iter(self.chat.people), None))

    async def remove_bot(self, bot: Bot) -> None:
        """Throw an app out; it hears that it is gone, and of nothing after."""
        self.world.leave(self.chat, bot)

    async def archive(self, *, archived: bool = True) -> None:
        """Close the channel, or open it again."""
        self.chat.archived = archived
        self.world.show("archived" if archived else "unarchived", self.chat)

    async def set_read_only(self, *, read_only: bool = True) -> None:
        """Let only a few post, or everybody again."""
        self.chat.read_only = read_only
        self.world.show("read_only", self.chat)
