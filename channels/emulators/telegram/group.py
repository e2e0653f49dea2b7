"""A group from outside: who comes, goes and runs it.

Belongs here: what people do to a group. What they do in it belongs to `screen`.
"""

from channels.emulators.telegram.chats import Chat, Standing
from channels.emulators.telegram.people import Bot, Person
from channels.emulators.telegram.screen import Screen
from channels.emulators.telegram.world import World

TOPIC_COLOR = 7322096


class Group:
    """A group, supergroup or forum. The first member is its owner, in whose name things are done unless said."""

    def __init__(self, world: World, chat: Chat) -> None:
        self.world = world
        self.chat = chat

    @property
    def id(self) -> int:
        """Its chat id."""
        return self.chat.id

    @property
    def owner(self) -> Person:
        """The first who was in it."""
        return next(iter(self.chat.people.values()))

    def screen(self, person: Person) -> Screen:
        """The group as one of its members has it open.

        Raises:
            LookupError: they are no member.
        """
        if person.id not in self.chat.people:
            raise LookupError(f"{person.name} is not in {self.chat.title}")
        return Screen(self.world, self.chat, person)

    def join(self, *people: Person) -> None:
        """Let people in, without a word; the first ever is the owner."""
        for person in people:
            if not self.chat.people:
                self.chat.admins.add(person.id)
            self.chat.people[person.id] = person

    def settle_in(self, bot: Bot) -> None:
        """Have a bot in the group as if it had been there for long."""
        self.chat.bots[bot.id] = Standing.MEMBER

    async def add_bot(self, bot: Bot, *, by: Person | None = None, admin: bool = False) -> None:
        """Bring a bot in; it is told twice, as on the real Telegram: its standing changed, and someone joined."""
        actor = by or self.owner
        old = self.chat.bots.get(bot.id, Standing.LEFT)
        new = Standing.ADMINISTRATOR if admin else Standing.MEMBER
        self.chat.bots[bot.id] = new
        self.world.tell_standing(self.chat, bot, actor, old, new)
        self.world.service(self.chat, actor, {"new_chat_members": [bot.user]})

    async def remove_bot(self, bot: Bot, *, by: Person | None = None) -> None:
        """Throw a bot out; it hears of it, and of nothing after."""
        actor = by or self.owner
        old = self.chat.bots[bot.id]
        self.chat.bots[bot.id] = Standing.KICKED
        self.world.tell_standing(self.chat, bot, actor, old, Standing.KICKED)
        self.world.service(self.chat, actor, {"left_chat_member": bot.user})

    async def set_admin(self, bot: Bot, *, admin: bool, by: Person | None = None) -> None:
        """Make a bot an admin, which hears everything, or a mere member."""
        old, new = self.chat.bots[bot.id], Standing.ADMINISTRATOR if admin else Standing.MEMBER
        self.chat.bots[bot.id] = new
        self.world.tell_standing(self.chat, bot, by or self.owner, old, new)

    async def open_topic(self, name: str, *, by: Person | None = None) -> int:
        """Open a topic and return its id.

        Raises:
            LookupError: not a forum.
        """
        if not self.chat.forum:
            raise LookupError("only a forum has topics")
        return self.world.open_topic(self.chat, by or self.owner, name, TOPIC_COLOR).id

    async def upgrade(self) -> "Group":
        """Turn a basic group into a supergroup; the old id is dead from now on."""
        return Group(self.world, self.world.upgrade(self.chat, self.owner))
