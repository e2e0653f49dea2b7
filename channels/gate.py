"""Who may: one function in front of every path, and the ways in (hello code, request).

People are known by the app's own id, never by a name. A stranger hears one polite line at most every 30 minutes, and
nothing of theirs reaches an engine.
"""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from channels.base import ChatRef, InboundMessage, Sender
from core.clock import Clock
from core.events import ChatKind
from core.store.groups import Groups
from core.store.people import MAX_NAME, SEEN_EVERY, AccessRequest, People, Person, Role

HELLO_BITS = 96
HELLO_LASTS = timedelta(minutes=10)
STRANGER_EVERY = timedelta(minutes=30)
HOUR = timedelta(hours=1)

WELCOME_OWNER = "Hello {name}! This bot is yours now. Write to me, or send \u2060/help to see what you can do here."
WELCOME = "Hello {name}! You can write to me now. Send \u2060/help to see what you can do here."
CODE_GONE = "That link was used already or is too old. Ask for a new one."
STRANGER = "Hello! This is a private assistant, so I can't answer you yet. I've passed on that you wrote."


class Standing(StrEnum):
    """What a sender is to this bot."""

    OWNER = "owner"
    PERSON = "person"
    BLOCKED = "blocked"
    STRANGER = "stranger"
    GUEST = "guest"
    """Not let in, in a group that the owner turned on."""

    @property
    def let_in(self) -> bool:
        """Whether somebody let them in."""
        return self in (Standing.OWNER, Standing.PERSON)

    @property
    def answered(self) -> bool:
        """Whether their words may reach an engine."""
        return self.let_in or self is Standing.GUEST


_STANDING = {Role.OWNER: Standing.OWNER, Role.PERSON: Standing.PERSON, Role.BLOCKED: Standing.BLOCKED}


@dataclass(frozen=True, slots=True)
class Welcome:
    """What came of a hello code: the words to say, and whether it let its sender in."""

    words: str
    let_in: bool


class Gate:
    """Decides who may, from the stored roles."""

    def __init__(self, people: People, groups: Groups, clock: Clock) -> None:
        self._people = people
        self._groups = groups
        self._clock = clock

    async def standing(self, channel_id: str, person_id: str) -> Standing:
        """What a person is to this bot now."""
        return _standing(await self._people.get(channel_id, person_id))

    async def standing_in(self, chat: ChatRef, person_id: str) -> Standing:
        """What a person is in a chat now: where a group is off, nobody is anything but a stranger or blocked."""
        return await self._in(chat, await self.standing(chat.channel_id, person_id))

    async def arrives(self, chat: ChatRef, sender: Sender) -> Standing:
        """As `standing_in`, for one whose words are about to go on; who is known is noted to have written."""
        person = await self._people.get(chat.channel_id, sender.id)
        if person is not None and self._is_news(person, sender):
            await self._people.touch(chat.channel_id, sender.id, sender.name, sender.username)
        return await self._in(chat, _standing(person))

    def _is_news(self, person: Person, sender: Sender) -> bool:
        """Spares a look where nothing would be written."""
        fresh = person.last_seen is not None and self._clock.now() - person.last_seen < SEEN_EVERY
        return not fresh or (person.name, person.username) != (sender.name[:MAX_NAME], sender.username)

    async def _in(self, chat: ChatRef, standing: Standing) -> Standing:
        if chat.kind is ChatKind.PRIVATE or standing is Standing.BLOCKED:
            return standing
        if not await self._groups.is_on(chat.channel_id, chat.id):
            return Standing.STRANGER
        return Standing.GUEST if standing is Standing.STRANGER else standing

    async def new_hello_code(self, channel_id: str) -> str:
        """A code that lets in whoever sends it to the bot in private: once, within ten minutes. A hash is kept."""
        code = secrets.token_urlsafe(HELLO_BITS // 8)
        await self._people.keep_hello(channel_id, hash_of(code), self._clock.now() + HELLO_LASTS)
        return code

    async def hello(self, channel_id: str, sender: Sender, code: str) -> Welcome:
        """Let the sender in when the code is good; the first one in owns the bot."""
        role = await self._people.claim_hello(channel_id, hash_of(code), sender.id, sender.name, sender.username)
        if role is None:
            return Welcome(CODE_GONE, let_in=False)
        words = WELCOME_OWNER if role is Role.OWNER else WELCOME
        return Welcome(words.format(name=sender.name), let_in=True)

    async def tell_group(self, chat: ChatRef, what: str, *, hourly: bool = False) -> bool:
        """Whether a group hears something now that is said there at most every half hour, or hour."""
        every = HOUR if hourly else STRANGER_EVERY
        return await self._people.tell(chat.channel_id, chat.id, what, self._clock.now() - every)

    async def news_for_owner(self, chat: ChatRef) -> tuple[AccessRequest, ...] | None:
        """Who wrote since the owner was told the last time, the first one first; None: that is not half an hour ago."""
        channel_id, what, since = chat.channel_id, "asked", self._clock.now() - STRANGER_EVERY
        told = await self._people.told(channel_id, chat.id, what)
        if not await self._people.tell(channel_id, chat.id, what, since):
            return None
        requests = await self._people.requests(channel_id)
        return tuple(each for each in reversed(requests) if told is None or each.at > told)

    async def stranger(self, channel_id: str, message: InboundMessage) -> str | None:
        """Note a stranger's request; what to tell them, at most every half hour, and only in private."""
        if message.chat.kind is not ChatKind.PRIVATE:
            return None
        sender = message.sender
        since = self._clock.now() - STRANGER_EVERY
        first = await self._people.request(
            channel_id,
            sender.id,
            sender.name,
            sender.username,
            chat_id=message.chat.id,
            preview=message.text,
            answered_before=since,
        )
        return STRANGER if first else None


def _standing(person: Person | None) -> Standing:
    return _STANDING[person.role] if person else Standing.STRANGER


def hash_of(code: str) -> str:
    """What is stored of a hello code. It has 96 random bits, so a plain digest cannot be guessed back."""
    return hashlib.sha256(code.encode()).hexdigest()
