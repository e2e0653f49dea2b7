"""What becomes of a message in a group: it goes on, is answered with a line, or is not read at all.

A group is off until the owner turns it on. In one that is on, the bot answers only when it is asked; who is let in has
what they have in private, everyone else is a guest, who gets words, and only so many an hour. In a thread
where the app tells everything, who asked before is read on without naming the bot again. Who is who is the gate's
to say, what a guest's turn may do the core's.
"""

from dataclasses import dataclass, replace
from typing import Final

from channels.base import Channel, ChatRef, InboundMessage, Quoted
from channels.formatting.parts import literal
from channels.gate import Gate, Standing
from channels.provenance import seat_of
from channels.threads import reads_on
from commands import registry
from commands.parsing import ParsedCommand
from core.preferences import Preferences
from core.store.database import Database
from core.store.groups import Groups
from core.store.outbox import OutboxRows
from core.store.seats import Seats

OFF = "I don't answer in this group. Write to me in a private chat."
OFF_TO_OWNER = "I don't answer in {group} yet. To turn it on, run `conch groups on {chat_id}` where Conch runs."
NO_GUESTS = "In this group I only answer people who are let in."
ENOUGH = "I answer people who are not let in only so often, so I'm quiet towards them for now. Ask again in an hour."
WORDS_ONLY = "From people who are not let in I only take words, so I left the file out."

_ALBUMS: Final = 1_000
"""Albums of which it is remembered that their first piece was for the bot."""


@dataclass(frozen=True, slots=True)
class Heard:
    """`message` goes on as one of a person of this standing (None: it does not); `remark` is said, if anything.

    `alone` is said to the sender where nobody else reads it.
    """

    message: InboundMessage | None = None
    standing: Standing = Standing.STRANGER
    remark: str | None = None
    alone: str | None = None


NOT_READ: Final = Heard()


