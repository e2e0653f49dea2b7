"""The pretend Discord's state: who there is, which places, and what happens when something is said or changed.

Belongs here: the few ways in which a place changes. Every change is journalled for whoever watches a screen, and every
bot that may hear of it is told. How a bot asks for it belongs to `routes`, how a person does to `screen`.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypedDict, Unpack

from channels.emulators.clock import Clock
from channels.emulators.discord import permissions
from channels.emulators.discord import sessions as intents
from channels.emulators.discord.interactions import Interaction, Interactions, interaction_json
from channels.emulators.discord.naming import named
from channels.emulators.discord.people import Account, Bot, Person
from channels.emulators.discord.places import DM, HAS_THREAD, LOADING, TEXT, THREAD, Channel, Content, Guild, Message
from channels.emulators.discord.snowflakes import Snowflakes
from channels.emulators.discord.telling import message_json, told_to
from channels.emulators.journal import Journal

JOURNAL_ENTRIES = 20_000
DEFAULT, REPLY, COMMAND_REPLY = 0, 19, 20
"""Kinds of message, by Discord's numbers."""

Detail = str | Interaction | None


@dataclass(frozen=True, slots=True)
class Event:
    """Something that changed on a screen. `content` is what `message` said at that moment."""

    kind: str
    channel: Channel | None = None
    message: Message | None = None
    content: Content | None = None
    detail: Detail = None


class About(TypedDict, total=False):
    """What can be said about a new message besides its content; see `Message`."""

    reply_to: Message | None
    flags: int
    only_for: Person | None
    interaction: dict[str, Any] | None
    nonce: str | int | None
    kind: int


