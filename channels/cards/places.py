"""Where a card is shown, and who may answer it: in the private chat of the person whose message its turn answers.

A group never shows a card: there it goes to that person's private chat, with the group named. Guests are asked nothing.
"""

from dataclasses import dataclass

from channels.abilities import PrivateChats
from channels.base import Channel, ChatRef
from core.events import Address, ChatKind, Origin, UserMessage
from core.store.cards import CardPlace
from core.store.groups import Groups
from core.store.log import EventLog
from core.store.people import People, Role
from core.store.seats import Seats

_BEFORE = 60
"""Events among which the message that began a turn is found: it stands a few before its `turn.started`."""


@dataclass(frozen=True, slots=True)
class Whose:
    """Whose turn it is: a person that the channel knows, and whether the channel is theirs."""

    person_id: str
    name: str
    owner: bool


class CardPlaces:
    """Looks up whose a turn is, and where they can be asked."""

    def __init__(self, log: EventLog, people: People, groups: Groups, seats: Seats) -> None:
        self._log = log
        self._people = people
        self._groups = groups
        self._seats = seats

    async def whose(self, conversation_id: str, turn_seq: int) -> Whose | None:
        """Whose message a turn answers; None for a guest's, and for one that came from no chat app.

        Raises:
            StoreUnavailable: it cannot be looked up now.
        """
        before = await self._log.read(conversation_id, after=max(-1, turn_seq - 1 - _BEFORE), limit=_BEFORE)
        origin = next((e.data.origin for e in reversed(before) if isinstance(e.data, UserMessage)), None)
        return None if origin is None or origin.role == "guest" else _whose(origin)

    async def owner(self, channel_id: str) -> Whose | None:
        """Whose the channel is."""
        for person in await self._people.list(channel_id):
            if person.role is Role.OWNER:
                return Whose(person.person_id, person.name, owner=True)
        return None

    def own_chat(self, address: Address, person_id: str) -> CardPlace:
        """The private chat that a turn answers in."""
        return CardPlace(address.channel_id, address.chat_id, address.chat_kind.value, address.thread or "", person_id)

    async def elsewhere(
        self, channel: Channel, address: Address, person_id: str, whose: Whose | None = None
    ) -> CardPlace | None:
        """A person's private chat, for a turn that answers in another one; None where none is known.

        `whose`: the turn is somebody else's, who is named.
        """
        chat = await self.private_chat(channel, person_id)
        if chat is None:
            return None
        group = await self._title(address) if address.chat_kind is ChatKind.GROUP else ""
        behalf = " in ".join(filter(None, (whose.name if whose is not None else "", group)))
        return CardPlace(channel.id, chat.id, chat.kind.value, chat.thread or "", person_id, behalf)

    async def private_chat(self, channel: Channel, person_id: str) -> ChatRef | None:
        """Where a person is written to alone; None where that is not known."""
        if isinstance(channel, PrivateChats):
            return channel.private_chat(person_id)
        chat_id = await self._seats.private_chat(channel.id, person_id)
        return None if chat_id is None else ChatRef(channel.id, chat_id)

    async def _title(self, address: Address) -> str:
        known = await self._groups.list(address.channel_id)
        title = next((group.title for group in known if group.chat_id == address.chat_id), "")
        return f"the group “{title}”" if title else "a group"


def _whose(origin: Origin) -> Whose | None:
    if origin.person_id is None:
        return None
    return Whose(origin.person_id, origin.person_name or "somebody", owner=origin.role == "owner")


def chat_of_place(place: CardPlace) -> ChatRef:
    """The room that a card stands in."""
    return ChatRef(place.channel_id, place.chat_id, ChatKind(place.chat_kind), place.thread or None)