class GroupDoor:
    """Decides about messages in groups, and knows when the bot comes into one and goes."""

    def __init__(self, database: Database, gate: Gate, preferences: Preferences) -> None:
        self._groups = Groups(database)
        self._seats = Seats(database)
        self._said = OutboxRows(database)
        self._gate = gate
        self._preferences = preferences
        self._albums: dict[tuple[ChatRef, str, str], None] = {}

    # ---- a message -------------------------------------------------------------------------------------------------

    async def hear(self, channel: Channel, message: InboundMessage, command: ParsedCommand | None) -> Heard:
        """What becomes of it; its sender is not blocked. Asked again about a guest's, it counts once."""
        asks = asks_the_bot(message, command) or await self._goes_on(channel, message, command)
        if not (self._of_an_album(message, asks) or asks):
            return NOT_READ
        standing = await self._gate.standing_in(message.chat, message.sender.id)
        if not standing.answered:
            return await self._off(message) if calls_the_bot(message) else NOT_READ
        await self.come(message.chat)
        if standing is Standing.GUEST:
            return await self._guest(message, command) if asks else NOT_READ
        return Heard(await self._as_heard(message, standing, command), standing)

    async def _goes_on(self, channel: Channel, message: InboundMessage, command: ParsedCommand | None) -> bool:
        """Whether it goes on with what its sender asked in this thread before. What is said to others does not."""
        if not reads_on(channel, message.chat) or message.forwarded_from is not None:
            return False
        for_another_bot = command is not None and command.bot is not None
        if for_another_bot or message.reply_to is not None:
            return False
        return await self._seats.get(seat_of(message)) is not None

    async def as_heard(self, message: InboundMessage, standing: Standing) -> InboundMessage:
        """A message, or what an edit made of it, as what it is worth: a guest's files are none.

        What the bot said to someone else is someone else's, too: a guest can make it say anything.
        """
        if standing is Standing.GUEST:
            message = replace(message, attachments=())
        quoted = message.reply_to
        if quoted is None or not quoted.from_bot or await self._was_said_to(message, quoted):
            return message
        theirs = replace(quoted, author=f"{quoted.author} (answering someone else)", from_bot=False)
        return replace(message, reply_to=theirs)

    def _of_an_album(self, message: InboundMessage, asks: bool) -> bool:
        """Whether it belongs to an album for the bot: only the first piece has words, and says so."""
        if message.album is None:
            return False
        album = (message.chat, message.sender.id, message.album)
        if asks:
            self._albums[album] = None
            if len(self._albums) > _ALBUMS:
                del self._albums[next(iter(self._albums))]
        return album in self._albums

    async def _off(self, message: InboundMessage) -> Heard:
        """The line for a group that is off: now and then. The owner hears alone how to change it."""
        chat = message.chat
        await self.come(chat)
        owner = await self._gate.standing(chat.channel_id, message.sender.id) is Standing.OWNER
        if not await self._gate.tell_group(chat, "group-off-owner" if owner else "group-off"):
            return NOT_READ
        if not owner:
            return Heard(remark=OFF)
        title = " ".join((chat.title or "").split())
        group = f"the group “{literal(title)}”" if title else "that group"
        return Heard(remark=OFF, alone=OFF_TO_OWNER.format(group=group, chat_id=chat.id))

    async def _guest(self, message: InboundMessage, command: ParsedCommand | None) -> Heard:
        """Everything that a guest is answered counts, except that they can always end what is going on."""
        chat, allowed = message.chat, self._preferences.current.guest_answers_per_hour
        if not (command is not None and _is(command, "stop")):
            if not await self._groups.answer_guest(chat.channel_id, chat.id, message.update_id, allowed):
                tell = await self._gate.tell_group(chat, "guests-enough", hourly=True)
                return Heard(remark=(ENOUGH if allowed else NO_GUESTS) if tell else None)
            if message.attachments and not message.text:
                return Heard(remark=WORDS_ONLY)
        remark = WORDS_ONLY if message.attachments and command is None else None
        return Heard(await self._as_heard(message, Standing.GUEST, command), Standing.GUEST, remark)

    async def _as_heard(
        self, message: InboundMessage, standing: Standing, command: ParsedCommand | None
    ) -> InboundMessage:
        """Of a command only its own words count, whatever it replies to."""
        return await self.as_heard(message, standing) if command is None else message

    async def _was_said_to(self, message: InboundMessage, quoted: Quoted) -> bool:
        """Whether the bot said the quoted in the conversation that the sender's seat has now."""
        conversation_id = await self._seats.conversation(seat_of(message))
        if conversation_id is None:
            return False
        key = await self._said.key_in_group(message.chat.channel_id, message.chat.id, quoted.message_id)
        return key is not None and key.startswith(f"{conversation_id}:")

    # ---- the bot itself --------------------------------------------------------------------------------------------

    async def come(self, chat: ChatRef) -> None:
        """The bot was brought into a group."""
        await self._groups.heard_of(chat.channel_id, chat.id, chat.title)

    async def leave(self, chat: ChatRef) -> None:
        """The bot was taken out of a group."""
        await self._groups.leave(chat.channel_id, chat.id)


def calls_the_bot(message: InboundMessage) -> bool:
    """Whether the bot is named or replied to; a command without its name may be for any bot."""
    return message.mentioned or (message.reply_to is not None and message.reply_to.from_bot)


def asks_the_bot(message: InboundMessage, command: ParsedCommand | None) -> bool:
    """Whether somebody in a group wants something of the bot: by its name, in reply to it, by a command for groups.

    What was only passed on is not asked, and a command that names a bot is for another one: our own name is cut out.
    """
    if message.forwarded_from is not None or (command is not None and command.bot is not None):
        return False
    if calls_the_bot(message):
        return True
    found = registry.find(command.name) if command is not None else None
    return found is not None and found.chat is not None and found.chat.groups


def _is(command: ParsedCommand, name: str) -> bool:
    found = registry.find(command.name)
    return found is not None and found.name == name