class World:
    """Everything that there is. One event loop, no locks. `base` is the address in front of files."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.ids = Snowflakes(clock)
        self.interactions = Interactions(clock)
        self.journal: Journal[Event] = Journal(JOURNAL_ENTRIES)
        self.base = ""
        self.bots: dict[str, Bot] = {}
        self.accounts: dict[str, Account] = {}
        self.guilds: dict[str, Guild] = {}
        self.channels: dict[str, Channel] = {}
        self._private: dict[tuple[str, str], Channel] = {}
        self._nonces: dict[tuple[str, str, str], tuple[Message, float]] = {}

    # ---- who and what there is -------------------------------------------------------------------------------------

    def add_bot(self, name: str, username: str, *, token: str | None = None) -> Bot:
        """A bot as the developer portal would make it; its id stands in its token, if that is shaped like one.

        Raises:
            ValueError: the token is another bot's.
        """
        bot_id = (_id_in(token) if token is not None else None) or self.ids.next()
        token = token or f"{urlsafe_b64encode(bot_id.encode()).decode().rstrip('=')}.Pretend.OnThisMachineOnly"
        if token in self.bots or bot_id in self.accounts:
            raise ValueError("that token is another bot's")
        bot = Bot(bot_id, name, username, token)
        self.bots[token] = self.accounts[bot.id] = bot
        return bot

    def add_person(self, person: Person) -> None:
        """Someone new."""
        self.accounts[person.id] = person

    def private_chat(self, person: Person, bot: Bot) -> Channel:
        """Their private chat; it has an id of its own."""
        key = (bot.id, person.id)
        if key not in self._private:
            channel = Channel(self.ids.next(), DM, person=person, bot=bot, at=self.clock.now())
            self._private[key] = self.channels[channel.id] = channel
        return self._private[key]

    def add_guild(self, name: str) -> Guild:
        """An empty server with one channel."""
        guild = Guild(self.ids.next(), name, self.clock.now())
        self.guilds[guild.id] = guild
        self.add_channel(guild, "general")
        return guild

    def add_channel(self, guild: Guild, name: str) -> Channel:
        """A text channel; bots that are there are told."""
        channel = Channel(self.ids.next(), TEXT, name, guild=guild, at=self.clock.now())
        guild.channels[channel.id] = self.channels[channel.id] = channel
        self.tell_channel(channel, "CHANNEL_CREATE")
        return channel

    def delete_channel(self, channel: Channel) -> None:
        """Take a channel or thread away for everyone."""
        self.tell_channel(channel, "CHANNEL_DELETE" if channel.parent is None else "THREAD_DELETE")
        self.channels.pop(channel.id, None)
        if channel.guild is not None:
            channel.guild.channels.pop(channel.id, None)
        self.show("gone", channel)

    # ---- what is said ----------------------------------------------------------------------------------------------

    def post(
        self,
        channel: Channel,
        author: Account,
        content: Content,
        allowed: Mapping[str, Any] | None = None,
        **about: Unpack[About],
    ) -> Message:
        """Say something. `allowed` is `allowed_mentions`."""
        message = Message(self.ids.next(), channel, author, content, self.clock.now(), **about)
        if message.reply_to is not None:
            message.kind = REPLY
        self._name(message, allowed)
        channel.messages[message.id] = message
        channel.typing.pop(author.id, None)
        self.show("message", channel, message)
        if message.only_for is None:
            self._tell_message("MESSAGE_CREATE", message)
        return message

    def edit(self, message: Message, content: Content, *, flags: int | None = None) -> None:
        """Change what a message says."""
        if not message.flags & LOADING:
            message.history.append(message.content)
            message.edited_at = self.clock.now()
        message.content = content
        if flags is not None:
            message.flags = flags
        self.show("edited", message.channel, message)
        if message.only_for is None:
            self._tell_message("MESSAGE_UPDATE", message)

    def delete(self, message: Message) -> None:
        """Take a message away for everyone."""
        message.deleted = True
        self.show("deleted", message.channel, message)
        if message.only_for is None:
            self._tell(message.channel, "MESSAGE_DELETE", {"id": message.id}, self._message_intent(message.channel))

    def react(self, message: Message, account: Account, emoji: str, *, on: bool) -> None:
        """Put an emoji under a message, or take it away."""
        who = message.reactions.setdefault(emoji, [])
        if on == (account in who):
            return
        who.append(account) if on else who.remove(account)
        if not who:
            del message.reactions[emoji]
        self.show("reaction", message.channel, message, detail=emoji)
        told = {
            "user_id": account.id,
            "message_id": message.id,
            "emoji": {"id": None, "name": emoji},
            "burst": False,
            "type": 0,
        }
        if on:
            told["message_author_id"] = message.author.id
        intent = intents.DIRECT_REACTIONS if message.channel.private else intents.GUILD_REACTIONS
        self._tell(message.channel, "MESSAGE_REACTION_ADD" if on else "MESSAGE_REACTION_REMOVE", told, intent)

    def open_thread(self, message: Message, name: str, owner: Account) -> Channel:
        """A thread under a message; it has the message's id."""
        parent = message.channel
        thread = Channel(message.id, THREAD, name, parent.guild, parent=parent, at=self.clock.now(), owner_id=owner.id)
        self.channels[thread.id] = thread
        if parent.guild is not None:
            parent.guild.channels[thread.id] = thread
        message.flags |= HAS_THREAD
        self.tell_channel(thread, "THREAD_CREATE")
        self.show("thread", thread)
        return thread

    def archive(self, thread: Channel, *, archived: bool) -> None:
        """Put a thread to sleep, or wake it."""
        thread.archived = archived
        self.tell_channel(thread, "THREAD_UPDATE")
        self.show("thread", thread)

    def interact(self, interaction: Interaction) -> None:
        """Tell the bot what somebody did."""
        message, bot = interaction.message, interaction.bot
        told = message_json(message, base=self.base) if message is not None else None
        self.show("press", interaction.channel, message, detail=interaction)
        bot.dispatch("INTERACTION_CREATE", interaction_json(interaction, told))

    def type_in(self, channel: Channel, account: Account) -> None:
        """Somebody types, for ten seconds."""
        channel.typing[account.id] = self.clock.monotonic()
        self.show("typing", channel)
        intent = intents.DIRECT_TYPING if channel.private else intents.GUILD_TYPING
        told = {"user_id": account.id, "timestamp": int(self.clock.now().timestamp())}
        self._tell(channel, "TYPING_START", told, intent)

    # ---- the same sent twice ---------------------------------------------------------------------------------------

    def sent_with(self, channel: Channel, author: Account, nonce: str, within: float) -> Message | None:
        """What this author said here under this nonce within so many seconds."""
        message, at = self._nonces.get((channel.id, author.id, nonce), (None, 0.0))
        return message if message is not None and self.clock.monotonic() - at < within else None

    def remember_nonce(self, message: Message) -> None:
        """So that the same message sent again is not a second one."""
        key = (message.channel.id, message.author.id, str(message.nonce))
        self._nonces[key] = (message, self.clock.monotonic())

    # ---- telling ---------------------------------------------------------------------------------------------------

    def show(
        self, kind: str, channel: Channel | None = None, message: Message | None = None, *, detail: Detail = None
    ) -> None:
        """Record a change for whoever watches."""
        self.journal.append(Event(kind, channel, message, message.content if message else None, detail))

    def tell_channel(self, channel: Channel, event: str) -> None:
        """Tell the bots that see a channel what it is now."""
        for bot in channel.bots():
            bot.dispatch(event, channel.json(bot), intents.GUILDS)

    def tell_guild(self, guild: Guild, bot: Bot, *, there: bool) -> None:
        """Tell a bot that it is in a server now, or is not any more."""
        if there:
            # A server that a bot just joined is told without `unavailable`; that is how the SDK knows the two apart.
            told = {name: value for name, value in guild.json(bot).items() if name != "unavailable"}
            bot.dispatch("GUILD_CREATE", told, intents.GUILDS)
        else:
            bot.dispatch("GUILD_DELETE", {"id": guild.id}, intents.GUILDS)
        self.show("joined" if there else "left", detail=guild.id)

    def _name(self, message: Message, allowed: Mapping[str, Any] | None) -> None:
        author, channel = message.author, message.channel
        may_all = channel.guild is not None and not isinstance(author, Bot)
        if isinstance(author, Bot):
            may_all = channel.may(author, permissions.MENTION_EVERYONE)
        found = named(
            message.content.text,
            channel,
            self.accounts,
            reply_to=message.reply_to,
            allowed=allowed,
            may_all=may_all,
        )
        message.mentions, message.pings, message.everyone = found.accounts, found.pings, found.everyone

    def _tell_message(self, event: str, message: Message) -> None:
        intent = self._message_intent(message.channel)
        for bot in message.channel.bots():
            for session in bot.sessions:
                if session.intents & intent:
                    readable = bool(session.intents & intents.MESSAGE_CONTENT)
                    session.dispatch(event, told_to(bot, message, base=self.base, intents=readable))

    def _message_intent(self, channel: Channel) -> int:
        return intents.DIRECT_MESSAGES if channel.private else intents.GUILD_MESSAGES

    def _tell(self, channel: Channel, event: str, data: dict[str, Any], intent: int) -> None:
        where = {"channel_id": channel.id} | ({"guild_id": channel.guild.id} if channel.guild is not None else {})
        for bot in channel.bots():
            bot.dispatch(event, where | data, intent)


def _id_in(token: str) -> str | None:
    """The id that the first part of a token says, in base64."""
    first = token.partition(".")[0]
    try:
        said = urlsafe_b64decode(first + "=" * (-len(first) % 4)).decode()
    except ValueError:
        return None
    return said if said.isascii() and said.isdigit() else None
