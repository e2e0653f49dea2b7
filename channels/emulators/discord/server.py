"""A server from outside: who comes and goes, its channels, what a bot may do there.

Belongs here: what people do to a server (Discord's wire calls it a guild). What they do in it belongs to `screen`.
"""

from channels.emulators.discord import permissions
from channels.emulators.discord.people import Bot, Person
from channels.emulators.discord.places import Guild
from channels.emulators.discord.screen import Screen
from channels.emulators.discord.sessions import GUILDS
from channels.emulators.discord.world import World


class Server:
    """A server. The first member is its owner."""

    def __init__(self, world: World, guild: Guild) -> None:
        self.world = world
        self.guild = guild

    @property
    def id(self) -> str:
        """Its id."""
        return self.guild.id

    def screen(self, person: Person, channel: str = "general") -> Screen:
        """A channel as one of the members has it open.

        Raises:
            LookupError: they are no member, or there is no such channel.
        """
        if person.id not in self.guild.people:
            raise LookupError(f"{person.name} is not in {self.guild.name}")
        return Screen(self.world, self.guild.channel_named(channel), person)

    def join(self, *people: Person) -> None:
        """Let people in, without a word."""
        for person in people:
            self.guild.people[person.id] = person

    def leave(self, person: Person) -> None:
        """Somebody goes."""
        self.guild.people.pop(person.id, None)

    async def add_channel(self, name: str) -> str:
        """A further channel; gives its id."""
        return self.world.add_channel(self.guild, name).id

    async def delete_channel(self, name: str) -> None:
        """Take a channel away for everyone.

        Raises:
            LookupError: there is no such channel.
        """
        self.world.delete_channel(self.guild.channel_named(name))

    async def rename(self, name: str) -> None:
        """Call the server something else."""
        self.guild.name = name
        for bot in self.guild.bots.values():
            bot.dispatch("GUILD_UPDATE", self.guild.json(bot), GUILDS)

    async def add_bot(self, bot: Bot) -> None:
        """Bring a bot in; it is told."""
        self.guild.bots[bot.id] = bot
        self.guild.since[bot.id] = self.world.clock.now()
        self.world.tell_guild(self.guild, bot, there=True)

    async def remove_bot(self, bot: Bot) -> None:
        """Throw a bot out; it hears of it, and of nothing after."""
        self.guild.bots.pop(bot.id, None)
        self.world.tell_guild(self.guild, bot, there=False)

    async def take_away(self, bot: Bot, *names: str, channel: str | None = None) -> None:
        """Take permissions from a bot, by their names in `permissions`, in one channel or everywhere.

        Raises:
            LookupError: no such permission or channel.
        """
        where = self.guild if channel is None else self.guild.channel_named(channel)
        bits = permissions.bits(*names)
        where.denied[bot.id] = where.denied.get(bot.id, 0) | bits
        where.given[bot.id] = where.given.get(bot.id, 0) & ~bits
        self._tell(bot, channel)

    async def give_back(self, bot: Bot, *names: str, channel: str | None = None) -> None:
        """Give permissions back, or some that a mere member does not have (`mention_everyone`, `manage_messages`).

        Raises:
            LookupError: no such permission or channel.
        """
        where = self.guild if channel is None else self.guild.channel_named(channel)
        bits = permissions.bits(*names)
        where.denied[bot.id] = where.denied.get(bot.id, 0) & ~bits
        where.given[bot.id] = where.given.get(bot.id, 0) | bits & ~permissions.EVERYONE
        self._tell(bot, channel)

    def _tell(self, bot: Bot, channel: str | None) -> None:
        if channel is not None:
            self.world.tell_channel(self.guild.channel_named(channel), "CHANNEL_UPDATE")
            return
        everyone = self.guild.json(bot)["roles"][0]
        bot.dispatch("GUILD_ROLE_UPDATE", {"guild_id": self.guild.id, "role": everyone}, GUILDS)
